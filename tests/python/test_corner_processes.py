"""Threads, forks, interrupts and a cache that several processes share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from corner_check import OPTIONS, compiled
from tolerances import assert_as_exact

PROGRAM = """
import sys, torch
def function(x):
    y = torch.softmax(x * {k}, -1) + x.mean(-1, keepdim=True)
    return torch.tanh(y).sum(0), y.exp()
options = {{"fallback": "error", "cache": {cache!r}}}
run = torch.compile(function, backend="nativefx", options=options)
for k in range({count}):
    x = torch.randn(4 + k, 16 + k, generator=torch.Generator().manual_seed(k))
    torch._dynamo.reset()
    for ours, theirs in zip(run(x), function(x)):
        torch.testing.assert_close(ours, theirs)
print("right")
"""


def start(cache: Path, count: int = 3) -> subprocess.Popen[str]:
    program = PROGRAM.format(k=1.5, cache=str(cache), count=count)
    return subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(process: subprocess.Popen[str]) -> None:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err[-2000:]
    assert out.strip() == "right"


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "one bit":
        middle = len(data) // 2
        path.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])


def test_a_cache_filled_by_three_processes_at_once_then_damaged(tmp_path):
    for process in [start(tmp_path) for _ in range(3)]:
        finish(process)
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert files
    assert all(path.suffix == ".o" for path in files), "no temporary file is left"
    for number, path in enumerate(files):
        damage(path, ("truncated", "empty", "one bit")[number % 3])
    finish(start(tmp_path))


def test_a_forked_child_runs_and_compiles():
    """PyTorch's own threads do not survive a fork, so the child gives it one."""
    run = compiled(lambda x: (torch.softmax(x, -1), x.tanh().sum(0)))
    x = torch.randn(256, 256)
    expected = run(x), (x.exp().sum(-1) * 2)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        run(x)  # our pool has a thread now, which a child lacks
        child = os.fork()
        if child == 0:
            right = False
            try:
                found = run(x)  # on two threads
                torch.set_num_threads(1)
                again = run(x)
                other = compiled(lambda t: t.exp().sum(-1) * 2)(x)
                pairs = zip((*found, *again, other), (*expected[0] * 2, expected[1]), strict=True)
                right = all(torch.allclose(a, b, rtol=1e-4, atol=1e-4) for a, b in pairs)
            finally:
                os._exit(0 if right else 1)
        deadline = time.monotonic() + 120
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                pytest.fail("the child hangs")
            time.sleep(0.05)
        assert os.waitstatus_to_exitcode(ended[1]) == 0
        assert_as_exact(run(x), expected[0])
    finally:
        torch.set_num_threads(before)


def test_the_number_of_threads_changes_between_calls():
    x = torch.randn(512, 300)
    run = compiled(lambda t: (torch.softmax(t, -1), t.sum(0), t.sigmoid()))
    before = torch.get_num_threads()
    results = []
    try:
        for threads in (1, 3, 2, 1, 4):
            torch.set_num_threads(threads)
            results.append(run(x))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    for other in results[1:]:
        assert all(torch.equal(a, b) for a, b in zip(results[0], other, strict=True))


def test_many_threads_with_many_shapes():
    run = compiled(lambda x: (x * 2 + 1).relu().sum(-1), dynamic=True)
    run(torch.randn(3, 4))
    run(torch.randn(5, 6))

    def work(seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        for k in range(30):
            x = torch.randn(2 + (seed + k) % 7, 2 + k % 5, generator=generator)
            torch.testing.assert_close(run(x), (x * 2 + 1).relu().sum(-1))

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, seed) for seed in range(4)]:
            done.result()


def test_a_compiled_function_inside_another():
    inner = compiled(lambda x: torch.tanh(x) * 2)

    @torch._dynamo.disable
    def between(x):
        return inner(x) + inner(x * 2)

    def outer(x):
        y = x.exp()
        return between(y).sum() + y.sum()

    run = torch.compile(outer, backend="nativefx", options=OPTIONS)
    x = torch.linspace(-1, 1, 10)
    for _ in range(2):
        y = x.exp()
        assert_as_exact(run(x), (torch.tanh(y) * 2 + torch.tanh(y * 2) * 2).sum() + y.sum())


