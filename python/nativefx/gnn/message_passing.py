"""Operators over the edges of a graph, sorted by destination.

The operators are in the library ``mp``. They run as plain PyTorch in eager mode,
stay whole through ``torch.compile``, and become loops over the edges of each
node under ``backend="nativefx"``. Their gradients are made of the same
operators, on the transposed graph where a gradient flows to sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from nativefx.gnn.operators import LIBRARY, define

__all__ = ["Edges", "edge_softmax", "weighted_sum"]


@dataclass(frozen=True)
class Edges:
    """The edges of a graph in order of destination, and its transpose.

    Attributes
    ----------
    offsets : Tensor
        int64, ``[num_dst + 1]``: the edges of node ``i`` are
        ``offsets[i] .. offsets[i + 1] - 1``.
    src, dst : Tensor
        int64, ``[num_edges]``: the ends of each edge.
    order : Tensor
        int64, ``[num_edges]``: position of each edge in the edge index that the
        graph was made from; ``weight[order]`` brings edge data into this order.
    t_offsets, t_dst, t_order : Tensor
        The same edges in order of source: ``t_dst`` their destinations, ``t_order``
        their positions among the edges sorted by destination.
    """

    offsets: Tensor
    src: Tensor
    dst: Tensor
    order: Tensor
    t_offsets: Tensor
    t_dst: Tensor
    t_order: Tensor

    @staticmethod
    def from_index(edge_index: Tensor, num_src: int, num_dst: int | None = None) -> Edges:
        """Sort an edge index.

        Parameters
        ----------
        edge_index : Tensor
            int64, ``[2, num_edges]``: sources, destinations.
        num_src, num_dst : int
            Number of nodes at either end; ``num_dst`` defaults to ``num_src``.

        Raises
        ------
        ValueError
            If ``edge_index`` does not have that shape and dtype, or names a node
            that does not exist.
        """
        num_dst = num_src if num_dst is None else num_dst
        if edge_index.dim() != 2 or edge_index.size(0) != 2 or edge_index.dtype != torch.int64:
            raise ValueError(
                "edge_index must be an int64 tensor of shape [2, num_edges], "
                f"not {edge_index.dtype} {list(edge_index.shape)}"
            )
        for row, size, end in ((0, num_src, "source"), (1, num_dst, "destination")):
            nodes = edge_index[row]
            if nodes.numel() and not 0 <= int(nodes.min()) <= int(nodes.max()) < size:
                raise ValueError(f"edge_index names a {end} outside 0 .. {size - 1}")
        order = torch.argsort(edge_index[1], stable=True)
        src, dst = edge_index[0, order], edge_index[1, order]
        t_order = torch.argsort(src, stable=True)
        return Edges(
            offsets=_offsets(dst, num_dst),
            src=src,
            dst=dst,
            order=order,
            t_offsets=_offsets(src, num_src),
            t_dst=dst[t_order],
            t_order=t_order,
        )

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return self.src.numel()


def _offsets(ends: Tensor, size: int) -> Tensor:
    counts = torch.bincount(ends, minlength=size)
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)])


def weighted_sum(edges: Edges, x: Tensor, weight: Tensor) -> Tensor:
    """Sum the rows of the sources of each node, scaled by the weights of the edges.

    Parameters
    ----------
    edges : Edges
        The graph.
    x : Tensor
        ``[num_src, ...]``, floating: the rows of the sources.
    weight : Tensor
        ``[num_edges]`` or ``[num_edges, heads]``, same dtype as ``x``, edges in order
        of destination. With heads, ``x`` is ``[num_src, heads, ...]``.

    Returns
    -------
    Tensor
        ``[num_dst, ...]``; zero for a node without edges.
    """
    return torch.ops.mp.weighted_sum(
        x, weight, edges.offsets, edges.src, edges.dst, edges.t_offsets, edges.t_dst, edges.t_order
    )


def edge_softmax(edges: Edges, logits: Tensor) -> Tensor:
    """Softmax over the edges of each destination.

    Parameters
    ----------
    edges : Edges
        The graph.
    logits : Tensor
        ``[num_edges, ...]``, floating, edges in order of destination.

    Returns
    -------
    Tensor
        Same shape; the values at one destination sum to 1.
    """
    return torch.ops.mp.edge_softmax(logits, edges.offsets, edges.dst)


# ---- the operators: schema, value in plain PyTorch, shape, gradient


def _from_src(x: Tensor, src: Tensor) -> Tensor:
    return x.index_select(0, src)


def _from_dst(x: Tensor, offsets: Tensor, dst: Tensor) -> Tensor:
    return x.index_select(0, dst)


def _row_of_edge(offsets: Tensor) -> Tensor:
    rows = torch.arange(offsets.numel() - 1, device=offsets.device)
    return rows.repeat_interleave(offsets.diff())


def _edge_sum(x: Tensor, offsets: Tensor) -> Tensor:
    return _rows_like(x, offsets).zero_().index_add_(0, _row_of_edge(offsets), x)


def _edge_max(x: Tensor, offsets: Tensor) -> Tensor:
    rows = _row_of_edge(offsets).view([-1] + [1] * (x.dim() - 1)).expand_as(x)
    return _rows_like(x, offsets).fill_(-torch.inf).scatter_reduce_(0, rows, x, "amax")


def _edge_min(x: Tensor, offsets: Tensor) -> Tensor:
    return -_edge_max(-x, offsets)


def _edge_softmax(x: Tensor, offsets: Tensor, dst: Tensor) -> Tensor:
    e = (x - _edge_max(x, offsets)[dst]).exp()
    return e / _edge_sum(e, offsets)[dst]


def _edge_softmax_backward(grad: Tensor, y: Tensor, offsets: Tensor, dst: Tensor) -> Tensor:
    product = grad * y
    return product - y * _edge_sum(product, offsets)[dst]


def _aligned(weight: Tensor, x: Tensor) -> Tensor:
    return weight.reshape(list(weight.shape) + [1] * (x.dim() - weight.dim()))


def _sum_messages(x: Tensor, weight: Tensor, offsets: Tensor, src: Tensor) -> Tensor:
    return _edge_sum(x.index_select(0, src) * _aligned(weight, x), offsets)


def _weighted_sum(x: Tensor, weight: Tensor, offsets: Tensor, src: Tensor, *_: Tensor) -> Tensor:
    return _sum_messages(x, weight, offsets, src)


def _edge_dot(x: Tensor, y: Tensor, src: Tensor, dst: Tensor, rank: int) -> Tensor:
    product = x.index_select(0, src) * y.index_select(0, dst)
    dims = list(range(rank, product.dim()))
    return product.sum(dims) if dims else product


def _rows_like(x: Tensor, offsets: Tensor) -> Tensor:
    return x.new_empty([offsets.size(0) - 1, *x.shape[1:]])


def _edges_like(x: Tensor, ends: Tensor) -> Tensor:
    return x.new_empty([ends.size(0), *x.shape[1:]])


define("from_src(Tensor x, Tensor src) -> Tensor", _from_src, _edges_like)
define(
    "from_dst(Tensor x, Tensor offsets, Tensor dst) -> Tensor",
    _from_dst,
    lambda x, offsets, dst: _edges_like(x, dst),
)
define("edge_sum(Tensor x, Tensor offsets) -> Tensor", _edge_sum, _rows_like)
define("edge_max(Tensor x, Tensor offsets) -> Tensor", _edge_max, _rows_like)
define("edge_min(Tensor x, Tensor offsets) -> Tensor", _edge_min, _rows_like)
define(
    "edge_softmax(Tensor x, Tensor offsets, Tensor dst) -> Tensor",
    _edge_softmax,
    lambda x, offsets, dst: x.new_empty(x.shape),
)
define(
    "edge_softmax_backward(Tensor grad, Tensor y, Tensor offsets, Tensor dst) -> Tensor",
    _edge_softmax_backward,
    lambda grad, y, offsets, dst: grad.new_empty(grad.shape),
)
define(
    "weighted_sum(Tensor x, Tensor weight, Tensor offsets, Tensor src, Tensor dst, "
    "Tensor t_offsets, Tensor t_dst, Tensor t_order) -> Tensor",
    _weighted_sum,
    lambda x, weight, offsets, *_: _rows_like(x, offsets),
)
define(
    "sum_messages(Tensor x, Tensor weight, Tensor offsets, Tensor src) -> Tensor",
    _sum_messages,
    lambda x, weight, offsets, src: _rows_like(x, offsets),
)
define(
    "edge_dot(Tensor x, Tensor y, Tensor src, Tensor dst, int rank) -> Tensor",
    _edge_dot,
    lambda x, y, src, dst, rank: x.new_empty([src.size(0), *x.shape[1:rank]]),
)


def _save_softmax(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    ctx.save_for_backward(output, *inputs[1:])


def _grad_softmax(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    y, offsets, dst = ctx.saved_tensors
    return torch.ops.mp.edge_softmax_backward(grad, y, offsets, dst), None, None


def _save_weighted_sum(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _grad_weighted_sum(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    x, weight, _, src, dst, t_offsets, t_dst, t_order = ctx.saved_tensors
    grad_x = grad_weight = None
    if ctx.needs_input_grad[0]:
        t_weight = torch.ops.mp.from_src(weight, t_order)
        grad_x = torch.ops.mp.sum_messages(grad, t_weight, t_offsets, t_dst)
    if ctx.needs_input_grad[1]:
        grad_weight = torch.ops.mp.edge_dot(x, grad, src, dst, weight.dim())
    return grad_x, grad_weight, *([None] * 6)


torch.library.register_autograd(
    "mp::edge_softmax", _grad_softmax, setup_context=_save_softmax, lib=LIBRARY
)
torch.library.register_autograd(
    "mp::weighted_sum", _grad_weighted_sum, setup_context=_save_weighted_sum, lib=LIBRARY
)
