"""Message passing in a graph of Dynamo, found before AOTAutograd."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import torch.fx

from nativefx import _core
from nativefx.errors import Error
from nativefx.graph import Graph
from nativefx.pre_dispatch import trace_pre_dispatch

__all__ = ["gathers_and_scatters", "recognize"]

_SCATTERS = ("index_add", "scatter_add", "scatter_reduce", "index_reduce", "index_put", "scatter")


def gathers_and_scatters(gm: torch.fx.GraphModule) -> bool:
    """Whether some node of the graph, by its name, may combine values by an index."""
    return any(
        name.startswith(_SCATTERS)
        for node in gm.graph.nodes
        if node.op in ("call_function", "call_method")
        for name in [getattr(node.target, "__name__", str(node.target))]
    )


def recognize(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> torch.fx.GraphModule:
    """Write gather and scatter along rows as operators of the library ``mp``.

    Parameters
    ----------
    gm, example_inputs
        The graph and its inputs, as Dynamo gives them to a back end.

    Returns
    -------
    torch.fx.GraphModule
        A graph for AOTAutograd, or `gm` itself if there is nothing to find, or, with a
        warning, if it cannot be traced above autograd: then it is compiled as it is.
    """
    if not gathers_and_scatters(gm):
        return gm
    import nativefx.gnn.message_passing
    import nativefx.gnn.structure  # noqa: F401  registers the operators

    try:
        traced = trace_pre_dispatch(gm, example_inputs)
    except Error as failure:
        warnings.warn(f"nativefx: message passing is not looked for:\n{failure}", stacklevel=2)
        return gm
    graph = Graph.from_fx(traced)
    graph.infer_types()
    if not _core.prepare_edges(graph):
        return gm
    return graph.to_fx()