def test_a_plan_is_entered_again_from_a_step_of_its_own():
    depth = []

    @torch.library.custom_op("nfx_test::again", mutates_args=())
    def again(x: torch.Tensor) -> torch.Tensor:
        if len(depth) < 3:
            depth.append(1)
            return run(x + 1) * 1
        return x * 1

    again.register_fake(lambda x: torch.empty_like(x))

    def body(x):
        y = x * 2
        return torch.ops.nfx_test.again(y) + y

    run = compiled(body)
    run(torch.zeros(3))
    depth.clear()
    found = run(torch.ones(3))
    depth.clear()

    def eager(x, level=0):
        y = x * 2
        return (eager(y + 1, level + 1) if level < 3 else y) + y

    assert_as_exact(found, eager(torch.ones(3)))


# A process whose parent ignores interrupts would ignore them as well.
INTERRUPTED = """
import _thread, signal, sys, threading, time, torch
import nativefx.dynamo_backend
signal.signal(signal.SIGINT, signal.default_int_handler)
def make(k):
    def function(x):
        for i in range(40):
            x = torch.tanh(x * (k + i)) + x.sum(-1, keepdim=True).sigmoid()
        return x
    return function
interrupted = 0
for k, delay in enumerate({delays}):
    function = make(k)
    run = torch.compile(function, backend="nativefx", options={{"fallback": "error", "cache": ""}})
    x = torch.randn(4, 8)
    timer = threading.Timer(delay, _thread.interrupt_main)
    timer.start()
    try:
        run(x)
        timer.join()
        time.sleep(0.01)
    except KeyboardInterrupt:
        interrupted += 1
    timer.join()
    for again in range(2):
        try:
            torch.testing.assert_close(run(x), function(x), rtol=1e-4, atol=1e-4)
            break
        except KeyboardInterrupt:
            interrupted += 1
assert interrupted >= 3, interrupted
print("right")
"""


def test_an_interrupt_during_a_compile_leaves_everything_usable():
    program = INTERRUPTED.format(delays=[0.05, 0.2, 0.5, 0.9, 1.3, 1.7])
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    finish(process)


def test_an_exception_in_one_thread_stays_there():
    @torch.library.custom_op("nfx_test::refuse", mutates_args=())
    def refuse(x: torch.Tensor) -> torch.Tensor:
        if x[0] < 0:
            raise ValueError(f"no {x[0]}")
        return x * 2

    refuse.register_fake(lambda x: torch.empty_like(x))
    run = compiled(lambda x: torch.ops.nfx_test.refuse(x + 1) * 3)
    run(torch.ones(3))
    failed = []

    def work(sign: float) -> None:
        for _ in range(20):
            x = torch.full((3,), sign * 5)
            try:
                assert_as_exact(run(x), (x + 1) * 6)
                assert sign > 0
            except (ValueError, RuntimeError):
                failed.append(sign)

    threads = [threading.Thread(target=work, args=(s,)) for s in (1.0, -1.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [-1.0] * 20


def recurrence(depth: int):
    def function(a, b):
        for _ in range(depth):
            a, b = torch.cos(a * b), torch.sin(a) - b * 0.5
        return a + b

    return function


def scan_recurrence(depth: int):
    def function(a, b):
        for _ in range(depth):
            a, b = (a + b).cumsum(0) * 0.1, torch.softmax(a, 0) + b.sum(0, keepdim=True) * 0.1
        return a + b

    return function


def kernel_ops(function) -> int:
    from nativefx.report import collector

    a, b = torch.randn(16, 4) / 4, torch.randn(16, 4) / 4
    with collector() as graphs:
        found = compiled(function)(a, b)
    torch.testing.assert_close(found, function(a, b), rtol=1e-4, atol=1e-4)
    return sum(len(kernel["ops"]) for g in graphs for kernel in g.kernels)


@pytest.mark.parametrize("make", [recurrence, scan_recurrence], ids=lambda f: f.__name__)
def test_a_recurrence_of_two_terms_grows_as_it_is_written(make):
    """Expressions that share their parts are compiled once a part, not once a use."""
    counts = [kernel_ops(make(depth)) for depth in (8, 16, 32)]
    first, second = counts[1] - counts[0], counts[2] - counts[1]
    assert second <= 2 * first + 8, counts
