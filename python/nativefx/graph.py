"""Graphs of the native IR.

`Graph` and `Node` are native classes. A graph owns its nodes; a `Node` is a
handle that keeps its graph alive.
"""

from __future__ import annotations

from nativefx._core import Graph, Node

__all__ = ["Graph", "Node"]
