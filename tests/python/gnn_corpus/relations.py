"""Several relations: one graph with typed edges, or types of nodes and edges."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from gnn_corpus.convolutions import Layer, mean_mailbox, sum_mailbox
from gnn_corpus.registry import F_IN, RELATIONS, case
from nativefx.gnn import import_dgl

dgl = import_dgl()
fn = dgl.function


@case("hr")
class RGCN(Layer):
    """A matrix for each relation, of a few bases."""

    def __init__(self):
        super().__init__()
        self.bases = nn.Parameter(torch.randn(2, F_IN, 4))
        self.coefficients = nn.Parameter(torch.randn(RELATIONS, 2))

    def message(self, edges):
        weight = torch.einsum("rb,bio->rio", self.coefficients, self.bases)
        chosen = weight[edges.data["r"]]
        return {"m": torch.bmm(edges.src["h"].unsqueeze(1), chosen).squeeze(1)}

    def compute(self, g, h, r):
        g.ndata["h"], g.edata["r"] = h, r
        g.update_all(self.message, lambda nodes: {"o": nodes.mailbox["m"].mean(1)})
        return F.relu(g.ndata["o"])


@case("hr")
class RelationScaled(Layer):
    """A vector for each relation multiplies what is sent along it."""

    def __init__(self):
        super().__init__()
        self.relation = nn.Embedding(RELATIONS, F_IN)

    def compute(self, g, h, r):
        g.ndata["h"], g.edata["r"] = h, r
        g.update_all(
            lambda edges: {"m": edges.src["h"] * self.relation(edges.data["r"])}, sum_mailbox
        )
        return g.ndata["h"]


@case("hr")
class RGAT(Layer):
    """Attention whose scores depend on the relation."""

    def __init__(self):
        super().__init__()
        self.query = nn.Parameter(torch.randn(RELATIONS, F_IN))

    def message(self, edges):
        query = self.query.index_select(0, edges.data["r"])
        score = F.leaky_relu((edges.src["h"] + edges.dst["h"]) * query).sum(-1)
        return {"s": score, "m": edges.src["h"]}

    def compute(self, g, h, r):
        g.ndata["h"], g.edata["r"] = h, r
        g.update_all(
            self.message,
            lambda nodes: {
                "h": (nodes.mailbox["s"].softmax(1).unsqueeze(2) * nodes.mailbox["m"]).sum(1)
            },
        )
        return g.ndata["h"]


@case("hrt")
class TypedTransformer(Layer):
    """Keys, queries and values by the type of a node, attention by that of the edge."""

    def __init__(self):
        super().__init__()
        self.k, self.q, self.v = (nn.Parameter(torch.randn(2, F_IN, 4)) for _ in range(3))
        self.attention = nn.Parameter(torch.randn(RELATIONS, 4, 4))
        self.prior = nn.Parameter(torch.ones(RELATIONS))

    def project(self, h, weight, t):
        return torch.bmm(h.unsqueeze(1), weight[t]).squeeze(1)

    def message(self, edges):
        r = edges.data["r"]
        key = torch.bmm(edges.src["k"].unsqueeze(1), self.attention[r]).squeeze(1)
        score = (edges.dst["q"] * key).sum(-1) * self.prior[r] / 2.0
        return {"a": score, "m": edges.src["v"]}

    def reduce(self, nodes):
        alpha = torch.softmax(nodes.mailbox["a"], dim=1)
        return {"o": torch.sum(alpha.unsqueeze(-1) * nodes.mailbox["m"], dim=1)}

    def compute(self, g, h, r, t):
        for name in "kqv":
            g.ndata[name] = self.project(h, getattr(self, name), t)
        g.edata["r"] = r
        g.update_all(self.message, self.reduce)
        return g.ndata["o"]


@case("hr")
class CompGCN(Layer):
    """Nodes composed with relations, both embedded."""

    def __init__(self):
        super().__init__()
        self.relation = nn.Parameter(torch.randn(RELATIONS, F_IN))
        self.w = nn.Linear(F_IN, 5)

    def message(self, edges):
        return {"m": self.w(edges.src["h"] - self.relation[edges.data["r"]])}

    def compute(self, g, h, r):
        g.ndata["h"], g.edata["r"] = h, r
        g.update_all(self.message, lambda nodes: {"o": nodes.mailbox["m"].sum(1)})
        return torch.tanh(g.ndata["o"])


class Hetero(Layer):
    """Modules on a graph with types: `h` are features of users, items are made of them."""

    def start(self, g, h):
        g.nodes["user"].data["h"] = h
        g.nodes["item"].data["h"] = torch.sin(h[: g.num_nodes("item")])


@case("h", "hetero")
class HeteroRGCN(Hetero):
    """A linear layer for each type of edges; sums meet at a node."""

    def __init__(self):
        super().__init__()
        self.weight = nn.ModuleDict({k: nn.Linear(F_IN, 5) for k in ("follows", "buys", "sold")})

    def compute(self, g, h):
        self.start(g, h)
        calls = {}
        for kind, layer in self.weight.items():
            source, _, _ = g.to_canonical_etype(kind)
            g.nodes[source].data["W" + kind] = layer(g.nodes[source].data["h"])
            calls[kind] = (
                lambda edges, kind=kind: {"m": edges.src["W" + kind]},
                lambda nodes: {"o": nodes.mailbox["m"].mean(1)},
            )
        g.multi_update_all(calls, "sum")
        return torch.cat([g.nodes["user"].data["o"], g.nodes["item"].data["o"]])


@case("h", "hetero")
class HeteroStack(Hetero):
    """Results of relations side by side, then attention over the relations."""

    def __init__(self):
        super().__init__()
        self.score = nn.Linear(F_IN, 1)

    def compute(self, g, h):
        self.start(g, h)
        message = lambda edges: {"m": edges.src["h"] - edges.dst["h"]}  # noqa: E731
        g.multi_update_all(
            {
                "follows": (message, lambda nodes: {"z": nodes.mailbox["m"].max(1)[0]}),
                "sold": (fn.copy_u("h", "m"), fn.sum("m", "z")),
            },
            "stack",
        )
        z = g.nodes["user"].data["z"]
        return (torch.softmax(self.score(z), 1) * z).sum(1)


@case("h", "hetero")
class OneRelation(Hetero):
    """Calls on one type of edges of a graph with several."""

    def compute(self, g, h):
        self.start(g, h)
        g.update_all(lambda edges: {"m": edges.src["h"] * 2}, mean_mailbox, etype="buys")
        g.apply_edges(lambda edges: {"s": edges.src["h"] * edges.dst["h"]}, etype="sold")
        g["sold"].update_all(fn.copy_e("s", "m"), fn.sum("m", "o"))
        return torch.cat([g.nodes["item"].data["h"], g.nodes["user"].data["o"]])


@case("h", "hetero")
class HeteroMax(Hetero):
    """The largest over all relations; apply functions of types."""

    def compute(self, g, h):
        self.start(g, h)
        pair = (fn.copy_u("h", "m"), lambda nodes: {"o": nodes.mailbox["m"].max(1)[0]})
        g.multi_update_all(
            {"follows": pair, "sold": pair, "buys": pair},
            "max",
            lambda nodes: {"o": nodes.data["o"] * 2 + nodes.data["h"]},
        )
        return torch.cat([g.nodes["user"].data["o"], g.nodes["item"].data["o"]])
