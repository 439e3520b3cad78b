"""How fast kernels ran, beside what the machine's memory gives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import torch

from nativefx.profiling import record

__all__ = ["add_speeds", "copy_bandwidth"]


def copy_bandwidth(size: int = 1 << 26, repeats: int = 3) -> float:
    """Measure bytes a second that a copy of `size` bytes reads and writes."""
    source, target = (torch.zeros(size, dtype=torch.uint8) for _ in range(2))
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        target.copy_(source)
        best = min(best, time.perf_counter() - start)
    return 2 * size / best


def add_speeds(
    call: Callable[[], Any], kernels_of_plan: Iterable[tuple[int, list[dict[str, Any]]]], runs: int
) -> None:
    """Run `call` and add to each kernel how long it took at best.

    A kernel gains `ns`, and where its bytes are known `bandwidth_share`: its bytes a
    second by those of a large copy. What stays in the caches may come out above 1.
    """
    with record() as events:
        for _ in range(runs):
            call()
    best: dict[tuple[int, str], int] = {}
    for event in events:
        if event["category"] == "kernel":
            key = event["plan"], event["name"]
            best[key] = min(best.get(key, 1 << 62), event["end"] - event["start"])
    bandwidth = copy_bandwidth()
    for plan, kernels in kernels_of_plan:
        for kernel in kernels:
            taken = best.get((plan, kernel["name"]))
            if taken is None:
                continue
            kernel["ns"] = taken
            if kernel["bytes"] is not None:
                kernel["bandwidth_share"] = kernel["bytes"] / max(taken, 1) * 1e9 / bandwidth
