"""Reports, traces, dumps: what a user sees of a compilation and of runs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch

import nativefx
from nativefx.profiling import record

OPTIONS = {"fallback": "error"}


def broken(x):
    y = torch.softmax(x * 2, -1)
    torch._dynamo.graph_break()
    return (y @ x.t() + 1).relu() @ x


@pytest.fixture(scope="module")
def program():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.Linear(8, 4))
    x = torch.randn(4, 8)
    compiled = nativefx.compile_exported(model, (x,), options=OPTIONS)
    compiled(x)
    return compiled, x


def test_explain_tells_breaks_costs_memory_and_stages():
    found = nativefx.explain(broken, torch.randn(8, 8), options=OPTIONS, profiled_runs=2)
    (reason,) = found.breaks
    assert "test_seeing.py:" in reason
    assert "in broken: " in reason
    data = json.loads(found.to_json())
    softmax, products = data["graphs"]
    (kernel,) = softmax["kernels"]
    assert kernel["bytes"] == 2 * 8 * 8 * 4
    assert kernel["flops"] > 8 * 8 * 3
    assert "load b0" in kernel["loops"]
    assert kernel["ns"] > 0
    assert kernel["bandwidth_share"] > 0
    assert products["memory"]["arena"] >= products["memory"]["peak"] > 0
    assert {"fuse", "generate", "plan"} <= set(products["stages"])
    text = str(found)
    assert "intermediates of" in text
    assert "bandwidth" in text


def test_sizes_that_vary_count_by_their_hints():
    x = torch.randn(6, 4)
    torch._dynamo.mark_dynamic(x, 0)
    found = nativefx.explain(lambda x: (x * 2).sum(0), x, options=OPTIONS)
    (graph,) = found.as_dict()["graphs"]
    (kernel,) = graph["kernels"]
    assert kernel["bytes"] == 6 * 4 * 4 + 4 * 4
    assert kernel["flops"] >= 2 * 6 * 4


def test_a_profile_is_a_chrome_trace(program, tmp_path):
    compiled, x = program
    with nativefx.profile(tmp_path / "trace.json"):
        compiled(x)
        compiled(x)
    compiled(x)
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    plans = [e for e in events if e["cat"] == "plan"]
    linears = [e for e in events if e["args"].get("op") == "aten::linear"]
    kernels = [e for e in events if e["cat"] == "kernel"]
    assert (len(plans), len(linears), len(kernels)) == (2, 4, 2)
    for event in linears:
        assert any(p["ts"] <= event["ts"] <= event["ts"] + event["dur"] <= p["ts"] + p["dur"] + 1
                   for p in plans)  # fmt: skip


def test_steps_are_ranges_of_the_profiler_of_pytorch(program):
    compiled, x = program
    with torch.profiler.profile() as profiler, record():
        compiled(x)
    parents = {
        event.name: event.cpu_parent.name if event.cpu_parent else "" for event in profiler.events()
    }
    assert parents["nativefx::linear"] == "nativefx::plan"
    assert parents["aten::linear"].startswith("nativefx::linear")


def test_one_recording_at_a_time(program):
    compiled, x = program
    with record() as events, pytest.raises(nativefx.Error) as caught, record():
        pass
    assert caught.value.code == "already-recording"
    assert events == []
    with record() as events:
        compiled(x)
    assert events


def test_the_option_records_until_exit(tmp_path):
    script = (
        "import torch\n"
        "options = {'fallback': 'error', 'profile': 'trace.json'}\n"
        "torch.compile(lambda x: x * 2 + 1, backend='nativefx', options=options)(torch.ones(3))\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path)
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert any(event["cat"] == "kernel" for event in events)


def test_every_stage_is_written(tmp_path):
    torch._dynamo.reset()
    options = {**OPTIONS, "dump": tmp_path}
    torch.compile(lambda x: x.exp().sum(-1) + 0, backend="nativefx", options=options)(
        torch.ones(3, 4)
    )
    names = sorted(path.name for path in tmp_path.iterdir())
    for part in ("0-captured.nfx", "1-expanded.nfx", "-cse.nfx", ".kernels", ".plan", ".ll", ".s"):
        assert any(name.endswith(part) for name in names), part
    (plan,) = tmp_path.glob("*.plan")
    assert "kernel fused_exp_sum_add\n" in plan.read_text()
