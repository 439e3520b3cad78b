"""What was made of a model: `nativefx.explain`."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from nativefx.errors import Error
from nativefx.kernel_speed import add_speeds

__all__ = ["Explanation", "GraphReport", "NodeReport", "collecting", "collector", "explain"]

_STEP_RUNNERS = ("kernel", "aten", "python", "plugin")
_STAGES = ("expand", "passes", "fuse", "generate", "choose", "plan")
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
    memory: dict[str, int] | None = None
    plan: int = 0  # what recorded events of this graph bear

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
        return cls(
            native["name"],
            nodes,
            native["kernels"],
            native["stages"],
            memory=native["memory"],
            plan=native["plan"],
        )

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

    def to_json(self) -> str:
        """Everything as JSON."""
        return json.dumps(self.as_dict(), indent=2)

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
    if graph.memory is not None and graph.memory["buffers"]:
        text += (
            f"\n  {graph.memory['buffers']} intermediates of {graph.memory['bytes']:,} bytes in "
            f"{graph.memory['arena']:,}; at most {graph.memory['peak']:,} are alive at once"
        )
    if graph.stages:
        stages = {k: v for k, v in graph.stages.items() if k in _STAGES}
        text += "\n  ms: " + ", ".join(f"{k} {v:.2f}" for k, v in stages.items())
    return text + (f"\nnot compiled: {graph.failure}" if graph.failure else "")


def _kernel_table(graph: GraphReport) -> Table:
    table = Table(title=f"kernels of {graph.name}")
    table.add_column("kernel")
    table.add_column("ops")
    table.add_column("kB", justify="right")
    table.add_column("kflop", justify="right")
    timed = any("ns" in kernel for kernel in graph.kernels)
    if timed:
        table.add_column("us", justify="right")
        table.add_column("bandwidth", justify="right")
    for kernel in graph.kernels:
        costs: tuple[str, ...] = (_thousands(kernel["bytes"]), _thousands(kernel["flops"]))
        if timed:
            share = kernel.get("bandwidth_share")
            costs += (_thousands(kernel.get("ns")), "" if share is None else f"{share:.0%}")
        table.add_row(kernel["name"], " ".join(kernel["ops"]), *costs)
    return table


def _thousands(count: int | None) -> str:
    return "" if count is None else f"{count / 1000:,.1f}"


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
    profiled_runs: int = 0,
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

    profiled_runs
        How often the compiled model is called once more, to tell how fast its kernels
        are: their time, and their share of the bandwidth of the machine's memory.

    Returns
    -------
    Explanation
        Prints as tables (`show`, `str`), or gives plain data (`as_dict`).
    """
    torch._dynamo.reset()
    found = torch._dynamo.explain(model)(*inputs)
    breaks = [_break_text(reason) for reason in found.break_reasons if reason.graph_break]
    torch._dynamo.reset()
    with collector() as graphs:
        compiled = torch.compile(model, backend="nativefx", options=options, dynamic=dynamic)
        result = compiled(*inputs)
        if backward:
            _first_floating(result).sum().backward()
        if profiled_runs:
            kernels = [(graph.plan, graph.kernels) for graph in graphs]
            add_speeds(lambda: compiled(*inputs), kernels, profiled_runs)
    torch._dynamo.reset()
    return Explanation(graphs, breaks)


def _break_text(reason: Any) -> str:
    """Say why a graph ends, and at which line."""
    first = str(reason.reason).strip().partition("\n")[0]
    if not reason.user_stack:
        return first
    frame = reason.user_stack[-1]
    return f"{frame.filename}:{frame.lineno} in {frame.name}: {first}"


def _first_floating(result: Any) -> torch.Tensor:
    for leaf in torch.utils._pytree.tree_leaves(result):
        if isinstance(leaf, torch.Tensor) and leaf.requires_grad:
            return leaf
    raise ValueError("no output can be differentiated")
