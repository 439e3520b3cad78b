"""A graph that went through text is the same graph, without the original."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch
import torch.fx
from graph_comparator import Comparison, compare

import nativefx
from nativefx import Graph, _core


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, flag: bool = True) -> torch.Tensor:
        y = torch.nn.functional.gelu(self.linear(x))
        return torch.ops.aten.add.Tensor(y, x[..., 1:2], alpha=2)


def test_original_destroyed() -> None:
    """The native graph alone is enough to make everything again."""
    module = torch.fx.symbolic_trace(Net())
    meta = [{"custom": object()} for _ in module.graph.nodes]
    for node, fresh in zip(module.graph.nodes, meta, strict=True):
        node.meta = fresh
    twin = Graph.from_fx(module).to_fx()  # what to compare with when the original is gone
    graph = Graph.from_fx(module)
    gone = weakref.ref(module.graph)
    text = str(graph)
    del module, node
    gc.collect()
    assert gone() is None
    parsed = Graph.parse(text, handles_of=graph)
    del graph
    result = Comparison()
    compare(twin, parsed.to_fx(), result)
    assert not result.differences


def test_text_without_handles() -> None:
    """Operators and functions of imported modules are found by their names."""

    class Plain(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.ops.aten.add.Tensor(torch.nn.functional.gelu(x), x.view(-1), alpha=2)

    graph = Graph.from_fx(torch.fx.symbolic_trace(Plain()))
    fresh = Graph.parse(graph.text(meta=False)).to_fx()
    x = torch.randn(3)
    torch.testing.assert_close(fresh(x), Plain()(x))


def test_text_never_imports_a_module() -> None:
    assert _core.resolve_callable("antigravity.geohash") is None
    import sys

    assert "antigravity" not in sys.modules


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (torch.ops.aten.add.Tensor, "aten.add.Tensor"),
        (torch.ops.aten.relu.default, "aten.relu.default"),
        (torch.ops.aten.add, "aten.add"),
        (torch.ops.higher_order.cond, "higher_order.cond"),
        (torch.add, "torch.add"),
        (torch.nn.functional.relu, "torch.nn.functional.relu"),
        (getattr, "builtins.getattr"),
        (__import__("operator").getitem, "operator.getitem"),
        (torch._C._set_grad_enabled, "torch._C._set_grad_enabled"),
    ],
)
def test_names(function: object, name: str) -> None:
    assert _core.callable_name(function) == name
    assert _core.resolve_callable(name) is function


def test_parse_error_has_a_code() -> None:
    with pytest.raises(nativefx.Error) as caught:
        Graph.parse("this is no graph")
    assert caught.value.code


def test_missing_object_is_told() -> None:
    graph = torch.fx.Graph()
    graph.output(graph.call_function(torch.add, (graph.placeholder("x"), object())))
    text = Graph.from_fx(graph).text()
    with pytest.raises(ValueError, match="handles_of"):
        Graph.parse(text).to_fx()
