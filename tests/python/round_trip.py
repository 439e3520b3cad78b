"""Sends a graph across and back, directly and through text, and compares."""

from __future__ import annotations

from typing import Any

from graph_comparator import Comparison, compare

from nativefx import Graph


def round_trip(source: Any, result: Comparison | None = None, valid: bool = True) -> Comparison:
    """Compare `source` with what came back, directly and through text.

    A graph that is no valid program, as random ones are not, cannot be verified.
    """
    result = result if result is not None else Comparison()
    graph = Graph.from_fx(source)
    if valid:
        graph.verify()
    compare(source, graph.to_fx(), result)
    printed = str(graph)
    parsed = Graph.parse(printed, handles_of=graph)
    result.same("text", printed, str(parsed))
    result.same("parsed graph", None, graph.difference(parsed))
    compare(source, parsed.to_fx(), result)
    return result
