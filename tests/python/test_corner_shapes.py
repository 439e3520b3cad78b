"""Sizes that change, are values, are zero; layouts; scans and roundings."""

from __future__ import annotations

import math

import pytest
import torch
from corner_check import check, compiled, same_facts
from torch._dynamo.testing import CompileCounterWithBackend


def rows(a, b):
    return a.shape[0] * a * b


def rows_in_many_ways(a, b):
    n, m = a.shape
    return a / n, (a + n) * (b - m), n * m, a.new_full((m,), n), torch.arange(n) * m, a.sum() / n


def flattened(a, b):
    n, m = a.shape
    return a.reshape(-1)[n:], b.view(n * m).view(m, n), a.view(n, 1, m).expand(n, 2, m)


def cut_by_size(a, b):
    n = a.shape[0]
    return a[: n // 2], b[n // 2 :] * 2, a[-1], torch.cat([a, b[1:]])[n - 1]


def padded(a, b):
    n = a.shape[0]
    return torch.nn.functional.pad(a, (0, 8 - n % 8)), b.repeat(n, 1)


def size_in_float(a, b):
    return a * math.sqrt(a.shape[1]), a * a.shape[0] ** -0.5, b * float(a.shape[0])


def size_compared(a, b):
    return a * (a.shape[0] > 3), torch.where(b > 0, a.shape[0], a.shape[1])


def causal_mask(a, b):
    n = a.shape[0]
    i = torch.arange(n)
    return (i[:, None] >= i[None, :]), torch.ones(n, n, dtype=a.dtype).tril() @ a


DYNAMIC = [
    rows,
    rows_in_many_ways,
    flattened,
    cut_by_size,
    padded,
    size_in_float,
    size_compared,
    causal_mask,
]


@pytest.mark.parametrize("function", DYNAMIC, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", ["float", "int", "grad"])
def test_dynamic_sizes_as_values(function, kind):
    counter = CompileCounterWithBackend("nativefx")
    run = torch.compile(function, backend=counter, dynamic=True)
    for n, m in ((4, 6), (5, 3), (2, 9), (7, 7), (3, 6)):
        torch.manual_seed(n)
        a, b = torch.randn(n, m), torch.randn(n, m)
        if kind == "int":
            a, b = (a * 5).long(), (b * 5).long()
        a.requires_grad_(kind == "grad")
        found, expected = run(a, b), function(a, b)
        same_facts(found, expected)
        if kind != "grad":
            continue
        grads = []
        for results in (found, expected):
            leaves = [
                x for x in torch.utils._pytree.tree_leaves(results) if isinstance(x, torch.Tensor)
            ]
            total = sum((x * x).sum() for x in leaves if x.requires_grad)
            grads.append(torch.autograd.grad(total, a) if leaves else ())
        same_facts(grads[0], grads[1])


EMPTY = [(0, 4), (3, 0), (0, 0), (1, 1), (2, 4)]


def reductions(x):
    return (
        x.sum(),
        x.sum(0),
        x.mean(1),
        x.prod(1),
        x.any(0),
        (x > 0).all(),
        x.norm(),
        x.logsumexp(1),
    )


def pointwise(x):
    return x * 2, torch.cat([x, x + 1], 1), x.t().exp(), torch.stack([x, x]), x[:0]


def normalised(x):
    return (
        torch.softmax(x, 0),
        torch.log_softmax(x, 1),
        torch.nn.functional.layer_norm(x, x.shape[1:]),
    )


def products(x):
    return x @ x.t(), x.t() @ x, (x @ x.t()).relu().sum(1), torch.einsum("ij,ik->jk", x, x)


def scans(x):
    return x.cumsum(0), x.cumprod(1), x.cumsum(1).relu(), torch.logcumsumexp(x, 0)


def gathers(x):
    index = torch.zeros(2, dtype=torch.long)[: x.shape[0]]
    return x[index], x.index_select(0, index), x.gather(0, index[:, None].expand(-1, x.shape[1]))


@pytest.mark.parametrize("shape", EMPTY, ids=str)
@pytest.mark.parametrize(
    "function",
    [reductions, pointwise, normalised, products, scans, gathers],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("dynamic", [False, True])
def test_zero_sizes(function, shape, dynamic):
    if function is normalised and 0 in shape[1:]:
        pytest.skip("a norm over nothing")
    check(
        function,
        lambda: [torch.randn(shape, generator=torch.Generator().manual_seed(0))],
        dynamic=dynamic,
    )


def test_sizes_become_zero_and_come_back():
    run = compiled(lambda x: (x.relu().sum(0), x.exp(), x.sum()), dynamic=True)
    for n in (3, 0, 5, 1, 0):
        x = torch.randn(n, 4)
        same_facts(run(x), (x.relu().sum(0), x.exp(), x.sum()))


def image(x):
    y = torch.relu(x) + 1
    return (
        y,
        y.mean(1),
        y.sum((2, 3)),
        y * y.amax(1, keepdim=True),
        y.permute(0, 2, 3, 1).contiguous(),
    )


def image_convolved(x):
    w = torch.ones(5, 3, 3, 3)
    y = torch.nn.functional.conv2d(x, w, padding=1)
    return torch.relu(y) * 2, torch.nn.functional.max_pool2d(y, 2), y.sum(1)


def image_normed(x):
    y = torch.nn.functional.batch_norm(x, None, None, training=True)
    return (
        y,
        torch.nn.functional.group_norm(x, 1),
        torch.nn.functional.interpolate(y, scale_factor=2),
    )


def image_joined(x):
    return (
        torch.cat([x, x * 2], 1),
        torch.nn.functional.pad(x, (1, 1, 1, 1)),
        x.flip(2),
        x.view_as(x),
    )


FORMATS = {
    "channels_last": lambda x: x.to(memory_format=torch.channels_last),
    "permuted": lambda x: x.permute(0, 1, 3, 2).contiguous().permute(0, 1, 3, 2),
    "sliced": lambda x: torch.cat([x, x], 3)[..., ::2],
    "broadcast": lambda x: x[:, :, :1, :].expand_as(x),
    "offset": lambda x: torch.cat([x, x])[2:],
}


@pytest.mark.parametrize("layout", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize(
    "function", [image, image_convolved, image_normed, image_joined], ids=lambda f: f.__name__
)
def test_layouts(function, layout):
    if function is image_normed and layout is FORMATS["permuted"]:
        pytest.skip("PyTorch's trace gives batch_norm other strides than eager mode")
    x = torch.randn(2, 3, 8, 6, generator=torch.Generator().manual_seed(0))
    check(function, lambda: [layout(x.clone())])


def scanned(x):
    return torch.cumsum(x, 0), torch.cumprod(x, 0) * 2, torch.cummax(x, 0), torch.logcumsumexp(x, 0)


def scanned_constant(x):
    return torch.cumsum(torch.ones(5), 0) + x, torch.cumsum(torch.full((), 3.0), 0) * x


def scanned_expanded(x):
    return x.expand(4, 3).cumsum(0), x.reshape(1, 1).expand(3, 2).cumsum(1), x.cumsum(-1)


@pytest.mark.parametrize("function", [scanned, scanned_constant, scanned_expanded])
def test_scans_of_single_values(function):
    check(function, lambda: [torch.tensor(1.7)])


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 1)], ids=str)
def test_scans(shape):
    check(scanned, lambda: [torch.randn(shape, generator=torch.Generator().manual_seed(0))])


@pytest.mark.parametrize("narrow", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_a_cast_and_back_rounds(narrow, size):
    def function(x):
        y = x.to(narrow).to(torch.float32)
        z = (y * 3).to(narrow)
        w = (z + 1).to(narrow).float() - z.float()
        return y, w, (x.to(narrow) * 1.1).sum().float(), x.to(narrow).exp().float() + 1

    x = torch.randn(size, generator=torch.Generator().manual_seed(0)) * 100
    run = compiled(function)
    found, expected = run(x / 50), function(x / 50)
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1], expected[1])
    torch.testing.assert_close(found[2], expected[2], rtol=2e-2, atol=1e-1)
    torch.testing.assert_close(found[3], expected[3], rtol=1e-2, atol=0)
    assert torch.equal(found[3], (found[3] - 1).to(narrow).float() + 1)


@pytest.mark.parametrize("wide,narrow", [(torch.int64, torch.int8), (torch.float32, torch.uint8)])
def test_a_cast_to_a_narrow_integer_wraps(wide, narrow):
    def function(x):
        y = x.to(narrow)
        return y.to(wide) + 1, (y * 7 + y).to(wide)

    check(function, lambda: [torch.arange(0, 120).to(wide)])
