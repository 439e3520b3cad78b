"""The way of a model through `torch.export` to a compiled program, without Dynamo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from nativefx.compiled_program import CompiledProgram, Interface
from nativefx.errors import error
from nativefx.exported_graph import freeze
from nativefx.graph import Graph
from nativefx.input_checks import InputSpec, Size, Symbol
from nativefx.native_options import native_options
from nativefx.options import Options

__all__ = ["compile_exported"]


def compile_exported(
    model_or_program: torch.nn.Module | ExportedProgram,
    example_inputs: Sequence[Any] = (),
    dynamic_shapes: Any = None,
    *,
    example_kwargs: Mapping[str, Any] | None = None,
    strict: bool = False,
    options: Mapping[str, Any] | None = None,
) -> CompiledProgram:
    """Compile a model for inference, as a whole and once.

    Nothing is traced through bytecode and nothing is compiled again later: shapes are
    those of the examples, or vary as `dynamic_shapes` says. Weights are constant, and
    what depends on them alone is computed now.

    Parameters
    ----------
    model_or_program
        A module, exported by ``torch.export.export``, or what that has made.
    example_inputs, example_kwargs
        What a module is called with.
    dynamic_shapes
        As for ``torch.export.export``.
    strict
        As for ``torch.export.export``; without it the module's Python code runs once,
        which is faster and sees through more of it.
    options
        See `nativefx.options.Options`.

    Returns
    -------
    CompiledProgram
        It is called as the module is, and has `save`.

    Raises
    ------
    nativefx.Error
        `unsupported-export`, and whatever keeps the graph from being compiled.
    """
    chosen = Options.read(options)
    if isinstance(model_or_program, ExportedProgram):
        program = model_or_program
    else:
        program = torch.export.export(
            model_or_program,
            tuple(example_inputs),
            dict(example_kwargs or {}),
            dynamic_shapes=dynamic_shapes,
            strict=strict,
        )
    frozen = freeze(program)
    graph = Graph.from_fx(frozen.graph)
    graph.infer_types()
    name = type(model_or_program).__name__ if program is not model_or_program else "program"
    return CompiledProgram(
        graph, frozen.constants, _interface(program), native_options(chosen, name)
    )


def _interface(program: ExportedProgram) -> Interface:
    """Tell how a program is called."""
    symbols = _Symbols(program.range_constraints)
    signature = program.graph_signature
    placeholders = [n for n in program.graph.nodes if n.op == "placeholder"]
    leaves = [
        node
        for node, spec in zip(placeholders, signature.input_specs, strict=True)
        if spec.kind is InputKind.USER_INPUT
    ]
    takes = program.call_spec.in_spec
    paths = _paths(takes)
    inputs = tuple(
        _input_spec(path, node.meta["val"], symbols)
        for path, node in zip(paths, leaves, strict=True)
    )
    return Interface(takes, program.call_spec.out_spec, inputs, tuple(symbols.found))


def _paths(takes: pytree.TreeSpec) -> list[str]:
    filled = pytree.tree_unflatten(range(takes.num_leaves), takes)
    paths, _ = pytree.tree_flatten_with_path(filled)
    names = ("args", "kwargs")
    return [names[path[0].idx] + pytree.keystr(path[1:]) for path, _ in paths]


def _input_spec(path: str, value: Any, symbols: _Symbols) -> InputSpec:
    if isinstance(value, torch.Tensor):
        if value.device.type != "cpu":
            raise error("unsupported-export", f"input `{path}` lies on `{value.device}`")
        dtype = str(value.dtype).removeprefix("torch.")
        return InputSpec(path, "tensor", dtype, tuple(symbols.size(s) for s in value.shape))
    if isinstance(value, torch.SymInt):
        return InputSpec(path, "int", sizes=(symbols.size(value),))
    if isinstance(value, torch.SymFloat | torch.SymBool):
        return InputSpec(path, "float" if isinstance(value, torch.SymFloat) else "bool")
    return InputSpec(path, "constant", value=value)


class _Symbols:
    """The symbols of a program, in the order in which its inputs name them."""

    def __init__(self, ranges: Mapping[Any, Any]) -> None:
        self.ranges = ranges
        self.found: list[Symbol] = []
        self.numbers: dict[str, int] = {}

    def size(self, size: int | torch.SymInt) -> Size:
        if not isinstance(size, torch.SymInt):
            return Size(None, 1, int(size))
        expr = size.node.expr
        if expr.is_Integer:
            return Size(None, 1, int(expr))
        (symbol, *others) = sorted(expr.free_symbols, key=str)
        offset = expr.subs(symbol, 0)
        scale = expr.subs(symbol, 1) - offset
        # Dimensions that depend on others do so linearly.
        if others or expr != scale * symbol + offset:
            raise error("unsupported-export", f"an input has size `{expr}`")
        return Size(self.number(symbol), int(scale), int(offset))

    def number(self, symbol: Any) -> int:
        name = str(symbol)
        if name not in self.numbers:
            self.numbers[name] = len(self.found)
            bounds = self.ranges.get(symbol)
            low = _bound(bounds.lower if bounds is not None else 0)
            high = _bound(bounds.upper if bounds is not None else None)
            self.found.append(Symbol(name, low or 0, high))
        return self.numbers[name]


def _bound(value: Any) -> int | None:
    """Give an end of a range; None where there is no end."""
    if value is None or not getattr(value, "is_Integer", isinstance(value, int)):
        return None
    return int(value) if abs(int(value)) < 2**62 else None
