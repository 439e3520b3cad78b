"""Outputs whose memory is the pool's are like eager's in every way, and give it back."""

from __future__ import annotations

import copy
import gc
import io
import multiprocessing
import subprocess
import sys
import textwrap
import threading

import pytest
import torch

import nativefx
from nativefx import _core

OPTIONS = {"fallback": "error"}
SIDE = 512
BYTES = SIDE * SIDE * 4

pytestmark = pytest.mark.skipif(
    not _core.tensor_crossing()["pool"], reason="this PyTorch takes no allocator of ours"
)


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    gc.collect()
    nativefx.release_memory()
    yield
    torch._dynamo.reset()


@pytest.fixture
def made():
    """An output with memory of the pool, and its values."""
    x = torch.randn(SIDE, SIDE)
    before = nativefx.memory_usage().in_use
    run = torch.compile(torch.tanh, backend="nativefx", options=OPTIONS)
    y = run(x)
    assert nativefx.memory_usage().in_use == before + BYTES
    return y, torch.tanh(x)


def in_use() -> int:
    gc.collect()
    return nativefx.memory_usage().in_use


def same(a: torch.Tensor, b: torch.Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)


def test_the_next_call_gets_the_memory_of_an_output_that_died():
    run = torch.compile(torch.tanh, backend="nativefx", options=OPTIONS)
    x = torch.randn(SIDE, SIDE)
    first = run(x)
    address = first.data_ptr()
    kept = run(x)
    assert kept.data_ptr() != address
    del first
    assert run(x).data_ptr() == address
    same(kept, torch.tanh(x))


@pytest.mark.parametrize("shape", [(SIDE, SIDE), (SIDE * 16, 17), (3, 5, 100003)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bool, torch.bfloat16])
def test_a_storage_has_exactly_its_bytes(shape, dtype):
    run = torch.compile(lambda x: (x > 0).to(dtype), backend="nativefx", options=OPTIONS)
    y = run(torch.randn(shape))
    storage = y.untyped_storage()
    assert storage.nbytes() == y.numel() * y.element_size()
    assert storage.resizable() and y.storage_offset() == 0
    assert y.is_contiguous() and not y.is_shared()


def test_strides_that_are_not_contiguous():
    run = torch.compile(lambda x: x * 2, backend="nativefx", options=OPTIONS)
    x = torch.randn(8, 16, 64, 64).to(memory_format=torch.channels_last)
    y = run(x)
    assert y.stride() == x.stride() and y.untyped_storage().nbytes() == x.untyped_storage().nbytes()
    same(y, x * 2)


