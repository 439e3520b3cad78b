"""Compile PyTorch graphs natively."""

from nativefx.errors import Error
from nativefx.graph import Graph, Node

__all__ = ["Error", "Graph", "Node"]
