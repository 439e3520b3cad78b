"""How time is taken: peers in one process, in turns, medians; compile time in CPU seconds.

Run as a program it describes the machine.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import os
import platform
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unittest import mock

import torch

__all__ = [
    "Share",
    "Times",
    "alternate",
    "compile_with",
    "cpu_seconds",
    "first_call",
    "fresh_caches",
    "machine",
    "our_share",
    "print_ratios",
]

_folders: list[tempfile.TemporaryDirectory[str]] = []


@dataclasses.dataclass(frozen=True)
class Times:
    """Median seconds of one call, by name."""

    seconds: Mapping[str, float]

    def ratio(self, peer: str, ours: str = "nativefx") -> float:
        """How many times longer `peer` takes than `ours`."""
        return self.seconds[peer] / self.seconds[ours]


def compile_with(backend: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` with a backend; ``"eager"`` is the function itself.

    Ours gets an empty cache each time, so that nothing was compiled before, and
    must not fall back.
    """
    if backend == "eager":
        return function
    if backend != "nativefx":
        return torch.compile(function, backend=backend)
    _folders.append(tempfile.TemporaryDirectory())
    options = {"fallback": "error", "cache": _folders[-1].name}
    return torch.compile(function, backend=backend, options=options)


def alternate(
    calls: Mapping[str, Callable[[], object]],
    *,
    rounds: int = 7,
    sample: float = 0.02,
    kept: int = 0,
) -> Times:
    """Time calls in turns, so that whatever else the machine does hits all of them.

    Parameters
    ----------
    calls
        What to time, by name. Each is called once before anything is timed.
    rounds
        Samples of each; the result is the median.
    sample
        Seconds that a sample lasts at least; short calls are repeated within it.
    kept
        How many results are held at a time. 0: each is dropped at once, so that
        its memory can serve the next.
    """
    number = {name: _calls_per_sample(call, sample) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, call in calls.items():
                taken = _time_kept(call, kept) if kept else _time_dropped(call, number[name])
                samples[name].append(taken)
    finally:
        gc.enable()
    return Times({name: statistics.median(values) for name, values in samples.items()})


def _calls_per_sample(call: Callable[[], object], sample: float) -> int:
    call()
    start = time.perf_counter()
    call()
    return max(1, round(sample / max(time.perf_counter() - start, 1e-7)))


def _time_dropped(call: Callable[[], object], number: int) -> float:
    start = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number


def _time_kept(call: Callable[[], object], number: int) -> float:
    results = []
    start = time.perf_counter()
    for _ in range(number):
        results.append(call())
    return (time.perf_counter() - start) / number


def cpu_seconds() -> float:
    """CPU time of this process and of the compilers that it started and waited for."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


@contextlib.contextmanager
def fresh_caches() -> Iterator[None]:
    """Let Inductor compile everything anew, in this process, where its time can be counted."""
    import torch._inductor.config as config
    from torch._inductor.utils import fresh_cache

    with fresh_cache(), config.patch(compile_threads=1):
        yield


class Share:
    """CPU seconds inside our backend, from the captured graph to what runs."""

    seconds: float = 0.0


@contextlib.contextmanager
def our_share() -> Iterator[Share]:
    """Add up what our backend takes inside the block.

    It is a small part of a whole compilation, whose own noise is larger: a
    difference of two compilations would not show it.
    """
    from nativefx import dynamo_backend

    share, compile_fx = Share(), dynamo_backend.compile_fx

    def timed(*arguments: Any, **options: Any) -> Any:
        start = cpu_seconds()
        try:
            return compile_fx(*arguments, **options)
        finally:
            share.seconds += cpu_seconds() - start

    with mock.patch.object(dynamo_backend, "compile_fx", timed):
        yield share


def first_call(call: Callable[[], object]) -> float:
    """CPU seconds by which the first call is dearer than the second: its compilation."""
    start = cpu_seconds()
    call()
    middle = cpu_seconds()
    call()
    return (middle - start) - (cpu_seconds() - middle)


def machine() -> str:
    """One line about what ran: processor features, threads, versions."""
    vector = torch.backends.cpu.get_cpu_capability()
    return (
        f"{os.cpu_count()} cores ({vector}), {torch.get_num_threads()} threads, "
        f"torch {torch.__version__}, Python {platform.python_version()}"
    )


def print_ratios(title: str, times: Times, ours: str = "nativefx") -> None:
    """Print a line: our time, and the ratio of every peer's to it."""
    own = times.seconds[ours]
    peers = [name for name in times.seconds if name != ours]
    ratios = "  ".join(f"{name} {times.ratio(name, ours):7.2f} x" for name in peers)
    print(f"{title:44s} {ours} {_text(own):>9s}   {ratios}", flush=True)


def _text(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


if __name__ == "__main__":
    print(machine())
