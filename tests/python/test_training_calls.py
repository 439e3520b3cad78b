"""Training calls that go around AOTAutograd's layers: autograd's corners are eager's."""

from __future__ import annotations

import gc
import weakref
from unittest import mock

import pytest
import torch
from torch import Tensor

from nativefx import training
from nativefx.thin_training import thin_training

OPTIONS = {"fallback": "error"}


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def thin():
    """How many graphs were joined, and how many were not."""
    made: list[bool] = []

    def joined(*arguments):
        result = thin_training(*arguments)
        made.append(result is not None)
        return result

    with mock.patch.object(training, "thin_training", joined):
        yield made


def function(x: Tensor, w: Tensor) -> Tensor:
    return torch.sigmoid(x * w) * x


def compiled(f=function, **options):
    return torch.compile(f, backend="nativefx", options=OPTIONS, **options)


def inputs(*, grad: bool = True) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(4, 5, generator=generator).requires_grad_(grad) for _ in range(2)]


def same(a, b) -> None:
    torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)


SIMPLE = {
    "one output": function,
    "two outputs": lambda x, w: (x * w, torch.tanh(x)),
    "an output without a gradient": lambda x, w: (x * w, (x > 0).sum(), w.detach() * 2),
    "a number among the outputs": lambda x, w: (x * w, x.shape[0] * 2),
    "an input without a gradient": lambda x, w: x.detach() * w,
    "a saved output": lambda x, w: torch.exp(x * w),
    "a view of a product": lambda x, w: (x @ w.t()).view(-1),
}

ORDINARY = {
    "a mutated input": lambda x, w: (x.detach().mul_(2), w * w)[1] + x.detach().add_(1),
    "an output that is a view of an input": lambda x, w: (x.t(), x * w),
    "outputs that share memory": lambda x, w: ((y := x * w), y.view(-1)),
}


