"""Options, failures, reports, bisecting."""

from __future__ import annotations

import warnings

import pytest
import torch
from tolerances import assert_as_exact
from torch.fx.experimental.proxy_tensor import make_fx

import nativefx
from nativefx import _core
from nativefx.bisection import bisect
from nativefx.dynamo_backend import compile_fx
from nativefx.options import Options
from nativefx.report import GraphReport, NodeReport, collector

OPTIONS = {"fallback": "error"}


def chain(x):
    return torch.tanh(x * 2 + 1).sum(-1)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"fallbak": "error"}, "unknown-option"),
        ({"speed": 11}, "unknown-option"),
        ({"fallback": "never"}, "bad-option"),
        ({"kernels": 1}, "bad-option"),
        ({"dump": 3}, "bad-option"),
        ({"fuse_limit": "all"}, "bad-option"),
    ],
)
def test_wrong_options_are_refused(options, code):
    with pytest.raises(nativefx.Error) as caught:
        Options.read(options)
    assert caught.value.code == code
    with pytest.raises(Exception, match=code):
        torch.compile(chain, backend="nativefx", options=options)(torch.randn(3))


def test_unknown_option_names_the_near_one():
    with pytest.raises(nativefx.Error, match="did you mean `fallback`"):
        Options.read({"fallbak": "error"})


def test_fallback_error_raises_what_fallback_allow_warns_of():
    x = torch.imag(torch.randn(4, dtype=torch.complex64).conj())
    assert x.is_neg()
    expected = x * 2
    with pytest.raises(Exception, match="lazy-input"):
        torch.compile(lambda x: x.mul_(2), backend="nativefx", options=OPTIONS)(x)
    torch._dynamo.reset()
    nativefx.dynamo_backend._warned.discard("lazy-input")
    with pytest.warns(UserWarning, match="lazy-input"):
        found = torch.compile(lambda x: x.mul_(2), backend="nativefx")(x)
    assert_as_exact(found, expected)


def test_inputs_that_are_lazy_views_are_resolved():
    z = torch.randn(4, 3, dtype=torch.complex64)
    for x in (torch.imag(z.conj()), torch.imag(z.conj()).t()):
        assert x.is_neg()
        torch._dynamo.reset()
        run = torch.compile(lambda x: x * 2 + 1, backend="nativefx", options=OPTIONS)
        for _ in range(2):
            assert_as_exact(run(x), x * 2 + 1)


def test_failure_is_told_once():
    nativefx.dynamo_backend._warned.discard("lazy-input")
    x = torch.imag(torch.randn(4, dtype=torch.complex64).conj())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for function in (lambda x: x.mul_(2), lambda x: x.mul_(3)):
            torch._dynamo.reset()
            torch.compile(function, backend="nativefx")(x)
    assert sum("lazy-input" in str(w.message) for w in caught) == 1


def test_a_failing_step_raises_and_the_next_run_is_right():
    def function(x):
        return torch.linalg.cholesky(x + 1) * 2

    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    good, bad = 4 * torch.eye(3), -4 * torch.eye(3)
    assert_as_exact(run(good), function(good))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="positive-definite"):
            run(bad)
    assert_as_exact(run(good), function(good))


def test_a_step_in_python_raises_its_own_exception():
    """The native side knows it as `python-error`; what was raised comes out."""

    @torch.library.custom_op("nfx_test::refuse", mutates_args=())
    def refuse(x: torch.Tensor, code: torch.types.Number) -> torch.Tensor:
        raise LookupError(f"gone {code}")

    @refuse.register_fake
    def _(x, code):
        return torch.empty_like(x)

    run = torch.compile(lambda x: refuse(x * 2, 7) + 1, backend="nativefx", options=OPTIONS)
    for _ in range(2):
        with pytest.raises(LookupError, match="gone 7"):
            run(torch.randn(3))


def compiled_directly(function, *inputs):
    return compile_fx(make_fx(function, tracing_mode="fake")(*inputs), inputs, Options(**OPTIONS))


def test_other_shapes_than_compiled_for_are_refused():
    run = compiled_directly(lambda x: (x * 2,), torch.randn(3, 4))
    run([torch.randn(3, 4)])
    for wrong in (torch.randn(4, 3), torch.randn(12), torch.randn(3, 4).double()):
        with pytest.raises(nativefx.Error) as caught:
            run([wrong])
        assert caught.value.code == "unexpected-shape"


