"""Aggregators: several statistics of a mailbox at once, scaled by its size."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from gnn_corpus.convolutions import Layer, copy_source
from gnn_corpus.registry import F_EDGE, F_IN, case


def aggregate_mean(h):
    return torch.mean(h, dim=1)


def aggregate_max(h):
    return torch.max(h, dim=1)[0]


def aggregate_min(h):
    return torch.min(h, dim=1)[0]


def aggregate_var(h):
    squared, mean = torch.mean(h * h, dim=1), torch.mean(h, dim=1)
    return torch.relu(squared - mean * mean)


def aggregate_std(h):
    return torch.sqrt(aggregate_var(h) + 1e-5)


def aggregate_moment(h, n=3):
    centred = torch.mean(torch.pow(h - torch.mean(h, dim=1, keepdim=True), n), dim=1)
    return torch.sign(centred) * torch.pow(torch.abs(centred) + 1e-5, 1.0 / n)


def scale_identity(h, D, delta):
    return h


def scale_amplification(h, D, delta):
    return h * (np.log(D + 1) / delta)


def scale_attenuation(h, D, delta):
    return h * (delta / np.log(D + 1))


def scale_logarithmically(h, D, delta):
    return h * math.log(D + 1) / delta


AGGREGATORS = [aggregate_mean, aggregate_max, aggregate_min, aggregate_std, aggregate_moment]
SCALERS = [scale_identity, scale_amplification, scale_attenuation, scale_logarithmically]


@case("he")
class PNA(Layer):
    """Several aggregators, scaled by several functions of the degree."""

    def __init__(self):
        super().__init__()
        self.M = nn.Linear(2 * F_IN + F_EDGE, 4)
        self.U = nn.Linear(4 * len(AGGREGATORS) * len(SCALERS) + F_IN, 5)

    def message(self, edges):
        triple = torch.cat([edges.src["h"], edges.dst["h"], edges.data["e"]], dim=-1)
        return {"msg": self.M(triple)}

    def reduce(self, nodes):
        msg = nodes.mailbox["msg"]
        degree = msg.size(1)
        h = torch.cat([aggregate(msg) for aggregate in AGGREGATORS], dim=1)
        h = torch.cat([scale(h, D=degree, delta=1.7) for scale in SCALERS], dim=1)
        return {"h_neigh": h}

    def compute(self, g, h, e):
        g.ndata["h"], g.edata["e"] = h, e
        g.update_all(self.message, self.reduce)
        return self.U(torch.cat([h, g.ndata["h_neigh"]], dim=-1))


@case("hw")
class Directional(Layer):
    """Directional derivatives along a field on edges, and smoothing by it."""

    def reduce(self, nodes):
        m, w = nodes.mailbox["m"], nodes.mailbox["w"]
        weight = w / (torch.sum(torch.abs(w), keepdim=True, dim=1) + 1e-5)
        smooth = torch.sum(m * torch.abs(weight), dim=1)
        derived = torch.sum(m * weight, dim=1) - torch.sum(weight, dim=1) * nodes.data["h"]
        return {"o": torch.cat([smooth, torch.abs(derived)], dim=1)}

    def compute(self, g, h, w):
        g.ndata["h"], g.edata["w"] = h, w - 0.7
        g.update_all(lambda edges: {"m": edges.src["h"], "w": edges.data["w"]}, self.reduce)
        return g.ndata["o"]


@case("he")
class SoftmaxAggregation(Layer):
    """Generalised aggregation: softmax of each feature, with a temperature."""

    def __init__(self):
        super().__init__()
        self.edge = nn.Linear(F_EDGE, F_IN)
        self.beta = nn.Parameter(torch.tensor([0.8]))

    def reduce(self, nodes):
        m = nodes.mailbox["m"]
        return {"h": torch.sum(m * torch.softmax(self.beta * m, dim=1), dim=1)}

    def compute(self, g, h, e):
        g.ndata["h"], g.edata["e"] = h, self.edge(e)
        g.update_all(
            lambda edges: {"m": F.relu(edges.src["h"] + edges.data["e"]) + 1e-7}, self.reduce
        )
        return g.ndata["h"] + h


@case("h")
class PowerMean(Layer):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.tensor([1.5]))

    def reduce(self, nodes):
        m = torch.clamp(nodes.mailbox["m"], 1e-3, 10.0)
        return {"h": torch.pow(torch.mean(torch.pow(m, self.p), dim=1), 1 / self.p)}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(copy_source, self.reduce)
        return g.ndata["h"]


@case("h")
class HigherMoments(Layer):
    """Variance, standard deviation and norms along the mailbox."""

    def reduce(self, nodes):
        m = nodes.mailbox["m"]
        parts = [
            m.var(1, unbiased=False),
            torch.std(m + 0.1 * nodes.data["h"].unsqueeze(1), dim=1, correction=0),
            torch.norm(m, p=2, dim=1),
            m.norm(dim=-1).sum(1, keepdim=True),
        ]
        return {"o": torch.cat(parts, 1)}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(copy_source, self.reduce)
        return g.ndata["o"]
