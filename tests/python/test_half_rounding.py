"""16-bit floats: computed in float32, each op's result rounded, in registers too."""

from __future__ import annotations

import pytest
import torch

from nativefx.report import collector

HALVES = [torch.bfloat16, torch.float16]

# Equal to eager to the bit: each op is exact in float32 before its one rounding.
CHAINS = {
    "cast and back": lambda x, y, half: x.float().mul(1.1).to(half).float() + 1,
    "arithmetic": lambda x, y, half: (x * y + x) / (y * y + 1) - 0.1,
    "number": lambda x, y, half: x * 0.1 + 1e-3,
    "one element": lambda x, y, half: x + y.sum() * 0 + 0.3,
    "comparison": lambda x, y, half: (x > 0.1) & (y == y.clone()),
    "choice": lambda x, y, half: torch.where(x > 0, x, y * 3).clamp(-1, 1),
    "extrema": lambda x, y, half: torch.maximum(x, y).relu() + torch.minimum(x, y).abs(),
    "reduction": lambda x, y, half: x.amax(-1) + y.argmax(-1),
    "sum": lambda x, y, half: x[:, :2].sum(-1) * y[:, 0],
    "integers": lambda x, y, half: x * torch.arange(x.shape[-1]) + x.to(torch.int32),
    "wider": lambda x, y, half: x.double() * y.float(),
    "to half": lambda x, y, half: (x.float() / 3).to(half) - (y.double() / 3).to(half),
    "views": lambda x, y, half: x.t() + y.t().contiguous(),
    "join": lambda x, y, half: torch.cat([x, y * 2]) + 1,
    "gather": lambda x, y, half: x[torch.tensor([1, 0])] * y[:2],
}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", CHAINS)
def test_every_result_is_rounded(name, half):
    torch._dynamo.reset()
    torch.manual_seed(0)
    x, y = torch.randn(7, 33).to(half), torch.randn(7, 33).to(half)
    x[0, :4] = torch.tensor([float("nan"), float("inf"), -0.0, 1e-7])
    function = CHAINS[name]
    with collector() as graphs:
        found = torch.compile(
            lambda x, y: function(x, y, half), backend="nativefx", options={"fallback": "error"}
        )(x, y)
    expected = function(x, y, half)
    assert sum(graph.count("kernel") for graph in graphs) > 0
    assert found.dtype == expected.dtype
    torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)


def test_halves_hold_all_their_values():
    torch._dynamo.reset()
    every = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16)
    for half in HALVES:
        x = every.view(half)
        function = torch.compile(
            lambda x, half=half: (x.float() * 1.0).to(half), backend="nativefx"
        )
        torch.testing.assert_close(function(x), x, rtol=0, atol=0, equal_nan=True)


FUNCTIONS = {
    "softmax": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, -1),
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
    "gelu": torch.nn.functional.gelu,
    "silu": torch.nn.functional.silu,
    "mean": lambda x: x.mean(-1),
    "var": lambda x: x.var(-1),
    "logsumexp": lambda x: x.logsumexp(-1),
}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_composites_are_rounded_once(name, half):
    torch._dynamo.reset()
    torch.manual_seed(0)
    x = torch.randn(5, 67).to(half)
    function = FUNCTIONS[name]
    with collector() as graphs:
        found = torch.compile(function, backend="nativefx", options={"fallback": "error"})(x)
    assert sum(graph.count("aten") for graph in graphs) == 0
    exact = function(x.double())
    error, eager = (found - exact).abs().max(), (function(x) - exact).abs().max()
    assert error <= 1.01 * eager + torch.finfo(half).eps / 4 * exact.abs().max()


def test_a_dtype_that_the_trace_has_wrong_is_passed_on():
    def function(x, w, mean, var):
        return torch.ops.aten._batch_norm_with_update(x, w, w, mean, var, 0.5, 1e-5)[:3]

    torch._dynamo.reset()
    x, w = torch.randn(5, 5, 5).bfloat16(), torch.ones(5).bfloat16()
    options = {"fallback": "error"}
    compiled = torch.compile(function, backend="nativefx", options=options)
    found = compiled(x, w, torch.zeros_like(w), torch.ones_like(w))
    expected = function(x, w, torch.zeros_like(w), torch.ones_like(w))
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs)
