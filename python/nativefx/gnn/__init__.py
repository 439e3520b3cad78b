"""Message passing on graphs: operators that compile to fused loops over edges."""

import importlib
from typing import Any

__all__ = [
    "Edges",
    "accelerate",
    "compile",
    "compile_dgl",
    "edge_softmax",
    "explain_dgl",
    "import_dgl",
    "weighted_sum",
]

_HOMES = {
    "Edges": "message_passing",
    "accelerate": "dgl_accelerate",
    "compile": "compiled",
    "compile_dgl": "dgl_module",
    "edge_softmax": "message_passing",
    "explain_dgl": "dgl_report",
    "import_dgl": "dgl_import",
    "weighted_sum": "message_passing",
}


def __getattr__(name: str) -> Any:
    """Import a part when it is asked for: the back end needs few of them."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"nativefx.gnn.{_HOMES[name]}"), name)
    raise AttributeError(f"module `nativefx.gnn` has no attribute `{name}`")