def run_both(f, thin, dynamic=None):
    mine, theirs = inputs(), inputs()
    outputs, expected = compiled(f, dynamic=dynamic)(*mine), f(*theirs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for a, b in zip(outputs, expected, strict=True):
        same(a, b)
        if isinstance(a, Tensor):
            assert a.requires_grad == b.requires_grad
    torch.stack(
        [a.sum() for a in outputs if isinstance(a, Tensor) and a.requires_grad]
    ).sum().backward()
    torch.stack(
        [a.sum() for a in expected if isinstance(a, Tensor) and a.requires_grad]
    ).sum().backward()
    for a, b in zip(mine, theirs, strict=True):
        zeros = torch.zeros_like(a)  # AOTAutograd's for what only a mutated input leads to
        same(a.grad if a.grad is not None else zeros, b.grad if b.grad is not None else zeros)
        assert not thin or thin[0] is False or (a.grad is None) == (b.grad is None)


@pytest.mark.parametrize("name", SIMPLE)
@pytest.mark.parametrize("dynamic", [False, True])
def test_simple_graphs(thin, name, dynamic):
    run_both(SIMPLE[name], thin, dynamic)
    assert thin == [not dynamic]  # AOTAutograd marks the dynamic sizes of outputs


@pytest.mark.parametrize("name", ORDINARY)
def test_graphs_that_need_the_ordinary_path(thin, name):
    run_both(ORDINARY[name], thin)
    assert thin in ([], [False])


def test_gradients_accumulate(thin):
    mine, theirs = inputs(), inputs()
    run = compiled()
    for _ in range(3):
        run(*mine).sum().backward()
        function(*theirs).sum().backward()
    same([x.grad for x in mine], [x.grad for x in theirs])
    assert thin == [True]


def test_only_one_of_two_outputs_is_used(thin):
    def two(x, w):
        return x * w, torch.tanh(x)

    mine, theirs = inputs(), inputs()
    compiled(two)(*mine)[1].sum().backward()
    two(*theirs)[1].sum().backward()
    same(mine[0].grad, theirs[0].grad)
    assert thin == [True]


def test_backward_twice_with_the_graph_kept():
    mine, theirs = inputs(), inputs()
    a, b = compiled()(*mine).sum(), function(*theirs).sum()
    for loss in (a, b):
        loss.backward(retain_graph=True)
        loss.backward()
    same(mine[0].grad, theirs[0].grad)
    with pytest.raises(RuntimeError, match="second time"):
        a.backward()


def test_double_backward_is_refused(thin):
    x, w = inputs()
    (grad,) = torch.autograd.grad(compiled()(x, w).sum(), x, create_graph=True)
    (expected,) = torch.autograd.grad(function(x, w).sum(), x)
    same(grad.detach(), expected)
    assert grad.requires_grad and thin == [True]
    with pytest.raises(RuntimeError, match="double backward"):
        grad.sum().backward()


def test_a_saved_input_that_was_changed_is_noticed():
    x, w = inputs()
    leaf = x.detach().clone().requires_grad_()
    base = leaf * 1
    y = compiled()(base, w)
    base.detach().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_hooks(thin):
    x, w = inputs()
    seen = []
    y = compiled()(x, w)
    y.register_hook(lambda g: seen.append("output") or g * 2)
    x.register_hook(lambda g: seen.append("input") or g * 3)
    w.register_post_accumulate_grad_hook(lambda p: seen.append("accumulated"))
    y.grad_fn.register_hook(lambda *_: seen.append("node"))
    y.sum().backward()
    assert sorted(seen) == ["accumulated", "input", "node", "output"]
    a, b = inputs()
    function(a, b).sum().backward()
    same(x.grad, a.grad * 6)
    same(w.grad, b.grad * 2)
    assert thin == [True]


def test_saved_tensor_hooks():
    packed, unpacked = [], []

    def pack(t):
        packed.append(t.shape)
        return t.clone()

    def unpack(t):
        unpacked.append(t.shape)
        return t

    run = compiled()
    run(*inputs())
    mine, theirs = inputs(), inputs()
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = run(*mine)
    y.sum().backward()
    function(*theirs).sum().backward()
    assert packed and len(packed) == len(unpacked)
    same([x.grad for x in mine], [x.grad for x in theirs])


def test_hooks_that_are_there_from_the_start():
    mine, theirs = inputs(), inputs()
    with torch.autograd.graph.save_on_cpu():
        y = compiled()(*mine)
    y.sum().backward()
    function(*theirs).sum().backward()
    same(mine[0].grad, theirs[0].grad)


@pytest.mark.parametrize("inside", ["forward", "backward", "both"])
def test_autocast(inside):
    def product(x, w):
        return torch.tanh(x @ w.t()) * x.sum()

    def step(f, x, w):
        with torch.autocast("cpu", torch.bfloat16, enabled=inside != "backward"):
            y = f(x, w)
        with torch.autocast("cpu", torch.bfloat16, enabled=inside != "forward"):
            y.sum().backward()
        return y, x.grad, w.grad

    ours, theirs = step(compiled(product), *inputs()), step(product, *inputs())
    torch.testing.assert_close(ours, theirs, rtol=2e-2, atol=2e-2)
    assert [t.dtype for t in ours] == [t.dtype for t in theirs]


def test_autocast_around_the_backward_of_a_simple_graph(thin):
    def product(x, w):
        return torch.tanh(x @ w.t())

    mine, theirs = inputs(), inputs()
    y = compiled(product)(*mine)
    with torch.autocast("cpu", torch.bfloat16):
        y.sum().backward()
    product(*theirs).sum().backward()
    same(mine[0].grad, theirs[0].grad)
    assert thin == [True]


def test_a_graph_in_a_region_without_gradients():
    run = compiled()
    x, w = inputs()
    assert run(x, w).requires_grad
    with torch.no_grad():
        assert not run(x, w).requires_grad
    assert run(x, w).requires_grad


def test_an_input_that_is_no_leaf_and_gets_no_gradient(thin):
    a, w = inputs()
    b = a * 2
    reached = []
    b.grad_fn.register_hook(lambda *_: reached.append(1))
    compiled(lambda x, y: (x > 0) * y)(b, w).sum().backward()
    assert reached == [] and a.grad is None
    same(w.grad, (b > 0).float())
    assert thin == [True]


def test_anomaly_mode_and_gradcheck():
    run = compiled()
    double = [x.detach().double().requires_grad_() for x in inputs()]
    assert torch.autograd.gradcheck(run, double)
    with torch.autograd.detect_anomaly(check_nan=True):
        run(*double).sum().backward()


def test_functional_gradients():
    x, w = inputs(grad=False)
    run = compiled()
    expected = torch.func.grad(lambda a: function(a, w).sum())(x)
    same(torch.func.grad(lambda a: run(a, w).sum())(x), expected)


def test_what_was_saved_dies_with_the_outputs():
    x = torch.randn(600, 600, requires_grad=True)
    y = compiled(lambda t: torch.exp(t).sin())(x)
    node = weakref.ref(y.grad_fn)
    del y
    gc.collect()
    assert node() is None


def test_parameters_of_a_module(thin):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.GELU(), torch.nn.Linear(7, 2))
    run = compiled(model)
    x = inputs(grad=False)[0]
    run(x).square().mean().backward()
    ours = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(x).square().mean().backward()
    same(ours, [p.grad for p in model.parameters()])
    assert thin == [True]
    assert run(x).grad_fn is not None
