"""Gradients where more than one plain backward is asked for, and the modes of autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from corner_check import compiled, same_facts
from tolerances import assert_as_exact
from torch import nn
from torch.utils.checkpoint import checkpoint


def block(x, w):
    y = torch.tanh(x @ w)
    return torch.softmax(y * 2, -1) * x.mean(-1, keepdim=True) + y * x


def inputs(dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(4, 4, generator=generator, dtype=dtype).requires_grad_() for _ in range(2)]


def both(work: Callable[[Callable[..., Any]], Any], function: Callable[..., Any] = block) -> None:
    """Do `work` with `function` compiled and in eager mode; results must be the same."""
    assert_as_exact(work(compiled(function)), work(function))


def test_requires_grad_changes_between_calls():
    def work(run):
        x, w = inputs()
        found = []
        for grad_x, grad_w in ((True, True), (False, True), (False, False), (True, False)):
            x.requires_grad_(grad_x)
            w.requires_grad_(grad_w)
            y = run(x, w)
            assert y.requires_grad == (grad_x or grad_w)
            found.append(y.detach())
            if y.requires_grad:
                y.sum().backward()
            found += [x.grad, w.grad]
            x.grad = w.grad = None
        return [f for f in found if f is not None]

    both(work)


MODES = {
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
    "enable_grad": torch.enable_grad,
}


@pytest.mark.parametrize("first", MODES)
@pytest.mark.parametrize("second", MODES)
def test_modes_follow_each_other(first, second):
    run = compiled(block)
    for mode in (first, second, first):
        x, w = inputs()
        with MODES[mode]():
            found, expected = run(x, w), block(x, w)
            same_facts(found, expected)


def modes_inside(x, w):
    with torch.no_grad():
        y = x * 2
    z = x * w
    with torch.enable_grad():
        u = z + y
    return y, z, u, u.detach() * 2


@pytest.mark.parametrize("outer", [torch.no_grad, torch.enable_grad])
def test_modes_inside_a_function(outer):
    run = compiled(modes_inside)
    x, w = inputs()
    with outer():
        same_facts(run(x, w), modes_inside(x, w))


def test_inference_tensors_as_inputs():
    def function(x):
        x.mul_(2)
        return x + 1, x.t()

    run = compiled(function)
    with torch.inference_mode():
        for _ in range(2):
            x, y = torch.ones(3, 4), torch.ones(3, 4)
            same_facts((run(x), x), (function(y), y))


def test_double_backward():
    def work(run):
        x, w = inputs()
        (grad,) = torch.autograd.grad(run(x, w).square().sum(), x, create_graph=True)
        return grad, torch.autograd.grad(grad.square().sum(), (x, w))

    eager = work(block)
    try:
        found = work(compiled(block))
    except RuntimeError as error:  # AOTAutograd: no double backward, and it says so
        assert "double backward" in str(error)
    else:
        assert_as_exact(found, eager)


def test_gradient_accumulation():
    def work(run):
        x, w = inputs()
        for k in range(3):
            (run(x, w) * (k + 1)).sum().backward()
        return x.grad, w.grad

    both(work)


def test_backward_twice_with_a_kept_graph():
    def work(run):
        x, w = inputs()
        y = run(x, w).sum()
        y.backward(retain_graph=True)
        first = x.grad.clone()
        y.backward()
        return first, x.grad, w.grad

    both(work)


def test_hooks_of_tensors():
    def work(run):
        x, w = inputs()
        seen = []
        x.register_hook(lambda g: g * 2)
        h = x * 1
        h.register_hook(lambda g: seen.append(g.clone()))
        y = run(h, w)
        y.register_hook(lambda g: g + 1)
        y.sum().backward()
        return x.grad, w.grad, seen

    both(work)


def test_hooks_for_saved_tensors():
    packed = []

    def pack(tensor):
        packed.append(tensor)
        return (tensor.clone(),)

    def work(run):
        x, w = inputs()
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda held: held[0]):
            y = run(x, w)
        y.sum().backward()
        return x.grad, w.grad

    both(work)
    assert packed


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x):
        return self.b(torch.nn.functional.gelu(self.a(x))) + x


def test_hooks_of_modules():
    def work(compile_it):
        model = Block()
        seen = []
        model.a.register_forward_hook(lambda m, i, o: o * 2)
        model.register_forward_pre_hook(lambda m, i: (i[0] + 1,))
        model.b.register_full_backward_hook(lambda m, gi, go: seen.append(go[0].clone()))
        run = torch.compile(model, backend="nativefx") if compile_it else model
        x = torch.ones(2, 6, requires_grad=True)
        run(x).sum().backward()
        return x.grad, model.a.weight.grad, seen

    assert_as_exact(work(True), work(False))


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_checkpointed_regions(reentrant, inside):
    def work(compile_it):
        model = nn.ModuleList([Block().double() for _ in range(3)])

        def inner(x):
            for layer in model:
                x = checkpoint(layer, x, use_reentrant=reentrant) if inside else layer(x)
            return x

        run = torch.compile(inner, backend="nativefx") if compile_it else inner
        x = torch.ones(2, 6, dtype=torch.float64, requires_grad=True)
        y = run(x) if inside else checkpoint(run, x, use_reentrant=reentrant)
        y.square().sum().backward()
        return y, x.grad, [p.grad for p in model.parameters()]

    assert_as_exact(work(True), work(False))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("where", ["outside", "inside"])
def test_autocast_training(dtype, where):
    def function(model, x):
        if where == "outside":
            return model(x)
        with torch.autocast("cpu", dtype):
            return model(x)

    def work(compile_it):
        model = Block()
        run = torch.compile(function, backend="nativefx") if compile_it else function
        x = torch.ones(3, 6, requires_grad=True)
        with torch.autocast("cpu", dtype, enabled=where == "outside"):
            y = run(model, x)
        y.float().square().sum().backward()
        return y.detach(), x.grad, model.a.weight.grad, model.b.bias.grad

    for ours, theirs in zip(work(True), work(False), strict=True):
        assert ours.dtype == theirs.dtype
        torch.testing.assert_close(ours, theirs, rtol=2e-2, atol=2e-2)


def written_leaf_view(x, w):
    y = x * 1
    y[0] = w[0]
    y.t()[1].mul_(2)
    return y.sum(0), y


def inplace_after_use(x, w):
    y = x.exp()
    z = y + w
    z.mul_(2).add_(y)
    return z


def returned_views(x, w):
    y = x @ w
    return y.t(), y[1:], x.t(), y


def returned_inputs(x, w):
    return x, w * 2, x.view(-1)


def not_differentiable(x, w):
    return x.argmax(0), (x > w), x.detach() + w, x.sort(0)


def complex_parts(x, w):
    z = torch.complex(x, w)
    return (z * z).abs(), torch.view_as_real(z).sum(-1)


@pytest.mark.parametrize(
    "function",
    [
        written_leaf_view,
        inplace_after_use,
        returned_views,
        returned_inputs,
        not_differentiable,
        complex_parts,
    ],
    ids=lambda f: f.__name__,
)
def test_outputs_of_training_graphs(function):
    def work(run):
        x, w = inputs()
        found = run(x, w)
        leaves = [t for t in torch.utils._pytree.tree_leaves(found) if t.requires_grad]
        sum((t * t).sum() for t in leaves).backward()
        return found, x, w, x.grad, w.grad

    same_facts(work(compiled(function)), work(function))


def test_an_output_changed_in_place_by_the_caller():
    def function(x, w):
        y = x * w
        return y, y + 1

    def work(run):
        x, w = inputs()
        y, z = run(x, w)
        z.mul_(3)
        (y.sum() + z.sum()).backward()
        return z, x.grad

    both(work, function)


def test_training_then_evaluation():
    def work(compile_it, dtype=torch.float32):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.0), nn.ReLU())
        model.to(dtype)
        run = torch.compile(model, backend="nativefx") if compile_it else model
        found = []
        for training in (True, False, True, False):
            model.train(training)
            with torch.set_grad_enabled(training):
                y = run(torch.linspace(-1, 1, 12, dtype=dtype).view(3, 4))
            if training:
                y.sum().backward()
            found.append(y.detach())
        return found, list(model.buffers()), [p.grad for p in model.parameters()]

    # The gradients before the norm cancel.
    assert_as_exact(work(True), work(False), work(False, torch.float64))


def test_dropout_in_a_checkpointed_region_draws_once():
    # Forward and backward call operators of which PyTorch types only the elements,
    # and whose results are tuples in tuples.
    def function(x, weight):
        def region(t):
            return torch.nn.functional.dropout(torch.relu(t @ weight), 0.5) * t

        return checkpoint(region, x, use_reentrant=False).square().sum()

    run = torch.compile(function, backend="nativefx", options={"fallback": "error"})
    found = []
    for call in (function, run):
        torch.manual_seed(3)
        x = torch.linspace(-1, 1, 48, dtype=torch.float64).view(6, 8).requires_grad_()
        weight = torch.linspace(-1, 2, 64, dtype=torch.float64).view(8, 8).requires_grad_()
        loss = call(x, weight)
        loss.backward()
        found.append((loss.detach(), x.grad, weight.grad))
    torch.testing.assert_close(found[1], found[0], rtol=1e-10, atol=1e-10)
