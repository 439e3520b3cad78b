"""Computing once what depends on weights alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.fx

__all__ = ["WeightFolder", "mutated_placeholders"]

# A constant may grow to this many bytes, or to those of the weights it is made of.
_SMALL = 1 << 20

AddConstant = Callable[[str, Any, dict[str, Any]], torch.fx.Node]


class WeightFolder:
    """Copies nodes from one graph to another and computes those that are constant.

    A value that is only another view of a weight stays a node, for views cost nothing,
    and so does one that needs no weight at all: kernels compute `arange` in place.

    Parameters
    ----------
    add_constant
        Makes a `get_attr` node of a name, a tensor and a `meta`.
    """

    def __init__(self, add_constant: AddConstant) -> None:
        self.add_constant = add_constant
        self.values: dict[torch.fx.Node, torch.Tensor] = {}
        self.from_weight: set[torch.fx.Node] = set()

    def set_weight(self, node: torch.fx.Node, tensor: torch.Tensor) -> None:
        """Say that a node is a weight that nobody writes to."""
        self.values[node] = tensor.detach()
        self.from_weight.add(node)

    def forget(self, node: torch.fx.Node) -> None:
        """Say that a node is written to after all."""
        self.values.pop(node, None)

    def copy(
        self, graph: torch.fx.Graph, node: torch.fx.Node, find: Callable[[torch.fx.Node], Any]
    ) -> torch.fx.Node:
        """Copy a node, or make the constant that it computes."""
        made = graph.node_copy(node, find)
        value = self.compute(made)
        if value is None:
            return made
        operands = [n for n in made.all_input_nodes if n in self.from_weight]
        if operands and not _shares_memory(value, [self.values[n] for n in operands]):
            meta, name = made.meta, made.name
            graph.erase_node(made)
            made = self.add_constant(name, value, meta)
        if operands:
            self.from_weight.add(made)
        self.values[made] = value
        return made

    def compute(self, node: torch.fx.Node) -> torch.Tensor | None:
        """Compute a node whose operands are known; None if it must run."""
        if not _is_foldable(node) or any(n not in self.values for n in node.all_input_nodes):
            return None
        if not isinstance(node.meta.get("val"), torch.Tensor) or _is_large(node, self.values):
            return None
        args = torch.fx.map_arg(node.args, lambda n: self.values[n])
        kwargs = torch.fx.map_arg(node.kwargs, lambda n: self.values[n])
        try:
            with torch.no_grad():
                value = node.target(*args, **kwargs)
        except (RuntimeError, IndexError, TypeError):
            return None  # it fails at run time, as it does in eager mode
        return value if isinstance(value, torch.Tensor) else None


def mutated_placeholders(graph: torch.fx.Graph) -> set[str]:
    """Name the placeholders whose memory some operator writes to."""
    found: set[str] = set()
    roots: dict[torch.fx.Node, frozenset[str]] = {}  # placeholders whose memory it may be
    for node in graph.nodes:
        if node.op == "placeholder":
            roots[node] = frozenset([node.name])
            continue
        for written in _written_operands(node):
            found |= roots.get(written, frozenset())
        if _may_alias(node):
            roots[node] = frozenset().union(
                *(roots.get(operand, frozenset()) for operand in node.all_input_nodes)
            )
    return found


def _may_alias(node: torch.fx.Node) -> bool:
    schema = getattr(node.target, "_schema", None)
    return schema is None or any(a.alias_info is not None for a in schema.arguments)


def _written_operands(node: torch.fx.Node) -> list[torch.fx.Node]:
    schema = getattr(node.target, "_schema", None)
    found = []
    for position, argument in enumerate(schema.arguments if schema is not None else ()):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        given = node.args[position] if position < len(node.args) else None
        given = node.kwargs.get(argument.name, given)
        items = given if isinstance(given, list | tuple) else [given]
        found += [item for item in items if isinstance(item, torch.fx.Node)]
    return found


def _is_foldable(node: torch.fx.Node) -> bool:
    target = node.target
    if node.op != "call_function" or not isinstance(target, torch._ops.OpOverload):
        return False
    if target.namespace != "aten" or target._schema.is_mutable:
        return False
    return torch.Tag.nondeterministic_seeded not in target.tags


def _is_large(node: torch.fx.Node, values: dict[torch.fx.Node, torch.Tensor]) -> bool:
    shape = node.meta["val"].shape
    if any(isinstance(size, torch.SymInt) for size in shape):
        return True
    size = shape.numel() * node.meta["val"].dtype.itemsize
    return size > max([_SMALL, *(values[n].nbytes for n in node.all_input_nodes)])


def _shares_memory(value: torch.Tensor, others: list[torch.Tensor]) -> bool:
    mine = value.untyped_storage()._cdata
    return any(other.untyped_storage()._cdata == mine for other in others)
