"""Index tensors of a DGL graph, made once and kept with the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

__all__ = ["Structure"]

_KEY = "nativefx.structure"


class Structure:
    """Index tensors of a graph with one relation.

    A tensor is made when it is first asked for. All are int64, but IDs of the type that
    the graph has; edges are in order of their IDs.

    ``src_index``, ``dst_index``, ``eid`` ``[edges]``
        Ends and IDs of the edges.
    ``nid``, ``dst_degree``, ``dst_start`` ``[destinations]``
        IDs, numbers of incoming edges, and where those begin in ``order``.
    ``rows`` ``[receivers]``
        Destinations that have edges; ``degree`` and ``start`` belong to these, and
        ``row`` ``[edges]`` numbers among them. See `dgl_space.Space`.
    """

    def __init__(self, gidx: Any) -> None:
        src_type, dst_type = gidx.metagraph.find_edge(0)
        self.num_src = gidx.num_nodes(src_type)
        self.num_dst = gidx.num_nodes(dst_type)
        self.one_type = src_type == dst_type
        src, dst, eid = gidx.edges(0, "eid")
        self._known: dict[str, Tensor] = {
            "src_index": src.to(torch.int64),
            "dst_index": dst.to(torch.int64),
            "eid": eid,
        }
        self.num_edges = len(src)

    @classmethod
    def of(cls, gidx: Any) -> Structure:
        """Give the structure of a graph index of DGL, made or found with it."""
        kept = gidx._cache.get(_KEY)
        if kept is None:
            kept = gidx._cache[_KEY] = cls(gidx)
        return kept

    def share(self, gidx: Any) -> None:
        """Let another graph index with the same edges find this structure."""
        gidx._cache[_KEY] = self

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of sources, destinations, edges and destinations that have edges."""
        return {
            "src": self.num_src,
            "dst": self.num_dst,
            "edges": self.num_edges,
            "rows": self.num_rows,
        }

    @property
    def num_rows(self) -> int:
        """Number of destinations that have edges."""
        return self["rows"].shape[0]

    @property
    def has_empty(self) -> bool:
        """Whether some destination has no edges."""
        return self.num_rows < self.num_dst

    def __getitem__(self, name: str) -> Tensor:
        value = self._known.get(name)
        if value is None:
            value = self._known[name] = _MAKE[name](self)
        return value


def _row(graph: Structure) -> Tensor:
    if not graph.has_empty:
        return graph["dst_index"]
    number = torch.cumsum(graph["dst_degree"] > 0, 0) - 1
    return number.index_select(0, graph["dst_index"])


def _degree(graph: Structure) -> Tensor:
    if not graph.has_empty:
        return graph["dst_degree"]
    return graph["dst_degree"].index_select(0, graph["rows"])


def _position(graph: Structure) -> Tensor:
    order = graph["order"]
    sorted_row = graph["row"].index_select(0, order)
    place = torch.arange(order.shape[0], device=order.device)
    place = place - graph["start"].index_select(0, sorted_row)
    return torch.empty_like(order).index_copy_(0, order, place)


_MAKE: dict[str, Callable[[Structure], Tensor]] = {
    "dst_degree": lambda g: torch.bincount(g["dst_index"], minlength=g.num_dst),
    "src_degree": lambda g: torch.bincount(g["src_index"], minlength=g.num_src),
    "nid": lambda g: torch.arange(g.num_dst, dtype=g["eid"].dtype, device=g["eid"].device),
    "src_nid": lambda g: torch.arange(g.num_src, device=g["dst_index"].device),
    "rows": lambda g: torch.nonzero(g["dst_degree"]).view(-1),
    "row": _row,
    "degree": _degree,
    "order": lambda g: torch.argsort(g["row"], stable=True),
    "dst_start": lambda g: g["dst_degree"].cumsum(0) - g["dst_degree"],
    "start": lambda g: g["degree"].cumsum(0) - g["degree"],
    "position": _position,
}
