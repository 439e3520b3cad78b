"""Dividing a GraphModule among devices, and putting it together again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import torch.fx

from nativefx import _core
from nativefx.graph import Graph

__all__ = ["OperatorSupport", "Supports", "inline", "partition"]

Supports = Callable[[torch.fx.Node], "bool | str"]
_ARRANGEMENT = "nativefx.arrangement"


class OperatorSupport(Protocol):
    """What `torch.fx.passes.operator_support` offers."""

    def is_node_supported(
        self, submodules: Mapping[str, torch.nn.Module], node: torch.fx.Node
    ) -> bool:
        """Whether a node can be run."""


def partition(
    gm: torch.fx.GraphModule,
    supports: Supports | OperatorSupport | Mapping[str, Supports | OperatorSupport],
    *,
    connected_only: bool = False,
    min_nodes: int = 1,
) -> torch.fx.GraphModule:
    """Make each part of a graph that somebody can run a submodule of its own.

    The parts are as few as can be, free of cycles, and keep the order of writes,
    random draws and effects; the same graph gives the same parts in any process.

    Parameters
    ----------
    gm
        Any GraphModule. It stays as it is.
    supports
        Who can run a node (a call): a function that answers True, False or the reason
        for no, an object with `is_node_supported` as `torch.fx` has them, or several
        by name, in order of priority. `getitem` goes with what it takes apart.
    connected_only
        Whether the nodes of a part must depend on each other.
    min_nodes
        Parts with fewer nodes stay where they are.

    Returns
    -------
    torch.fx.GraphModule
        With a submodule ``NAME_0, NAME_1, ...`` a part (``region_0`` for a single
        supporter), which returns a tuple. ``meta["nativefx.refusals"]`` tells for each
        call that is in no part, or not in that of the first who was asked, why.

    Examples
    --------
    >>> parts = nativefx.partition(gm, lambda node: node.target in my_ops)
    >>> nativefx.inline(parts)  # the graph of gm again
    """
    asked = supports if isinstance(supports, Mapping) else {"region": supports}
    nodes = {node.name: node for node in gm.graph.nodes}
    submodules = dict(gm.named_modules())
    graph = Graph.from_fx(gm)
    functions = [(name, _answers(nodes, submodules, given)) for name, given in asked.items()]
    arrangement, _, refusals = _core.split_graph(graph, functions, connected_only, min_nodes)
    made = graph.to_fx()
    made.meta = {**made.meta, _ARRANGEMENT: arrangement, "nativefx.refusals": refusals}
    return made


def inline(gm: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Put the nodes of submodules that are graphs in the place of their calls.

    Parameters
    ----------
    gm
        A GraphModule, often one that `partition` made, which becomes exactly what it
        was; changes that were made to its parts stay. It stays as it is itself.

    Returns
    -------
    torch.fx.GraphModule

    Raises
    ------
    nativefx.Error
        `call-mismatch`: a submodule does not return a tuple, or a part of the graph
        uses the tuple as a whole.
    """
    graph = Graph.from_fx(gm)
    _core.inline_calls(graph, gm.meta.get(_ARRANGEMENT, []))
    made = graph.to_fx()
    for path in _calls(gm) - _calls(made):
        made.delete_submodule(path)
    made.meta = {k: v for k, v in made.meta.items() if not k.startswith("nativefx.")}
    return made


def _calls(gm: torch.fx.GraphModule) -> set[str]:
    """Paths of the graphs that a module calls."""
    paths = {str(node.target) for node in gm.graph.nodes if node.op == "call_module"}
    return {path for path in paths if isinstance(gm.get_submodule(path), torch.fx.GraphModule)}


def _answers(
    nodes: Mapping[str, torch.fx.Node], submodules: Mapping[str, torch.nn.Module], supports: Any
) -> Callable[[str], str | None]:
    """Turn any of the forms into a function from a node's name to the reason for no."""
    is_supported = getattr(supports, "is_node_supported", None)

    def answer(name: str) -> str | None:
        node = nodes[name]
        said = is_supported(submodules, node) if is_supported is not None else supports(node)
        if isinstance(said, str):
            return said
        return None if said else "not supported"

    return answer
