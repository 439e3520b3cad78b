"""Single calls of DGL's message passing, compiled where they stand."""

from __future__ import annotations

import math
import runpy
import warnings
from pathlib import Path

import pytest
import torch

import nativefx
from nativefx import gnn
from nativefx.gnn.dgl_report import recording

dgl = gnn.import_dgl()
fn = dgl.function

NODES, EDGES = 23, 90


def graph(seed: int = 0, nodes: int = NODES, edges: int = EDGES):
    """Nodes without edges, parallel edges, self-loops, one node of high degree."""
    generator = torch.Generator().manual_seed(seed)
    src = torch.randint(0, nodes, (edges,), generator=generator)
    dst = torch.randint(0, max(nodes - 4, 1), (edges,), generator=generator)
    dst[: edges // 4] = 1
    src[: min(6, edges)] = 2
    return dgl.graph((src, dst), num_nodes=nodes)


def values(g, *, dtype=torch.float64, seed: int = 1):
    torch.manual_seed(seed)
    h = torch.randn(g.num_nodes(), 6, dtype=dtype, requires_grad=True)
    w = torch.randn(g.num_edges(), 1, dtype=dtype, requires_grad=True)
    return h, w


def run(call, g, accelerated: bool, **settings):
    """Give the field `o` and the gradients that a weighted sum of it has."""
    h, w = values(g)
    with g.local_scope():
        g.ndata["h"], g.edata["w"] = h, w
        if accelerated:
            with gnn.accelerate(fallback="error", **settings):
                call(g)
        else:
            call(g)
        out = g.ndata["o"] if "o" in g.ndata else g.edata["o"]
        weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view(out.shape)
        (out * weights).sum().backward()
    return out.detach(), h.grad, w.grad


def check(call, g=None, **settings):
    g = graph() if g is None else g
    ours, theirs = run(call, g, True, **settings), run(call, g, False)
    for a, b in zip(ours, theirs, strict=True):
        assert (a is None) == (b is None) or (b if a is None else a).abs().max() == 0
        if a is not None and b is not None:
            torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-10)


def message(edges):
    return {"m": edges.src["h"] * edges.data["w"] + edges.dst["h"]}


def softmax(nodes):
    m = nodes.mailbox["m"]
    alpha = torch.softmax(m - nodes.data["h"].unsqueeze(1), 1)
    return {"o": (alpha * m).sum(1)}


def scaled(nodes):
    m = nodes.mailbox["m"]
    degree = m.shape[1]
    mean, std = m.mean(1), m.var(1, unbiased=False).add(1e-5).sqrt()
    return {"o": torch.cat([mean * math.log(degree + 1), std / degree, m.sum(1) / degree**0.5], 1)}


REDUCERS = {
    "sum": lambda nodes: {"o": nodes.mailbox["m"].sum(1)},
    "mean": lambda nodes: {"o": nodes.mailbox["m"].mean(dim=1)},
    "max": lambda nodes: {"o": nodes.mailbox["m"].max(1)[0]},
    "min": lambda nodes: {"o": torch.min(nodes.mailbox["m"], dim=1).values},
    "prod": lambda nodes: {"o": nodes.mailbox["m"].prod(1)},
    "logsumexp": lambda nodes: {"o": torch.logsumexp(nodes.mailbox["m"], dim=1)},
    "softmax": softmax,
    "scaled": scaled,
    "log of nothing": lambda nodes: {"o": nodes.mailbox["m"].abs().sum(1).log()},
    "first edge": lambda nodes: {"o": nodes.mailbox["m"][:, 0] - nodes.mailbox["m"][:, -1]},
    "builtin sum": fn.sum("m", "o"),
    "builtin mean": fn.mean("m", "o"),
    "builtin max": fn.max("m", "o"),
    "builtin min": fn.min("m", "o"),
}


@pytest.mark.parametrize("name", REDUCERS)
@pytest.mark.parametrize("compile", [False, True])
def test_update_all(name, compile):
    check(lambda g: g.update_all(message, REDUCERS[name]), compile=compile)


def test_apply_function_sees_reduced_and_other_fields():
    def apply(nodes):
        return {"o": nodes.data["o"] * 2 + nodes.data["h"]}

    check(lambda g: g.update_all(message, REDUCERS["max"], apply))


def test_one_program_for_graphs_of_any_size():
    call = lambda g: g.update_all(message, softmax)  # noqa: E731
    torch._dynamo.reset()
    counter = torch._dynamo.utils.counters
    counter.clear()
    for seed in range(5):
        check(call, graph(seed, nodes=10 + 7 * seed, edges=40 + 31 * seed))
    assert counter["stats"]["unique_graphs"] == 1


def lstm(nodes):
    torch.manual_seed(0)
    layer = torch.nn.LSTM(6, 6, batch_first=True).double()
    return {"o": layer(nodes.mailbox["m"])[0][:, -1]}


def branching(nodes):
    m = nodes.mailbox["m"]
    return {"o": m.sum(1) if m.sum() > 0 else m.mean(1)}


def across(nodes):
    m = nodes.mailbox["m"].sum(1)
    return {"o": m - m.mean(0)}


@pytest.mark.parametrize(
    "reduce,reason",
    [(lstm, "LSTM"), (branching, "across nodes"), (across, "across nodes")],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_what_cannot_be_compiled_runs_in_dgl(reduce, reason):
    g = graph()
    expected = run(lambda g: g.update_all(message, reduce), g, False)[0]
    with recording() as report, pytest.warns(UserWarning, match="runs in DGL"):
        h, w = values(g)
        g.ndata["h"], g.edata["w"] = h, w
        with gnn.accelerate():
            g.update_all(message, reduce)
    torch.testing.assert_close(g.ndata["o"], expected)
    failed = [call for call in report.calls if not call.compiled]
    assert len(failed) == 1 and reduce.__name__ in failed[0].functions
    assert "test_dgl_accelerate.py" in failed[0].place
    with pytest.raises(nativefx.Error, match="runs in DGL"), gnn.accelerate(fallback="error"):
        g.update_all(message, reduce)


def test_compiled_calls_are_reported():
    g = graph()
    g.ndata["h"], g.edata["w"] = values(g)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = gnn.explain_dgl(lambda: g.update_all(message, softmax))
    assert [call.compiled for call in report.calls] == [True]
    assert "1 of 1 calls compiled" in str(report)


def test_the_example_runs(capsys):
    path = Path(__file__).resolve().parents[2] / "examples" / "gnn_udf.py"
    runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr().out
    assert "1 of 1 calls compiled" in printed
    for line in printed.splitlines():
        if "difference" in line:
            assert float(line.rsplit(" ", 1)[1]) < 1e-4, line
