"""The edges of each node as a dimension, and reductions along it in plain PyTorch.

Everything here is gather, pointwise work and scatter on an index tensor: what the
compiler recognises and makes loops over the edges of a node of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from nativefx.gnn.dgl_refusal import RowsWithoutEdges

__all__ = ["Space"]

_HALF = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Space:
    """The edges at the nodes of one side of a graph, edges in order of their IDs.

    Attributes
    ----------
    rows
        Number of nodes.
    fetch
        Gives index tensors by name: ``row`` ``[edges]``, the node of each edge;
        ``degree`` ``[rows]``; ``position`` ``[edges]``, that of the edge among those
        of its node; ``order`` ``[edges]``, the edges sorted by node; ``start``
        ``[rows]``, where those of a node begin in it; ``ids`` ``[rows]``.
    has_empty
        Whether nodes without edges are among the rows. Values at nodes that are not
        plain sums are then refused with `RowsWithoutEdges`.
    """

    rows: Any
    fetch: Callable[[str], Tensor]
    has_empty: bool = False

    def gather(self, at_rows: Tensor) -> Tensor:
        """Give each edge the value of its node."""
        return at_rows.index_select(0, self.fetch("row"))

    def sum(self, x: Tensor) -> Tensor:
        """Sum over the edges of each node; zero where there are none."""
        if x.dtype in _HALF:
            return self.sum(x.float()).to(x.dtype)
        if not x.is_floating_point() and not x.is_complex():
            x = x.to(torch.int64)
        return x.new_zeros([self.rows, *x.shape[1:]]).index_add(0, self.fetch("row"), x)

    def degree_like(self, x: Tensor) -> Tensor:
        """Degrees in the dtype of `x`, shaped to broadcast over its features."""
        degree = self.fetch("degree")
        if self.has_empty:
            degree = degree.clamp(min=1)
        return degree.to(x.dtype).view([-1] + [1] * (x.dim() - 1))

    def mean(self, x: Tensor) -> Tensor:
        """Mean over the edges of each node; zero where there are none."""
        if x.dtype in _HALF:
            return self.mean(x.float()).to(x.dtype)
        return self.sum(x) / self.degree_like(x)

    def extreme(self, x: Tensor, kind: str) -> Tensor:
        """Largest (``amax``) or smallest (``amin``) over the edges, product (``prod``)."""
        out = x.new_zeros([self.rows, *x.shape[1:]])
        return out.scatter_reduce(0, self._spread("row", x), x, kind, include_self=False)

    def arg_edge(self, x: Tensor, kind: str) -> Tensor:
        """First edge of each node at which `x` is extreme; NaN counts as extreme."""
        self.require_edges()
        x = x.detach()
        best = self.gather(self.extreme(x, kind))
        hit = x == best
        if x.is_floating_point():
            hit = hit | (x != x)
        return self.first_edge(hit)

    def first_edge(self, hit: Tensor) -> Tensor:
        """First edge of each node at which `hit` is true; edge 0 where there are no edges."""
        edges = torch.arange(hit.shape[0], device=hit.device)
        edges = edges.view([-1] + [1] * (hit.dim() - 1)).expand_as(hit)
        return -self.extreme(torch.where(hit, -edges, -hit.shape[0]), "amax")

    def select_edge(self, x: Tensor, edge: Tensor) -> Tensor:
        """Value of `x` at one edge for each node and feature; one edge takes the gradient."""
        return x.gather(0, edge)

    def position(self, edge: Tensor) -> Tensor:
        """Where edges stand among those of their nodes."""
        return self.fetch("position").index_select(0, edge.reshape(-1)).view(edge.shape)

    def edge_at(self, position: Tensor | int) -> Tensor:
        """Edge ID at a position, counted from the end if negative, of each node."""
        self.require_edges()
        start = self.fetch("start")
        if isinstance(position, int):
            position = position if position >= 0 else self.fetch("degree") + position
            place = start + position
        else:
            place = start.view([-1] + [1] * (position.dim() - 1)) + position
        return self.fetch("order").index_select(0, place.reshape(-1)).view(place.shape)

    def softmax(self, x: Tensor, log: bool = False) -> Tensor:
        """Softmax over the edges of each node."""
        if x.dtype in _HALF:
            return self.softmax(x.float(), log).to(x.dtype)
        shifted = x - self.gather(self.extreme(x.detach(), "amax"))
        total = self.sum(shifted.exp())
        if log:
            return shifted - self.gather(total.log())
        return shifted.exp() / self.gather(total)

    def logsumexp(self, x: Tensor) -> Tensor:
        """Logarithm of the sum of exponentials over the edges of each node."""
        self.require_edges()
        top = self.extreme(x.detach(), "amax")
        top = torch.where(top.abs() == torch.inf, torch.zeros_like(top), top)
        return self.sum((x - self.gather(top)).exp()).log() + top

    def variance(self, x: Tensor, correction: float) -> Tensor:
        """Variance over the edges of each node; NaN where too few edges are."""
        self.require_edges()
        centred = x - self.gather(self.mean(x))
        count = self.degree_like(x) - correction
        return self.sum(centred * centred) / count.clamp(min=0)

    def require_edges(self) -> None:
        """Refuse rows without edges, of which the value to compute is not zero."""
        if self.has_empty:
            raise RowsWithoutEdges

    def _spread(self, name: str, x: Tensor) -> Tensor:
        return self.fetch(name).view([-1] + [1] * (x.dim() - 1)).expand_as(x)
