"""Inputs of every kind: sizes, strides, dtypes, numbers; and what mode PyTorch is in."""

from __future__ import annotations

import pytest
import torch
from tolerances import assert_as_exact, to_float64
from torch._dynamo.testing import CompileCounterWithBackend

OPTIONS = {"fallback": "error"}


def block(x, w):
    y = torch.nn.functional.gelu(x @ w)
    return torch.softmax(y, -1) * y.mean(-1, keepdim=True)


def test_dynamic_batch_compiles_once():
    counter = CompileCounterWithBackend("nativefx")
    run = torch.compile(block, backend=counter, dynamic=True)
    w = torch.randn(16, 16)
    for batch in (4, 7, 1024, 2, 3, 7):
        x = torch.randn(batch, 16)
        exact = block(*to_float64((x, w)))
        assert_as_exact(run(x, w), block(x, w), exact)
    assert counter.frame_count <= 2


def test_dynamic_shapes_in_views_and_numbers():
    def function(x):
        b, s, d = x.shape
        y = x.reshape(b * s, d).t().contiguous().view(d, b, s)
        return y.sum(0) / s, y[:, 1:], b * s

    run = torch.compile(function, backend="nativefx", dynamic=True, options=OPTIONS)
    for shape in ((2, 3, 4), (5, 2, 8), (3, 7, 2)):
        x = torch.randn(shape)
        assert_as_exact(run(x), function(x))


@pytest.mark.parametrize("dynamic", [False, True])
def test_empty_tensors(dynamic):
    def function(x):
        return x.sum(), x * 2, x.sum(0), torch.cat([x, x]), x.t()

    run = torch.compile(function, backend="nativefx", dynamic=dynamic, options=OPTIONS)
    for x in (torch.randn(0, 3), torch.randn(4, 3), torch.randn(0, 3)):
        assert_as_exact(run(x), function(x))


STRIDED = {
    "transposed": lambda: torch.randn(6, 4).t(),
    "sliced": lambda: torch.randn(8, 12)[1:5, ::2],
    "expanded": lambda: torch.randn(1, 6).expand(4, 6),
    "offset": lambda: torch.randn(100)[3:27].view(4, 6),
    "channels_last": lambda: (
        torch.randn(2, 4, 3, 6).to(memory_format=torch.channels_last).select(0, 1).select(1, 1)
    ),
    "overlapping": lambda: torch.randn(40).as_strided((4, 6), (3, 2)),
}


@pytest.mark.parametrize("kind", STRIDED)
def test_strided_inputs(kind):
    def function(x):
        y = torch.relu(x) + x.mean(0)
        return y, y.t() @ y, x.contiguous(), torch.sigmoid(x)

    torch.manual_seed(0)
    x = STRIDED[kind]()
    found = torch.compile(function, backend="nativefx", options=OPTIONS)(x)
    expected = function(x)
    assert_as_exact(found, expected, function(to_float64(x)))
    assert [y.stride() for y in found] == [y.stride() for y in expected]


DTYPES = [
    torch.float64,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
    torch.float16,
    torch.bfloat16,
]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype):
    def function(x, y):
        return x * y, x == y, torch.where(x > y, x, y), x.sum(), (x + 1).to(torch.float32)

    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randint(0, 5, (3, 7), generator=generator).to(dtype) for _ in range(2))
    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    assert_as_exact(run(x, y), function(x, y))


def test_numbers_as_inputs():
    def function(x, scale, count, flip):
        return (x * scale).repeat(count) if flip else x - scale

    run = torch.compile(function, backend="nativefx", dynamic=True, options=OPTIONS)
    x = torch.randn(5)
    for scale, count, flip in ((1.5, 2, True), (2.5, 3, True), (-1.0, 4, False), (0.25, 3, True)):
        assert_as_exact(run(x, scale, count, flip), function(x, scale, count, flip))


def test_special_values():
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e-45, 3e38])

    def function(x):
        return x.relu(), x.abs(), x * 2, x.amax(), torch.exp(x), x.sign(), x + 0.0, torch.log(x)

    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    found, expected = run(x), function(x)
    assert_as_exact(found, expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.equal(torch.signbit(ours.nan_to_num()), torch.signbit(theirs.nan_to_num()))


def test_grad_mode_is_kept():
    run = torch.compile(lambda x: x * 2 + 1, backend="nativefx", options=OPTIONS)
    x = torch.randn(4, requires_grad=True)
    with torch.no_grad():
        assert not run(x).requires_grad
        assert not torch.is_grad_enabled()
    assert run(x).requires_grad
    assert torch.is_grad_enabled()
    with torch.inference_mode():
        assert run(x).is_inference()


def test_autocast():
    def function(x, w):
        return torch.relu(x @ w) + 1

    x, w = torch.randn(4, 8), torch.randn(8, 8)
    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    with torch.autocast("cpu", torch.bfloat16):
        found, expected = run(x, w), function(x, w)
    assert found.dtype == expected.dtype
    torch.testing.assert_close(found, expected)


def test_random_numbers_are_eagers():
    def function(x):
        return torch.nn.functional.dropout(x, 0.3) + torch.rand_like(x), torch.randn(3)

    x = torch.randn(64)
    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    torch.manual_seed(5)
    expected = torch.compile(function, backend="aot_eager")(x)
    torch.manual_seed(5)
    assert_as_exact(run(x), expected)


def test_subclasses_and_fake_tensors_take_pytorchs_path():
    def function(x):
        return torch.tanh(x) * 2

    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    x = torch.randn(3)
    run(x)
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode() as mode:
        fake = mode.from_tensor(x)
        assert isinstance(run(fake), type(fake))


def test_data_dependent_sizes():
    def function(x):
        found = torch.nonzero(x > 0)
        return found, found.float().sum(), found.size(0)

    with torch._dynamo.config.patch(
        capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True
    ):
        run = torch.compile(function, backend="nativefx", options=OPTIONS, fullgraph=True)
        for seed in range(3):
            x = torch.randn(7, 3, generator=torch.Generator().manual_seed(seed))
            assert_as_exact(run(x), function(x))


def test_item():
    def function(x, n):
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= 10)
        return x * k, torch.zeros(k) + 1

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        run = torch.compile(function, backend="nativefx", options=OPTIONS, fullgraph=True)
        for k in (3, 5, 2):
            args = (torch.randn(4), torch.tensor(k))
            assert_as_exact(run(*args), function(*args))


def test_graph_breaks():
    def function(x):
        y = torch.relu(x) * 2
        torch._dynamo.graph_break()
        return y.softmax(-1) + x

    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    x = torch.randn(3, 5)
    assert_as_exact(run(x), function(x), function(x.double()))