def test_other_strides_than_compiled_for_are_copied():
    run = compiled_directly(lambda x: (x * 2, x.t()), torch.randn(3, 4))
    x = torch.randn(4, 3).t()
    assert_as_exact(run([x])[0], x * 2)


def test_a_target_that_names_nothing_is_refused():
    graph = nativefx.Graph.parse(
        "graph @main {\n"
        '  %x = placeholder "x" : float32[2]\n'
        "  %a = call nowhere.nothing.default(%x) : float32[2]\n"
        "  output((%a,))\n"
        "}\n"
    )
    with pytest.raises(nativefx.Error) as caught:
        _core.compile_graph(graph, None, lambda inputs: None, _core.CompileOptions())
    assert caught.value.code == "no-callable"


def test_a_folder_that_cannot_be_written_is_refused():
    with pytest.raises(Exception, match="cannot-dump"):
        torch.compile(chain, backend="nativefx", options={**OPTIONS, "dump": "/proc/nativefx"})(
            torch.randn(3, 4)
        )


def test_dump_holds_every_stage(tmp_path):
    options = {**OPTIONS, "dump": str(tmp_path)}
    torch.compile(chain, backend="nativefx", options=options)(torch.randn(3, 4))
    names = {path.name.split(".", 1)[1] for path in tmp_path.iterdir()}
    assert any(name.endswith("-captured.nfx") for name in names)
    assert any(name.endswith("-expanded.nfx") for name in names)
    assert any(
        path.suffix == ".kernels" and "kernel" in path.read_text() for path in tmp_path.iterdir()
    )
    assert any(path.suffix == ".ll" and "define" in path.read_text() for path in tmp_path.iterdir())


def test_without_kernels_pytorch_runs_everything():
    x = torch.randn(3, 4)
    with collector() as graphs:
        found = torch.compile(chain, backend="nativefx", options={**OPTIONS, "kernels": False})(x)
    assert_as_exact(found, chain(x))
    assert graphs[0].count("kernel") == 0
    assert graphs[0].count("aten") + graphs[0].count("python") >= 4


def test_explain():
    def model(x, w):
        y = torch.relu(x @ w) * 2
        torch._dynamo.graph_break()
        return torch.linalg.inv(y @ y.t() + torch.eye(4)).exp()

    found = nativefx.explain(model, torch.randn(4, 4), torch.randn(4, 4))
    data = found.as_dict()
    assert len(data["graphs"]) == 2
    assert len(data["breaks"]) == 1
    first, second = data["graphs"]
    assert first["counts"]["aten"] == 1
    assert first["kernels"][0]["ops"] == ["aten.relu.default", "aten.mul.Tensor"]
    uncompiled = [
        n for g in (first, second) for n in g["nodes"] if n["runner"] in ("aten", "python")
    ]
    assert all(node["reason"] for node in uncompiled)
    assert all(__file__ in node["source"] for node in uncompiled)
    text = str(found)
    assert "aten.relu.default" in text
    assert "graph break" in text


def test_explain_of_training():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU())
    found = nativefx.explain(model, torch.randn(2, 4), backward=True)
    kinds = [graph.name.split("_")[0] for graph in found.graphs]
    assert kinds == ["forward", "backward"]


def test_bisect_finds_nothing_wrong():
    assert bisect(chain, torch.randn(3, 4)) is None


def fused_graph(count):
    nodes = [
        NodeReport(f"n{i}", "aten.tanh.default", "kernel", 0, "", f"f.py:{i} in f")
        for i in range(count)
    ]
    return GraphReport("inference_0", nodes, [], {})


@pytest.mark.parametrize("culprit", range(1, 9))
def test_bisect_names_the_operator(monkeypatch, culprit):
    """Results are numbers here: how many operators were fused."""

    def run(model, inputs, options, limit):
        return (8 if limit < 0 else limit), [fused_graph(8)]

    monkeypatch.setattr("nativefx.bisection._run", run)
    found = bisect(chain, torch.zeros(1), same=lambda fused, _: fused < culprit)
    assert found.stage == "fuse"
    assert found.index == culprit
    assert f"%n{culprit - 1} = " in found.node


def test_bisect_tells_a_fault_without_kernels():
    found = bisect(chain, torch.randn(3, 4), same=lambda found, expected: False)
    assert found.stage == "plan"
