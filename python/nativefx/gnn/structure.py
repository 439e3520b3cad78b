"""What follows from an index alone: its sorted order, and checks of its range.

It is computed natively, once for each index that comes from outside, and kept
as long as the memory of that index lives and is not written to.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef

from nativefx import _core
from nativefx.gnn.operators import define

__all__ = ["StructureCache", "structures"]


class StructureCache:
    """Results by the identity and version of the tensors that they follow from.

    An entry goes with the memory of one of its tensors, with a write to it, or
    when there are more than `limit`, the one unused for longest first. Writes that
    PyTorch does not see, through NumPy or `.data`, are not noticed.
    """

    def __init__(self, limit: int = 256) -> None:
        self._limit = limit
        self._entries: OrderedDict[Any, tuple[list[StorageWeakRef], Any]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()

    def get(self, key: tuple[Any, ...], tensors: list[Tensor], make: Callable[[], Any]) -> Any:
        """Give what `make` gives, which must follow from `key` and `tensors`."""
        identity = (key, *((t.untyped_storage()._cdata, t._version) for t in tensors))
        with self._lock:
            entry = self._entries.get(identity)
            # A reference that is held keeps the address from being used again.
            if entry is not None and not any(ref.expired() for ref in entry[0]):
                self._entries.move_to_end(identity)
                return entry[1]
        made = make()  # by two threads at once, perhaps; the results are equal
        references = [StorageWeakRef(t.untyped_storage()) for t in tensors]
        with self._lock:
            self._drop_dead()
            self._entries[identity] = (references, made)
        return made

    def _drop_dead(self) -> None:
        dead = [k for k, (refs, _) in self._entries.items() if any(r.expired() for r in refs)]
        for key in dead:
            del self._entries[key]
        while len(self._entries) >= self._limit:
            self._entries.popitem(last=False)


structures = StructureCache()


def _ends(base: Tensor, length: int, stride: int, offset: int) -> Tensor:
    """Give the index as a view of the tensor that it is part of."""
    return base.as_strided([length], [stride], base.storage_offset() + offset)


def _pointer(ends: Tensor) -> tuple[int, int, int, int]:
    return ends.data_ptr(), ends.element_size(), ends.size(0), ends.stride(0)


def _sort(ends: Tensor, n: int) -> tuple[Tensor, Tensor, Tensor]:
    offsets = torch.empty(n + 1, dtype=torch.int64)
    order = torch.empty(ends.size(0), dtype=torch.int64)
    inside = torch.empty(ends.size(0), dtype=torch.int64)
    _core.sort_index(*_pointer(ends), n, offsets.data_ptr(), order.data_ptr(), inside.data_ptr())
    return offsets, order, inside


def _sort_index(
    base: Tensor, n: int, length: int, stride: int, offset: int, keep: bool
) -> tuple[Tensor, Tensor, Tensor]:
    ends = _ends(base, length, stride, offset)
    if not keep:
        return _sort(ends, n)
    key = ("sort", n, length, stride, ends.storage_offset())
    return structures.get(key, [base], lambda: _sort(ends, n))


def _along(ends: Tensor, n: int, order: Tensor) -> Tensor:
    result = torch.empty(ends.size(0), dtype=torch.int64)
    _core.permute_index(*_pointer(ends), n, order.data_ptr(), result.data_ptr())
    return result


def _sorted_index(
    base: Tensor, order: Tensor, n: int, length: int, stride: int, offset: int, keep: bool
) -> Tensor:
    ends = _ends(base, length, stride, offset)
    if not keep:
        return _along(ends, n, order)
    key = ("along", n, length, stride, ends.storage_offset())
    return structures.get(key, [base, order], lambda: _along(ends, n, order))


def _check(ends: Tensor, n: int, wrap: bool) -> Tensor:
    result = torch.empty(ends.size(0), dtype=torch.int64)
    _core.check_index(*_pointer(ends), n, wrap, result.data_ptr())
    return result


def _checked_index(
    base: Tensor, n: int, length: int, stride: int, offset: int, wrap: bool, keep: bool
) -> Tensor:
    ends = _ends(base, length, stride, offset)
    if not keep:
        return _check(ends, n, wrap)
    key = ("check", n, length, stride, ends.storage_offset(), wrap)
    return structures.get(key, [base], lambda: _check(ends, n, wrap))


def _indices(base: Tensor, length: int) -> Tensor:
    return base.new_empty([length], dtype=torch.int64)


define(
    "sort_index(Tensor base, SymInt n, SymInt length, SymInt stride, SymInt offset, bool keep)"
    " -> (Tensor, Tensor, Tensor)",
    _sort_index,
    lambda base, n, length, stride, offset, keep: (
        _indices(base, n + 1),
        _indices(base, length),
        _indices(base, length),
    ),
)
define(
    "sorted_index(Tensor base, Tensor order, SymInt n, SymInt length, SymInt stride,"
    " SymInt offset, bool keep) -> Tensor",
    _sorted_index,
    lambda base, order, n, length, stride, offset, keep: _indices(base, length),
)
define(
    "checked_index(Tensor base, SymInt n, SymInt length, SymInt stride, SymInt offset,"
    " bool wrap, bool keep) -> Tensor",
    _checked_index,
    lambda base, n, length, stride, offset, wrap, keep: _indices(base, length),
)
