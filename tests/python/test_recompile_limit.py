"""Tests stand alone: what one has compiled does not push the next into eager mode."""

from __future__ import annotations

import pytest
import torch

from nativefx.report import collector

OPTIONS = {"fallback": "error"}


def doubled(x: torch.Tensor) -> torch.Tensor:
    return torch.exp(x) * 2


def compile_for(sizes: range) -> int:
    run = torch.compile(doubled, backend="nativefx", options=OPTIONS, dynamic=False)
    with collector() as graphs:
        for size in sizes:
            run(torch.randn(size))
    return len(graphs)


@pytest.mark.parametrize("run", [1, 2])
def test_each_test_may_compile_up_to_the_limit(run):
    limit = torch._dynamo.config.recompile_limit
    assert compile_for(range(2, 2 + limit)) == limit


def test_a_function_beyond_the_limit_is_an_error_here():
    limit = torch._dynamo.config.recompile_limit
    with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit):
        compile_for(range(2, 3 + limit))
