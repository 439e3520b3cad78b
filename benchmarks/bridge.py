"""What crossing costs a node, beside what Python's own walks and copies cost.

The graphs hold what graphs of models hold: operators with constants, lists and
keywords, a FakeTensor a node, and its stack trace. CPU time of the thread, the
peers in turns, medians.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable

import torch
import torch.fx
from measure import machine
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx._graph_pickler import GraphPickler, Options

from nativefx import Graph

aten = torch.ops.aten
_SIZES = (1_500, 10_000, 100_000)
_PICKLED_UP_TO = 1_500
# Ratios to reach: import to `map_arg`, export to `graph_copy`, both to pickling.
_BARS = {"import": 0.35, "export": {1_500: 0.10, 10_000: 0.15}, "both": 1 / 150}


def model_like(count: int) -> torch.fx.GraphModule:
    """Make a graph of about `count` nodes: blocks of a residual network of layers."""
    graph = torch.fx.Graph()
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    with mode:
        value = torch.empty(2, 8, 64)
    x, w, b = (graph.placeholder(name) for name in ("x", "w", "b"))
    nodes = [x, w, b]

    def call(op: torch._ops.OpOverload, *args: object, **kwargs: object) -> torch.fx.Node:
        node = graph.call_function(op, args, kwargs)
        nodes.append(node)
        return node

    while len(nodes) < count:
        flat = call(aten.view.default, x, [16, 64])
        product = call(aten.addmm.default, b, flat, call(aten.t.default, w))
        shaped = call(aten.view.default, product, [2, 8, 64])
        active = call(aten.gelu.default, shaped, approximate="tanh")
        total = call(aten.add.Tensor, x, call(aten.mul.Tensor, active, 0.5))
        mean = call(aten.mean.dim, total, [-1], True)
        x = call(aten.sub.Tensor, total, mean)
        x = call(aten.to.dtype, x, torch.float32)
        x = call(aten.slice.Tensor, x, 1, 0, 9223372036854775807)
    graph.output((x,))
    for index, node in enumerate(nodes):
        with mode:
            fake = torch.empty_like(value)
        node.meta.update(
            val=fake,
            stack_trace=f'File "model.py", line {index % 50}',
            nn_module_stack={"layer": ("layers.0", torch.nn.Module)},
            seq_nr=index,
        )
    return torch.fx._lazy_graph_module._LazyGraphModule(torch.nn.Module(), graph)


def walk(graph: torch.fx.Graph) -> int:
    """Visit every argument of every node, as the cheapest pass in Python would."""
    seen = 0

    def visit(node: torch.fx.Node) -> torch.fx.Node:
        nonlocal seen
        seen += 1
        return node

    for node in graph.nodes:
        torch.fx.map_arg(node.args, visit)
        torch.fx.map_arg(node.kwargs, visit)
    return seen


def copy(graph: torch.fx.Graph) -> torch.fx.Graph:
    fresh = torch.fx.Graph()
    fresh.output(fresh.graph_copy(graph, {}))
    return fresh


def cpu_medians(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median CPU seconds of one call of each, in turns."""
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            gc.collect()
            start = time.thread_time()
            result = call()
            samples[name].append(time.thread_time() - start)
            del result
    return {name: statistics.median(values) for name, values in samples.items()}


def measure(count: int) -> dict[str, float]:
    """Print a table for one size; returns microseconds a node."""
    module = model_like(count)
    native = Graph.from_fx(module)
    calls: dict[str, Callable[[], object]] = {
        "map_arg": lambda: walk(module.graph),
        "import": lambda: Graph.from_fx(module),
        "types": lambda: native.infer_types(),
        "graph_copy": lambda: copy(module.graph),
        "export": lambda: native.to_fx(),
    }
    if count <= _PICKLED_UP_TO:
        options = Options(ops_filter=None)
        calls["pickle"] = lambda: GraphPickler.dumps(module, options)
    taken = cpu_medians(calls, rounds=9 if count <= 10_000 else 3)
    nodes = len(module.graph.nodes)
    return {name: seconds / nodes * 1e6 for name, seconds in taken.items()}


def main() -> None:
    print(machine())
    by_size = {count: measure(count) for count in _SIZES}
    for count, each in by_size.items():
        line = "  ".join(f"{name} {value:.2f}" for name, value in each.items())
        print(f"{count:7d} nodes, us a node: {line}")
        shares = [
            f"import / map_arg {each['import'] / each['map_arg']:.2f} (bar {_BARS['import']})"
        ]
        bar = _BARS["export"].get(count, "-")  # type: ignore[attr-defined]
        shares.append(f"export / graph_copy {each['export'] / each['graph_copy']:.3f} (bar {bar})")
        if "pickle" in each:
            both = each["import"] + each["export"]
            shares.append(f"pickle / both {each['pickle'] / both:.0f} (bar 150)")
        print(" " * 7, "   ".join(shares))
    growth = by_size[100_000]["import"] / by_size[10_000]["import"]
    print(f"import of a node, 100k to 10k nodes: {growth:.2f} (bar 2)")


if __name__ == "__main__":
    main()
