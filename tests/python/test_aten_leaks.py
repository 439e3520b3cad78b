"""No run of a native call loses memory, whether it succeeds, fails or declines."""

from __future__ import annotations

import contextlib
import ctypes
import gc
from collections.abc import Callable
from typing import Any

import pytest
import torch
from aten_cases import FAILING, IMAGE, SQUARE, Case, X, Y, aten, case_name, ints, rand

from nativefx import _core


def call_of(op: Any, **options: Any) -> _core.AtenCall:
    return _core.AtenCall(str(op._schema), **options)


# Of glibc's `struct mallinfo2`.
MALLINFO_FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd")
MALLINFO_FIELDS += ("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")

# The smallest block of the C allocator is 32 bytes.
SMALLEST_LEAK = 16


def live_bytes() -> int:
    """Return the bytes in use by the C allocator (glibc), after a collection."""

    class Info(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in MALLINFO_FIELDS]

    gc.collect()
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = Info
    info = mallinfo2()
    return int(info.uordblks + info.hblkhd)


def leaked_per_call(run: Callable[[], object], repeat: int) -> float:
    """Return the bytes lost per call: the least of three rounds, since others allocate too."""
    for _ in range(min(50, repeat)):
        run()
    lost = []
    for _ in range(3):
        before = live_bytes()
        for _ in range(repeat):
            run()
        lost.append((live_bytes() - before) / repeat)
    return min(lost)


LEAK_CASES = [
    (aten.cat.default, ([X, Y],), {}),
    (aten.split.Tensor, (X, 2), {}),
    (aten.index.Tensor, (X, [None, ints(1, 3)]), {}),
    (aten.pad.default, (IMAGE, [1, 2, 1, 1], "reflect"), {}),
    (aten.sum.dim_IntList, (X, [1]), {"dtype": torch.float64}),
    (aten.upsample_nearest2d.vec, (IMAGE, None, [2.0, 1.5]), {}),
    (aten.native_layer_norm.default, (X, [6], rand(6), None, 1e-5), {}),
    (aten.addmm.default, (rand(6), X, SQUARE), {}),
    (aten.add.Tensor, (X, Y), {}),
    (aten.relu_.default, (X.clone(),), {}),
    (aten.clone.default, (IMAGE,), {"memory_format": torch.channels_last}),
    (aten.var_mean.correction, (X, [1]), {"correction": None}),
    (aten.size.int, (X, 1), {}),
]


@pytest.mark.parametrize("case", LEAK_CASES, ids=case_name)
@pytest.mark.parametrize("slow_crossing", [False, True], ids=["fast", "slow"])
def test_no_leak_in_10000_calls(case: Case, slow_crossing: bool) -> None:
    op, args, kwargs = case
    call = call_of(op, slow_crossing=slow_crossing)
    torch.set_num_threads(1)
    assert leaked_per_call(lambda: call(*args, **kwargs), 3_334) < SMALLEST_LEAK


@pytest.mark.parametrize(("op", "args", "text"), FAILING)
def test_no_leak_in_failing_calls(op: Any, args: tuple[Any, ...], text: str) -> None:
    del text
    call = call_of(op)

    def run() -> None:
        with contextlib.suppress(RuntimeError):
            call(*args)

    assert leaked_per_call(run, 40) < SMALLEST_LEAK


def test_no_leak_in_declined_and_unknown_calls() -> None:
    unknown = _core.AtenCall("aten::no_such_op(Tensor self, Tensor[] more, int? n) -> Tensor")
    declined = call_of(aten.native_layer_norm.default)

    def run() -> None:
        with contextlib.suppress(RuntimeError):
            unknown(X, [X, Y], 3)
        with contextlib.suppress(RuntimeError):
            declined(X, 0.5, None, None, 1e-5)

    assert leaked_per_call(run, 40) < SMALLEST_LEAK
