"""Plug-ins under torch.compile: who runs what, the same results, faults of any kind."""

from __future__ import annotations

import copy
import warnings

import pytest
import torch
from plugin_build import FAULTY, NULL, build
from tolerances import assert_as_exact

import nativefx.plugin
from nativefx import Error, Plugin
from nativefx.plugin import reports


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    torch._dynamo.reset()
    nativefx.plugin._warned.clear()
    monkeypatch.delenv("NFX_TEST_FAULT", raising=False)
    yield
    torch._dynamo.reset()


def compiled(function, *plugins, fallback="error", **options):
    chosen = {"plugins": list(plugins), "fallback": fallback}
    return torch.compile(function, backend="nativefx", options=chosen, **options)


def gradients(result, leaves):
    return torch.autograd.grad(result.square().sum(), leaves)


def test_a_library_is_loaded_once_and_says_who_it_is():
    plugin = Plugin(build(NULL))
    assert (plugin.name, plugin.version, plugin.backends) == ("null", "1", ["null"])
    assert Plugin(build(NULL))._native is plugin._native


@pytest.mark.parametrize("dynamic", [False, True])
def test_additions_run_in_the_plugin_forward_and_backward(dynamic):
    def function(x, y, w):
        a = x @ w + y
        return torch.relu(a) + x

    leaves = [torch.randn(5, 4), torch.randn(4), torch.randn(4, 4)]
    for leaf in leaves:
        leaf.requires_grad_()
    run = compiled(function, build(NULL), dynamic=dynamic)
    with reports() as found:
        result = run(*leaves)
    assert [(r.name, r.nodes, r.failure) for r in found[0].regions] == [
        ("null_0", 1, ""),
        ("null_1", 1, ""),
    ]
    expected = function(*leaves)
    assert_as_exact(result, expected)
    assert_as_exact(gradients(result, leaves), gradients(expected, leaves))


def test_every_refusal_has_a_reason_and_a_source_line():
    def function(x):
        return torch.sin(x) + x

    with reports() as found:
        compiled(function, build(NULL))(torch.randn(3))
    (sine, addition) = found[0].nodes
    assert sine.target == "aten.sin.default" and sine.region == ""
    assert sine.reasons == ["null: it is no addition of tensors"]
    assert "test_plugin.py" in sine.source
    assert addition.region == "null_0" and addition.reasons == []
    assert found[0].as_dict()["regions"][0]["backend"] == "null"


def test_new_sizes_need_no_new_region():
    def function(x, y):
        return (x + y) + x[:, :1]

    run = compiled(function, build(NULL), dynamic=True)
    with reports() as found:
        for rows in (2, 7, 3):
            x, y = torch.randn(rows, 6), torch.randn(6)
            assert_as_exact(run(x, y), function(x, y))
    assert len(found) == 1
    assert [region.nodes for region in found[0].regions] == [2]


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.randn(4, 6).t(),
        lambda: torch.randn(6, 8)[:, ::2],
        lambda: torch.randn(6, 1).expand(6, 4),
        lambda: torch.randn(0, 4),
        lambda: torch.randn(1, 4),
    ],
    ids=["transposed", "strided", "expanded", "empty", "one row"],
)
def test_any_strides(make):
    def function(x, y):
        return x + y, y + x

    x, y = make(), torch.randn(4)
    for actual, expected in zip(compiled(function, build(NULL))(x, y), function(x, y), strict=True):
        assert_as_exact(actual, expected)
        assert actual.stride() == expected.stride()


def test_writes_in_place_keep_their_order():
    def function(x, y):
        a = x + y
        b = a + y  # reads `a` before it is written
        a.add_(1.0)
        c = a + y  # and after
        x.mul_(2.0)
        return b, c, x + y

    x, y = torch.randn(4), torch.randn(4)
    x2 = x.clone()
    with reports() as found:
        result = compiled(function, build(NULL))(x, y)
    assert_as_exact(result, function(x2, y))
    assert_as_exact(x, x2)
    runs = {node.name: node for node in found[0].nodes}
    assert runs["add"].reasons == ["region: its memory is written in place"]
    assert runs["add_1"].region and runs["add_2"].region


def test_grad_mode_switches_are_not_crossed():
    def function(x, y):
        a = x + y
        with torch.no_grad():
            b = x + y
        c = x + y
        return a * 1.0, b * 2.0, c * 3.0

    leaves = [torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)]
    result = compiled(function, build(NULL))(*leaves)
    expected = function(*leaves)
    assert [r.requires_grad for r in result] == [True, False, True]
    assert_as_exact(result, expected)
    assert_as_exact(
        gradients(result[0] + result[2], leaves), gradients(expected[0] + expected[2], leaves)
    )


def weights(model):
    return [p for name, p in model.named_parameters() if not name.startswith("pooler")]


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
def test_bert(training, dynamic):
    import transformers

    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=99,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    model = transformers.BertModel(config).train(training)
    tokens = torch.randint(0, 99, (3, 16))
    if dynamic:
        torch._dynamo.mark_dynamic(tokens, 0)

    wide = copy.deepcopy(model).double()

    def function(tokens):
        return model(tokens).last_hidden_state

    with reports() as found, torch.set_grad_enabled(training):
        result = compiled(function, build(NULL))(tokens)
        expected = function(tokens)
        exact = wide(tokens).last_hidden_state
    assert sum(region.nodes for report in found for region in report.regions) >= 5
    assert not any(region.failure for report in found for region in report.regions)
    assert_as_exact(result, expected, exact)
    if training:
        assert_as_exact(
            *(
                gradients(r, weights(m))
                for r, m in ((result, model), (expected, model), (exact, wide))
            )
        )


