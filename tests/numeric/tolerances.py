"""How far a compiled result may be from eager's, stated once per dtype.

float32: both are compared with the same computation in float64. A compiled result
may err at most twice as much as eager does, plus a floor of a few roundings for
where eager happens to be exact. Another order of a sum changes the error, not its
size.

float64: there is nothing more exact to compare with, so the difference from eager
itself is bounded: 1e-10 relative is some thousand roundings of a long sum.

bfloat16, float16: as float32, with one rounding of the 16-bit type as the floor. Eager
rounds where an op ends; a composite that it computes in pieces is rounded more often.

Integers and booleans are equal. Complex numbers are pairs of floats.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

__all__ = ["FLOAT32_FLOOR", "FLOAT64_RELATIVE", "HALF_FLOOR", "assert_as_exact", "to_float64"]

FLOAT32_FLOOR = 1e-6  # relative to the largest magnitude in the tensor
# A result that cancels to nothing, like the gradient of a key's bias under a
# softmax, is rounding of what cancelled and has no scale of its own.
FLOAT32_NOISE = 2e-7
FLOAT64_RELATIVE = 1e-10
HALF_FLOOR = {torch.bfloat16: 2**-8, torch.float16: 2**-11}  # as FLOAT32_FLOOR
_NARROW = (torch.float32, torch.bfloat16, torch.float16)


def to_float64(value: Any) -> Any:
    """The same structure with narrower floats in float64."""

    def widen(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor) and leaf.dtype in _NARROW:
            return leaf.detach().double().requires_grad_(leaf.requires_grad)
        return leaf

    return tree_map(widen, value)


def assert_as_exact(compiled: Any, eager: Any, exact: Any = None, terms: float = 1.0) -> None:
    """Assert that `compiled` equals `eager` within the tolerances above.

    Parameters
    ----------
    compiled, eager
        Results of the same structure.
    exact
        The same computed in float64; without it float32 is held to the floor and
        ten times the rounding of eager's magnitude.
    terms
        Magnitude of the numbers that the results are made of, where it is above 1: a
        sum that cancels has the rounding of its terms.
    """
    ours, theirs = tree_leaves(compiled), tree_leaves(eager)
    assert len(ours) == len(theirs), f"{len(ours)} results for {len(theirs)}"
    truths = tree_leaves(exact) if exact is not None else [None] * len(ours)
    for a, b, truth in zip(ours, theirs, truths, strict=True):
        if isinstance(b, torch.Tensor):
            _assert_tensor(a, b, truth, terms)
        else:
            assert a == b or (a != a and b != b), f"{a!r} is not {b!r}"


def _assert_tensor(
    a: torch.Tensor, b: torch.Tensor, truth: torch.Tensor | None, terms: float
) -> None:
    assert a.shape == b.shape, f"shape {tuple(a.shape)} is not {tuple(b.shape)}"
    assert a.dtype == b.dtype, f"{a.dtype} is not {b.dtype}"
    a, b = a.detach(), b.detach()
    if b.is_complex() and (truth is None or truth.is_complex()):
        a, b = (torch.view_as_real(x.resolve_conj()) for x in (a, b))
        truth = None if truth is None else torch.view_as_real(truth.detach().resolve_conj())
    if not b.is_floating_point() or b.numel() == 0:
        assert torch.equal(a, b)
        return
    assert torch.equal(torch.isnan(a), torch.isnan(b)), "NaNs stand elsewhere"
    finite = torch.isfinite(b)
    assert torch.equal(a[~finite].nan_to_num(), b[~finite].nan_to_num()), "infinities differ"
    scale = b[finite].abs().max().item() if finite.any() else 0.0
    error = _distance(a, b, finite)
    if b.dtype == torch.float64:
        bound = FLOAT64_RELATIVE * max(scale, 1e-30)
    elif truth is None:
        floor = HALF_FLOOR.get(b.dtype, 10 * FLOAT32_FLOOR)
        bound = floor * max(scale, 1e-30)
    else:
        wide = truth.detach().double()
        error = _distance(a, wide, finite)
        floor = max(HALF_FLOOR.get(b.dtype, FLOAT32_FLOOR) * scale, FLOAT32_NOISE * max(terms, 1.0))
        bound = 2 * _distance(b, wide, finite) + floor
    assert error <= bound, f"error {error:.3e} is above {bound:.3e} at scale {scale:.3e}"


def _distance(a: torch.Tensor, b: torch.Tensor, where: torch.Tensor) -> float:
    if not where.any():
        return 0.0
    return (a[where].double() - b[where].double()).abs().max().item()
