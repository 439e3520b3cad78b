"""Random message and reduce functions, and random graphs to run them on."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

WIDTH = 4

# name, function of tensors of one shape: smooth, so that gradients compare well
_UNARY: list[tuple[str, Callable[..., Tensor]]] = [
    ("tanh", torch.tanh),
    ("sigmoid", torch.sigmoid),
    ("cos", torch.cos),
    ("relu", torch.relu),
    ("double", lambda x: x * 2.0),
    ("shift", lambda x: x + 0.5),
    ("softplus", torch.nn.functional.softplus),
    ("square", lambda x: x * x),
    ("abs", torch.abs),
    ("normal", lambda x: x / (1 + x.abs())),
]
_BINARY: list[tuple[str, Callable[..., Tensor]]] = [
    ("add", torch.add),
    ("sub", torch.sub),
    ("mul", torch.mul),
    ("maximum", torch.maximum),
    ("gate", lambda a, b: a * torch.sigmoid(b)),
    ("dot", lambda a, b: (a * b).sum(-1, keepdim=True) + a),
    ("halves", lambda a, b: torch.cat([a[..., :2], b[..., 2:]], dim=-1)),
]
_ALONG: list[tuple[str, Callable[..., Tensor]]] = [
    ("softmax", lambda m: torch.softmax(m, dim=1)),
    ("log_softmax", lambda m: torch.log_softmax(m, 1)),
    ("centred", lambda m: m - m.mean(1, keepdim=True)),
    ("share", lambda m: m / (m.abs().sum(dim=1, keepdim=True) + 1)),
    ("below top", lambda m: m - m.max(1, keepdim=True)[0]),
    ("per degree", lambda m: m / m.shape[1]),
]
_REDUCE: list[tuple[str, Callable[..., Tensor]]] = [
    ("sum", lambda m: m.sum(1)),
    ("mean", lambda m: torch.mean(m, 1)),
    ("max", lambda m: m.max(1)[0]),
    ("min", lambda m: torch.min(m, dim=1).values),
    ("logsumexp", lambda m: torch.logsumexp(m, 1)),
    ("prod", lambda m: torch.tanh(m).prod(dim=1)),
    ("var", lambda m: m.var(1, unbiased=False)),
    ("first", lambda m: m[:, 0]),
    ("last", lambda m: m[:, -1]),
    ("amax", lambda m: m.amax(1)),
    ("scaled", lambda m: m.sum(1) / m.size(1) ** 0.5),
    ("above", lambda m: (m > 0).any(1).to(m.dtype) * m.sum(1)),
]


@dataclass
class Pair:
    """A message function, a reduce function and perhaps an apply function.

    Attributes
    ----------
    text
        How they were made, to print where they fail.
    """

    message: Callable
    reduce: Callable
    apply: Callable | None
    text: str


class _Builder:
    """Builds a function as a tree, written down as it grows."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def tree(self, leaves: list[str], depth: int, along: bool = False):
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            leaf = rng.choice(leaves)
            return leaf, lambda values: values[leaf]
        if along and rng.random() < 0.35:
            name, function = rng.choice(_ALONG)
            text, inner = self.tree(leaves[:1], depth - 1)
            return f"{name}({text})", lambda values: function(inner(values))
        if rng.random() < 0.4:
            name, function = rng.choice(_UNARY)
            text, inner = self.tree(leaves, depth - 1, along)
            return f"{name}({text})", lambda values: function(inner(values))
        name, function = rng.choice(_BINARY)
        left_text, left = self.tree(leaves, depth - 1, along)
        right_text, right = self.tree(leaves, depth - 1, along)
        return (
            f"{name}({left_text}, {right_text})",
            lambda values: function(left(values), right(values)),
        )


def make_pair(seed: int) -> Pair:
    """Make functions of a seed."""
    rng = random.Random(seed)
    build = _Builder(rng)
    message_text, message = build.tree(["src", "dst", "edge"], rng.randint(1, 3))
    mail_text, mail = build.tree(["m"], rng.randint(0, 2), along=True)
    own = rng.random() < 0.5
    names = rng.sample(_REDUCE, rng.choice([1, 1, 2]))
    after_text, after = build.tree(["r"], rng.randint(0, 1))
    mixes = rng.choice(["none", "add", "cat"]) if own else "none"

    def on_edges(edges):
        values = {"src": edges.src["h"], "dst": edges.dst["h"], "edge": edges.data["e"]}
        return {"m": message(values)}

    def on_mail(nodes):
        m = nodes.mailbox["m"]
        if own:
            m = m + 0.3 * nodes.data["h"].unsqueeze(1)
        m = mail({"m": m})
        found = after({"r": sum(function(m) for _, function in names)})
        if mixes == "add":
            found = found + nodes.data["h"]
        elif mixes == "cat":
            found = torch.cat([found, nodes.data["h"]], 1)
        return {"o": found}

    applies = rng.random() < 0.3

    def on_nodes(nodes):
        return {"o": torch.tanh(nodes.data["o"]).sum(1, keepdim=True) * nodes.data["h"]}

    text = f"m = {message_text}; {mail_text} of m (own {own}); "
    text += f"{' + '.join(n for n, _ in names)}; {after_text}; {mixes}; apply {applies}"
    return Pair(on_edges, on_mail, on_nodes if applies else None, text)


def make_graph(dgl, seed: int):
    """Make a graph: degrees from 0 to hundreds, parallel edges, self-loops, few or no edges."""
    rng = random.Random(seed)
    generator = torch.Generator().manual_seed(seed)
    nodes = rng.choice([1, 2, 5, 30, 200])
    edges = rng.choice([0, 1, 2, 7, 3 * nodes, 10 * nodes])
    src = torch.randint(0, nodes, (edges,), generator=generator)
    dst = torch.randint(0, nodes, (edges,), generator=generator)
    if rng.random() < 0.5:
        dst = (dst.double() ** 2 / max(nodes, 1)).long()
    if rng.random() < 0.3:
        dst[: edges // 2] = 0
    return dgl.graph((src, dst), num_nodes=nodes)
