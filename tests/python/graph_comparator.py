"""Compares two torch.fx graphs in everything that they hold.

Pure Python over the public surface of torch.fx, and independent of the bridge:
it knows nothing of how a graph crossed. `compare` lists every difference, and
counts what it looked at, so that a test can say how much was compared.
"""

from __future__ import annotations

import collections
import dataclasses
import struct
from collections.abc import Iterator
from typing import Any

import torch
import torch.fx
from torch.export import ExportedProgram
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node


@dataclasses.dataclass
class Comparison:
    """What was compared, and what differed."""

    differences: list[str] = dataclasses.field(default_factory=list)
    graphs: int = 0
    nodes: int = 0
    kinds: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)

    def add(self, where: str, what: str) -> None:
        self.differences.append(f"{where}: {what}")

    def same(self, where: str, a: Any, b: Any) -> None:
        if a != b:
            self.add(where, f"{a!r} became {b!r}")

    def identical(self, where: str, a: Any, b: Any) -> None:
        if a is not b:
            self.add(where, f"another object ({type(a).__name__} {str(a)[:60]!r})")

    def kept(self, where: str, a: Any, b: Any) -> None:
        """The same object, or an equal one where Python makes text and numbers anew."""
        if type(a) in (str, int, float):
            self.same(where, (type(a), a), (type(b), b))
        else:
            self.identical(where, a, b)

    def merge(self, other: Comparison) -> None:
        self.differences += other.differences
        self.graphs += other.graphs
        self.nodes += other.nodes
        self.kinds += other.kinds


def compare(a: Any, b: Any, result: Comparison | None = None) -> Comparison:
    """Compare two exported programs, graph modules or graphs."""
    result = result if result is not None else Comparison()
    if type(a).__name__ != type(b).__name__:
        result.add("type", f"{type(a).__name__} became {type(b).__name__}")
    elif isinstance(a, ExportedProgram):
        compare_programs(a, b, result)
    elif isinstance(a, GraphModule):
        compare_modules("module", a, b, result)
    else:
        compare_graphs("graph", a, b, result)
    return result


def compare_programs(a: ExportedProgram, b: ExportedProgram, result: Comparison) -> None:
    result.same("program fields", list(a.__dict__), list(b.__dict__))
    for name, value in a.__dict__.items():
        if name != "_graph_module":
            result.identical(f"program.{name}", value, b.__dict__.get(name))
    result.same("program signature", a.graph_signature, b.graph_signature)
    result.same("program ranges", a.range_constraints, b.range_constraints)
    compare_modules("program", a.graph_module, b.graph_module, result)


def compare_modules(where: str, a: GraphModule, b: GraphModule, result: Comparison) -> None:
    if a is b:
        result.add(where, "the very same module came back")
    for lazy in (a, b):
        lazy.code  # noqa: B018  a lazy module gets fields when its code is first asked for
    result.same(f"{where} class", type(a).__name__, type(b).__name__)
    result.same(f"{where} bases", type(a).__mro__[1:], type(b).__mro__[1:])
    result.same(f"{where} fields", list(a.__dict__), list(b.__dict__))
    for name, value in a.__dict__.items():
        if name == "_graph":
            continue
        other = b.__dict__.get(name)
        if isinstance(value, dict | set | list) and name != "_tracer_extras":
            compare_tables(f"{where}.{name}", value, other, result)
        else:
            result.kept(f"{where}.{name}", value, other)
    result.identical(f"{where} owner", b.graph.owning_module, b)
    compare_graphs(where, a.graph, b.graph, result)
    result.same(f"{where} code", a.code, b.code)


def compare_tables(where: str, a: Any, b: Any, result: Comparison) -> None:
    """Compare the dicts, sets and lists that a module keeps: same things, same order."""
    result.same(f"{where} type", type(a), type(b))
    if isinstance(a, dict):
        result.same(f"{where} keys", list(a), list(b))
        for key, value in a.items():
            result.kept(f"{where}[{key!r}]", value, b.get(key))
    elif isinstance(a, set):
        result.same(where, a, b)
    else:
        result.same(f"{where} items", [id(item) for item in a], [id(item) for item in b])


def compare_graphs(where: str, a: torch.fx.Graph, b: torch.fx.Graph, result: Comparison) -> None:
    result.graphs += 1
    if a is b:
        result.add(where, "the very same graph came back")
    result.same(f"{where} graph class", type(a), type(b))
    by_nodes = {
        "_root",
        "_insert",
        "_graph_namespace",
        "_owning_module",
        "_find_nodes_lookup_table",
    }
    result.same(f"{where} graph fields", sorted(a.__dict__), sorted(b.__dict__))
    for name in a.__dict__.keys() - by_nodes:
        if name == "_len":
            result.same(f"{where} length", len(a.nodes), len(b.nodes))
        else:
            result.identical(f"{where} graph.{name}", a.__dict__[name], b.__dict__.get(name))
    result.same(f"{where} number of nodes", len(list(a.nodes)), len(list(b.nodes)))
    twins = dict(zip(a.nodes, b.nodes, strict=False))
    for node, twin in twins.items():
        compare_nodes(f"{where} %{node.name}", node, twin, twins, result)
    for node, twin in zip(reversed(a.nodes), reversed(b.nodes), strict=False):
        if twins.get(node) is not twin:
            result.add(where, "the order differs from the back")
            break
    compare_names(where, a, b, result)
    compare_lookups(where, a, b, twins, result)
    result.same(f"{where} python code", _code(a), _code(b))


