"""Hypothesis strategies for torch.fx graphs that hold every kind of argument."""

from __future__ import annotations

import collections
import enum
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.fx
from hypothesis import strategies as st
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

Point = collections.namedtuple("Point", "x y")


class Colour(enum.IntEnum):
    RED = 1


class Text(str):
    """A string that is more than a string, so it must come back as the same object."""


def _symbolic_numbers() -> list[Any]:
    mode = FakeTensorMode(shape_env=ShapeEnv())
    context = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC] * 2)
    tensor = torch.empty(4, 6)
    fake = mode.from_tensor(tensor, source=ConstantSource("t"), symbolic_context=context)
    rows, columns = fake.shape
    return [rows, 2 * columns + 1, rows // 2, torch.sym_float(rows), rows < columns]


SYMBOLIC = _symbolic_numbers()
# An object of each kind that is held whole.
OPAQUE = [
    lambda x: x,
    object(),
    np.float64(1.5),
    np.int32(3),
    np.array([1, 2]),
    Colour.RED,
    Text("t"),
    torch.Generator(),
    torch.zeros(2),
    frozenset([1]),
    b"bytes",
    int,
    "\ud800",
    torch.nn.functional.gelu,
]
OPERATORS = [
    torch.ops.aten.add.Tensor,
    torch.ops.aten.add,
    torch.ops.aten.sum.dim_IntList,
    torch.ops.higher_order.cond,
]
FUNCTIONS: list[Callable[..., Any]] = [
    torch.ops.aten.mul.Tensor,
    torch.ops.aten.relu.default,
    torch.ops.aten.add,
    torch.ops.higher_order.cond,
    torch.ops.higher_order.while_loop,
    operator.getitem,
    operator.add,
    torch.relu,
    torch.nn.functional.gelu,
    torch.nn.functional.linear,
    torch._C._nn.gelu,
    torch._C._set_grad_enabled,
    torch.Tensor.add,
    getattr,
    torch.Size,
    OPAQUE[0],
]


def leaves() -> st.SearchStrategy[Any]:
    """Arguments that are no containers."""
    return st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**63 - 1),
        st.integers(2**63, 2**80),
        st.floats(allow_nan=True),
        st.sampled_from([0.0, -0.0, float("inf"), float("-inf"), float("nan")]),
        st.complex_numbers(),
        st.text(max_size=12),
        st.text(st.sampled_from('\0\n"\\%#é🙂'), max_size=6),
        st.just(...),
        st.sampled_from([torch.float32, torch.float8_e5m2, torch.complex32, torch.uint16]),
        st.sampled_from([torch.device("cpu"), torch.device("cuda", 1), torch.device("meta")]),
        st.sampled_from([torch.strided, torch.sparse_coo, torch.jagged]),
        st.sampled_from([torch.contiguous_format, torch.channels_last, torch.preserve_format]),
        st.sampled_from(SYMBOLIC),
        st.sampled_from(OPERATORS),
        st.sampled_from(OPAQUE),
        st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 3)),
    )


def arguments(nodes: list[torch.fx.Node]) -> st.SearchStrategy[Any]:
    """Arguments up to three levels deep, with nodes among them."""
    leaf = st.one_of(leaves(), st.sampled_from(nodes)) if nodes else leaves()
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.lists(inner, max_size=3).map(tuple),
            st.tuples(inner, inner).map(lambda pair: Point(*pair)),
            st.dictionaries(st.text(max_size=3) | st.integers(0, 3), inner, max_size=3),
            st.builds(slice, inner, inner, inner),
            st.lists(st.integers(0, 9), max_size=3).map(torch.Size),
        ),
        max_leaves=6,
    )


TYPES = [None, None, None, torch.Tensor, int, list[int]]


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 8) -> torch.fx.Graph:
    """A graph of random nodes, some of which were edited after they were made.

    Its generated code is text that no Python takes, so it is not compiled.
    """
    root = torch.nn.Module()
    root.linear = torch.nn.Linear(2, 2)
    root.sub = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(1, 1))
    root.register_buffer("table", torch.zeros(3))
    root.weight = torch.nn.Parameter(torch.ones(2))
    graph = torch.fx.Graph()
    graph._owning_module = root
    nodes: list[torch.fx.Node] = []
    for index in range(draw(st.integers(1, 3))):
        default = draw(st.lists(leaves(), max_size=1))
        nodes.append(graph.create_node("placeholder", f"in_{index}", tuple(default)))
    for _ in range(draw(st.integers(1, max_nodes))):
        nodes.append(draw(new_node(graph, nodes)))
    draw(edits(graph, nodes))
    graph.output(draw(arguments(nodes)), type_expr=draw(st.sampled_from(TYPES)))
    return graph


@st.composite
def new_node(draw: st.DrawFn, graph: torch.fx.Graph, nodes: list[torch.fx.Node]) -> torch.fx.Node:
    kind = draw(st.sampled_from(["call_function", "call_method", "call_module", "get_attr"]))
    targets = {
        "call_function": FUNCTIONS,
        "call_method": ["view", "add_", "__getitem__"],
        "call_module": ["linear", "sub.1", "sub"],
        "get_attr": ["weight", "table", "sub.1.weight"],
    }
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    if kind != "get_attr":
        args = tuple(draw(st.lists(arguments(nodes), max_size=3)))
        names = st.sampled_from(["dim", "alpha", "out", "x y"])
        kwargs = draw(st.dictionaries(names, arguments(nodes), max_size=2))
    node = graph.create_node(
        kind,
        draw(st.sampled_from(targets[kind])),
        args,
        kwargs,
        name=draw(st.sampled_from([None, None, "named", "named_3", "x"])),
        type_expr=draw(st.sampled_from(TYPES)),
    )
    node.meta = draw(
        st.dictionaries(
            st.sampled_from(["val", "stack_trace", "seq_nr", "custom"]),
            st.builds(object),
            max_size=2,
        )
    )
    if draw(st.integers(0, 9)) == 0:
        node.own_attribute = object()
    return node


@st.composite
def edits(draw: st.DrawFn, graph: torch.fx.Graph, nodes: list[torch.fx.Node]) -> None:
    """Edits that leave users, names and order as no fresh graph would have them."""
    for node in draw(st.lists(st.sampled_from(nodes), max_size=3)):
        action = draw(st.sampled_from(["detach", "replace", "erase", "rename"]))
        if action == "detach" and node.op != "placeholder":
            node.args = tuple(reversed(node.args))
        elif action == "replace":
            earlier = [other for other in nodes if other < node and not other._erased]
            if earlier and not node._erased:
                node.replace_all_uses_with(draw(st.sampled_from(earlier)))
        elif action == "erase" and not node.users and not node._erased:
            if node.op != "placeholder":
                graph.erase_node(node)
                nodes.remove(node)
        elif action == "rename" and not node._erased:
            node._rename("renamed")
