"""Compares a compiled function with eager mode in everything that a caller can see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from tolerances import assert_as_exact
from torch.utils._pytree import tree_leaves

__all__ = ["OPTIONS", "check", "compiled", "facts", "same_facts"]

OPTIONS = {"fallback": "error"}
Function = Callable[..., Any]


def compiled(function: Function, **options: Any) -> Function:
    """`function` through the back end; anything that keeps it from compiling is an error."""
    return torch.compile(function, backend="nativefx", options=OPTIONS, fullgraph=True, **options)


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in a nest of lists, tuples and dicts."""
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def facts(x: torch.Tensor) -> dict[str, Any]:
    """What a caller sees of a tensor beside its values."""
    return {
        "dtype": x.dtype,
        "shape": tuple(x.shape),
        "stride": tuple(x.stride()) if x.numel() else None,
        "offset": x.storage_offset(),
        "requires_grad": x.requires_grad,
        "is_leaf": x.is_leaf,
        "is_inference": x.is_inference(),
        "bytes": x.untyped_storage().nbytes(),
    }


def sharing(values: Sequence[torch.Tensor]) -> list[list[bool]]:
    """Who shares memory with whom."""
    starts = [x.untyped_storage()._cdata for x in values]
    return [[a == b for b in starts] for a in starts]


def identity(values: Sequence[torch.Tensor]) -> list[list[bool]]:
    """Which are one object."""
    return [[a is b for b in values] for a in values]


def same_facts(ours: Any, theirs: Any, *, objects: bool = True) -> None:
    """Assert that values, layout, aliases and grad state are the same.

    Parameters
    ----------
    objects
        Whether outputs that are one object in eager mode, or are an input, must be so.
    """
    assert_as_exact(ours, theirs)
    a, b = tensors(ours), tensors(theirs)
    for i, (mine, eager) in enumerate(zip(a, b, strict=True)):
        assert facts(mine) == facts(eager), f"tensor {i}: {facts(mine)}, eager {facts(eager)}"
    assert sharing(a) == sharing(b), f"memory: {sharing(a)}, eager {sharing(b)}"
    if objects:
        assert identity(a) == identity(b), f"objects: {identity(a)}, eager {identity(b)}"


def check(
    function: Function,
    make: Callable[[], Sequence[Any]],
    *,
    calls: int = 2,
    objects: bool = True,
    **options: Any,
) -> None:
    """Run `function` both ways on inputs of their own, `calls` times each.

    Outputs and inputs are compared together, so that aliases between them count,
    and so that what is written to inputs counts.
    """
    run = compiled(function, **options)
    ours, theirs = list(make()), list(make())
    for _ in range(calls):
        try:
            expected = function(*theirs)
        except RuntimeError:  # it writes to and reads memory that overlaps
            pytest.skip("eager mode refuses it")
        found = run(*ours)
        same_facts((found, ours), (expected, theirs), objects=objects)
