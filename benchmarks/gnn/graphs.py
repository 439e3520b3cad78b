"""Graphs to measure on: Cora, and one with a few nodes of very many edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

__all__ = ["GRAPHS", "cora", "power_law"]

_DATA = Path(__file__).resolve().parents[2] / "data"


def cora() -> tuple[int, Tensor]:
    """Give 2,708 nodes and their 10,556 edges, both directions."""
    with np.load(_DATA / "cora.npz") as data:
        index = np.stack([data["src"], data["dst"]]).astype(np.int64)
        return int(data["num_nodes"]), torch.from_numpy(index)


def power_law(nodes: int = 40_000, edges: int = 600_000, seed: int = 0) -> tuple[int, Tensor]:
    """Give random edges, in random order, whose ends are drawn by rank to the power -0.6."""
    generator = torch.Generator().manual_seed(seed)
    weights = torch.arange(1, nodes + 1, dtype=torch.float64).pow(-0.6)
    names = torch.randperm(nodes, generator=generator)
    ends = [torch.multinomial(weights, edges, True, generator=generator) for _ in range(2)]
    return nodes, torch.stack([names[end] for end in ends])


GRAPHS = {"cora": cora, "power_law": power_law}
