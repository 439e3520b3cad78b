"""Forward and backward through AOTAutograd."""

from __future__ import annotations

import pytest
import torch
from tolerances import assert_as_exact

OPTIONS = {"fallback": "error"}


def make_mlp(dtype: torch.dtype) -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(8, 16),
        torch.nn.LayerNorm(16),
        torch.nn.GELU(),
        torch.nn.Linear(16, 16),
        torch.nn.BatchNorm1d(16),
        torch.nn.SiLU(),
        torch.nn.Linear(16, 3),
    ).to(dtype)


@pytest.mark.parametrize("partition", ["min_cut", "default"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_mlp_training(partition, dtype):
    def train(compile_model: bool) -> list[float]:
        model = make_mlp(dtype)
        run = model
        if compile_model:
            options = {**OPTIONS, "partition": partition}
            run = torch.compile(model, backend="nativefx", options=options)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        generator = torch.Generator().manual_seed(1)
        losses = []
        for _ in range(20):
            x = torch.randn(32, 8, generator=generator).to(dtype)
            target = (x[:, 0] > 0).long()
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(run(x), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    bound = 1e-3 if dtype == torch.float32 else 1e-9
    ours, theirs = train(True), train(False)
    assert max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) < bound
    assert ours[-1] < ours[0]


def gradients(function, inputs):
    inputs = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
    result = function(*inputs)
    result.sum().backward()
    return result, [x.grad for x in inputs]


FUNCTIONS = {
    "attention": lambda q, k, v: torch.softmax(q @ k.transpose(-1, -2) / 4, -1) @ v,
    "fused attention": torch.nn.functional.scaled_dot_product_attention,
    "unused input": lambda q, k, v: torch.tanh(q) * k,
    "layer norm": lambda q, k, v: torch.nn.functional.layer_norm(q + k, (16,)) * v,
    "reuse": lambda q, k, v: (q * q).sigmoid() + (q - k).exp() * v.cos(),
    "index": lambda q, k, v: q[:, torch.tensor([0, 2, 2])].sum(1) + v.amax(1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients(name, dynamic):
    function = FUNCTIONS[name]
    run = torch.compile(function, backend="nativefx", dynamic=dynamic, options=OPTIONS)
    for batch in (2, 3):
        generator = torch.Generator().manual_seed(batch)
        inputs = [torch.randn(batch, 5, 16, generator=generator) for _ in range(3)]
        exact = gradients(function, [x.double() for x in inputs])
        assert_as_exact(gradients(run, inputs), gradients(function, inputs), exact)


def test_only_some_inputs_need_gradients():
    run = torch.compile(lambda x, y: (x * y).sum(), backend="nativefx", options=OPTIONS)
    x, y = torch.randn(3, requires_grad=True), torch.randn(3)
    run(x, y).backward()
    assert_as_exact(x.grad, y)
    assert y.grad is None


def test_a_second_backward_fails_as_in_eager():
    run = torch.compile(lambda x: (x * x).sum(), backend="nativefx", options=OPTIONS)
    result = run(torch.randn(3, requires_grad=True))
    result.backward()
    with pytest.raises(RuntimeError, match="second time"):
        result.backward()


def test_checkpoint():
    from torch.utils.checkpoint import checkpoint

    def layer(x, w):
        return torch.tanh(x @ w).sigmoid()

    def function(x, w):
        return checkpoint(
            layer, checkpoint(layer, x, w, use_reentrant=False), w, use_reentrant=False
        )

    inputs = [torch.randn(4, 4), torch.randn(4, 4)]
    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    exact = gradients(function, [x.double() for x in inputs])
    assert_as_exact(gradients(run, inputs), gradients(function, inputs), exact)
