"""Native types are those of the values in `meta`, and reading them guards nothing."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from models import capture_training
from torch.utils import _pytree as pytree

from nativefx import Graph
from nativefx.symbolic_text import read_symbolic


def described(value: Any) -> Any:
    """What `Node.type` should say of a value: the inverse of `values.Values.value`."""
    if isinstance(value, torch.Tensor):
        strided = value.layout == torch.strided
        return (
            "tensor",
            value.dtype,
            tuple(map(number, value.shape)),
            tuple(map(number, value.stride())) if strided else None,
            str(value.device),
            str(value.layout).removeprefix("torch."),
            value.requires_grad,
            number(value.storage_offset()) if strided else 0,
        )
    if isinstance(value, tuple | list):
        kind = "list" if isinstance(value, list) else "tuple"
        return (kind, tuple(map(described, value)))
    if value is None:
        return ("none",)
    kinds = {
        bool: torch.bool, int: torch.int64, float: torch.float64, torch.SymInt: torch.int64,
        torch.SymFloat: torch.float64, torch.SymBool: torch.bool,
    }  # fmt: skip
    if type(value) in kinds:
        return ("scalar", kinds[type(value)], number(value))
    return ("opaque",)


def number(value: Any) -> Any:
    return (
        value.node.expr
        if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool)
        else value
    )


def same(native: Any, expected: Any, symbols: dict[str, Any]) -> bool:
    """Compare, reading the text of an expression where sympy has the expression."""
    if isinstance(native, tuple) and isinstance(expected, tuple):
        pairs = zip(native, expected, strict=True)
        return len(native) == len(expected) and all(same(a, b, symbols) for a, b in pairs)
    if hasattr(expected, "free_symbols") and not isinstance(native, tuple):
        text = native if isinstance(native, str) else str(native)
        read = read_symbolic(text, symbols)
        return bool(read == expected) or bool((read - expected).simplify() == 0)
    return bool(native == expected)


def check_types(module: torch.fx.GraphModule) -> int:
    graph = Graph.from_fx(module)
    graph.infer_types()
    graph.verify()
    checked = 0
    for node, native in zip(module.graph.nodes, graph.nodes, strict=True):
        key = "val" if "val" in node.meta else "example_value"
        if key not in node.meta:
            assert native.type is None
            continue
        value = node.meta[key]
        envs = [
            leaf.node.shape_env
            for leaf in pytree.tree_leaves(value)
            if isinstance(leaf, torch.SymInt)
        ] + [
            size.node.shape_env
            for leaf in pytree.tree_leaves(value)
            if isinstance(leaf, torch.Tensor)
            for size in (*leaf.shape, *leaf.stride())
            if isinstance(size, torch.SymInt)
        ]
        symbols = {str(s): s for env in envs for s in env.var_to_range}
        expected = described(value)
        assert same(native.type, expected, symbols), (node.name, native.type, expected)
        checked += 1
    return checked


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> Any:
        y = self.linear(x)
        left, right = y.view(-1, 4).t().split(2)
        return left.to(torch.float64), right.max(dim=0), x.shape[0] * 2, y[1:, 2:5]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_types_of_training_graphs(dynamic: bool) -> None:
    checked: dict[str, int] = {}

    def visit(name: str, graph: torch.fx.GraphModule) -> None:
        checked[name] = check_types(graph)

    capture_training(Net(), visit, torch.randn(6, 8), dynamic=dynamic)
    assert checked["dynamo"] > 3 and checked["joint"] > 8


def test_no_symbol_is_specialised() -> None:
    """Reading sizes, types and arguments leaves the ShapeEnv as it was."""

    def visit(name: str, graph: torch.fx.GraphModule) -> None:
        envs = {
            id(mode.shape_env): mode.shape_env
            for node in graph.graph.nodes
            for leaf in pytree.tree_leaves(node.meta.get("val", node.meta.get("example_value")))
            if isinstance(leaf, torch.Tensor) and (mode := getattr(leaf, "fake_mode", None))
        }
        before = {
            k: (len(e.guards), dict(e.replacements), dict(e.var_to_range)) for k, e in envs.items()
        }
        native = Graph.from_fx(graph)
        native.infer_types()
        str(native)
        native.to_fx()
        after = {
            k: (len(e.guards), dict(e.replacements), dict(e.var_to_range)) for k, e in envs.items()
        }
        assert envs and before == after

    capture_training(Net(), visit, torch.randn(6, 8), dynamic=True)


def test_nodes_without_a_value_have_no_type() -> None:
    graph = Graph.from_fx(torch.fx.symbolic_trace(Net()))
    assert graph.infer_types() == 0
    assert all(node.type is None for node in graph.nodes)


def test_ranges_and_hints() -> None:
    class Shifted(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.arange(x.shape[0] // 2 + 1)

    program = torch.export.export(
        Shifted(),
        (torch.randn(6, 8),),
        dynamic_shapes=({0: torch.export.Dim("n", min=4, max=32)},),
    )
    graph = Graph.from_fx(program)
    graph.infer_types()
    (symbol,) = program.range_constraints
    assert f"{symbol} in [4, 32] hint 6" in str(graph)
    text = [n.type for n in graph.nodes if n.target.startswith("aten.arange")]
    read = read_symbolic(text[0][2][0], {str(symbol): symbol})
    assert read.xreplace({symbol: 7}) == 4


@pytest.mark.parametrize(
    "text", ["__import__('os')", "s0.real", "lambda: 0", "s9", "s0[0]", "f(s0)", "'text'", "s0 +"]
)
def test_expression_text_is_not_evaluated(text: str) -> None:
    import sympy

    with pytest.raises(ValueError, match="no symbolic expression"):
        read_symbolic(text, {"s0": sympy.Symbol("s0", integer=True)})
