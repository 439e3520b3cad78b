"""The cases of the corpus: modules that take a graph and tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

F_IN, F_EDGE, RELATIONS = 6, 4, 3


@dataclass(frozen=True)
class Case:
    """A module, and which tensors it takes after the graph.

    ``h`` node features ``[N, 6]``; ``e`` edge features ``[E, 4]``; ``w`` positive
    edge weights ``[E, 1]``; ``x`` coordinates ``[N, 3]``; ``p`` probabilities
    ``[N, 3]``; ``r`` relation of each edge, ``t`` type of each node: integers.
    """

    name: str
    make: Callable[[], nn.Module]
    inputs: str
    graph: str


CASES: dict[str, Case] = {}


def case(inputs: str, graph: str = "plain", *arguments: object, name: str = ""):
    """Register a module class; give arguments to register it in several forms."""

    def add(kind):
        title = name or kind.__name__
        assert title not in CASES, title
        CASES[title] = Case(title, lambda: kind(*arguments), inputs, graph)
        return kind

    return add


def make_inputs(inputs: str, nodes: int, edges: int, seed: int) -> list[Tensor]:
    """Make the tensors that a case takes, floating ones in double with gradients."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    def integers(count: int, size: int) -> Tensor:
        return torch.randint(0, count, (size,), generator=generator)

    make = {
        "h": lambda: normal(nodes, F_IN),
        "e": lambda: normal(edges, F_EDGE),
        "w": lambda: normal(edges, 1).abs() + 0.1,
        "x": lambda: normal(nodes, 3),
        "p": lambda: torch.softmax(normal(nodes, 3), 1),
        "r": lambda: integers(RELATIONS, edges),
        "t": lambda: integers(2, nodes),
    }
    values = [make[kind]() for kind in inputs]
    return [v.requires_grad_() if v.is_floating_point() else v for v in values]


def graphs(dgl, kind: str, seed: int):
    """Graphs with nodes without edges, parallel edges and self-loops."""
    generator = torch.Generator().manual_seed(seed)

    def ends(edges: int, sources: int, targets: int) -> tuple[Tensor, Tensor]:
        src = torch.randint(0, sources, (edges,), generator=generator)
        dst = torch.randint(0, max(targets - 3, 1), (edges,), generator=generator)
        dst[: edges // 4] = 0
        src[:5], dst[:5] = 1, 1
        return src, dst

    nodes, edges = 17 + 4 * seed, 60 + 9 * seed
    if kind == "plain":
        return dgl.graph(ends(edges, nodes, nodes), num_nodes=nodes)
    if kind == "tree":
        parents = torch.tensor([max(i - 1, 0) // 2 for i in range(1, nodes)])
        return dgl.graph((torch.arange(1, nodes), parents), num_nodes=nodes)
    if kind == "block":
        whole = dgl.graph(ends(edges, nodes, nodes), num_nodes=nodes)
        seeds = torch.arange(nodes // 2)
        return dgl.to_block(dgl.in_subgraph(whole, seeds), seeds)
    assert kind == "hetero", kind
    return dgl.heterograph(
        {
            ("user", "follows", "user"): ends(edges, nodes, nodes),
            ("user", "buys", "item"): ends(edges // 2, nodes, 9),
            ("item", "sold", "user"): ends(edges // 3, 9, nodes),
            ("item", "empty", "item"): ([], []),
        },
        {"user": nodes, "item": 9},
    )
