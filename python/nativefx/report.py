"""What was made of a model: `nativefx.explain`."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from nativefx.errors import Error

__all__ = ["Explanation", "GraphReport", "NodeReport", "collecting", "collector", "explain"]

_STEP_RUNNERS = ("kernel", "aten", "python", "plugin")
_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<scope>\S+)')


@dataclasses.dataclass(frozen=True)
class NodeReport:
    """One node: who runs it, and if it is not in a kernel, why not."""

    name: str
    target: str
    runner: str
    kernel: int
    reason: str
    source: str


@dataclasses.dataclass(frozen=True)
class GraphReport:
    """One compiled graph."""

    name: str
    nodes: list[NodeReport]
    kernels: list[dict[str, Any]]
    stages: dict[str, float]
    failure: str = ""

    @classmethod
    def of_compiled(cls, native: dict[str, Any], gm: torch.fx.GraphModule) -> GraphReport:
        """Complete what the native side reports by the source lines of the graph."""
        sources = _sources(gm)
        nodes = [
            NodeReport(
                node["name"],
                node["target"],
                node["runner"],
                node["kernel"],
                node["reason"],
                node["source"] or sources.get(node["name"], ""),
            )
            for node in native["nodes"]
        ]
        return cls(native["name"], nodes, native["kernels"], native["stages"])

    @classmethod
    def of_failure(cls, name: str, gm: torch.fx.GraphModule, error: Error) -> GraphReport:
        """Report a graph that runs in PyTorch because it was not compiled."""
        sources = _sources(gm)
        nodes = [
            NodeReport(n.name, str(n.target), "eager", -1, error.code, sources.get(n.name, ""))
            for n in gm.graph.nodes
            if n.op.startswith("call_")
        ]
        return cls(name, nodes, [], {}, str(error))

    def count(self, runner: str) -> int:
        """How many nodes `runner` runs."""
        return sum(node.runner == runner for node in self.nodes)

    def as_dict(self) -> dict[str, Any]:
        """Give the report as plain data."""
        made = dataclasses.asdict(self)
        made["counts"] = {r: self.count(r) for r in (*_STEP_RUNNERS, "view", "number", "eager")}
        return made


@dataclasses.dataclass(frozen=True)
class Explanation:
    """What `explain` found."""

    graphs: list[GraphReport]
    breaks: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {"graphs": [graph.as_dict() for graph in self.graphs], "breaks": self.breaks}

    def __str__(self) -> str:
        console = Console(width=120, record=True, file=None, quiet=True)
        with console.capture() as capture:
            console.quiet = False
            self.show(console)
        return capture.get()

    def show(self, console: Console | None = None) -> None:
        """Print it as tables."""
        console = console or Console()
        for graph in self.graphs:
            console.print(_summary(graph))
            if graph.kernels:
                console.print(_kernel_table(graph))
            rest = [n for n in graph.nodes if n.runner in ("aten", "python", "plugin", "eager")]
            if rest:
                console.print(_rest_table(rest))
        for reason in self.breaks:
            console.print(f"graph break: {reason}", markup=False)


def _summary(graph: GraphReport) -> str:
    counts = ", ".join(f"{graph.count(r)} {r}" for r in (*_STEP_RUNNERS, "view", "eager"))
    text = f"{graph.name}: {counts}; {len(graph.kernels)} kernels"
    return text + (f"\nnot compiled: {graph.failure}" if graph.failure else "")


def _kernel_table(graph: GraphReport) -> Table:
    table = Table(title=f"kernels of {graph.name}")
    table.add_column("kernel")
    table.add_column("ops")
    for kernel in graph.kernels:
        table.add_row(kernel["name"], " ".join(kernel["ops"]))
    return table


def _rest_table(nodes: list[NodeReport]) -> Table:
    table = Table(title="not in kernels")
    for column in ("nodes", "op", "runs in", "why", "first source line"):
        table.add_column(column)
    grouped: dict[tuple[str, str, str], list[NodeReport]] = collections.defaultdict(list)
    for node in nodes:
        grouped[node.target, node.runner, node.reason].append(node)
    for (target, runner, reason), group in sorted(grouped.items(), key=lambda kv: -len(kv[1])):
        table.add_row(str(len(group)), target, runner, reason, group[0].source)
    return table


def _sources(gm: torch.fx.GraphModule) -> dict[str, str]:
    """Find the innermost line of the user's code, by node."""
    sources = {}
    for node in gm.graph.nodes:
        frames = _FRAME.findall(node.meta.get("stack_trace") or "")
        if frames:
            file, line, scope = frames[-1]
            sources[node.name] = f"{file}:{line} in {scope}"
    return sources


_collectors: list[Callable[[GraphReport], None]] = []


def collecting() -> list[Callable[[GraphReport], None]]:
    """Who wants to be told of graphs that are compiled now."""
    return list(_collectors)


@contextlib.contextmanager
def collector() -> Iterator[list[GraphReport]]:
    """Collect a report of every graph that is compiled inside the block."""
    found: list[GraphReport] = []
    collect = found.append
    _collectors.append(collect)
    try:
        yield found
    finally:
        _collectors.remove(collect)


def explain(
    model: Callable[..., Any],
    *inputs: Any,
    options: dict[str, Any] | None = None,
    dynamic: bool | None = None,
    backward: bool = False,
) -> Explanation:
    """Compile `model` for `inputs` and tell who runs what.

    Parameters
    ----------
    model
        A module or function.
    *inputs
        What it is called with.
    options, dynamic
        As for `torch.compile`.
    backward
        Whether the sum of the first floating output is also differentiated, so
        that the backward graph is compiled and told of.

    Returns
    -------
    Explanation
        Prints as tables (`show`, `str`), or gives plain data (`as_dict`).
    """
    torch._dynamo.reset()
    breaks = [str(reason.reason) for reason in torch._dynamo.explain(model)(*inputs).break_reasons]
    torch._dynamo.reset()
    with collector() as graphs:
        compiled = torch.compile(model, backend="nativefx", options=options, dynamic=dynamic)
        result = compiled(*inputs)
        if backward:
            _first_floating(result).sum().backward()
    torch._dynamo.reset()
    return Explanation(graphs, breaks)


def _first_floating(result: Any) -> torch.Tensor:
    for leaf in torch.utils._pytree.tree_leaves(result):
        if isinstance(leaf, torch.Tensor) and leaf.requires_grad:
            return leaf
    raise ValueError("no output can be differentiated")
