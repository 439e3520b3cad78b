"""Read symbolic expressions from text, without evaluating it as Python.

The native side prints expressions as Python spells them (`2*s0 + 1`, `s0//4`,
`Max(1, s1)`). Texts may come from files that are not to be trusted, so only
numbers, known symbols, operators and the functions below are read.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import sympy  # type: ignore[import-untyped]
from torch.utils._sympy import functions

__all__ = ["read_symbolic"]


def _modulo(value: Any, divisor: Any) -> Any:
    """Python's remainder, in the form that torch prefers where the signs are known."""
    if value.is_nonnegative and divisor.is_positive:
        return functions.Mod(value, divisor)
    return functions.PythonMod(value, divisor)


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
    ast.Div: functions.FloatTrueDiv,
    ast.FloorDiv: functions.FloorDiv,
    ast.Mod: _modulo,
    ast.BitAnd: sympy.And,
    ast.BitOr: sympy.Or,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: sympy.Eq,
    ast.NotEq: sympy.Ne,
    ast.Lt: sympy.Lt,
    ast.LtE: sympy.Le,
    ast.Gt: sympy.Gt,
    ast.GtE: sympy.Ge,
}
_FUNCTION_NAMES = [
    "FloorDiv",
    "CeilDiv",
    "Mod",
    "PythonMod",
    "Max",
    "Min",
    "IntTrueDiv",
    "FloatTrueDiv",
    "FloatPow",
    "ToFloat",
    "TruncToInt",
    "RoundToInt",
    "FloorToInt",
    "CeilToInt",
    "Where",
]
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(functions, name) for name in _FUNCTION_NAMES},
    "sqrt": functions.OpaqueUnaryFn_sqrt,
    "floor": functions.FloorToInt,
    "ceiling": functions.CeilToInt,
    "Eq": sympy.Eq,
    "Ne": sympy.Ne,
    "And": sympy.And,
    "Or": sympy.Or,
    "Not": sympy.Not,
}


def read_symbolic(text: str, symbols: Mapping[str, sympy.Symbol]) -> sympy.Basic:
    """Read an expression over `symbols`.

    Raises
    ------
    ValueError
        If the text holds anything but an expression of the kinds above, or a
        symbol that is not in `symbols`.
    """
    try:
        tree = ast.parse(text, mode="eval").body
        return sympy.sympify(_read(tree, symbols))
    except (SyntaxError, KeyError, RecursionError) as error:
        raise ValueError(f"`{text}` is no symbolic expression of this graph: {error}") from error


def _read(tree: ast.expr, symbols: Mapping[str, sympy.Symbol]) -> Any:
    match tree:
        case ast.Constant(value=bool() as value):
            return sympy.true if value else sympy.false
        case ast.Constant(value=int() | float() as value):
            return sympy.sympify(value)
        case ast.Name(id=name):
            return symbols[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand, symbols)
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
            return sympy.Not(_read(operand, symbols))
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_read(left, symbols), _read(right, symbols))
        case ast.BoolOp(op=op, values=values):
            join = sympy.And if isinstance(op, ast.And) else sympy.Or
            return join(*(_read(value, symbols) for value in values))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _COMPARE[type(op)](_read(left, symbols), _read(right, symbols))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _FUNCTIONS[name](*(_read(arg, symbols) for arg in args))
    raise KeyError(type(tree).__name__)
