"""What a backward graph computes again instead of keeping it from the forward.

A value with a row for each edge follows from values of nodes, which are fewer.
It is computed again where it is used, in the loop over the edges that uses it.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.fx
from torch.utils.checkpoint import CheckpointPolicy

__all__ = ["has_edges", "mark_recompute"]

_SOURCES = ("mp.gather.default", "mp.from_src.default", "mp.from_dst.default")
_ROW_REDUCTIONS = frozenset(
    [
        torch.ops.aten.sum.dim_IntList,
        torch.ops.aten.mean.dim,
        torch.ops.aten.amax.default,
        torch.ops.aten.amin.default,
        torch.ops.aten.cat.default,
    ]
)


def has_edges(joint: torch.fx.GraphModule) -> bool:
    """Whether the graph gathers along edges."""
    return any(str(node.target) in _SOURCES for node in joint.graph.nodes)


def mark_recompute(joint: torch.fx.GraphModule) -> None:
    """Mark what a partitioner should compute again in the backward graph."""
    edges: dict[torch.fx.Node, Any] = {}
    views: set[torch.fx.Node] = set()
    for node in joint.graph.nodes:
        if node.op == "placeholder":
            if _is_index(node):
                views.add(node)
        elif node.op == "call_function" and node.meta.get("autograd_backward") is None:
            rows = _edge_rows(node, edges)
            if rows is not None:
                edges[node] = rows
                _mark(node)
            elif _follows_from_index(node) and node.args[0] in views:
                views.add(node)
                _mark(node)


def _mark(node: torch.fx.Node) -> None:
    node.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE
    node.meta["ac_graph_id"] = 0


def _edge_rows(node: torch.fx.Node, edges: dict[torch.fx.Node, Any]) -> Any:
    """Give the number of edges if each row of the value follows from the same edge."""
    sizes = _sizes(node)
    if not sizes:
        return None
    if str(node.target) in _SOURCES:
        return sizes[0]
    rows = next((edges[x] for x in node.all_input_nodes if x in edges), None)
    if rows is None or str(sizes[0]) != str(rows) or not _computes_rows(node):
        return None
    return rows


def _computes_rows(node: torch.fx.Node) -> bool:
    op = node.target
    if not isinstance(op, torch._ops.OpOverload):
        return False
    if torch.Tag.nondeterministic_seeded in op.tags:
        return False
    return torch.Tag.pointwise in op.tags or _is_view(node) or op in _ROW_REDUCTIONS


def _is_view(node: torch.fx.Node) -> bool:
    op = node.target
    return isinstance(op, torch._ops.OpOverload) and op.is_view and bool(node.args)


def _follows_from_index(node: torch.fx.Node) -> bool:
    """Whether it is a view, or kept with the index that it is made from."""
    return _is_view(node) or str(node.target) == "mp.wrapped.default"


def _is_index(node: torch.fx.Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and not value.dtype.is_floating_point


def _sizes(node: torch.fx.Node) -> Any:
    value = node.meta.get("val")
    return value.shape if isinstance(value, torch.Tensor) else None
