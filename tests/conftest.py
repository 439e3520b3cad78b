"""What holds for every Python test."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Iterator[None]:
    """Give each test a Dynamo that has compiled nothing.

    Dynamo counts the graphs of a function over the whole process and, at a limit,
    runs it in eager mode from then on. A test must not depend on the tests before
    it, and must not pass, or fail, by what eager mode gives.
    """
    dynamo = sys.modules.get("torch._dynamo")
    if dynamo is None:
        yield
        return
    dynamo.reset()
    with dynamo.config.patch(fail_on_recompile_limit_hit=True):
        yield
    dynamo.reset()


def pytest_configure(config: pytest.Config) -> None:
    """Import DGL in the process that collects what workers report.

    A worker sends a warning with the name of its category's module, which is
    imported here; on this PyTorch, DGL is imported by our function only.
    """
    if config.getoption("numprocesses", None):
        from nativefx import gnn

        gnn.import_dgl()
