"""Messages computed on edges: small networks, matrices, distances, aggregators."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from gnn_corpus.convolutions import (
    Layer,
    copy_source,
    max_mailbox,
    sum_mailbox,
)
from gnn_corpus.registry import F_EDGE, F_IN, case


def _edge_conv(reduce, name):
    @case("h", name=name)
    class EdgeConv(Layer):
        def __init__(self):
            super().__init__()
            self.mlp = nn.Sequential(nn.Linear(2 * F_IN, 8), nn.ReLU(), nn.Linear(8, 5))

        def message(self, edges):
            own, other = edges.dst["h"], edges.src["h"]
            return {"m": self.mlp(torch.cat([own, other - own], dim=-1))}

        def compute(self, g, h):
            g.ndata["h"] = h
            g.update_all(self.message, reduce)
            return g.ndata["h"]


_edge_conv(lambda nodes: {"h": nodes.mailbox["m"].max(1).values}, "EdgeConvMax")
_edge_conv(lambda nodes: {"h": nodes.mailbox["m"].mean(1)}, "EdgeConvMean")


@case("he")
class GatedGCN(Layer):
    def __init__(self):
        super().__init__()
        for name in "ABDE":
            setattr(self, name, nn.Linear(F_IN, 5))
        self.C = nn.Linear(F_EDGE, 5)

    def message(self, edges):
        e = edges.data["Ce"] + edges.src["Dh"] + edges.dst["Eh"]
        edges_sigma = torch.sigmoid(e)
        return {"Bh": edges.src["Bh"], "sigma": edges_sigma}

    def reduce(self, nodes):
        bh, sigma = nodes.mailbox["Bh"], nodes.mailbox["sigma"]
        h = nodes.data["Ah"] + torch.sum(sigma * bh, dim=1) / (torch.sum(sigma, dim=1) + 1e-6)
        return {"h": h}

    def compute(self, g, h, e):
        for name in "ABDE":
            g.ndata[f"{name}h"] = getattr(self, name)(h)
        g.edata["Ce"] = self.C(e)
        g.update_all(self.message, self.reduce)
        return F.relu(g.ndata["h"])


@case("he")
class NNConv(Layer):
    """A matrix for each edge, computed of its features."""

    def __init__(self):
        super().__init__()
        self.edge = nn.Linear(F_EDGE, F_IN * 4)

    def message(self, edges):
        matrix = self.edge(edges.data["e"]).view(-1, F_IN, 4)
        return {"m": torch.matmul(edges.src["h"].unsqueeze(1), matrix).squeeze(1)}

    def compute(self, g, h, e):
        g.ndata["h"], g.edata["e"] = h, e
        g.update_all(self.message, lambda nodes: {"o": nodes.mailbox["m"].mean(1)})
        return g.ndata["o"]


@case("hx")
class SchNet(Layer):
    """Continuous filters of the distance, expanded in Gaussians."""

    def __init__(self):
        super().__init__()
        self.filter = nn.Sequential(nn.Linear(8, 7), nn.Softplus(), nn.Linear(7, F_IN))
        self.register_buffer("centers", torch.linspace(0, 4, 8))

    def message(self, edges):
        distance = (edges.src["x"] - edges.dst["x"]).pow(2).sum(-1, keepdim=True).add(1e-6).sqrt()
        basis = torch.exp(-2.0 * (distance - self.centers) ** 2)
        return {"m": edges.src["h"] * self.filter(basis)}

    def compute(self, g, h, x):
        g.ndata["h"], g.ndata["x"] = h, x
        g.update_all(self.message, sum_mailbox)
        return g.ndata["h"]


@case("he")
class MPNN(Layer):
    """Messages of both ends and the edge; a recurrent cell updates nodes."""

    def __init__(self):
        super().__init__()
        self.message_net = nn.Linear(2 * F_IN + F_EDGE, F_IN)
        self.cell = nn.GRUCell(F_IN, F_IN)

    def message(self, edges):
        triple = torch.cat([edges.src["h"], edges.dst["h"], edges.data["e"]], 1)
        return {"m": F.selu(self.message_net(triple))}

    def compute(self, g, h, e):
        g.edata["e"] = e
        for _ in range(2):
            g.ndata["h"] = h
            g.update_all(self.message, lambda nodes: {"a": nodes.mailbox["m"].sum(1)})
            h = self.cell(g.ndata["a"], h)
        return h


@case("hx")
class PointNet(Layer):
    def __init__(self):
        super().__init__()
        self.local = nn.Sequential(nn.Linear(F_IN + 3, 8), nn.ReLU(), nn.Linear(8, 8))
        self.final = nn.Linear(8, 5)

    def compute(self, g, h, x):
        g.ndata["h"], g.ndata["x"] = h, x
        g.update_all(
            lambda edges: {
                "m": self.local(torch.cat([edges.src["h"], edges.src["x"] - edges.dst["x"]], -1))
            },
            max_mailbox,
        )
        return self.final(g.ndata["h"])


@case("hx")
class MoNet(Layer):
    """Gaussian mixture of pseudo-coordinates."""

    KERNELS = 3

    def __init__(self):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(self.KERNELS, 3))
        self.inv_sigma = nn.Parameter(torch.rand(self.KERNELS, 3))
        self.fc = nn.Linear(F_IN, self.KERNELS * 4, bias=False)

    def message(self, edges):
        pseudo = (edges.src["x"] - edges.dst["x"]).unsqueeze(1)
        gaussian = -0.5 * ((pseudo - self.mu) ** 2 * self.inv_sigma**2).sum(dim=-1, keepdim=True)
        return {"m": edges.src["z"] * torch.exp(gaussian)}

    def compute(self, g, h, x):
        g.ndata["z"], g.ndata["x"] = self.fc(h).view(-1, self.KERNELS, 4), x
        g.update_all(self.message, lambda nodes: {"o": nodes.mailbox["m"].sum(1)})
        return g.ndata["o"].sum(1)


@case("hx")
class EGNN(Layer):
    """Coordinates move along edges by learned amounts."""

    def __init__(self):
        super().__init__()
        self.edge = nn.Sequential(nn.Linear(2 * F_IN + 1, 8), nn.SiLU(), nn.Linear(8, 5), nn.SiLU())
        self.move = nn.Sequential(nn.Linear(5, 5), nn.SiLU(), nn.Linear(5, 1, bias=False))
        self.node = nn.Linear(F_IN + 5, 5)

    def message(self, edges):
        difference = edges.src["x"] - edges.dst["x"]
        radial = difference.square().sum(dim=1).unsqueeze(-1)
        difference = difference / (radial.sqrt() + 1e-3).detach()
        h = self.edge(torch.cat([edges.src["h"], edges.dst["h"], radial], dim=-1))
        return {"h": h, "x": self.move(h) * difference}

    def reduce(self, nodes):
        return {"dh": nodes.mailbox["h"].sum(1), "dx": nodes.mailbox["x"].mean(1)}

    def compute(self, g, h, x):
        g.ndata["h"], g.ndata["x"] = h, x
        g.update_all(self.message, self.reduce)
        moved = x + g.ndata["dx"]
        return torch.cat([self.node(torch.cat([h, g.ndata["dh"]], -1)), moved], 1)


@case("he")
class CrystalGraph(Layer):
    """Gate times core, both of the two ends and the edge."""

    def __init__(self):
        super().__init__()
        self.both = nn.Linear(2 * F_IN + F_EDGE, 2 * F_IN)

    def message(self, edges):
        z = self.both(torch.cat([edges.dst["h"], edges.src["h"], edges.data["e"]], -1))
        gate, core = z.chunk(2, dim=-1)
        return {"m": torch.sigmoid(gate) * F.softplus(core)}

    def compute(self, g, h, e):
        g.ndata["h"], g.edata["e"] = h, e
        g.update_all(self.message, sum_mailbox)
        return h + g.ndata["h"]


@case("h")
class FiLM(Layer):
    """The destination modulates what it receives."""

    def __init__(self):
        super().__init__()
        self.film, self.w = nn.Linear(F_IN, 10), nn.Linear(F_IN, 5, bias=False)

    def message(self, edges):
        gamma, beta = torch.split(edges.dst["f"], 5, dim=1)
        return {"m": F.relu(gamma * edges.src["z"] + beta)}

    def compute(self, g, h):
        g.ndata["z"], g.ndata["f"] = self.w(h), self.film(h)
        g.update_all(self.message, lambda nodes: {"o": nodes.mailbox["m"].sum(1)})
        return F.layer_norm(g.ndata["o"], (5,))


@case("hx")
class PointPairFeatures(Layer):
    """Angles between normals and the vector between two points."""

    def __init__(self):
        super().__init__()
        self.mlp = nn.Linear(F_IN + 2, 5)

    def message(self, edges):
        d = edges.src["x"] - edges.dst["x"]
        normal = edges.dst["n"]
        cross = torch.cross(normal, d, dim=1).square().sum(1, keepdim=True).add(1e-4).sqrt()
        dot = (normal * d).sum(1, keepdim=True)
        features = [edges.src["h"], torch.atan2(cross, dot), d.square().sum(1, keepdim=True)]
        return {"m": self.mlp(torch.cat(features, 1))}

    def compute(self, g, h, x):
        g.ndata["h"], g.ndata["x"], g.ndata["n"] = h, x, torch.sin(x) + 0.1
        g.update_all(self.message, max_mailbox)
        return g.ndata["h"]


@case("h")
class MailboxMLP(Layer):
    """A network on every message inside the reduce function, with layer norm."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2 * F_IN, 8), nn.LayerNorm(8), nn.GELU())
        self.out = nn.Linear(8, 5)

    def reduce(self, nodes):
        m = nodes.mailbox["m"]
        own = nodes.data["h"].unsqueeze(1).expand(-1, m.shape[1], -1)
        return {"o": self.out(self.net(torch.cat([own, m], dim=-1)).sum(1))}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(copy_source, self.reduce)
        return g.ndata["o"]


@case("he")
class EdgeUpdates(Layer):
    """Edges take part: their features are updated of both ends, then sent."""

    def __init__(self):
        super().__init__()
        self.edge = nn.Linear(2 * F_IN + F_EDGE, F_EDGE)
        self.node = nn.Linear(F_IN + F_EDGE, F_IN)

    def apply_edge(self, edges):
        triple = torch.cat([edges.src["h"], edges.data["e"], edges.dst["h"]], 1)
        return {"e": F.relu(self.edge(triple))}

    def compute(self, g, h, e):
        g.edata["e"] = e
        for _ in range(2):
            g.ndata["h"] = h
            g.apply_edges(self.apply_edge)
            g.update_all(
                lambda edges: {"m": edges.data["e"]},
                lambda nodes: {"a": nodes.mailbox["m"].mean(1)},
                lambda nodes: {"h": self.node(torch.cat([nodes.data["h"], nodes.data["a"]], 1))},
            )
            h = g.ndata["h"]
        return h
