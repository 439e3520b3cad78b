"""Layers of PyG, as they are: which compile, and whether they compute what PyG does.

    python tests/conformance/pyg_convs.py            # a table of all of them

Layers that need other libraries (torch-cluster, torch-spline-conv, pyg-lib, cuGraph)
cannot be made here and are left out.
"""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn import conv

import nativefx.gnn
from nativefx.report import GraphReport, collector

NODES, EDGES, F = 20, 80, 8

# Operators that gather and scatter; none of them should be left to PyTorch.
_GATHERS = ("index_select", "scatter_add", "scatter_reduce", "index_add", "index_reduce")


def _mlp(inputs: int, outputs: int = F) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs))


def _inputs() -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(0)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    def below(limit: int, *shape: int) -> Tensor:
        return torch.randint(0, limit, shape, generator=generator)

    return {
        "x": normal(NODES, F),
        "x3": normal(NODES, 3, F),
        "index": below(NODES, 2, EDGES),
        "w": torch.rand(EDGES, generator=generator),
        "e": normal(EDGES, 4),
        "pos": normal(NODES, 3),
        "normal": nn.functional.normalize(normal(NODES, 3)),
        "type": below(3, EDGES),
        "kind": below(2, NODES),
        "colour": below(3, NODES),
    }


_DEGREES = torch.bincount(torch.bincount(_inputs()["index"][1], minlength=NODES))
_SCALERS = ["identity", "amplification", "attenuation"]

