"""What a function reads besides its arguments: tensors, modules, numbers.

A compiled function may be used again when everything that it read while it was traced
is the same. Tensors may be others of the same dtype and shape: they become inputs.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import torch
from torch import Tensor

__all__ = ["Captures"]

_PLAIN = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device)
_LIBRARIES = ("torch", "dgl", "numpy", "builtins", "math", "nativefx", "functools", "operator")
_DEPTH = 12


class _Same:
    """An object that only itself is equal to."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


class Captures:
    """What functions read.

    Attributes
    ----------
    key : tuple
        Equal for functions that can share what was compiled.
    tensors : list of Tensor
        In the same order for equal keys.
    """

    def __init__(self, *functions: Any) -> None:
        self.tensors: list[Tensor] = []
        self._seen: dict[int, int] = {}
        self._key: list[Any] = []
        for function in functions:
            self._scan(function, 0)
        self.key = tuple(self._key)

    def _scan(self, value: Any, depth: int) -> None:
        add = self._key.append
        if isinstance(value, _PLAIN):
            add(type(value))
            add(value)
            return
        if id(value) in self._seen:
            add(("again", self._seen[id(value)]))
            return
        self._seen[id(value)] = len(self._seen)
        if depth > _DEPTH:
            add(_Same(value))
        elif isinstance(value, Tensor):
            self.tensors.append(value)
            add((type(value), value.dtype, tuple(value.shape), value.requires_grad, value.device))
        elif isinstance(value, types.FunctionType):
            self._function(value, depth)
        elif isinstance(value, types.MethodType):
            add("method")
            self._scan(value.__func__, depth + 1)
            self._scan(value.__self__, depth + 1)
        elif isinstance(value, functools.partial):
            add("partial")
            self._items((value.func, value.args, value.keywords), depth)
        elif isinstance(value, torch.nn.Module):
            self._module(value, depth)
        else:
            self._object(value, depth)

    def _items(self, values: Any, depth: int) -> None:
        for value in values:
            self._scan(value, depth + 1)

    def _function(self, value: types.FunctionType, depth: int) -> None:
        if (value.__module__ or "").split(".")[0] in _LIBRARIES:
            self._key.append(_Same(value))
            return
        self._key.append(value.__code__)
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        self._items(cells, depth)
        self._items(value.__defaults__ or (), depth)
        self._items((value.__kwdefaults__ or {}).values(), depth)
        for name in _names(value.__code__):
            found = value.__globals__.get(name)
            if found is not None and not isinstance(found, types.ModuleType | type):
                self._key.append(name)
                self._scan(found, depth + 1)

    def _module(self, module: torch.nn.Module, depth: int) -> None:
        self._key.append((type(module), module.training))
        for name, value in vars(module).items():
            if name in ("training",) or name.endswith("_hooks_with_kwargs"):
                continue
            self._key.append(name)
            self._scan(value, depth + 1)

    def _object(self, value: Any, depth: int) -> None:
        add = self._key.append
        if isinstance(value, dict):
            add(("dict", len(value)))
            for key, item in value.items():
                add(key if isinstance(key, _PLAIN) else _Same(key))
                self._scan(item, depth + 1)
        elif isinstance(value, list | tuple):
            add((type(value), len(value)))
            self._items(value, depth)
        elif _is_record(value):
            add(type(value))
            self._scan(vars(value), depth + 1)
        else:
            add(_Same(value))


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


@functools.cache
def _names(code: types.CodeType) -> tuple[str, ...]:
    """Global names that a function and the functions inside it may read."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(dict.fromkeys(_names(constant)))
    return tuple(names)


def _is_record(value: Any) -> bool:
    """Whether the attributes of an object are all there is to it."""
    kind = type(value)
    if kind.__module__ == "dgl.function" or kind.__module__.startswith("dgl.function."):
        return True
    if kind.__module__.split(".")[0] in _LIBRARIES or isinstance(value, type | types.ModuleType):
        return False
    return hasattr(value, "__dict__")
