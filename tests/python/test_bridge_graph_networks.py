"""Graphs of graph networks come back as they were."""

from __future__ import annotations

import pytest
import torch
from graph_comparator import Comparison
from models import capture_training
from round_trip import round_trip

geometric = pytest.importorskip("torch_geometric.nn")

LAYERS = {
    "gcn": lambda: geometric.GCNConv(8, 8, add_self_loops=False),
    "gat": lambda: geometric.GATConv(8, 4, heads=2, add_self_loops=False),
    "gatv2": lambda: geometric.GATv2Conv(8, 4, heads=2, add_self_loops=False),
    "sage": lambda: geometric.SAGEConv(8, 8, aggr="max"),
    "gin": lambda: geometric.GINConv(torch.nn.Linear(8, 8)),
    "edge": lambda: geometric.EdgeConv(torch.nn.Linear(16, 8)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layer(comparison: Comparison, name: str) -> None:
    torch.manual_seed(0)
    x = torch.randn(6, 8, requires_grad=True)
    edges = torch.randint(0, 6, (2, 20))
    capture_training(LAYERS[name](), lambda _, g: round_trip(g, comparison), x, edges)
    assert comparison.graphs >= 6
