"""Several threads at once, and the number of threads that PyTorch is set to."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from tolerances import assert_as_exact

OPTIONS = {"fallback": "error"}


def test_two_threads_compile_and_run_at_once():
    barrier = threading.Barrier(2)

    def work(k: int) -> None:
        def function(x, w):
            y = torch.softmax(x @ w * k, -1)
            return torch.tanh(y) + x.mean(-1, keepdim=True)

        barrier.wait()
        run = torch.compile(function, backend="nativefx", options=OPTIONS)
        generator = torch.Generator().manual_seed(k)
        for _ in range(20):
            x = torch.randn(32, 16, generator=generator)
            w = torch.randn(16, 16, generator=generator)
            assert_as_exact(run(x, w), function(x, w), function(x.double(), w.double()))

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(work, k) for k in (1, 2)]:
            done.result()


def test_two_threads_run_one_plan():
    def function(x):
        y = torch.exp(x) + 1
        return (y @ y.t() / 500).tanh() * y.mean()

    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    run(torch.randn(64, 64))

    def work(seed: int) -> None:
        x = torch.randn(64, 64, generator=torch.Generator().manual_seed(seed))
        expected = function(x)
        for _ in range(50):
            torch.testing.assert_close(run(x), expected, rtol=1e-5, atol=1e-5)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(work, seed) for seed in (1, 2)]:
            done.result()


def test_kernels_give_the_same_bits_on_any_number_of_threads():
    def function(x):
        y = torch.nn.functional.gelu(x) * 1.7
        return torch.softmax(y, -1), y.sum(-1), y.amax(0), torch.nn.functional.layer_norm(x, (513,))

    x = torch.randn(1025, 513)
    run = torch.compile(function, backend="nativefx", options=OPTIONS)
    before = torch.get_num_threads()
    results = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            results.append(run(x))
    finally:
        torch.set_num_threads(before)
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert torch.equal(a, b)


def test_outputs_outlive_the_plan():
    def make() -> torch.Tensor:
        run = torch.compile(lambda x: (x * 2).t(), backend="nativefx", options=OPTIONS)
        return run(torch.ones(3, 5))

    kept = make()
    torch._dynamo.reset()
    result = ThreadPoolExecutor(1).submit(lambda: kept.sum().item()).result()
    assert result == 30
