"""Compile PyTorch graphs natively."""

import importlib
from typing import Any

from nativefx.errors import Error
from nativefx.graph import Graph, Node

__all__ = [
    "Error",
    "Graph",
    "Node",
    "Plugin",
    "bisect",
    "compile_exported",
    "explain",
    "inline",
    "limit_idle_memory",
    "load_compiled",
    "memory_usage",
    "partition",
    "profile",
    "release_memory",
    "replace_pattern",
    "rewrite",
    "rule",
    "rules",
]

_HOMES = {
    "Plugin": "plugin",
    "bisect": "bisection",
    "compile_exported": "exported",
    "explain": "report",
    "inline": "regions",
    "limit_idle_memory": "memory",
    "load_compiled": "artefact",
    "memory_usage": "memory",
    "partition": "regions",
    "profile": "profiling",
    "release_memory": "memory",
    "replace_pattern": "rewriting",
    "rewrite": "rewriting",
    "rule": "rewriting",
}


def __getattr__(name: str) -> Any:
    """Import what needs all of PyTorch's compiler only when it is asked for."""
    if name == "rules":
        return importlib.import_module("nativefx.rules")
    if name in _HOMES:
        return getattr(importlib.import_module(f"nativefx.{_HOMES[name]}"), name)
    raise AttributeError(f"module `nativefx` has no attribute `{name}`")
