"""The built-in message and reduce functions of DGL in plain PyTorch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from nativefx.gnn.dgl_refusal import Refused
from nativefx.gnn.dgl_space import Space

__all__ = ["edge_softmax", "message", "reduce_rows"]


def message(function: Any, inputs: Any) -> dict[str, Tensor]:
    """Compute a built-in message function, such as ``u_mul_e``, on all edges."""
    operands = []
    ends: tuple[tuple[int, str], ...]
    if hasattr(function, "binary_op"):
        ends = ((function.lhs, function.lhs_field), (function.rhs, function.rhs_field))
        name = function.binary_op
    else:
        ends, name = ((function.target, function.in_field),), "copy"
    for end, field in ends:
        operands.append(_on_edges(inputs, end, field))
    if name == "copy":
        return {function.out_field: operands[0]}
    return {function.out_field: binary(name, *operands)}


def _on_edges(inputs: Any, end: int, field: str) -> Tensor:
    """Value at the sources (0), the destinations (1) or the edges (2)."""
    if end == 2:
        value = inputs["edge", field]
    else:
        side = ("src", "dst")[end]
        value = inputs[side, field].index_select(0, inputs[f"{side}_index"])
    if not value.is_floating_point():
        raise Refused("built-in functions of DGL take floating-point numbers only")
    return value


def binary(name: str, a: Tensor, b: Tensor) -> Tensor:
    """Combine two values of each edge; features broadcast from the last one."""
    flat = a.dim() == 1 and b.dim() == 1
    rank = max(a.dim(), b.dim(), 2)
    a, b = (x.reshape([x.shape[0]] + [1] * (rank - x.dim()) + list(x.shape[1:])) for x in (a, b))
    value = (a * b).sum(-1, keepdim=True) if name == "dot" else getattr(torch, name)(a, b)
    return value.squeeze(-1) if flat else value


def reduce_rows(name: str, space: Space, degree: Any, x: Tensor) -> Tensor:
    """Reduce with a built-in function; `space` has a row for every destination.

    A row without edges gives 0, the largest of none -inf, the smallest inf.
    NaN is never the largest or smallest, as comparing with it never is true.
    """
    if name == "sum":
        return space.sum(x)
    if name == "mean":
        return space.mean(x)
    if name not in ("max", "min"):
        raise Refused(f"built-in reduce function `{name}` is not known")
    limit = -torch.inf if name == "max" else torch.inf
    y = torch.where(x != x, limit, x)
    best = space.extreme(y.detach(), "amax" if name == "max" else "amin")
    hit = y.detach() == space.gather(best)
    # The gradient goes to the first edge that reaches the extreme.
    chosen = y.gather(0, space.first_edge(hit))
    empty = (degree == 0).view([-1] + [1] * (x.dim() - 1))
    return torch.where(empty, limit, chosen)


def edge_softmax(space: Space, logits: Tensor) -> Tensor:
    """Softmax over the edges of each node."""
    return space.softmax(logits)
