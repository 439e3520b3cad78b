"""Graphs that write in place in their middle, traced without AOTAutograd."""

from __future__ import annotations

import warnings
from types import FunctionType

import pytest
import torch
from corner_check import same_facts
from torch.fx.experimental.proxy_tensor import make_fx

from nativefx.dynamo_backend import compile_fx
from nativefx.options import Options


def gathered_then_written(x, y):
    g = x.index_select(1, torch.zeros(2, dtype=torch.int64))
    x[0].add_(1)
    return g.index_select(0, torch.zeros(2, dtype=torch.int64)), g + 1


def gathered_through_a_view_then_written(x, y):
    g = x.index_select(0, torch.tensor([2, 1])).t()
    h = g * 2
    x.zero_()
    return h, g + y[:1, :2], g.sum()


def gathered_twice_then_written(x, y):
    i = torch.tensor([1, 0])
    g = x[i]
    h = g[i]
    x.mul_(3)
    y.copy_(x)
    return h * 2, g[i] + y[:2], x[i]


def index_written_after_use(x, y):
    i = (y[0] > 0).long()
    g = x[i]
    i.zero_()
    return g * 1, x[i]


def folded_over_one_then_all(x, y):
    s = x[:1].sum(0, keepdim=True)
    return (s >= 0.5).all(), s.sum(1), s.amax()


def folded_over_one_column(x, y):
    s = x[:, :1].sum(1)
    r = s.repeat_interleave(2, 0)
    r.relu_()
    return s, r, s.softmax(0), x.sum(1) + s


GRAPHS = [
    f
    for f in list(globals().values())
    if isinstance(f, FunctionType) and f.__code__.co_varnames[:2] == ("x", "y")
]


@pytest.mark.parametrize("mode", ["fake", "symbolic"])
@pytest.mark.parametrize("function", GRAPHS, ids=lambda f: f.__name__)
def test_graphs(function, mode):
    def inputs() -> list[torch.Tensor]:
        generator = torch.Generator().manual_seed(0)
        return [torch.randn(4, 4, generator=generator) for _ in range(2)]

    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = make_fx(function, tracing_mode=mode)(*inputs())
    run = compile_fx(module, inputs(), Options(fallback="error"))
    for _ in range(2):
        ours, theirs = inputs(), inputs()
        with torch.no_grad():
            expected = function(*theirs)
        same_facts((tuple(run(list(ours))), ours), (expected, theirs))
