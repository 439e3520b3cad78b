"""Message passing on graphs: operators that compile to fused loops over edges."""

from nativefx.gnn.message_passing import Edges, edge_softmax, weighted_sum

__all__ = ["Edges", "edge_softmax", "weighted_sum"]
