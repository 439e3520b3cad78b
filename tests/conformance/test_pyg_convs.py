"""Layers of PyG, unchanged; `pyg_convs.py` runs all of them."""

from __future__ import annotations

import pytest
from pyg_convs import run_layer

_QUICK = ["GCNConv", "GATConv", "SAGEConv max", "PNAConv", "RGCNConv"]


@pytest.mark.parametrize("name", _QUICK)
def test_compiles_as_a_whole(name):
    assert run_layer(name).kind == "fully"
