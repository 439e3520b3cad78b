"""What inputs a compiled program takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import torch

from nativefx.errors import Error, error

__all__ = ["InputChecker", "InputSpec", "Size", "Symbol"]


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A size that may vary, from `low` up to `high` (None: without bound)."""

    name: str
    low: int
    high: int | None


@dataclasses.dataclass(frozen=True)
class Size:
    """A size that is `scale * symbol + offset`; without a symbol, `offset`."""

    symbol: int | None
    scale: int
    offset: int


@dataclasses.dataclass(frozen=True)
class InputSpec:
    """One leaf of the inputs.

    Attributes
    ----------
    path
        How the user reaches it: ``args[0]['mask']``.
    kind
        ``"tensor"``, ``"int"`` (a symbol of its own), ``"float"``, ``"bool"`` or
        ``"constant"`` (what tracing has built in).
    dtype
        Of a tensor, without ``torch.``.
    sizes
        Of a tensor; of an ``"int"``, itself.
    value
        Of a constant.
    """

    path: str
    kind: str
    dtype: str = ""
    sizes: tuple[Size, ...] = ()
    value: Any = None

    @property
    def static_shape(self) -> tuple[int, ...] | None:
        """The shape, if none of its sizes varies."""
        if any(size.symbol is not None for size in self.sizes):
            return None
        return tuple(size.offset for size in self.sizes)


class InputChecker:
    """Checks calls of one program; made once, called with the leaves of each call.

    Raises
    ------
    nativefx.Error
        `wrong-input`, naming the leaf and what it should be.
    """

    def __init__(self, inputs: Sequence[InputSpec], symbols: Sequence[Symbol]) -> None:
        self.inputs = inputs
        self.symbols = symbols
        self.fixed: list[tuple[int, tuple[int, ...], torch.dtype]] = []
        self.others: list[tuple[int, InputSpec]] = []
        for index, spec in enumerate(inputs):
            shape = spec.static_shape
            if spec.kind == "tensor" and shape is not None:
                self.fixed.append((index, shape, getattr(torch, spec.dtype)))
            else:
                self.others.append((index, spec))

    def __call__(self, leaves: Sequence[Any]) -> None:
        """Raise `wrong-input` unless the program takes these leaves."""
        if len(leaves) != len(self.inputs):
            raise error("wrong-input", f"{len(leaves)} inputs for {len(self.inputs)}")
        for index, shape, dtype in self.fixed:
            leaf = leaves[index]
            if not isinstance(leaf, torch.Tensor) or leaf.shape != shape or leaf.dtype is not dtype:
                raise self._wrong(self.inputs[index], leaf)
        if self.others:
            self._check_varying(leaves)

    def _check_varying(self, leaves: Sequence[Any]) -> None:
        values: dict[int, int] = {}
        derived = []
        for index, spec in self.others:
            leaf = leaves[index]
            actual = self._sizes_of(spec, leaf)
            for size, found in zip(spec.sizes, actual, strict=True):
                if size.symbol is None:
                    if found != size.offset:
                        raise self._wrong(spec, leaf)
                elif size.symbol not in values and size.scale == 1:
                    values[size.symbol] = found - size.offset
                else:
                    derived.append((spec, leaf, size, size.symbol, found))
        for spec, leaf, size, symbol, found in derived:
            base = values.setdefault(symbol, (found - size.offset) // size.scale)
            if found != size.scale * base + size.offset:
                raise self._wrong(spec, leaf)
        for number, value in values.items():
            named = self.symbols[number]
            if not _within(value, named):
                raise error("wrong-input", f"size `{named.name}` is {value}; {_range(named)}")

    def _sizes_of(self, spec: InputSpec, leaf: Any) -> Sequence[int]:
        if spec.kind == "tensor":
            is_right = isinstance(leaf, torch.Tensor) and leaf.dim() == len(spec.sizes)
            if not is_right or leaf.dtype is not getattr(torch, spec.dtype):
                raise self._wrong(spec, leaf)
            return leaf.shape
        if spec.kind == "int":
            if type(leaf) is not int:
                raise self._wrong(spec, leaf)
            return (leaf,) * len(spec.sizes)
        if spec.kind == "constant":
            same = type(leaf) is type(spec.value) and (leaf == spec.value or leaf != leaf)
            if not same:
                raise self._wrong(spec, leaf)
        elif type(leaf) is not {"float": float, "bool": bool}[spec.kind]:
            raise self._wrong(spec, leaf)
        return ()

    def _wrong(self, spec: InputSpec, leaf: Any) -> Error:
        return error(
            "wrong-input",
            f"input `{spec.path}` is {_described(leaf)}, not {self._expected(spec)}",
            help="call it with inputs like those it was exported for",
        )

    def _expected(self, spec: InputSpec) -> str:
        if spec.kind == "tensor":
            return f"{spec.dtype}[{', '.join(map(self._size_text, spec.sizes))}]"
        return repr(spec.value) if spec.kind == "constant" else f"of type {spec.kind}"

    def _size_text(self, size: Size) -> str:
        if size.symbol is None:
            return str(size.offset)
        text = self.symbols[size.symbol].name
        if size.scale != 1:
            text = f"{size.scale}*{text}"
        return text if size.offset == 0 else f"{text} + {size.offset}"


def _described(leaf: Any) -> str:
    if isinstance(leaf, torch.Tensor):
        return f"{str(leaf.dtype).removeprefix('torch.')}{list(leaf.shape)}"
    return repr(leaf)


def _within(value: int, symbol: Symbol) -> bool:
    return value >= symbol.low and (symbol.high is None or value <= symbol.high)


def _range(symbol: Symbol) -> str:
    if symbol.high is None:
        return f"at least {symbol.low} was exported"
    return f"{symbol.low} to {symbol.high} was exported"
