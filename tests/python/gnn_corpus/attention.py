"""Attention: softmax over the edges of a node, written in many ways."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from gnn_corpus.convolutions import Layer, copy_source
from gnn_corpus.registry import F_EDGE, F_IN, case
from nativefx.gnn import import_dgl

dgl = import_dgl()
fn = dgl.function
HEADS, WIDTH = 2, 3


@case("h")
class GAT(Layer):
    """As in the tutorial: one head, the softmax in the reduce function."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(F_IN, 5, bias=False)
        self.attention = nn.Linear(10, 1, bias=False)

    def edge_attention(self, edges):
        pair = torch.cat([edges.src["z"], edges.dst["z"]], dim=1)
        return {"e": F.leaky_relu(self.attention(pair))}

    def message(self, edges):
        return {"z": edges.src["z"], "e": edges.data["e"]}

    def reduce(self, nodes):
        alpha = F.softmax(nodes.mailbox["e"], dim=1)
        return {"h": torch.sum(alpha * nodes.mailbox["z"], dim=1)}

    def compute(self, g, h):
        g.ndata["z"] = self.fc(h)
        g.apply_edges(self.edge_attention)
        g.update_all(self.message, self.reduce)
        return g.ndata["h"]


class MultiHead(Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(F_IN, HEADS * WIDTH, bias=False)
        self.left = nn.Parameter(torch.randn(1, HEADS, WIDTH))
        self.right = nn.Parameter(torch.randn(1, HEADS, WIDTH))


@case("h")
class MultiHeadGAT(MultiHead):
    def compute(self, g, h):
        z = self.fc(h).view(-1, HEADS, WIDTH)
        g.ndata["z"] = z
        g.ndata["l"], g.ndata["r"] = (z * self.left).sum(-1), (z * self.right).sum(-1)
        g.update_all(
            lambda edges: {
                "a": F.leaky_relu(edges.src["l"] + edges.dst["r"], 0.2),
                "z": edges.src["z"],
            },
            lambda nodes: {
                "h": (nodes.mailbox["a"].softmax(1).unsqueeze(-1) * nodes.mailbox["z"]).sum(1)
            },
        )
        return F.elu(g.ndata["h"]).flatten(1)


@case("h")
class GATWithEdgeSoftmax(MultiHead):
    def compute(self, g, h):
        z = self.fc(h).view(-1, HEADS, WIDTH)
        g.ndata["z"] = z
        g.ndata["l"] = (z * self.left).sum(-1, keepdim=True)
        g.ndata["r"] = (z * self.right).sum(-1, keepdim=True)
        g.apply_edges(fn.u_add_v("l", "r", "e"))
        g.edata["a"] = dgl.nn.functional.edge_softmax(g, F.leaky_relu(g.edata["e"]))
        g.update_all(fn.u_mul_e("z", "a", "m"), fn.sum("m", "h"))
        return g.ndata["h"].mean(1)


@case("h")
class GATv2(MultiHead):
    def reduce(self, nodes):
        z = nodes.mailbox["z"]
        pair = F.leaky_relu(z + nodes.data["t"].unsqueeze(1), 0.2)
        alpha = torch.softmax((pair * self.left).sum(-1, keepdim=True), dim=1)
        return {"h": (alpha * z).sum(dim=1)}

    def compute(self, g, h):
        g.ndata["z"] = self.fc(h).view(-1, HEADS, WIDTH)
        g.ndata["t"] = torch.tanh(g.ndata["z"])
        g.update_all(lambda edges: {"z": edges.src["z"]}, self.reduce)
        return g.ndata["h"].reshape(g.num_nodes(), -1)


@case("h")
class Transformer(Layer):
    """Queries, keys and values; scores by batched matrix products over the mailbox."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(F_IN, HEADS * WIDTH) for _ in range(3))

    def reduce(self, nodes):
        q = nodes.data["q"].unsqueeze(1)
        score = (q * nodes.mailbox["k"]).sum(-1, keepdim=True) / WIDTH**0.5
        alpha = torch.softmax(score, dim=1)
        return {"o": (alpha * nodes.mailbox["v"]).sum(1)}

    def compute(self, g, h):
        for name in ("q", "k", "v"):
            g.ndata[name] = getattr(self, name)(h).view(-1, HEADS, WIDTH)
        g.update_all(lambda edges: {"k": edges.src["k"], "v": edges.src["v"]}, self.reduce)
        return g.ndata["o"].flatten(1)


@case("h")
class TransformerByMatmul(Layer):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(F_IN, WIDTH) for _ in range(3))

    def reduce(self, nodes):
        keys, values = nodes.mailbox["k"], nodes.mailbox["v"]
        score = torch.bmm(keys, nodes.data["q"].unsqueeze(2))
        alpha = F.softmax(score, dim=1)
        return {"o": torch.bmm(alpha.transpose(1, 2), values).squeeze(1)}

    def compute(self, g, h):
        g.ndata["q"], g.ndata["k"], g.ndata["v"] = self.q(h), self.k(h), self.v(h)
        g.update_all(lambda edges: {"k": edges.src["k"], "v": edges.src["v"]}, self.reduce)
        return g.ndata["o"]


@case("h")
class EinsumAttention(Layer):
    def reduce(self, nodes):
        m = nodes.mailbox["m"]
        alpha = torch.softmax(torch.einsum("ndf,nf->nd", m, nodes.data["h"]), 1)
        return {"h": torch.einsum("nd,ndf->nf", alpha, m)}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(copy_source, self.reduce)
        return g.ndata["h"]


@case("h")
class AGNN(Layer):
    """Attention by cosine, with a temperature."""

    def __init__(self):
        super().__init__()
        self.beta = nn.Parameter(torch.tensor(1.3))

    def message(self, edges):
        cosine = (edges.src["n"] * edges.dst["n"]).sum(-1, keepdim=True)
        return {"m": edges.src["h"], "c": self.beta * cosine}

    def compute(self, g, h):
        g.ndata["h"], g.ndata["n"] = h, F.normalize(h, p=2, dim=-1)
        g.update_all(
            self.message,
            lambda nodes: {
                "h": torch.sum(torch.softmax(nodes.mailbox["c"], 1) * nodes.mailbox["m"], 1)
            },
        )
        return g.ndata["h"]


@case("h")
class GaAN(Layer):
    """Gated attention: a gate of node, maximum and mean of the neighbours."""

    def __init__(self):
        super().__init__()
        self.pool, self.gate = nn.Linear(F_IN, 4), nn.Linear(2 * F_IN + 4, 1)

    def reduce(self, nodes):
        m, own = nodes.mailbox["m"], nodes.data["h"]
        top = self.pool(m).max(1).values
        gate = torch.sigmoid(self.gate(torch.cat([own, top, m.mean(1)], -1)))
        alpha = torch.softmax((m * own.unsqueeze(1)).sum(2), 1)
        return {"o": gate * (alpha.unsqueeze(-1) * m).sum(1)}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(copy_source, self.reduce)
        return torch.cat([h, g.ndata["o"]], 1)


@case("h")
class HardAttention(Layer):
    """Takes the one neighbour of the highest score."""

    def __init__(self):
        super().__init__()
        self.score = nn.Linear(F_IN, 1)

    def reduce(self, nodes):
        m = nodes.mailbox["m"]
        best = self.score(m).squeeze(-1).argmax(1)
        index = best.view(-1, 1, 1).expand(-1, 1, m.shape[2])
        return {"h": m.gather(1, index).squeeze(1)}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(copy_source, self.reduce)
        return g.ndata["h"]


@case("he")
class EdgeAttention(Layer):
    """Scores from both ends and the edge; values from source and edge."""

    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(2 * F_IN + F_EDGE, 8), nn.Tanh(), nn.Linear(8, 1))
        self.value = nn.Linear(F_IN + F_EDGE, 5)

    def message(self, edges):
        h, e = edges.src["h"], edges.data["e"]
        return {
            "s": self.score(torch.cat([h, edges.dst["h"], e], 1)),
            "v": self.value(torch.cat([h, e], 1)),
        }

    def reduce(self, nodes):
        alpha = nodes.mailbox["s"].softmax(dim=1)
        return {"o": (alpha * nodes.mailbox["v"]).sum(1)}

    def compute(self, g, h, e):
        g.ndata["h"], g.edata["e"] = h, e
        g.update_all(self.message, self.reduce)
        return g.ndata["o"]


@case("he")
class AttentiveFP(Layer):
    """Attention as context for a recurrent cell."""

    def __init__(self):
        super().__init__()
        self.edge = nn.Linear(F_IN + F_EDGE, F_IN)
        self.align = nn.Linear(2 * F_IN, 1)
        self.cell = nn.GRUCell(F_IN, F_IN)

    def compute(self, g, h, e):
        g.ndata["h"], g.edata["e"] = h, e
        g.apply_edges(
            lambda edges: {
                "x": F.leaky_relu(self.edge(torch.cat([edges.src["h"], edges.data["e"]], 1)))
            }
        )
        g.apply_edges(
            lambda edges: {
                "s": F.leaky_relu(self.align(torch.cat([edges.dst["h"], edges.data["x"]], 1)))
            }
        )
        g.edata["a"] = dgl.nn.functional.edge_softmax(g, g.edata["s"])
        g.update_all(
            lambda edges: {"m": edges.data["a"] * edges.data["x"]},
            lambda nodes: {"c": nodes.mailbox["m"].sum(1)},
        )
        return self.cell(F.elu(g.ndata["c"]), h)


@case("h")
class SparseAttention(Layer):
    """Softmax kept only where it is above the mean, then made to sum to one again."""

    def reduce(self, nodes):
        m = nodes.mailbox["m"]
        alpha = torch.softmax((m * nodes.data["h"].unsqueeze(1)).sum(-1, keepdim=True), 1)
        degree = m.size(1)
        kept = torch.where(alpha >= 1 / degree, alpha, torch.zeros_like(alpha))
        return {"h": (kept / kept.sum(1, keepdim=True).clamp(min=1e-9) * m).sum(1)}

    def compute(self, g, h):
        g.ndata["h"] = h
        g.update_all(copy_source, self.reduce)
        return g.ndata["h"]


@case("h")
class SourceNormalised(Layer):
    """Softmax over the edges that leave a node."""

    def compute(self, g, h):
        g.ndata["h"] = h
        g.apply_edges(fn.u_dot_v("h", "h", "s"))
        g.edata["a"] = dgl.nn.functional.edge_softmax(g, g.edata["s"], norm_by="src")
        g.update_all(fn.u_mul_e("h", "a", "m"), fn.sum("m", "h"))
        return g.ndata["h"]
