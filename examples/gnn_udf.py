"""Message passing in user-defined functions: a layer of DGL and one of PyG, compiled.

Run it with ``python examples/gnn_udf.py``. Both layers are written as their
frameworks teach it; one line compiles each. The results are compared with those of
the frameworks, and the report says what was compiled.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import softmax

from nativefx import gnn
from nativefx.gnn.dgl_report import recording

dgl = gnn.import_dgl()  # `import dgl`, on a PyTorch that is newer than it

NODES, EDGES, WIDTH = 1000, 8000, 16


class Attention(nn.Module):
    """Graph attention with user-defined functions of DGL."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(WIDTH, WIDTH)
        self.score = nn.Linear(2 * WIDTH, 1)

    def message(self, edges):
        """Send what the source is, and how much it matters."""
        pair = torch.cat([edges.src["z"], edges.dst["z"]], dim=1)
        return {"z": edges.src["z"], "e": F.leaky_relu(self.score(pair))}

    def reduce(self, nodes):
        """Weigh what arrived."""
        alpha = torch.softmax(nodes.mailbox["e"], dim=1)
        return {"h": (alpha * nodes.mailbox["z"]).sum(dim=1)}

    def forward(self, g, h: Tensor) -> Tensor:
        """Run on a graph and the features of its nodes."""
        with g.local_scope():
            g.ndata["z"] = self.fc(h)
            g.update_all(self.message, self.reduce)
            return g.ndata["h"]


class AttentionOfPyG(MessagePassing):
    """The same layer with PyG."""

    def __init__(self) -> None:
        super().__init__(aggr="add")
        self.fc = nn.Linear(WIDTH, WIDTH)
        self.score = nn.Linear(2 * WIDTH, 1)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Run on the features of nodes and an index of edges."""
        return self.propagate(edge_index, z=self.fc(x), size=(x.size(0), x.size(0)))

    def message(self, z_i: Tensor, z_j: Tensor, index: Tensor, size_i: int) -> Tensor:
        """Weigh what the source is."""
        e = F.leaky_relu(self.score(torch.cat([z_j, z_i], dim=1)))
        return softmax(e, index, num_nodes=size_i) * z_j


def largest_difference(a: Tensor, b: Tensor) -> float:
    return (a - b).abs().max().item()


def main() -> None:
    torch.manual_seed(0)
    index = torch.randint(0, NODES, (2, EDGES))
    x = torch.randn(NODES, WIDTH)

    layer = Attention()
    g = dgl.graph((index[0], index[1]), num_nodes=NODES)
    compiled = gnn.compile_dgl(layer)  # the one line
    with recording() as report:
        out = compiled(g, x)
    out.sum().backward()
    print(report)
    print(f"  largest difference from DGL: {largest_difference(out, layer(g, x)):.1e}")

    other = AttentionOfPyG()
    other.load_state_dict(layer.state_dict())
    compiled = torch.compile(other, backend="nativefx", dynamic=True)  # the one line
    found = compiled(x, index)
    found.sum().backward()
    print(f"PyG: largest difference from PyG: {largest_difference(found, other(x, index)):.1e}")
    print(f"     largest difference from the layer of DGL: {largest_difference(found, out):.1e}")


if __name__ == "__main__":
    main()
