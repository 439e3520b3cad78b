"""Every captured graph into the native IR and back, directly and through text."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import torch
from round_trip import round_trip

__all__ = ["RoundTrip", "round_trips"]


@dataclasses.dataclass
class RoundTrip:
    """What was compared and what came back different."""

    graphs: int = 0
    nodes: int = 0
    differences: list[str] = dataclasses.field(default_factory=list)


def round_trips(graphs: Sequence[torch.fx.GraphModule]) -> RoundTrip:
    """Compare graphs with what came back, by the tests' comparator, which knows no bridge."""
    found = RoundTrip(len(graphs), sum(len(graph.graph.nodes) for graph in graphs))
    for graph in graphs:
        found.differences += round_trip(graph).differences
    return found
