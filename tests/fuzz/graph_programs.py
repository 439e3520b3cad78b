"""Random tensor programs: a few lines of Python over the op table's operators.

A program is text, so that what fails can be read and run alone. Programs are well
conditioned: what rounds is kept from operators that jump (`floor`, comparisons), so
that a difference from eager mode is a fault and not rounding.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import torch
from graph_operators import (
    BINARY_JUMPS,
    BINARY_WRITES,
    EXACT_BINARY,
    EXACT_UNARY,
    GATHERS,
    INEXACT_BINARY,
    INEXACT_REDUCTIONS,
    INEXACT_UNARY,
    INTEGER_BINARY,
    INTEGER_UNARY,
    JUMPS,
    PRODUCTS,
    REDUCTIONS,
    SCANS,
    VIEWS,
    WRITES,
)

__all__ = ["Program", "generate", "make_inputs", "run"]

FLOATS = [torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTEGERS = [torch.int64, torch.int32, torch.uint8, torch.bool]
LAYOUTS = ["plain", "transposed", "sliced", "stepped", "offset", "expanded"]


@dataclasses.dataclass(frozen=True)
class Input:
    """A tensor to be made: `make_inputs` gives the same one each time."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    layout: str
    seed: int


@dataclasses.dataclass(frozen=True)
class Line:
    """``name = text``; an empty name is a statement that writes in place."""

    name: str
    text: str
    uses: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} = {self.text}" if self.name else self.text


@dataclasses.dataclass(frozen=True)
class Program:
    """Inputs ``x0 ..``, lines, and the names that are returned."""

    inputs: tuple[Input, ...]
    lines: tuple[Line, ...]
    outputs: tuple[str, ...]
    dynamic: bool
    functional: bool

    def source(self) -> str:
        """A function of the inputs."""
        names = ", ".join(f"x{i}" for i in range(len(self.inputs)))
        body = [str(line) for line in self.lines]
        body.append("return (" + "".join(f"{name}, " for name in self.outputs) + ")")
        return f"def program({names}):\n" + "".join(f"    {line}\n" for line in body)


def make_input(given: Input) -> torch.Tensor:
    """Multiples of a quarter, so that sums and products of a few are exact."""
    shape = given.shape
    generator = torch.Generator().manual_seed(given.seed)

    def values(sizes: tuple[int, ...]) -> torch.Tensor:
        whole = torch.randint(-8, 9, sizes, generator=generator)
        if given.dtype.is_floating_point:
            return (whole / 4).to(given.dtype)
        return (whole.abs() if given.dtype == torch.uint8 else whole).to(given.dtype)

    if given.layout == "transposed" and len(shape) > 1:
        return values((*shape[:-2], shape[-1], shape[-2])).transpose(-1, -2)
    if given.layout == "sliced" and shape:
        return values((*shape[:-1], shape[-1] + 3))[..., 1 : shape[-1] + 1]
    if given.layout == "stepped" and shape:
        return values((*shape[:-1], 2 * shape[-1]))[..., ::2]
    if given.layout == "offset" and shape:
        return values((shape[0] + 2, *shape[1:]))[2:]
    if given.layout == "expanded" and shape:
        return values((1, *shape[1:])).expand(shape)
    return values(shape)


def make_inputs(program: Program) -> list[torch.Tensor]:
    """New tensors, the same values each time."""
    return [make_input(given) for given in program.inputs]


