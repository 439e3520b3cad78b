"""Random message, reduce and apply functions on random graphs, compared with DGL.

``python tests/python/test_dgl_generated.py 10000`` compares that many pairs.
"""

from __future__ import annotations

import sys
import warnings

import pytest
import torch
from gnn_corpus.generator import WIDTH, Pair, make_graph, make_pair

from nativefx import gnn

dgl = gnn.import_dgl()
PAIRS, PER_TEST = 200, 20


def run(pair: Pair, g, seed: int) -> list[torch.Tensor | None]:
    generator = torch.Generator().manual_seed(seed)
    h, e = (
        torch.randn(n, WIDTH, generator=generator, dtype=torch.float64).requires_grad_()
        for n in (g.num_nodes(), g.num_edges())
    )
    with g.local_scope():
        g.ndata["h"], g.edata["e"] = h, e
        g.update_all(pair.message, pair.reduce, pair.apply)
        if "o" not in g.ndata:
            return []
        out = g.ndata["o"]
        weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view(out.shape)
        if out.requires_grad:
            (out * weights).sum().backward()
    return [out.detach(), h.grad, e.grad]


def compare(seed: int, compile: bool = False) -> None:
    """Compare one pair; two graphs share what is traced of it."""
    pair = make_pair(seed)
    for graph_seed in (seed, seed + 1):
        g = make_graph(dgl, graph_seed)
        try:
            expected = run(pair, g, seed)
        except Exception as error:
            # DGL itself cannot run some functions on a graph without edges.
            assert g.num_edges() == 0, error
            continue
        with gnn.accelerate(fallback="error", compile=compile):
            found = run(pair, g, seed)
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            a, b = (torch.zeros(1) if x is None else x for x in (a, b))
            if a.numel() == 1 and not a.any() and not b.any():
                continue
            where = f"seed {seed}, graph {graph_seed}: {pair.text}"
            assert torch.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True), where


@pytest.mark.parametrize("first", range(0, PAIRS, PER_TEST))
def test_generated(first):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(first, first + PER_TEST):
            compare(seed)


@pytest.mark.parametrize("seed", range(3))
def test_generated_compiled(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(seed, compile=True)


def main() -> None:
    """Compare as many pairs as the command line says."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    warnings.simplefilter("ignore")
    failed = 0
    for seed in range(count):
        try:
            compare(seed)
        except Exception as error:
            failed += 1
            print(f"seed {seed}: {error}", flush=True)
        if (seed + 1) % 500 == 0:
            print(f"{seed + 1} pairs, {failed} differ", flush=True)
    print(f"{count} pairs compared with DGL, {failed} differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
