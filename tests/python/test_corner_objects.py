"""Compiled modules as Python objects: copies, pickles, parameters and closures that change."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import weakref

import pytest
import torch
from corner_check import OPTIONS, compiled
from tolerances import assert_as_exact
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.linear = nn.Linear(4, 4)
        self.register_buffer("calls", torch.zeros(()))
        self.scale = 2.0

    def forward(self, x):
        self.calls.add_(1)
        return torch.tanh(self.linear(x)) * self.scale


def compile_module(model: nn.Module) -> nn.Module:
    return torch.compile(model, backend="nativefx", options=OPTIONS)


X = torch.linspace(-1, 1, 12).view(3, 4)


def test_a_deep_copy_has_parameters_of_its_own():
    run = compile_module(Net())
    before = run(X)
    other = copy.deepcopy(run)
    with torch.no_grad():
        other.linear.weight.zero_()
    assert_as_exact(run(X), before)
    assert_as_exact(other(X), (torch.tanh(other.linear.bias) * 2).expand(3, 4))
    assert run.calls.item() == 2
    assert other.calls.item() == 2


def test_a_copy_of_the_module_below():
    model = Net()
    run = compile_module(model)
    run(X)
    twin = copy.deepcopy(model)
    assert_as_exact(compile_module(twin)(X), twin(X))


def test_a_module_pickles_after_it_was_compiled():
    model = Net()
    compile_module(model)(X)
    loaded = pickle.loads(pickle.dumps(model))
    assert_as_exact(loaded(X), Net()(X))
    inside = Net()
    inside.compile(backend="nativefx", options=OPTIONS)
    expected = inside(X)
    assert_as_exact(pickle.loads(pickle.dumps(inside))(X), expected)


def test_state_dicts_cross():
    run = compile_module(Net())
    run(X)
    file = io.BytesIO()
    torch.save(run.state_dict(), file)
    file.seek(0)
    other = compile_module(Net())
    with torch.no_grad():
        other.linear.weight.add_(1)
    other.load_state_dict(torch.load(file))
    assert_as_exact(other(X), run(X))


def test_new_parameters_after_compile():
    model = Net()
    run = compile_module(model)
    run(X)
    model.linear.weight = nn.Parameter(torch.eye(4))
    assert_as_exact(run(X), model(X))
    model.linear = nn.Linear(4, 6)
    assert run(X).shape == (3, 6)
    assert_as_exact(run(X), model(X))
    model.linear.weight.data = torch.zeros(6, 4)
    assert_as_exact(run(X), model(X))
    model.scale = 5.0
    assert_as_exact(run(X), model(X))
    model.double()
    assert_as_exact(run(X.double()), model(X.double()))


def test_frozen_and_thawed_parameters():
    model = Net()
    run = compile_module(model)
    for frozen in (False, True, False):
        model.requires_grad_(not frozen)
        model.zero_grad()
        y = run(X)
        assert y.requires_grad is not frozen
        if not frozen:
            y.sum().backward()
            twin = copy.deepcopy(model)
            twin.zero_grad()
            twin(X).sum().backward()
            assert_as_exact(model.linear.weight.grad, twin.linear.weight.grad)


def test_tied_parameters():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    model[2].weight = model[0].weight
    run = compile_module(model)
    run(X).square().sum().backward()
    ours = model[0].weight.grad
    model.zero_grad()
    model(X).square().sum().backward()
    assert_as_exact(ours, model[0].weight.grad)


def test_closures_that_change():
    factor = torch.tensor(2.0)
    count = 3

    def function(x):
        return x * factor + count

    run = compiled(function)
    assert_as_exact(run(X), X * 2 + 3)
    factor.fill_(5)
    assert_as_exact(run(X), X * 5 + 3)
    factor = torch.tensor(7.0)
    count = 4
    assert_as_exact(run(X), X * 7 + 4)
    factor = torch.tensor([1.0, 2.0, 3.0, 4.0])
    assert_as_exact(run(X), X * factor + 4)


TABLE = torch.arange(4.0)


def test_globals_that_change():
    global TABLE

    def function(x):
        return x + TABLE

    run = compiled(function)
    kept = TABLE
    try:
        assert_as_exact(run(X), X + kept)
        TABLE = torch.full((4,), 9.0)
        assert_as_exact(run(X), X + 9)
    finally:
        TABLE = kept


def test_constants_made_inside_are_fresh():
    def function(x):
        table = torch.tensor([1.0, 2.0, 3.0, 4.0])
        table.add_(x[0])
        return table

    run = compiled(function)
    for _ in range(3):
        assert_as_exact(run(X), function(X))


def test_containers_go_in_and_come_out():
    def function(values, named):
        values[0].mul_(2)
        total = values[0] + values[1] + named["a"]
        return {"sum": total, "parts": [values[0], (named["a"] * 2, None)], "n": 3}

    run = compiled(function)
    for _ in range(2):
        given = [[X.clone(), X + 1], {"a": X - 1}]
        twin = copy.deepcopy(given)
        assert_as_exact((run(*given), given), (function(*twin), twin))


def test_results_keep_nothing_else_alive():
    def function(x):
        y = x * 2
        return y + 1

    run = compiled(function)
    x = torch.randn(100)
    run(x)
    seen = weakref.ref(x)
    y = run(x)
    del x
    gc.collect()
    assert seen() is None
    assert y.shape == (100,)


def test_memory_of_a_dropped_module_is_given_back():
    model = Net()
    run = compile_module(model)
    run(X)
    seen = weakref.ref(model.linear)
    del run, model
    torch._dynamo.reset()
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_outputs_pickle(protocol):
    y = compiled(lambda x: (x * 2, x.t() + 1))(X)
    assert_as_exact(pickle.loads(pickle.dumps(y, protocol)), y)


def test_outputs_resize_and_share():
    y, z = compiled(lambda x: (x * 2, x + 1))(X)
    y.resize_(100)
    assert y.shape == (100,)
    z.set_(torch.ones(2))
    assert z.shape == (2,)
    (w,) = compiled(lambda x: (x * 3,))(X)
    w.share_memory_()
    assert w.is_shared()
    assert_as_exact(w, X * 3)