@pytest.mark.parametrize("size", [(10,), (SIDE, SIDE // 2), (2 * SIDE, SIDE), (0,)])
def test_resize(made, size):
    y, expected = made
    eager = expected.clone()
    y.resize_(size)
    eager.resize_(size)
    count = min(eager.numel(), SIDE * SIDE)
    assert y.untyped_storage().nbytes() == eager.untyped_storage().nbytes()
    same(y.flatten()[:count], eager.flatten()[:count])
    y.fill_(1)
    assert y.sum() == y.numel()


def test_resize_of_the_storage(made):
    y, expected = made
    before = in_use()
    y.untyped_storage().resize_(0)
    assert in_use() == before - BYTES
    y.untyped_storage().resize_(BYTES)
    y.copy_(expected)
    same(y, expected)


def test_set_to_another_storage(made):
    y, expected = made
    before = in_use()
    view = y[3]
    y.set_(torch.zeros(4))
    assert in_use() == before
    same(view, expected[3])
    del view
    assert in_use() == before - BYTES
    other = torch.empty(0)
    other.set_(torch.compile(torch.exp, backend="nativefx")(expected))
    same(other, expected.exp())


def test_set_data(made):
    y, expected = made
    parameter = torch.nn.Parameter(torch.zeros(1))
    parameter.data = y
    del y
    same(parameter.data, expected)


def _double_in_child(tensor, queue):
    tensor.mul_(2)
    queue.put("done")


def test_share_memory(made):
    y, expected = made
    before = in_use()
    y.share_memory_()
    assert y.is_shared() and in_use() == before - BYTES
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_double_in_child, args=(y, queue))
    child.start()
    assert queue.get(timeout=60) == "done"
    child.join()
    same(y, expected * 2)


def test_save_writes_its_bytes_and_no_more(made):
    y, expected = made
    ours, eager = io.BytesIO(), io.BytesIO()
    torch.save(y, ours)
    torch.save(expected.clone(), eager)
    assert len(ours.getvalue()) == len(eager.getvalue())
    ours.seek(0)
    same(torch.load(ours, weights_only=True), expected)


def test_copies(made):
    y, expected = made
    for made_copy in (copy.deepcopy(y), y.clone(), y.detach()):
        same(made_copy, expected)
    array = y.numpy()
    del y
    same(torch.from_numpy(array), expected)


def test_dlpack_holds_the_memory(made):
    y, expected = made
    before = in_use()
    other = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(y))
    del y, made
    assert in_use() == before
    same(other, expected)


@pytest.mark.parametrize(
    "view",
    [
        lambda y: y[5:7],
        lambda y: y.t()[3],
        lambda y: y.view(-1)[-2:],
        lambda y: y.as_strided((2, 2), (1, 1), 100),
        lambda y: y.untyped_storage(),
    ],
)
def test_a_view_that_outlives_its_output(view):
    run = torch.compile(torch.tanh, backend="nativefx", options=OPTIONS)
    x = torch.randn(SIDE, SIDE)
    before = in_use()
    y = run(x)
    kept = view(y)
    del y
    others = [run(x + k) for k in range(3)]
    assert in_use() == before + 4 * BYTES
    expected = view(torch.tanh(x))
    if isinstance(kept, torch.UntypedStorage):
        kept = torch.empty(0).set_(kept)
        expected = torch.empty(0).set_(expected)
    same(kept, expected)
    del kept, others
    assert in_use() == before


def test_saved_for_backward():
    def function(x, w):
        return torch.sigmoid(x * w).mul(x).sum()

    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    pairs = []
    for _ in range(3):
        x = torch.randn(SIDE, SIDE, requires_grad=True)
        w = torch.randn(SIDE, SIDE, requires_grad=True)
        pairs.append((x, w, run(x, w)))
    for x, w, loss in reversed(pairs):
        loss.backward()
        expected = [t.detach().clone().requires_grad_() for t in (x, w)]
        function(*expected).backward()
        same(x.grad, expected[0].grad)
        same(w.grad, expected[1].grad)


def test_death_in_another_thread():
    run = torch.compile(torch.tanh, backend="nativefx", options=OPTIONS)
    x = torch.randn(SIDE, SIDE)
    before = in_use()
    outputs = [run(x) for _ in range(4)]
    threads = [threading.Thread(target=outputs.pop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert in_use() == before
    same(run(x), torch.tanh(x))


def test_death_after_the_plan(made):
    y, expected = made
    torch._dynamo.reset()
    gc.collect()
    before = in_use()
    same(y, expected)
    del y, made
    gc.collect()
    # pytest may hold the fixture's own tuple; a new output tells whether its memory comes back
    assert in_use() in (before, before - BYTES)


def test_the_plan_dies_before_its_output():
    x = torch.randn(SIDE, SIDE)
    before = in_use()
    y = torch.compile(torch.tanh, backend="nativefx", options=OPTIONS)(x)
    torch._dynamo.reset()
    gc.collect()
    same(y, torch.tanh(x))
    del y
    assert in_use() == before


EXIT = """
import atexit, sys, threading, torch, nativefx

run = torch.compile(torch.tanh, backend="nativefx", options={"fallback": "error"})
x = torch.randn(512, 512)
sys.kept = run(x)                       # dies with the modules
threading.current_thread().kept = run(x)
atexit.register(lambda: run(x))         # a call while others have gone
torch.kept = [run(x), run(x)[3:], run(x).share_memory_()]


class Cycle:
    def __init__(self):
        self.me, self.tensor = self, run(x)

    def __del__(self):
        assert self.tensor.shape == (512, 512)


cycle = Cycle()
print("ran")
"""


def test_death_at_interpreter_exit():
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(EXIT)], capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "ran\n" and "Error" not in ran.stderr


def test_fork_after_use(made):
    y, expected = made
    run = torch.compile(torch.tanh, backend="nativefx", options=OPTIONS)
    x = torch.randn(SIDE, SIDE)
    run(x)

    def child(queue):
        good = torch.allclose(y, expected, atol=1e-6) and torch.allclose(
            run(x), torch.tanh(x), atol=1e-6
        )
        queue.put(good)

    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    assert queue.get(timeout=60)
    process.join()
    same(y, expected)


def test_inference_mode():
    run = torch.compile(torch.tanh, backend="nativefx", options=OPTIONS)
    x = torch.randn(SIDE, SIDE)
    with torch.inference_mode():
        y = run(x)
    assert y.is_inference()
    same(y, torch.tanh(x))


def test_release_and_limit():
    run = torch.compile(torch.tanh, backend="nativefx", options=OPTIONS)
    x = torch.randn(SIDE, SIDE)
    run(x)
    assert nativefx.memory_usage().idle >= BYTES
    nativefx.release_memory()
    assert nativefx.memory_usage().idle == 0
    try:
        nativefx.limit_idle_memory(0)
        run(x)
        assert nativefx.memory_usage().idle == 0
    finally:
        nativefx.limit_idle_memory(1 << 30)
    with pytest.raises(ValueError, match="negative"):
        nativefx.limit_idle_memory(-1)


def test_intermediates_of_different_plans_share_memory():
    def function(x):
        return (x @ x).tanh() @ x

    x, y = torch.randn(SIDE, SIDE), torch.randn(SIDE, SIDE)
    runs = [torch.compile(lambda t, k=k: function(t) + k, backend="nativefx") for k in (1, 2)]
    expected = [function(t) + k for k, t in ((1, x), (2, y))]
    for _ in range(3):
        for run, t, value in zip(runs, (x, y), expected, strict=True):
            torch.testing.assert_close(run(t), value, rtol=1e-4, atol=1e-4)
    usage = nativefx.memory_usage()
    assert usage.in_use + usage.idle <= usage.peak
