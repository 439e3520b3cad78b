"""What torch.fx does to a graph, and what we do natively, on graphs of one shape.

The native side is `build/release/bench/fx_costs`, which this script runs and whose
graph it builds in torch.fx: relu, add of two, every tenth pair sin(cos(x)). Both
sides count processor time, so that a busy machine changes little.

    python benchmarks/fx_costs.py [NODES]
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.fx
from measure import machine
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx import GraphModule
from torch.fx import subgraph_rewriter as peer
from torch.fx._graph_pickler import GraphPickler, Options
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

import nativefx

__all__: list[str] = []

BARS = {
    "build": 100,
    "copy": 500,
    "dead_code": 500,
    "rewrite_loop": 300,
    "replace_pattern": 500,
    "save": 500,
    "load": 500,
    "shapes_static": 500,
    "shapes_symbolic": 250,
}
aten = torch.ops.aten
RUNS = 3


def chain(nodes: int) -> torch.fx.Graph:
    graph = torch.fx.Graph()
    before = last = graph.placeholder("x")
    while len(graph.nodes) + 1 < nodes:
        if len(graph.nodes) % 10 == 1:
            cosine = graph.call_function(aten.cos.default, (last,))
            before = last = graph.call_function(aten.sin.default, (cosine,))
        elif len(graph.nodes) % 2 == 0:
            before, last = last, graph.call_function(aten.relu.default, (last,))
        else:
            before, last = last, graph.call_function(aten.add.Tensor, (last, before))
    graph.output(last)
    return graph


def module(nodes: int) -> GraphModule:
    return GraphModule(torch.nn.Module(), chain(nodes))


def with_dead_code(nodes: int) -> torch.fx.Graph:
    graph = torch.fx.Graph()
    last = graph.placeholder("x")
    while len(graph.nodes) + 1 < nodes:
        graph.call_function(aten.neg.default, (last,))
        last = graph.call_function(aten.relu.default, (last,))
    graph.output(last)
    return graph


def insert_and_erase(graph: torch.fx.Graph) -> None:
    for node in graph.nodes:
        if node.op == "call_function":
            with graph.inserting_before(node):
                made = graph.call_function(aten.abs.default, (node.args[0],))
            node.replace_all_uses_with(made)
            graph.erase_node(node)


def pattern(x: torch.Tensor) -> torch.Tensor:
    return aten.sin.default(aten.cos.default(x))


def replacement(x: torch.Tensor) -> torch.Tensor:
    return aten.tanh.default(x)


def fake_input(symbolic: bool) -> FakeTensor:
    env = ShapeEnv() if symbolic else None
    mode = FakeTensorMode(shape_env=env)
    tensor = torch.empty(16, 64)
    if not symbolic:
        return mode.from_tensor(tensor)
    sizes = [DimDynamic.DYNAMIC, DimDynamic.STATIC]
    context = StatelessSymbolicContext(dynamic_sizes=sizes)
    return mode.from_tensor(tensor, symbolic_context=context)


def propagate(gm: GraphModule, value: FakeTensor) -> None:
    FakeTensorProp(gm, value.fake_mode).propagate_dont_convert_inputs(value)


def valued(nodes: int) -> GraphModule:
    gm = module(nodes)
    propagate(gm, fake_input(False))
    return gm


def seconds(prepare: Callable[[], Any], run: Callable[[Any], object], runs: int = RUNS) -> float:
    """Processor time of `run` on what `prepare` makes, the median of several."""
    taken = []
    for _ in range(runs):
        given = prepare()
        gc.collect()
        start = time.thread_time()
        run(given)
        taken.append(time.thread_time() - start)
    return statistics.median(taken)


def peer_seconds(nodes: int) -> dict[str, float]:
    """Seconds that torch.fx takes, by the names of the native program."""
    options = Options(ops_filter=None)
    saved: list[bytes] = []
    taken = {
        "build": seconds(lambda: None, lambda _: chain(nodes)),
        "copy": seconds(
            lambda: chain(nodes), lambda graph: torch.fx.Graph().graph_copy(graph, val_map={})
        ),
        "dead_code": seconds(
            lambda: with_dead_code(nodes), lambda graph: graph.eliminate_dead_code()
        ),
        "rewrite_loop": seconds(lambda: chain(nodes), insert_and_erase),
        "replace_pattern": seconds(
            lambda: module(nodes), lambda gm: peer.replace_pattern(gm, pattern, replacement)
        ),
        "save": seconds(
            lambda: valued(nodes), lambda gm: saved.append(GraphPickler.dumps(gm, options)), 1
        ),
    }
    mode = FakeTensorMode(shape_env=ShapeEnv())
    taken["load"] = seconds(lambda: None, lambda _: GraphPickler.loads(saved[-1], mode), 1)
    for name, symbolic in (("shapes_static", False), ("shapes_symbolic", True)):
        taken[name] = seconds(
            lambda: module(nodes), lambda gm, s=symbolic: propagate(gm, fake_input(s)), 1
        )
    return taken


def native_seconds(nodes: int) -> dict[str, float]:
    build = Path(nativefx.__file__).resolve().parents[2] / "build" / "release"
    program = Path(os.environ.get("NFX_BUILD", build)) / "bench" / "fx_costs"
    lines = subprocess.run([program, str(nodes)], check=True, capture_output=True, text=True)
    pairs = (line.split() for line in lines.stdout.splitlines())
    return {name: float(taken) * nodes for name, taken in pairs}


def report(nodes: int) -> None:
    print(f"{nodes} nodes, microseconds a node of processor time")
    ours, theirs = native_seconds(nodes), peer_seconds(nodes)
    for name, bar in BARS.items():
        ratio = theirs[name] / ours[name]
        note = "" if ratio >= bar else "  below"
        print(
            f"  {name:18s} torch.fx {theirs[name] / nodes * 1e6:8.2f}   native "
            f"{ours[name] / nodes * 1e6:7.3f}   {ratio:7.0f} x   bar {bar}{note}",
            flush=True,
        )


def report_in_place(nodes: int) -> None:
    """Print the whole way: a GraphModule goes in, the same one comes out."""
    theirs = seconds(
        lambda: module(nodes), lambda gm: peer.replace_pattern(gm, pattern, replacement)
    )
    dropped_in = seconds(
        lambda: module(nodes), lambda gm: nativefx.replace_pattern(gm, pattern, replacement)
    )
    rule = nativefx.rule(pattern, replacement)
    ours = seconds(lambda: module(nodes), lambda gm: nativefx.rewrite(gm, rule))
    print(
        f"replace_pattern on a GraphModule of {nodes} nodes: torch.fx {theirs * 1e3:.0f} ms, "
        f"nativefx.replace_pattern {theirs / dropped_in:.0f} x, nativefx.rewrite "
        f"{theirs / ours:.0f} x; code is generated at the first call"
    )


def report_growth() -> None:
    """Print microseconds a node of rewriting, on native graphs and on modules."""
    rule = nativefx.rule(pattern, replacement)
    for nodes in (1_000, 10_000, 100_000):
        native = native_seconds(nodes)["replace_pattern"]
        in_place = seconds(lambda n=nodes: module(n), lambda gm: nativefx.rewrite(gm, rule))
        print(
            f"growth, {nodes:6d} nodes: native {native / nodes * 1e6:.3f}, "
            f"on a GraphModule {in_place / nodes * 1e6:.2f} microseconds a node"
        )


if __name__ == "__main__":
    print(machine())
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    report(size)
    report_in_place(size)
    report_growth()