def run(program: Program, inputs: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Run in eager mode."""
    scope: dict[str, Any] = {"torch": torch}
    exec(program.source(), scope)
    return scope["program"](*inputs)


class Writer:
    """Adds lines to a program as long as eager mode takes them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dynamic = self.random.random() < 0.3
        self.inputs: list[Input] = []
        self.lines: list[Line] = []
        self.values: dict[str, torch.Tensor] = {}
        self.exact: dict[str, bool] = {}
        self.origin: dict[str, str] = {}  # whose memory it holds, if it is a view

    def add_inputs(self) -> None:
        rank = self.random.choice([0, 1, 2, 2, 2, 3, 3, 4])
        base = [self.random.choice([1, 2, 3, 5, 8, 17]) for _ in range(rank)]
        if rank and self.random.random() < 0.06:
            base[self.random.randrange(rank)] = 0
        kinds = FLOATS if self.random.random() < 0.75 else FLOATS + INTEGERS
        main = self.random.choice(kinds)
        for number in range(self.random.randint(1, 3)):
            shape = list(base)
            if number and rank and self.random.random() < 0.4:
                shape[self.random.randrange(rank)] = 1
            if number and rank and self.random.random() < 0.3:
                shape = shape[1:]
            dtype = main if self.random.random() < 0.7 else self.random.choice(kinds)
            layout = self.random.choice(LAYOUTS) if self.random.random() < 0.5 else "plain"
            given = Input(tuple(shape), dtype, layout, self.random.randrange(1 << 30))
            name = f"x{number}"
            self.inputs.append(given)
            self.values[name], self.exact[name] = make_input(given), True
            self.origin[name] = name

    def candidates(self) -> list[str]:
        names = list(self.values)
        return names[-6:] + names[:3]

    def templates(self, name: str) -> tuple[str, list[str]]:
        """A kind of operator and its forms, for a first operand."""
        value, exact = self.values[name], self.exact[name]
        pick = self.random.random()
        if pick < 0.16:
            return "view", VIEWS
        if pick < 0.24:
            return "gather", GATHERS
        if pick < 0.36:
            return "write", WRITES + BINARY_WRITES
        if not value.is_floating_point():
            return "integer", INTEGER_UNARY + INTEGER_BINARY
        if pick < 0.48:
            return "reduction", REDUCTIONS + ([] if exact else INEXACT_REDUCTIONS)
        if pick < 0.54:
            return "inexact", INEXACT_REDUCTIONS + PRODUCTS + SCANS
        if pick < 0.64 and exact:
            return "jump", JUMPS + BINARY_JUMPS
        if pick < 0.78:
            return "exact", EXACT_BINARY
        if pick < 0.9:
            return "exact", EXACT_UNARY
        return "inexact", INEXACT_UNARY + INEXACT_BINARY

    def add_line(self) -> None:
        a = self.random.choice(self.candidates())
        kind, forms = self.templates(a)
        form = self.random.choice(forms)
        b = self.random.choice(self.candidates())
        rank = max(1, self.values[a].dim())
        i, j = self.random.randrange(rank), self.random.randrange(rank)
        uses = (a, b) if "{b}" in form else (a,)
        if kind == "jump" and not all(self.exact[u] for u in uses):
            return
        text = form.format(a=a, b=b, i=i, j=j)
        name = "" if kind == "write" else f"v{len(self.lines)}"
        if kind == "write" and not self.may_write(a, uses):
            return
        line = Line(name, text, uses)
        scope: dict[str, Any] = {"torch": torch, **self.values}
        try:
            exec(str(line), scope)
        except (RuntimeError, IndexError, ValueError, TypeError):
            return
        self.accept(line, kind, scope)

    def may_write(self, a: str, uses: tuple[str, ...]) -> bool:
        """Not into memory whose elements overlap, and exactness must not get lost unseen."""
        value = self.values[a]
        overlaps = any(s == 0 and n > 1 for s, n in zip(value.stride(), value.shape, strict=True))
        same = len(uses) == 2 and value.untyped_storage()._cdata == (
            self.values[uses[1]].untyped_storage()._cdata
        )
        return not overlaps and not same

    def accept(self, line: Line, kind: str, scope: dict[str, Any]) -> None:
        exact = all(self.exact[u] for u in line.uses) and kind != "inexact"
        if line.name:
            result = scope[line.name]
            if not isinstance(result, torch.Tensor) or result.numel() > 4000:
                return
            if result.is_floating_point() and not tame(result):
                return
            self.values[line.name] = result
            self.exact[line.name] = exact and is_exact(result)
        else:
            target = self.values[line.uses[0]]
            for name, value in self.values.items():
                if value.untyped_storage()._cdata == target.untyped_storage()._cdata:
                    self.exact[name] = self.exact[name] and exact and is_exact(value)
        self.lines.append(line)


def tame(x: torch.Tensor) -> bool:
    """Finite and not large, so that nothing amplifies rounding."""
    return x.numel() == 0 or bool(x.double().abs().max() < 2000)


def is_exact(x: torch.Tensor) -> bool:
    """Few bits: sums and products of such values round nothing."""
    if not x.is_floating_point():
        return True
    wide = x.double().abs()
    grid = 16.0 if x.dtype in (torch.float16, torch.bfloat16) else 256.0
    limit = 8.0 if x.dtype in (torch.float16, torch.bfloat16) else 512.0
    whole = wide * grid
    return x.numel() == 0 or bool((whole == whole.floor()).all() and wide.sum() < limit)


def generate(seed: int) -> Program:
    """The program of a seed."""
    writer = Writer(seed)
    writer.add_inputs()
    target = writer.random.randint(2, 14)
    for _ in range(4 * target):
        if len(writer.lines) >= target:
            break
        writer.add_line()
    names = [line.name for line in writer.lines if line.name]
    wanted = set(writer.random.sample(names, min(len(names), 2))) | set(names[-2:])
    outputs = tuple(name for name in names if name in wanted)
    functional = writer.random.random() < 0.3
    return Program(tuple(writer.inputs), tuple(writer.lines), outputs, writer.dynamic, functional)