def _code(graph: torch.fx.Graph) -> str:
    """The generated code, or why there is none: not every graph is a program."""
    try:
        return graph.python_code("self").src
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def compare_names(where: str, a: torch.fx.Graph, b: torch.fx.Graph, result: Comparison) -> None:
    """The names in use, and so the names that new nodes will get."""
    left, right = a._graph_namespace, b._graph_namespace
    result.same(f"{where} used names", left._used_names, right._used_names)
    result.same(f"{where} name counts", left._base_count, right._base_count)
    for node in b.nodes:
        if right._obj_to_name.get(node) != node.name and left._obj_to_name:
            result.add(f"{where} %{node.name}", "is not in the namespace")


def compare_lookups(
    where: str, a: torch.fx.Graph, b: torch.fx.Graph, twins: dict[Node, Node], result: Comparison
) -> None:
    keys = {(n.op, n.target if n.op == "call_function" else None) for n in a.nodes}
    for op, target in keys:
        found = [twins[n] for n in a.find_nodes(op=op, target=target)]
        result.same(
            f"{where} find_nodes({op}, {target})", found, b.find_nodes(op=op, target=target)
        )


def compare_nodes(
    where: str, a: Node, b: Node, twins: dict[Node, Node], result: Comparison
) -> None:
    result.nodes += 1
    result.same(f"{where} kind", a.op, b.op)
    result.same(f"{where} name", a.name, b.name)
    if isinstance(a.target, str):
        result.same(f"{where} target", a.target, b.target)
    else:
        result.identical(f"{where} target", a.target, b.target)
    result.identical(f"{where} type", a.type, b.type)
    result.identical(f"{where} printing", a._repr_fn, b._repr_fn)
    compare_arguments(f"{where} args", a.args, b.args, twins, result)
    compare_arguments(f"{where} kwargs", a.kwargs, b.kwargs, twins, result)
    result.same(f"{where} inputs", [twins[n] for n in a.all_input_nodes], b.all_input_nodes)
    result.same(f"{where} users", [twins.get(n) for n in a.users], list(b.users))
    result.same(f"{where} own attributes", a.__dict__, b.__dict__)
    result.same(f"{where} type of node", type(a), type(b))
    compare_meta(where, a, b, result)


def compare_meta(where: str, a: Node, b: Node, result: Comparison) -> None:
    if a.meta is b.meta:
        result.add(where, "both share one meta dict")
    result.same(f"{where} type of meta", type(a.meta), type(b.meta))
    result.same(f"{where} meta keys", list(a.meta), list(b.meta))
    for key, value in a.meta.items():
        result.identical(f"{where} meta[{key!r}]", value, b.meta.get(key))


def compare_arguments(
    where: str, a: Any, b: Any, twins: dict[Node, Node], result: Comparison
) -> None:
    """Equal to the type of every container and to the bit of every number."""
    result.kinds[_kind(a)] += 1
    if isinstance(a, Node):
        return result.identical(where, twins.get(a), b)
    if type(a) is not type(b):
        return result.add(where, f"{type(a).__name__} became {type(b).__name__}")
    if isinstance(a, dict):
        result.same(f"{where} keys", [*map(_exact, a)], [*map(_exact, b)])
        for key, value in a.items():
            compare_arguments(f"{where}[{key!r}]", value, b.get(key), twins, result)
    elif isinstance(a, tuple | list):
        result.same(f"{where} length", len(a), len(b))
        for index, (x, y) in enumerate(zip(a, b, strict=False)):
            compare_arguments(f"{where}[{index}]", x, y, twins, result)
    elif isinstance(a, slice):
        for part in ("start", "stop", "step"):
            compare_arguments(f"{where}.{part}", getattr(a, part), getattr(b, part), twins, result)
    elif type(a) in _BY_VALUE:
        result.same(where, _exact(a), _exact(b))
    else:
        result.identical(where, a, b)
    return None


_BY_VALUE = (bool, int, float, complex, str, range, torch.device)


def _exact(value: Any) -> Any:
    """A value that is equal only for the same type and the same bits."""
    if type(value) is float:
        return ("float", struct.pack("d", value))
    if type(value) is complex:
        return ("complex", struct.pack("dd", value.real, value.imag))
    return (type(value), value)


def _kind(value: Any) -> str:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return "named tuple"
    if type(value) is int and not -(2**63) <= value < 2**63:
        return "int beyond 64 bits"
    name = type(value).__name__
    return {"NoneType": "None", "ellipsis": "Ellipsis"}.get(name, name)


def nested_graphs(module: torch.nn.Module) -> Iterator[GraphModule]:
    """The graph modules inside a module, itself not included."""
    for name, inner in module.named_modules():
        if name and isinstance(inner, GraphModule):
            yield inner
