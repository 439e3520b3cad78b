"""The corpus of graph networks: equal to DGL's own results, forward and backward."""

from __future__ import annotations

import pytest
import torch
from gnn_corpus import aggregators, algorithms, attention, convolutions, edges, relations
from gnn_corpus.registry import CASES, graphs, make_inputs

import nativefx
from nativefx import gnn

dgl = gnn.import_dgl()
FAMILIES = (aggregators, convolutions, attention, edges, algorithms, relations)


def results(case, module, g, run) -> list[torch.Tensor | None]:
    """Give the output and the gradients of inputs and parameters."""
    torch.manual_seed(5)
    users = g.num_nodes("user") if len(g.ntypes) > 1 and case.graph == "hetero" else None
    nodes = users or (g.num_src_nodes() if g.is_block else g.num_nodes())
    inputs = make_inputs(case.inputs, nodes, g.num_edges() if users is None else 0, 3)
    for parameter in module.parameters():
        parameter.grad = None
    out = run(g, *inputs)
    weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view(out.shape)
    (out * weights).sum().backward()
    leaves = [x for x in (*inputs, *module.parameters()) if x.requires_grad]
    return [out.detach(), *(x.grad for x in leaves)]


def assert_equal(ours, theirs) -> None:
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        if a is None or b is None:
            rest = b if a is None else a
            assert rest is None or rest.abs().max() == 0
        else:
            torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-10)


def prepare(name: str):
    case = CASES[name]
    torch.manual_seed(0)
    return case, case.make().double()


def test_the_corpus_is_complete():
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
def test_single_calls(name):
    case, module = prepare(name)
    g = graphs(dgl, case.graph, 1)
    expected = results(case, module, g, module)
    with gnn.accelerate(fallback="error", compile=False):
        found = results(case, module, g, module)
    assert_equal(found, expected)


# What is traced only call by call, and why.
IN_PARTS = {
    "UpwardSweep": "prop_nodes",
    "PartialCalls": "pull",
}


@pytest.mark.parametrize("name", CASES)
def test_whole_modules(name):
    case, module = prepare(name)
    compiled = gnn.compile_dgl(module, fallback="error", compile=False)
    kinds = set()
    for seed in (1, 2):
        g = graphs(dgl, case.graph, seed)
        kinds.add(tuple(bool((g.in_degrees(etype=t) == 0).any()) for t in g.canonical_etypes))
        expected = results(case, module, g, module)
        if name in IN_PARTS:
            with pytest.raises(nativefx.Error, match=IN_PARTS[name]):
                compiled(g, *make_inputs(case.inputs, g.num_nodes(), g.num_edges(), 3))
            return
        assert_equal(results(case, module, g, compiled), expected)
    # One program for graphs of any size; another where all nodes have edges.
    assert compiled.programs == len(kinds)
