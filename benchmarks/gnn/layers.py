"""Layers of PyG, unchanged, forward and training step, against eager PyG and Inductor.

python benchmarks/gnn/layers.py --graph power_law --models GAT SAGE-max
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from sys import path

import torch
from torch import Tensor, nn
from torch_geometric.nn import conv

path.insert(0, str(Path(__file__).resolve().parents[1]))

from graphs import GRAPHS
from measure import alternate, compile_with, machine, print_ratios

_MODELS: dict[str, Callable[[int], nn.Module]] = {
    "GCN given weights": lambda f: conv.GCNConv(f, f, normalize=False),
    "GCN": lambda f: conv.GCNConv(f, f),
    "SAGE-mean": lambda f: conv.SAGEConv(f, f),
    "SAGE-max": lambda f: conv.SAGEConv(f, f, aggr="max"),
    "GIN": lambda f: conv.GINConv(nn.Linear(f, f)),
    "GAT": lambda f: conv.GATConv(f, f // 8, heads=8, add_self_loops=False),
    "GATv2": lambda f: conv.GATv2Conv(f, f // 8, heads=8, add_self_loops=False),
    "GatedGCN": lambda f: conv.ResGatedGraphConv(f, f),
    "EdgeConv": lambda f: conv.EdgeConv(
        nn.Sequential(nn.Linear(2 * f, f), nn.ReLU(), nn.Linear(f, f))
    ),
}
_WEIGHTED = ("GCN given weights",)


def step(run: Callable[..., Tensor], model: nn.Module, *inputs: Tensor) -> Callable[[], object]:
    """Forward and backward, gradients to parameters and features."""

    def call() -> object:
        model.zero_grad(set_to_none=True)
        inputs[0].grad = None
        out = run(*inputs)
        return out.backward(torch.ones_like(out))

    return call


def forward(run: Callable[..., Tensor], *inputs: Tensor) -> Callable[[], object]:
    def call() -> object:
        with torch.no_grad():
            return run(*inputs)

    return call


def measure(name: str, graph: str, features: int, backends: list[str], rounds: int) -> None:
    nodes, index = GRAPHS[graph]()
    torch.manual_seed(0)
    x = torch.randn(nodes, features, requires_grad=True)
    inputs = (x, index, torch.rand(index.size(1))) if name in _WEIGHTED else (x, index)
    model = _MODELS[name](features)
    torch._dynamo.reset()
    runs = {backend: compile_with(backend, model) for backend in backends}
    title = f"{graph} {name}"
    times = alternate({b: forward(run, *inputs) for b, run in runs.items()}, rounds=rounds)
    print_ratios(f"{title}, forward", times)
    times = alternate({b: step(run, model, *inputs) for b, run in runs.items()}, rounds=rounds)
    print_ratios(f"{title}, forward+backward", times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graph", choices=GRAPHS, nargs="*", default=list(GRAPHS))
    parser.add_argument("--models", nargs="*", default=list(_MODELS))
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", nargs="*", default=["eager", "inductor"])
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    torch._dynamo.config.capture_scalar_outputs = True
    print(machine(), flush=True)
    for graph in chosen.graph:
        for name in chosen.models:
            backends = ["nativefx", *chosen.peers]
            measure(name, graph, chosen.features, backends, chosen.rounds)


if __name__ == "__main__":
    main()
