"""Higher-order operators, whose arguments are graphs, come back as they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from graph_comparator import Comparison, nested_graphs
from models import capture_training
from round_trip import round_trip
from torch._higher_order_ops.map import map as torch_map
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.nn.attention.flex_attention import flex_attention
from torch.utils.checkpoint import checkpoint


def cond(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x.cos(), lambda x: x.sin() + 1, (x,))


def loop(x: torch.Tensor) -> Any:
    return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))


def scanned(x: torch.Tensor) -> Any:
    return scan(lambda carry, x: (carry + x, carry * x), x[0], x, dim=0)


def mapped(x: torch.Tensor) -> torch.Tensor:
    return torch_map(lambda row: row.exp() * 2, x)


def nested(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: mapped(x).sin(), lambda x: cond(x) * 2, (x,))


def checkpointed(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(lambda x: (x @ x).relu().sin(), x, use_reentrant=False)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        (x,) = ctx.saved_tensors
        return gradient * x.cos()


def autograd_function(x: torch.Tensor) -> torch.Tensor:
    return Doubled.apply(x).sin()


def attention(x: torch.Tensor) -> torch.Tensor:
    heads = x.view(1, 1, 4, 4)
    return flex_attention(heads, heads, heads, score_mod=lambda score, b, h, q, k: score + q - k)


@torch.compiler.nested_compile_region
def region(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


def invoked(x: torch.Tensor) -> torch.Tensor:
    return region(region(x))


@torch.library.custom_op("nfx_test::increase", mutates_args={"x"})
def increase(x: torch.Tensor, by: float) -> None:
    x.add_(by)


def mutated(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    increase(y, 1.0)
    return y.sin()


CASES = [
    cond, loop, scanned, mapped, nested, checkpointed, autograd_function, attention, invoked,
    mutated,
]  # fmt: skip
# These have no gradient, or none that this test needs.
FORWARD_ONLY = {loop, scanned, attention, mutated}


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_compiled(comparison: Comparison, function: Callable[..., Any], dynamic: bool) -> None:
    x = torch.randn(4, 4, requires_grad=function not in FORWARD_ONLY)
    seen = []

    def visit(name: str, graph: Any) -> None:
        seen.append(name)
        for each in (graph, *nested_graphs(graph)):
            round_trip(each, comparison)

    capture_training(function, visit, x, dynamic=dynamic)
    assert "dynamo" in seen


@pytest.mark.parametrize("function", [cond, loop, scanned, mapped, nested])
def test_exported(comparison: Comparison, function: Callable[..., Any]) -> None:
    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return function(x)

    program = torch.export.export(Module(), (torch.randn(4, 4),), strict=True)
    assert list(nested_graphs(program.graph_module))
    round_trip(program, comparison)


def test_effect_tokens(comparison: Comparison) -> None:
    """Programs with effects pass tokens through `with_effects`."""

    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            torch.ops.aten._print("effect")
            return x + 1

    program = torch.export.export(Module(), (torch.randn(2),), strict=True)
    round_trip(program, comparison)
    round_trip(program.run_decompositions(), comparison)
