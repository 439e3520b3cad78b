"""A GCN and a GAT of two layers: with PyG's layers, and with layers written by hand."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GCNConv

from demo.cora import CLASSES, Cora
from nativefx.gnn import Edges, edge_softmax, weighted_sum

__all__ = ["GatByHand", "GatOfPyg", "GcnByHand", "GcnOfPyg"]


class GcnLayer(nn.Module):
    """Each node takes the weighted sum of its neighbours' rows (Kipf and Welling, 2017)."""

    def __init__(self, size_in: int, size_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(size_in, size_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(size_out))

    def reset_parameters(self) -> None:
        nn.init.xavier_uniform_(self.linear.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor, edges: Edges, weight: Tensor) -> Tensor:
        return weighted_sum(edges, self.linear(x), weight) + self.bias


class GatLayer(nn.Module):
    """As above, with weights from a softmax over the edges (Velickovic et al., 2018)."""

    def __init__(self, size_in: int, size_out: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.shape = (-1, heads, size_out)
        self.linear = nn.Linear(size_in, heads * size_out, bias=False)
        self.to_src = nn.Parameter(torch.zeros(heads, size_out))
        self.to_dst = nn.Parameter(torch.zeros(heads, size_out))
        self.bias = nn.Parameter(torch.zeros(heads * size_out))
        self.dropout = dropout

    def reset_parameters(self) -> None:
        for parameter in (self.linear.weight, self.to_src, self.to_dst):
            nn.init.xavier_uniform_(parameter)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor, edges: Edges) -> Tensor:
        h = self.linear(x).view(self.shape)
        src, dst = (h * self.to_src).sum(-1), (h * self.to_dst).sum(-1)
        logits = F.leaky_relu(src[edges.src] + dst[edges.dst], 0.2)
        attention = F.dropout(edge_softmax(edges, logits), self.dropout, self.training)
        return weighted_sum(edges, h, attention).flatten(1) + self.bias


class GcnByHand(nn.Module):
    """Two of the layers above, 16 wide."""

    def __init__(self, cora: Cora) -> None:
        super().__init__()
        self.first = GcnLayer(cora.x.size(1), 16)
        self.second = GcnLayer(16, CLASSES)
        self.edges, self.weight = cora.edges, cora.sorted_weight

    def forward(self, x: Tensor) -> Tensor:
        """Score each node for each class."""
        x = F.dropout(x, 0.5, self.training)
        x = F.relu(self.first(x, self.edges, self.weight))
        x = F.dropout(x, 0.5, self.training)
        return self.second(x, self.edges, self.weight)


class GatByHand(nn.Module):
    """Two of the layers above, 8 heads of 8, then one head."""

    def __init__(self, cora: Cora) -> None:
        super().__init__()
        self.first = GatLayer(cora.x.size(1), 8, 8, 0.6)
        self.second = GatLayer(64, CLASSES, 1, 0.6)
        self.edges = cora.edges

    def forward(self, x: Tensor) -> Tensor:
        """Score each node for each class."""
        x = F.dropout(x, 0.6, self.training)
        x = F.elu(self.first(x, self.edges))
        x = F.dropout(x, 0.6, self.training)
        return self.second(x, self.edges)


class GcnOfPyg(nn.Module):
    """PyG's GCN. The weights come from its `GCNNorm` transform, as its documentation advises."""

    def __init__(self, cora: Cora) -> None:
        super().__init__()
        self.first = GCNConv(cora.x.size(1), 16, normalize=False)
        self.second = GCNConv(16, CLASSES, normalize=False)
        self.edge_index, self.weight = cora.edge_index, cora.edge_weight

    def forward(self, x: Tensor) -> Tensor:
        """Score each node for each class."""
        x = F.dropout(x, 0.5, self.training)
        x = F.relu(self.first(x, self.edge_index, self.weight))
        x = F.dropout(x, 0.5, self.training)
        return self.second(x, self.edge_index, self.weight)


class GatOfPyg(nn.Module):
    """PyG's GAT. The self loops come from its `AddSelfLoops` transform."""

    def __init__(self, cora: Cora) -> None:
        super().__init__()
        options = {"dropout": 0.6, "add_self_loops": False}
        self.first = GATConv(cora.x.size(1), 8, heads=8, **options)
        self.second = GATConv(64, CLASSES, heads=1, **options)
        self.edge_index = cora.edge_index

    def forward(self, x: Tensor) -> Tensor:
        """Score each node for each class."""
        x = F.dropout(x, 0.6, self.training)
        x = F.elu(self.first(x, self.edge_index))
        x = F.dropout(x, 0.6, self.training)
        return self.second(x, self.edge_index)
