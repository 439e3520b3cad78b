"""Message passing on graphs: operators that compile to fused loops over edges."""

from nativefx.gnn.dgl_accelerate import accelerate
from nativefx.gnn.dgl_import import import_dgl
from nativefx.gnn.dgl_module import compile_dgl
from nativefx.gnn.dgl_report import explain_dgl
from nativefx.gnn.message_passing import Edges, edge_softmax, weighted_sum

__all__ = [
    "Edges",
    "accelerate",
    "compile_dgl",
    "edge_softmax",
    "explain_dgl",
    "import_dgl",
    "weighted_sum",
]
