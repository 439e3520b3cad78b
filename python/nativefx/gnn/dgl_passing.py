"""Calls of DGL's message passing as functions from tensors to tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from nativefx.gnn import dgl_features  # noqa: F401
from nativefx.gnn.dgl_batched import Batched
from nativefx.gnn.dgl_batches import EdgeBatch, Fields, NodeBatch, NodesByDegree
from nativefx.gnn.dgl_builtins import message, reduce_rows
from nativefx.gnn.dgl_refusal import Refused, RowsWithoutEdges
from nativefx.gnn.dgl_space import Space

__all__ = ["Call", "Inputs", "edge_fields", "node_fields", "pass_messages"]


@dataclass(frozen=True)
class Call:
    """A call of message passing, without its tensors.

    Attributes
    ----------
    message, reduce, apply
        Functions of the user or of DGL, or None.
    etype, ntype
        Canonical type of the edges, type of the destinations.
    has_empty
        Whether the graph has destinations without edges.
    zero_start
        Whether rows without edges start from zero; else the result has rows with edges only.
    """

    message: Any = None
    reduce: Any = None
    apply: Any = None
    etype: Any = None
    ntype: Any = None
    has_empty: bool = False
    zero_start: bool = True
    facts: tuple[Any, ...] = field(default=())


class Inputs:
    """Tensors by name, and which of them were asked for."""

    def __init__(self, tensors: Mapping[Any, Tensor]) -> None:
        self._tensors = tensors
        self.used: dict[Any, None] = {}

    def __getitem__(self, name: Any) -> Tensor:
        self.used[name] = None
        return self._tensors[name]

    def fields(self, kind: str) -> list[str]:
        """Names of the fields at sources (``src``), destinations (``dst``) or edges."""
        return [n[1] for n in self._tensors if isinstance(n, tuple) and n[0] == kind]


def is_builtin(function: Any) -> bool:
    """Whether a message or reduce function is one of DGL's own."""
    return type(function).__module__.startswith("dgl.function")


def edge_fields(call: Call, inputs: Inputs) -> dict[str, Tensor]:
    """Run a message function on all edges."""
    if is_builtin(call.message):
        return message(call.message, inputs)
    return _checked(call.message(EdgeBatch(inputs, call.etype)), "message")


def node_fields(call: Call, inputs: Inputs) -> dict[str, Tensor]:
    """Run an apply function on all nodes."""
    return _apply(call, inputs, {})


def pass_messages(call: Call, inputs: Inputs) -> dict[str, Tensor]:
    """Run message, reduce and apply function; a row for every destination."""
    messages = edge_fields(call, inputs)
    if is_builtin(call.reduce):
        space = _space(inputs, "dst_index", "dst_degree", has_empty=True)
        x = messages[call.reduce.msg_field]
        if not x.is_floating_point():
            raise Refused("built-in functions of DGL take floating-point numbers only")
        value = reduce_rows(call.reduce.name, space, inputs["dst_degree"], x)
        found = {call.reduce.out_field: value}
    else:
        found = _reduce(call, inputs, messages)
    if call.apply is not None:
        found = _apply(call, inputs, found)
    return found


def _space(inputs: Inputs, row: str, degree: str, has_empty: bool) -> Space:
    names = {"row": row, "degree": degree}
    if degree == "dst_degree":
        names["start"] = "dst_start"
    return Space(
        rows=inputs[degree].shape[0],
        fetch=lambda name: inputs[names.get(name, name)],
        has_empty=has_empty,
    )


def _reduce(call: Call, inputs: Inputs, messages: Mapping[str, Tensor]) -> dict[str, Tensor]:
    if not call.has_empty:
        space = _space(inputs, "dst_index", "dst_degree", has_empty=False)
        return _values(_run_reduce(call, inputs, messages, space, _same), space)
    if call.zero_start:
        # Sums are zero where there are no edges: all rows can be computed at once.
        space = _space(inputs, "dst_index", "dst_degree", has_empty=True)
        try:
            found = _run_reduce(call, inputs, messages, space, _same)
            if all(isinstance(x, Batched) and x.zero_if_empty for x in found.values()):
                return _values(found, space)
        except RowsWithoutEdges:
            pass
    space = _space(inputs, "row", "degree", has_empty=False)

    def with_edges(x: Tensor) -> Tensor:
        return x.index_select(0, inputs["rows"])

    found = _values(_run_reduce(call, inputs, messages, space, with_edges), space)
    if not call.zero_start:
        return found
    rows, count = inputs["rows"], inputs["dst_degree"].shape[0]
    return {k: x.new_zeros([count, *x.shape[1:]]).index_copy(0, rows, x) for k, x in found.items()}


def _same(x: Tensor) -> Tensor:
    return x


def _run_reduce(
    call: Call,
    inputs: Inputs,
    messages: Mapping[str, Tensor],
    space: Space,
    of_rows: Callable[[Tensor], Tensor],
) -> dict[str, Any]:
    ids_space = Space(
        space.rows,
        lambda name: of_rows(inputs["nid"]) if name == "ids" else space.fetch(name),
        space.has_empty,
    )
    nodes = NodesByDegree(
        ids_space,
        call.ntype,
        Fields(inputs.fields("dst"), lambda name: Batched(of_rows(inputs["dst", name]), ids_space)),
        Fields(messages, lambda name: Batched(messages[name], ids_space, 1)),
    )
    return _checked(call.reduce(nodes), "reduce")


def _values(found: Mapping[str, Any], space: Space) -> dict[str, Tensor]:
    values = {}
    for name, value in found.items():
        if isinstance(value, Batched):
            if value.ragged is not None:
                raise Refused(f"field `{name}` keeps the degree as a dimension")
            value = value.value
        elif not isinstance(value, Tensor) or value.shape[0] != space.rows:
            raise Refused(f"field `{name}` has no row for each node")
        values[name] = value
    return values


def _apply(call: Call, inputs: Inputs, found: Mapping[str, Tensor]) -> dict[str, Tensor]:
    names = dict.fromkeys([*found, *inputs.fields("dst")])
    fields = Fields(names, lambda k: found[k] if k in found else inputs["dst", k])
    return _checked(call.apply(NodeBatch(inputs, call.ntype, fields)), "apply")


def _checked(found: Any, kind: str) -> dict[str, Any]:
    if not isinstance(found, Mapping):
        raise Refused(f"the {kind} function returned no dict")
    return dict(found)
