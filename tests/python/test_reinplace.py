"""A cache that is written in part is changed in place: nothing of its size is copied."""

from __future__ import annotations

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

OPTIONS = {"fallback": "error"}
SHAPE = (2, 4, 2048, 64)  # batch, heads, positions, width: 4 MiB


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def put(cache, position, new):
    cache[:, :, position] = new
    return new.sum()


def put_and_attend(cache, position, new):
    cache[:, :, position] = new
    return torch.softmax(new @ cache.transpose(-1, -2), -1).sum(-1)


def copy_at(cache, position, new):
    cache.index_copy_(2, position, new)
    return cache[0, 0, 0].clone()


def slice_(cache, position, new):
    cache[:, :, 5:7] = new
    return new * 2


def nested(cache, position, new):
    cache[1, :, 5:7] = new[0]
    return new * 2


def select(cache, position, new):
    cache[:, 1].copy_(cache.new_full((2, 2048, 64), 3.0))
    return new + 1


def add_at(cache, position, new):
    cache.index_add_(2, position, new)
    return cache.amax(-1)


def read_before(cache, position, new):
    old = cache.sum(-1)
    cache[:, :, position] = new
    return old * 2 + cache.sum(-1)


def returned(cache, position, new):
    cache[:, :, position] = new
    return cache


CASES = [put, put_and_attend, copy_at, slice_, nested, select, add_at, read_before, returned]
IN_PLACE = [put, copy_at, slice_, nested, add_at]


def arguments() -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    cache = torch.randn(SHAPE, generator=generator)
    return cache, torch.tensor([3, 9]), torch.randn(2, 4, 2, 64, generator=generator)


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kernels", [True, False])
def test_values_and_the_cache(function, kernels):
    options = {**OPTIONS, "kernels": kernels}
    run = torch.compile(function, backend="nativefx", options=options)
    ours, theirs = arguments(), arguments()
    address, version = ours[0].data_ptr(), ours[0]._version
    with torch.no_grad():
        for _ in range(3):
            a, b = run(*ours), function(*theirs)
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)
            torch.testing.assert_close(ours[0], theirs[0])
    assert ours[0].data_ptr() == address and ours[0]._version > version


def allocated(run, inputs) -> int:
    """Bytes that PyTorch and the pool give to one call."""
    import nativefx

    nativefx.release_memory()
    before = nativefx.memory_usage()
    with torch.no_grad(), profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        run(*inputs)
    after = nativefx.memory_usage()
    fresh = sum(max(event.self_cpu_memory_usage, 0) for event in seen.events())
    return fresh + after.in_use + after.idle - before.in_use - before.idle


@pytest.mark.parametrize("function", IN_PLACE, ids=lambda f: f.__name__)
def test_nothing_of_the_size_of_the_cache_is_made(function):
    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    inputs = arguments()
    with torch.no_grad():
        run(*inputs)
    assert allocated(run, inputs) < inputs[0].nbytes // 8


def test_the_measure_sees_a_copy_of_the_cache():
    run = torch.compile(read_before, backend="nativefx", options=OPTIONS)
    inputs = arguments()
    with torch.no_grad():
        run(*inputs)
    assert allocated(run, inputs) >= inputs[0].nbytes
