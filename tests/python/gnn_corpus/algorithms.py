"""Inference and classic algorithms as message passing."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from gnn_corpus.convolutions import Layer, copy_source, sum_mailbox
from gnn_corpus.registry import F_IN, case
from nativefx.gnn import import_dgl

dgl = import_dgl()
fn = dgl.function


@case("h", "tree")
class ChildSumTreeLSTM(Layer):
    """One step of a tree LSTM at every node, forget gates in the reduce function."""

    def __init__(self):
        super().__init__()
        self.iou, self.u_iou = nn.Linear(F_IN, 12), nn.Linear(4, 12, bias=False)
        self.u_f = nn.Linear(4, 4)
        self.start = nn.Linear(F_IN, 8)

    def message(self, edges):
        return {"h": edges.src["h"], "c": edges.src["c"]}

    def reduce(self, nodes):
        h_tild = torch.sum(nodes.mailbox["h"], 1)
        f = torch.sigmoid(self.u_f(nodes.mailbox["h"]))
        c = torch.sum(f * nodes.mailbox["c"], 1)
        return {"iou_in": self.u_iou(h_tild), "c": c}

    def apply(self, nodes):
        i, o, u = torch.chunk(nodes.data["iou"] + nodes.data["iou_in"], 3, 1)
        c = torch.sigmoid(i) * torch.tanh(u) + nodes.data["c"]
        return {"h": torch.sigmoid(o) * torch.tanh(c), "c": c}

    def compute(self, g, x):
        g.ndata["h"], g.ndata["c"] = torch.tanh(self.start(x)).chunk(2, 1)
        g.ndata["iou"] = self.iou(x)
        g.update_all(self.message, self.reduce, self.apply)
        return torch.cat([g.ndata["h"], g.ndata["c"]], 1)


@case("p")
class LabelPropagation(Layer):
    def compute(self, g, p):
        degree = g.in_degrees().to(p.dtype).clamp(min=1).pow(-0.5).unsqueeze(1)
        y = p
        for _ in range(3):
            g.ndata["h"] = degree * y
            g.update_all(fn.copy_u("h", "m"), fn.sum("m", "h"))
            y = 0.2 * p + 0.8 * g.ndata["h"] * degree
            y = y.clamp(0.0, 1.0)
        return y


@case("pw")
class BeliefPropagation(Layer):
    """Log-domain messages: a sum over states is a logsumexp, a product a sum."""

    def __init__(self):
        super().__init__()
        self.potential = nn.Parameter(torch.randn(3, 3))

    def message(self, edges):
        joint = edges.src["b"].unsqueeze(2) + edges.data["w"].unsqueeze(2) * self.potential
        message = torch.logsumexp(joint, dim=1)
        return {"m": message - torch.logsumexp(message, dim=1, keepdim=True)}

    def compute(self, g, p, w):
        g.ndata["prior"], g.edata["w"] = p.log(), w
        g.ndata["b"] = g.ndata["prior"]
        for _ in range(2):
            g.update_all(
                self.message,
                lambda nodes: {"in": nodes.mailbox["m"].sum(1)},
                lambda nodes: {"b": torch.log_softmax(nodes.data["prior"] + nodes.data["in"], 1)},
            )
        return g.ndata["b"]


@case("h")
class SoftMaximum(Layer):
    """A smooth maximum of the neighbours."""

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(
            copy_source,
            lambda nodes: {"h": torch.logsumexp(4.0 * nodes.mailbox["m"], 1) / 4.0},
        )
        return g.ndata["h"]


@case("h")
class CapsuleRouting(Layer):
    """Routing by agreement: coupling of edges is updated by the output."""

    def __init__(self):
        super().__init__()
        self.u = nn.Linear(F_IN, 5)

    def squash(self, s):
        squared = torch.sum(s**2, dim=1, keepdim=True)
        return squared / (1.0 + squared) * (s / torch.sqrt(squared + 1e-6))

    def compute(self, g, h):
        g.ndata["u"] = self.u(h)
        g.edata["b"] = torch.zeros(g.num_edges(), 1, dtype=h.dtype)
        for _ in range(2):
            g.edata["c"] = dgl.nn.functional.edge_softmax(g, g.edata["b"], norm_by="src")
            g.update_all(
                lambda edges: {"m": edges.data["c"] * edges.src["u"]},
                lambda nodes: {"s": nodes.mailbox["m"].sum(dim=1)},
            )
            g.ndata["v"] = self.squash(g.ndata["s"])
            g.apply_edges(
                lambda edges: {
                    "b": edges.data["b"]
                    + (edges.dst["v"] * edges.src["u"]).mean(dim=1, keepdim=True)
                }
            )
        return g.ndata["v"]


@case("w")
class PageRank(Layer):
    def compute(self, g, w):
        count = g.num_nodes()
        rank = torch.ones(count, dtype=w.dtype) / count
        g.edata["w"] = w.squeeze(1)
        degree = g.out_degrees().clamp(min=1).to(w.dtype)
        for _ in range(3):
            g.ndata["pv"] = rank / degree
            g.update_all(
                lambda edges: {"m": edges.src["pv"] * edges.data["w"]},
                lambda nodes: {"pv": torch.sum(nodes.mailbox["m"], dim=1)},
            )
            rank = 0.15 / count + 0.85 * g.ndata["pv"]
        return rank


@case("w")
class ShortestPaths(Layer):
    """Bellman-Ford: the smallest of the sums."""

    def compute(self, g, w):
        distance = torch.arange(g.num_nodes(), dtype=w.dtype)
        g.edata["w"] = w.squeeze(-1)
        for _ in range(3):
            g.ndata["d"] = distance
            g.update_all(
                lambda edges: {"m": edges.src["d"] + edges.data["w"]},
                lambda nodes: {"new": torch.minimum(nodes.mailbox["m"].min(1)[0], nodes.data["d"])},
            )
            received = g.in_degrees() > 0
            distance = torch.where(received, g.ndata["new"], distance)
        return distance


@case("pw")
class NoisyOr(Layer):
    """Probability that some cause is active: one minus a product."""

    def compute(self, g, p, w):
        g.ndata["p"], g.edata["w"] = p, torch.sigmoid(w)
        g.update_all(
            lambda edges: {"m": 1 - edges.src["p"] * edges.data["w"]},
            lambda nodes: {"o": 1 - torch.prod(nodes.mailbox["m"], dim=1)},
        )
        return g.ndata["o"]


@case("h")
class ClosestNeighbour(Layer):
    """The position of the closest neighbour, then its features: a cluster's pivot."""

    def message(self, edges):
        distance = (edges.src["h"] - edges.dst["h"]).pow(2).sum(1)
        return {"d": distance, "h": edges.src["h"]}

    def reduce(self, nodes):
        closest = torch.argmin(nodes.mailbox["d"], dim=1)
        index = closest.unsqueeze(1).unsqueeze(2).expand(-1, 1, nodes.mailbox["h"].size(2))
        return {
            "o": torch.gather(nodes.mailbox["h"], 1, index).squeeze(1),
            "first": nodes.mailbox["h"][:, 0],
        }

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(self.message, self.reduce)
        return torch.cat([g.ndata["o"], g.ndata["first"]], 1)


