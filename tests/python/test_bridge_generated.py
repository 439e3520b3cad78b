"""Graphs that hold every kind of argument come back as they were."""

from __future__ import annotations

import os

import pytest
import torch.fx
from graph_comparator import Comparison
from hypothesis import HealthCheck, given, settings
from random_graphs import OPAQUE, OPERATORS, SYMBOLIC, Point, graphs
from round_trip import round_trip

# fx warns of symbolic numbers as arguments.
pytestmark = pytest.mark.filterwarnings("ignore:Raw Sym")
EXAMPLES = int(os.environ.get("NFX_EXAMPLES", "150"))
CHECKS = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=CHECKS, print_blob=True)
@given(graph=graphs())
def test_random_graph(comparison: Comparison, graph: torch.fx.Graph) -> None:
    found = round_trip(graph, valid=False)
    comparison.graphs += found.graphs
    comparison.nodes += found.nodes
    comparison.kinds += found.kinds
    assert not found.differences, "\n".join(found.differences[:20])


# Every kind is met by the random graphs; this says which those are.
KINDS = [
    "Node",
    "None",
    "bool",
    "int",
    "float",
    "complex",
    "str",
    "Ellipsis",
    "dtype",
    "device",
    "layout",
    "memory_format",
    "SymInt",
    "SymFloat",
    "SymBool",
    "tuple",
    "immutable_list",
    "immutable_dict",
    "slice",
    "range",
    "OpOverload",
    "OpOverloadPacket",
    "CondOp",
    "function",
    "object",
    "float64",
    "int32",
    "ndarray",
    "Colour",
    "Text",
    "Generator",
    "Tensor",
    "frozenset",
    "bytes",
    "type",
    "named tuple",
    "int beyond 64 bits",
]


def test_every_kind_of_argument(comparison: Comparison) -> None:
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    arguments = [
        x, None, True, 1, -1.5, 2j, "text", ..., torch.float16, torch.device("cpu"),
        torch.strided, torch.channels_last, *SYMBOLIC, (x, (1,)), [x, [1]], {"k": {"x": x}},
        slice(x, None, 2), range(1, 9, 2), *OPERATORS, *OPAQUE, Point(x, [x]), 2**70, (), [], {},
    ]  # fmt: skip
    node = graph.call_function(torch.add, (*arguments, tuple(arguments)), {"out": arguments})
    graph.output(node)
    round_trip(graph, comparison, valid=False)
    missing = [kind for kind in KINDS if not comparison.kinds[kind]]
    assert not missing


@pytest.mark.parametrize("value", [[1, [2]], {"a": [1]}, torch.Size([1, 2])])
def test_arguments_that_fx_would_replace(comparison: Comparison, value: object) -> None:
    """What was written past fx, such as a plain list, still comes back as itself."""
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    node = graph.call_function(torch.add, (x,))
    torch._C._NodeBase.__dict__["_args"].__set__(node, (x, value))
    graph.output(node)
    round_trip(graph, comparison)
