"""Convolutions: sums and means of neighbours, weighted by degrees or edges."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from gnn_corpus.registry import F_EDGE, F_IN, case
from nativefx.gnn import import_dgl

fn = import_dgl().function


def copy_source(edges):
    return {"m": edges.src["h"]}


def weigh_source(edges):
    return {"m": edges.src["h"] * edges.data["w"]}


def sum_mailbox(nodes):
    return {"h": nodes.mailbox["m"].sum(1)}


def mean_mailbox(nodes):
    return {"h": torch.mean(nodes.mailbox["m"], dim=1)}


def max_mailbox(nodes):
    return {"h": nodes.mailbox["m"].max(dim=1)[0]}


class Layer(nn.Module):
    """A module whose forward works on a scope of the graph's own."""

    def forward(self, g, *inputs):
        with g.local_scope():
            return self.compute(g, *inputs)


@case("h")
class GCN(Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(F_IN, 5, bias=False)
        self.bias = nn.Parameter(torch.rand(5))

    def compute(self, g, h):
        norm = g.in_degrees().clamp(min=1).to(h.dtype).pow(-0.5).unsqueeze(1)
        g.ndata["h"] = self.linear(h) * norm
        g.update_all(copy_source, sum_mailbox)
        return F.relu(g.ndata["h"] * norm + self.bias)


@case("hw")
class WeightedGCN(Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(F_IN, 5)

    def compute(self, g, h, w):
        g.ndata["h"], g.edata["w"] = h, w
        g.update_all(weigh_source, sum_mailbox)
        return self.linear(g.ndata["h"])


@case("hw")
class NormalisedOnEdges(Layer):
    """The normalisation of GCN computed where it is used: on each edge."""

    def compute(self, g, h, w):
        g.ndata["h"], g.edata["w"] = h, w
        g.ndata["d"] = g.in_degrees().to(h.dtype).add(1).rsqrt().unsqueeze(1)
        g.update_all(
            lambda edges: {"m": edges.src["h"] * edges.data["w"] * edges.src["d"] * edges.dst["d"]},
            sum_mailbox,
        )
        return g.ndata["h"]


def _sage(reduce, name):
    @case("h", name=name)
    class Sage(Layer):
        def __init__(self):
            super().__init__()
            self.own, self.other = nn.Linear(F_IN, 5), nn.Linear(F_IN, 5, bias=False)

        def compute(self, g, h):
            g.ndata["h"] = h
            g.update_all(copy_source, reduce)
            return F.normalize(self.own(h) + self.other(g.ndata["h"]), dim=-1)


_sage(mean_mailbox, "SageMean")
_sage(max_mailbox, "SageMax")
_sage(sum_mailbox, "SageSum")


@case("h")
class SagePool(Layer):
    def __init__(self):
        super().__init__()
        self.pool, self.update = nn.Linear(F_IN, 7), nn.Linear(F_IN + 7, 5)

    def reduce(self, nodes):
        return {"n": torch.max(F.relu(self.pool(nodes.mailbox["m"])), dim=1)[0]}

    def apply(self, nodes):
        return {"h": self.update(torch.cat([nodes.data["h"], nodes.data["n"]], dim=1))}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(copy_source, self.reduce, self.apply)
        return g.ndata["h"]


@case("h")
class SageInReduce(Layer):
    """Concatenates the node with its mean and applies the layer in the reduce function."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2 * F_IN, 5)

    def reduce(self, nodes):
        own, mean = nodes.data["h"], nodes.mailbox["m"].mean(1)
        return {"h": F.elu(self.linear(torch.cat((own, mean), 1)))}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(copy_source, lambda nodes: {"o": self.reduce(nodes)["h"]})
        return g.ndata["o"]


def _gin(reduce, name):
    @case("h", name=name)
    class Gin(Layer):
        def __init__(self):
            super().__init__()
            self.eps = nn.Parameter(torch.tensor([0.1]))
            self.mlp = nn.Sequential(nn.Linear(F_IN, 8), nn.ReLU(), nn.Linear(8, 5))

        def compute(self, g, h):
            g.ndata["h"] = h
            g.update_all(copy_source, reduce)
            return self.mlp((1 + self.eps) * h + g.ndata["h"])


_gin(sum_mailbox, "GinSum")
_gin(mean_mailbox, "GinMean")
_gin(max_mailbox, "GinMax")


@case("he")
class GINE(Layer):
    def __init__(self):
        super().__init__()
        self.edge, self.mlp = nn.Linear(F_EDGE, F_IN), nn.Linear(F_IN, 5)

    def message(self, edges):
        return {"m": F.relu(edges.src["h"] + self.edge(edges.data["e"]))}

    def compute(self, g, h, e):
        g.ndata["h"], g.edata["e"] = h, e
        g.update_all(self.message, sum_mailbox)
        return self.mlp(1.1 * h + g.ndata["h"])


@case("h")
class SGC(Layer):
    """Several hops without a layer between."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(F_IN, 5)

    def compute(self, g, h):
        norm = g.in_degrees().clamp(min=1).to(h.dtype).pow(-0.5).unsqueeze(1)
        for _ in range(3):
            g.ndata["h"] = h * norm
            g.update_all(copy_source, sum_mailbox)
            h = g.ndata["h"] * norm
        return self.linear(h)


@case("h")
class APPNP(Layer):
    def compute(self, g, h):
        start = h
        degree = g.out_degrees().clamp(min=1).to(h.dtype).unsqueeze(1)
        for _ in range(3):
            g.ndata["h"] = h / degree
            g.update_all(fn.copy_u("h", "m"), sum_mailbox)
            h = 0.9 * g.ndata["h"] + 0.1 * start
        return h


@case("h")
class TAG(Layer):
    """Hops side by side."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3 * F_IN, 5)

    def compute(self, g, h):
        hops = [h]
        for _ in range(2):
            g.ndata["h"] = hops[-1]
            g.update_all(copy_source, mean_mailbox)
            hops.append(g.ndata["h"])
        return self.linear(torch.cat(hops, dim=-1))


@case("h")
class Chebyshev(Layer):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.randn(3, F_IN, 5))

    def compute(self, g, h):
        norm = g.in_degrees().clamp(min=1).to(h.dtype).pow(-0.5).unsqueeze(1)

        def laplacian(x):
            g.ndata["h"] = x * norm
            g.update_all(copy_source, sum_mailbox)
            return -g.ndata["h"] * norm

        terms = [h, laplacian(h)]
        terms.append(2 * laplacian(terms[1]) - terms[0])
        return sum(t @ w for t, w in zip(terms, self.weights, strict=True))


@case("h")
class LocalExtremum(Layer):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = (nn.Linear(F_IN, 5) for _ in range(3))

    def compute(self, g, h):
        g.ndata["a"], g.ndata["b"] = self.one(h), self.two(h)
        g.update_all(
            lambda edges: {"m": edges.src["a"] - edges.dst["b"]},
            lambda nodes: {"o": nodes.mailbox["m"].sum(dim=1)},
        )
        return g.ndata["o"] + self.three(h)


@case("h")
class GCNII(Layer):
    """Identity mapping: each layer close to the one before."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(F_IN, F_IN, bias=False) for _ in range(2))

    def compute(self, g, h):
        start = h
        for depth, layer in enumerate(self.layers, 1):
            g.ndata["h"] = h
            g.update_all(fn.copy_u("h", "m"), fn.mean("m", "h"))
            mixed = 0.9 * g.ndata["h"] + 0.1 * start
            beta = 0.5 / depth
            h = torch.relu((1 - beta) * mixed + beta * layer(mixed))
        return h


@case("h")
class FAGCN(Layer):
    """Frequency-adaptive: a signed gate on each edge."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(2 * F_IN, 1)

    def message(self, edges):
        pair = torch.cat([edges.dst["h"], edges.src["h"]], dim=1)
        alpha = torch.tanh(self.gate(pair)) * edges.dst["d"] * edges.src["d"]
        return {"m": alpha * edges.src["h"]}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.ndata["d"] = g.in_degrees().clamp(min=1).to(h.dtype).pow(-0.5).unsqueeze(-1)
        g.update_all(self.message, sum_mailbox)
        return 0.3 * h + g.ndata["h"]


@case("hw")
class MaxOfWeighted(Layer):
    def compute(self, g, h, w):
        g.ndata["h"], g.edata["w"] = h, w
        g.update_all(fn.u_mul_e("h", "w", "m"), fn.max("m", "h"))
        return g.ndata["h"]


@case("h")
class MeanOfDifferences(Layer):
    """Gradient-like features: how a node differs from its neighbours."""

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(fn.u_sub_v("h", "h", "m"), fn.mean("m", "o"))
        g.update_all(lambda edges: {"m": (edges.src["h"] - edges.dst["h"]).abs()}, max_mailbox)
        return torch.cat([g.ndata["o"], g.ndata["h"]], -1)


@case("h", "block")
class BlockSage(Layer):
    """On a sampled block: sources and destinations are different nodes."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2 * F_IN, 5)

    def compute(self, g, h):
        g.srcdata["h"] = h
        g.dstdata["h"] = h[: g.num_dst_nodes()]
        g.update_all(
            lambda edges: {"m": edges.src["h"] - 0.5 * edges.dst["h"]},
            lambda nodes: {"n": nodes.mailbox["m"].mean(1)},
        )
        return self.linear(torch.cat([g.dstdata["h"], g.dstdata["n"]], 1))
