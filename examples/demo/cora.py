"""Cora: 2,708 papers in seven classes, their words and who cites whom."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import AddSelfLoops, GCNNorm

from demo import ROOT
from nativefx.gnn import Edges

__all__ = ["CLASSES", "Cora", "read_cora"]

CLASSES = 7


@dataclasses.dataclass
class Cora:
    """The graph in the forms that the layers take, self loops added beforehand.

    Attributes
    ----------
    x : Tensor
        float32, ``[2708, 1433]``: words of each paper, each row summing to 1.
    y : Tensor
        int64, ``[2708]``: classes.
    edge_index, edge_weight : Tensor
        The citations with self loops, and their weights in a GCN.
    edges : Edges
        The same edges in order of destination.
    sorted_weight : Tensor
        ``edge_weight`` in that order.
    """

    x: Tensor
    y: Tensor
    edge_index: Tensor
    edge_weight: Tensor
    edges: Edges
    sorted_weight: Tensor
    train: ClassVar[slice] = slice(0, 140)
    test: ClassVar[slice] = slice(-1000, None)


def read_cora() -> Cora:
    """Read the file, normalise the rows, add self loops and GCN weights."""
    file = np.load(ROOT / "data" / "cora.npz")
    nodes = int(file["num_nodes"])
    x = torch.zeros(nodes, int(file["x_cols"]))
    rows = np.repeat(np.arange(nodes), np.diff(file["x_indptr"]))
    x[torch.from_numpy(rows), torch.from_numpy(file["x_indices"].astype(np.int64))] = 1
    x /= x.sum(1, keepdim=True).clamp(min=1)
    ends = torch.from_numpy(np.stack([file["src"], file["dst"]]).astype(np.int64))
    graph = Data(x=x, edge_index=ends, num_nodes=nodes)
    looped = AddSelfLoops()(graph.clone()).edge_index
    weighted = GCNNorm(add_self_loops=False)(Data(edge_index=looped, num_nodes=nodes))
    edges = Edges.from_index(looped, nodes)
    return Cora(
        x=x,
        y=torch.from_numpy(file["y"].astype(np.int64)),
        edge_index=looped,
        edge_weight=weighted.edge_weight,
        edges=edges,
        sorted_weight=weighted.edge_weight[edges.order],
    )