# ---- faults


def function_of_sums(x, y):
    return torch.cos(x + y) + x


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("run", "plugin-run"),
        ("run-silent", "plugin-run"),
        ("no-output", "plugin-output"),
        ("far-output", "plugin-output"),
        ("wrong-shape", "plugin-output"),
        ("compile", "plugin-compile"),
    ],
)
def test_what_fails_runs_in_pytorch_and_says_so(monkeypatch, fault, code):
    monkeypatch.setenv("NFX_TEST_FAULT", fault)
    x, y = torch.randn(3, requires_grad=True), torch.randn(3)
    run = compiled(function_of_sums, build(FAULTY), fallback="allow")
    with pytest.warns(UserWarning, match=code):
        result = run(x, y)
    assert_as_exact(result, function_of_sums(x, y))
    with warnings.catch_warnings():  # once is enough
        warnings.simplefilter("error")
        assert_as_exact(run(x, y), function_of_sums(x, y))


@pytest.mark.parametrize(("fault", "says"), [("run", "smoke"), ("compile", "no room on the chip")])
def test_a_fault_is_an_error_where_that_is_asked_for(monkeypatch, fault, says):
    monkeypatch.setenv("NFX_TEST_FAULT", fault)
    with pytest.raises(Exception, match=says):
        compiled(function_of_sums, build(FAULTY))(torch.randn(3), torch.randn(3))


@pytest.mark.parametrize("fault", ["supports", "supports-silent", "no-reason"])
def test_a_plugin_that_fails_when_asked_gets_nothing(monkeypatch, fault):
    monkeypatch.setenv("NFX_TEST_FAULT", fault)
    x, y = torch.randn(3), torch.randn(3)
    with reports() as found:
        assert_as_exact(compiled(function_of_sums, build(FAULTY))(x, y), function_of_sums(x, y))
    assert found[0].regions == []
    assert all(len(node.reasons) == 1 for node in found[0].nodes)


@pytest.mark.parametrize("path", ["/does/not/exist.so", str(NULL)])
def test_what_is_no_plugin_is_an_error(path):
    with pytest.raises(Error) as caught:
        Plugin(path)
    assert caught.value.code == "plugin-open"


def test_the_plugin_really_runs():
    # The faulty plug-in fills whatever it is asked for with ones.
    x, y = torch.randn(3), torch.randn(3)
    with reports() as found:
        result = compiled(function_of_sums, build(FAULTY))(x, y)
    assert_as_exact(result, torch.ones(3))
    assert [(r.backend, r.nodes) for r in found[0].regions] == [("faulty", 3)]


def test_symbolic_integers_go_into_regions():
    def function(x, n):
        return torch.exp(x * n)

    run = compiled(function, build(FAULTY), dynamic=True)
    with reports() as found:
        for n in (3, 5):
            assert_as_exact(run(torch.randn(4), n), torch.ones(4))
    region = found[0].regions[0]
    assert (len(found), region.nodes, region.inputs, region.failure) == (1, 2, 2, "")


def test_a_tensor_without_plain_memory_never_reaches_the_plugin():
    x, y = torch.randn(3), torch.randn(3)
    compiled(function_of_sums, build(FAULTY))(x, y)
    region = nativefx.plugin._regions[-1].native
    with pytest.raises(Error) as caught:
        region.run([x.to("meta"), y], [])
    assert caught.value.code == "region-tensor"


def test_what_a_call_cannot_keep_is_refused():
    def function(x):
        a = torch.nn.functional.dropout(x, 0.5, training=True)
        b = a.view(2, 2)
        return b.add_(1.0), torch.sin(x).view(2, 2)

    with reports() as found:
        compiled(function, build(FAULTY))(torch.randn(4))
    reasons = {node.target: node.reasons for node in found[0].nodes}
    assert reasons["aten.dropout.default"] == ["region: it draws random numbers"]
    assert reasons["aten.add_.Tensor"] == ["region: it writes in place"]
    taken = [node.target for node in found[0].nodes if node.region]
    assert taken == ["aten.sin.default", "aten.view.default"]


def test_a_graph_that_cannot_be_traced_runs_without_plugins():
    # With dynamic=True the momentum, a Python float, is an input that is read.
    norm = torch.nn.BatchNorm1d(4)

    def function(x):
        return norm(x) + x

    x = torch.randn(3, 4)
    run = compiled(function, build(NULL), fallback="allow", dynamic=True)
    with reports() as found, pytest.warns(UserWarning, match="pre-dispatch-trace"):
        result = run(x)
    assert_as_exact(result, function(x))
    assert "pre-dispatch-trace" in found[0].failure and found[0].regions == []
    torch._dynamo.reset()
    with pytest.raises(Exception, match="pre-dispatch-trace"):
        compiled(function, build(NULL), dynamic=True)(x)
    torch._dynamo.reset()
    with torch._dynamo.config.patch(specialize_float=True), reports() as found:
        assert_as_exact(compiled(function, build(NULL), dynamic=True)(x), function(x))
    assert sum(region.nodes for region in found[0].regions) == 1