# How each is made, and the names of its inputs.
LAYERS: dict[str, tuple[Callable[[], nn.Module], str]] = {
    "AGNNConv": (lambda: conv.AGNNConv(), "x index"),
    "APPNP": (lambda: conv.APPNP(3, 0.1), "x index"),
    "ARMAConv": (lambda: conv.ARMAConv(F, F), "x index"),
    "AntiSymmetricConv": (lambda: conv.AntiSymmetricConv(F), "x index"),
    "CGConv": (lambda: conv.CGConv(F, 4), "x index e"),
    "ChebConv": (lambda: conv.ChebConv(F, F, 3), "x index"),
    "ClusterGCNConv": (lambda: conv.ClusterGCNConv(F, F), "x index"),
    "DNAConv": (lambda: conv.DNAConv(F, heads=2), "x3 index"),
    "DirGNNConv": (lambda: conv.DirGNNConv(conv.SAGEConv(F, F)), "x index"),
    "EGConv": (lambda: conv.EGConv(F, F, num_heads=4), "x index"),
    "EdgeConv": (lambda: conv.EdgeConv(_mlp(2 * F)), "x index"),
    "FAConv": (lambda: conv.FAConv(F), "x x index"),
    "FastRGCNConv": (lambda: conv.FastRGCNConv(F, F, 3), "x index type"),
    "FeaStConv": (lambda: conv.FeaStConv(F, F, 2), "x index"),
    "FiLMConv": (lambda: conv.FiLMConv(F, F), "x index"),
    "GATConv": (lambda: conv.GATConv(F, F, heads=2), "x index"),
    "GATConv without loops": (
        lambda: conv.GATConv(F, F, heads=2, add_self_loops=False),
        "x index",
    ),
    "GATv2Conv": (lambda: conv.GATv2Conv(F, F, heads=2, edge_dim=4), "x index e"),
    "GCN2Conv": (lambda: conv.GCN2Conv(F, 0.1, 0.5, 1), "x x index"),
    "GCNConv": (lambda: conv.GCNConv(F, F), "x index"),
    "GCNConv weighted": (lambda: conv.GCNConv(F, F), "x index w"),
    "GCNConv unnormalised": (lambda: conv.GCNConv(F, F, normalize=False), "x index w"),
    "GENConv": (lambda: conv.GENConv(F, F), "x index"),
    "GINConv": (lambda: conv.GINConv(_mlp(F)), "x index"),
    "GINEConv": (lambda: conv.GINEConv(_mlp(F), edge_dim=4), "x index e"),
    "GMMConv": (lambda: conv.GMMConv(F, F, 4, 3), "x index e"),
    "GPSConv": (lambda: conv.GPSConv(F, conv.GINConv(_mlp(F)), heads=2), "x index"),
    "GatedGraphConv": (lambda: conv.GatedGraphConv(F, 2), "x index"),
    "GeneralConv": (lambda: conv.GeneralConv(F, F, attention=True, heads=2), "x index"),
    "GraphConv": (lambda: conv.GraphConv(F, F), "x index w"),
    "HEATConv": (lambda: conv.HEATConv(F, F, 2, 3, 4, 4, 4, heads=2), "x index kind type e"),
    "HypergraphConv": (lambda: conv.HypergraphConv(F, F), "x index"),
    "LEConv": (lambda: conv.LEConv(F, F), "x index"),
    "LGConv": (lambda: conv.LGConv(), "x index"),
    "MFConv": (lambda: conv.MFConv(F, F, max_degree=4), "x index"),
    "MixHopConv": (lambda: conv.MixHopConv(F, F), "x index"),
    "NNConv": (lambda: conv.NNConv(F, F, _mlp(4, F * F)), "x index e"),
    "PDNConv": (lambda: conv.PDNConv(F, F, 4, 8), "x index e"),
    "PNAConv": (
        lambda: conv.PNAConv(F, F, ["mean", "min", "max", "std"], _SCALERS, _DEGREES),
        "x index",
    ),
    "PPFConv": (lambda: conv.PPFConv(_mlp(F + 4)), "x pos normal index"),
    "PointGNNConv": (lambda: conv.PointGNNConv(_mlp(F, 3), _mlp(F + 3), _mlp(F)), "x pos index"),
    "PointNetConv": (lambda: conv.PointNetConv(_mlp(F + 3)), "x pos index"),
    "PointTransformerConv": (lambda: conv.PointTransformerConv(F, F), "x pos index"),
    "RGATConv": (lambda: conv.RGATConv(F, F, 3), "x index type"),
    "RGCNConv": (lambda: conv.RGCNConv(F, F, 3), "x index type"),
    "ResGatedGraphConv": (lambda: conv.ResGatedGraphConv(F, F), "x index"),
    "SAGEConv": (lambda: conv.SAGEConv(F, F), "x index"),
    "SAGEConv max": (lambda: conv.SAGEConv(F, F, aggr="max", project=True), "x index"),
    "SAGEConv several": (
        lambda: conv.SAGEConv(F, F, aggr=["mean", "std", "softmax"]),
        "x index",
    ),
    "SGConv": (lambda: conv.SGConv(F, F, 2), "x index"),
    "SSGConv": (lambda: conv.SSGConv(F, F, 0.1, 2), "x index"),
    "SimpleConv": (lambda: conv.SimpleConv(), "x index"),
    "SignedConv": (lambda: conv.SignedConv(F, F, True), "x index index"),
    "SuperGATConv": (lambda: conv.SuperGATConv(F, F, heads=2), "x index"),
    "TAGConv": (lambda: conv.TAGConv(F, F, 2), "x index"),
    "TransformerConv": (lambda: conv.TransformerConv(F, F, heads=2, edge_dim=4), "x index e"),
    "WLConv": (lambda: conv.WLConv(), "colour index"),
    "WLConvContinuous": (lambda: conv.WLConvContinuous(), "x index w"),
}


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a layer was compiled."""

    kind: str  # "fully", "partly", "not"
    why: str
    kernels: int


def _run(function: Callable[..., Any], layer: nn.Module, inputs: list[Tensor]) -> list[Any]:
    """Give the output and every gradient."""
    inputs = [x.clone().requires_grad_(x.is_floating_point()) for x in inputs]
    layer.zero_grad()
    torch.manual_seed(3)
    out = function(*inputs)
    if out.requires_grad:
        (out * torch.linspace(-1, 1, out.numel()).view_as(out)).sum().backward()
    return [out.detach(), *(x.grad for x in inputs), *(p.grad for p in layer.parameters())]


def _outcome(reports: list[GraphReport]) -> Outcome:
    kernels = sum(len(report.kernels) for report in reports)
    failures = [report.failure.splitlines()[0] for report in reports if report.failure]
    breaks = sum(torch._dynamo.utils.counters["graph_break"].values())
    left = Counter(
        node.target.removeprefix("aten.").split(".")[0]
        for report in reports
        for node in report.nodes
        if node.runner in ("aten", "python")
        and node.target.removeprefix("aten.").startswith(_GATHERS)
    )
    why = [*failures]
    if breaks:
        why.append(f"{breaks} graph breaks")
    if left:
        why.append("left to PyTorch: " + ", ".join(sorted(left)))
    if kernels == 0:
        return Outcome("not", "; ".join(why) or "no kernels", kernels)
    return Outcome("partly" if why else "fully", "; ".join(why), kernels)


def run_layer(name: str) -> Outcome:
    """Run a layer forward and backward, in PyG and compiled; raise where they differ."""
    make, names = LAYERS[name]
    available = _inputs()
    inputs = [available[key] for key in names.split()]
    torch.manual_seed(1)
    layer = make()
    for part in layer.modules():
        if isinstance(part, nn.Dropout):
            part.p = 0.0
    expected = _run(layer, layer, inputs)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    with collector() as reports:
        got = _run(nativefx.gnn.compile(layer), layer, inputs)
    for ours, theirs in zip(got, expected, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)
    return _outcome(reports)


def main() -> int:
    warnings.simplefilter("ignore")
    kinds: Counter[str] = Counter()
    print("| layer | compiled | why not wholly |\n|---|---|---|")
    for name in sys.argv[1:] or LAYERS:
        try:
            outcome = run_layer(name)
        except Exception as error:
            outcome = Outcome("fails", f"{type(error).__name__}: {error}".splitlines()[0][:200], 0)
        kinds[outcome.kind] += 1
        print(f"| {name} | {outcome.kind} | {outcome.why} |", flush=True)
    print("\n" + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    return 1 if kinds["fails"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
