"""All that is known to be done with a mailbox: importing this registers it."""

from nativefx.gnn import dgl_pointwise, dgl_products, dgl_reductions, dgl_shapes

__all__ = ["dgl_pointwise", "dgl_products", "dgl_reductions", "dgl_shapes"]
