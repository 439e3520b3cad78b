"""Marks of the Python tests, and the tally of graphs that crossed the bridge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from graph_comparator import Comparison

_TALLY = pytest.StashKey[Comparison]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes long; runs only with `-m slow`")
    config.stash[_TALLY] = Comparison()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("markexpr") or any("::" in argument for argument in config.args):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in set(slow)]


@pytest.fixture
def comparison(request: pytest.FixtureRequest) -> Iterator[Comparison]:
    """Comparison of one test; fails it for any difference and adds it to the tally."""
    result = Comparison()
    yield result
    request.config.stash[_TALLY].merge(result)
    shown = "\n".join(result.differences[:20])
    assert not result.differences, f"{len(result.differences)} differences:\n{shown}"


# With pytest-xdist each worker sends its tally to the process that reports.
def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        tally = session.config.stash[_TALLY]
        counts = [tally.graphs, tally.nodes, len(tally.differences), dict(tally.kinds)]
        output["bridge_tally"] = counts


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object) -> None:
    counts = getattr(node, "workeroutput", {}).get("bridge_tally")
    if counts is not None:
        tally = node.config.stash[_TALLY]  # type: ignore[attr-defined]
        tally.graphs += counts[0]
        tally.nodes += counts[1]
        tally.differences += [""] * counts[2]
        tally.kinds.update(counts[3])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    tally = terminalreporter.config.stash[_TALLY]
    if tally.graphs:
        terminalreporter.write_line(
            f"bridge: {tally.graphs} graphs and {tally.nodes} nodes compared, "
            f"{len(tally.kinds)} kinds of arguments, {len(tally.differences)} differences"
        )