@case("h")
class AnyAndAll(Layer):
    """Whether some neighbour, or all of them, exceed a node."""

    def reduce(self, nodes):
        above = nodes.mailbox["m"] > nodes.data["h"].unsqueeze(1)
        share = above.to(nodes.data["h"].dtype).mean(1)
        some, every = above.any(1), torch.all(above, dim=1)
        return {"o": share * nodes.data["h"] + some - 2.0 * every}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(copy_source, self.reduce)
        return g.ndata["o"]


@case("h")
class GatedGraph(Layer):
    """Steps of a recurrent cell over sums of transformed neighbours."""

    def __init__(self):
        super().__init__()
        self.linear, self.cell = nn.Linear(F_IN, F_IN), nn.GRUCell(F_IN, F_IN)

    def compute(self, g, h):
        for _ in range(2):
            g.ndata["h"] = h
            g.update_all(
                lambda edges: {"m": self.linear(edges.src["h"])},
                lambda nodes: {"a": nodes.mailbox["m"].sum(1)},
            )
            h = self.cell(g.ndata["a"], h)
        return h


@case("h", "tree")
class UpwardSweep(Layer):
    """Messages level by level, from the leaves to the root."""

    def compute(self, g, h):
        g.ndata["h"] = h
        g.prop_nodes(
            list(dgl.topological_nodes_generator(g)),
            lambda edges: {"m": torch.tanh(edges.src["h"])},
            lambda nodes: {"h": nodes.data["h"] + nodes.mailbox["m"].sum(1)},
        )
        return g.ndata["h"]


@case("hw")
class PartialCalls(Layer):
    """Pull, push and send along some edges only."""

    def compute(self, g, h, w):
        g.ndata["h"], g.edata["w"] = h, w

        def message(edges):
            return {"m": edges.src["h"] * edges.data["w"]}

        def reduce(nodes):
            return {"h": nodes.mailbox["m"].sum(1) + 0.1 * nodes.nodes().unsqueeze(1)}

        g.pull(torch.tensor([0, 3, 1, g.num_nodes() - 1]), message, reduce)
        g.push([2, 5], message, reduce)
        g.send_and_recv(torch.tensor([7, 3, 9]), message, reduce, lambda n: {"h": n.data["h"] * 2})
        g.apply_nodes(lambda nodes: {"h": nodes.data["h"].cos()}, torch.tensor([1, 4]))
        g.apply_nodes(lambda nodes: {"h": nodes.data["h"] + nodes.nodes().unsqueeze(1)})
        return g.ndata["h"]


@case("h")
class StartsElsewhere(Layer):
    """Rows without edges start from a value of the user's."""

    def compute(self, g, h):
        g.set_n_initializer(lambda shape, dtype, ctx, ids: torch.full(shape, 3.0, dtype=dtype))
        g.ndata["h"] = h
        g.update_all(copy_source, lambda nodes: {"o": nodes.mailbox["m"].sum(1)})
        g.update_all(
            copy_source, sum_mailbox, lambda nodes: {"h": F.relu(nodes.data["h"]) + nodes.data["o"]}
        )
        return g.ndata["h"]
