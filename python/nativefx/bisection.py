"""Finds the operator whose compilation makes a result wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch

from nativefx.report import collector

__all__ = ["Culprit", "bisect"]


@dataclasses.dataclass(frozen=True)
class Culprit:
    """Where a result goes wrong.

    Attributes
    ----------
    stage
        ``"fuse"``: the operator that is wrong once it is part of a kernel.
        ``"plan"``: it is wrong without any kernel.
    index
        How many operators may be fused before the result is wrong.
    node
        Name, operator and source line of the last of them.
    """

    stage: str
    index: int
    node: str


def bisect(
    model: Callable[..., Any],
    *inputs: Any,
    same: Callable[[Any, Any], bool] | None = None,
    options: dict[str, Any] | None = None,
) -> Culprit | None:
    """Find the first operator that must be fused for `model` to go wrong.

    Parameters
    ----------
    model, *inputs
        What to run; the model must give the same on every call.
    same
        Whether two results are equal; `torch.testing.assert_close` if not given.
    options
        Options to keep.

    Returns
    -------
    Culprit or None
        None if the compiled result is right.
    """
    same = same or _close
    expected = model(*inputs)

    def right(limit: int) -> bool:
        return same(_run(model, inputs, options, limit)[0], expected)

    if right(-1):
        return None
    _, graphs = _run(model, inputs, options, -1)
    fused = [node for graph in graphs for node in graph.nodes if node.runner == "kernel"]
    if not right(0):
        return Culprit("plan", 0, "")
    low, high = 0, len(fused)  # right at low, wrong at high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if right(middle) else (low, middle)
    node = fused[high - 1]
    return Culprit("fuse", high, f"%{node.name} = {node.target} ({node.source})")


def _run(
    model: Callable[..., Any], inputs: tuple[Any, ...], options: dict[str, Any] | None, limit: int
) -> tuple[Any, list[Any]]:
    torch._dynamo.reset()
    chosen = {**(options or {}), "fuse_limit": limit}
    with collector() as graphs:
        result = torch.compile(model, backend="nativefx", options=chosen)(*inputs)
    return result, graphs


def _close(a: Any, b: Any) -> bool:
    try:
        torch.testing.assert_close(a, b)
    except AssertionError:
        return False
    return True
