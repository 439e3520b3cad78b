"""Pointwise work on the values of a reduce function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from nativefx.gnn.dgl_batched import Batched, Degree, register
from nativefx.gnn.dgl_refusal import Refused

__all__ = ["aligned", "common_ragged"]

_UNARY = [
    "abs",
    "neg",
    "negative",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "square",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "arctan",
    "arcsin",
    "arccos",
    "erf",
    "erfc",
    "erfinv",
    "sigmoid",
    "relu",
    "relu6",
    "elu",
    "selu",
    "celu",
    "gelu",
    "silu",
    "mish",
    "softplus",
    "softsign",
    "tanhshrink",
    "hardshrink",
    "softshrink",
    "hardtanh",
    "hardsigmoid",
    "hardswish",
    "leaky_relu",
    "logsigmoid",
    "log_sigmoid",
    "threshold",
    "floor",
    "ceil",
    "round",
    "trunc",
    "frac",
    "sign",
    "sgn",
    "reciprocal",
    "isnan",
    "isinf",
    "isfinite",
    "logical_not",
    "bitwise_not",
    "invert",
    "clamp",
    "clip",
    "clamp_min",
    "clamp_max",
    "nan_to_num",
    "lgamma",
    "digamma",
    "positive",
    "deg2rad",
    "dropout",
    "alpha_dropout",
    "expit",
    "to",
    "float",
    "double",
    "half",
    "bfloat16",
    "int",
    "long",
    "bool",
    "type",
    "type_as",
    "clone",
    "detach",
    "contiguous",
    "zeros_like",
    "ones_like",
    "full_like",
    "rand_like",
    "randn_like",
]
_BINARY = [
    "add",
    "radd",
    "sub",
    "rsub",
    "subtract",
    "mul",
    "rmul",
    "multiply",
    "div",
    "rdiv",
    "divide",
    "truediv",
    "rtruediv",
    "true_divide",
    "floordiv",
    "rfloordiv",
    "floor_divide",
    "mod",
    "remainder",
    "fmod",
    "pow",
    "rpow",
    "float_power",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "atan2",
    "arctan2",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "equal_to",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "not_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "and",
    "or",
    "xor",
    "hypot",
    "copysign",
    "where",
    "lerp",
    "addcmul",
    "addcdiv",
    "masked_fill",
    "xlogy",
    "heaviside",
]
# Zero with a zero gradient where the first operand is so, the others being numbers.
_KEEP_ZERO = {
    "neg",
    "abs",
    "relu",
    "leaky_relu",
    "mul",
    "rmul",
    "div",
    "truediv",
    "float",
    "double",
}
_KEEP_ZERO |= {"to", "contiguous", "clone", "dropout", "multiply", "divide"}


@register(*_UNARY, *_BINARY)
def _pointwise(func: Any, *args: Any, **kwargs: Any) -> Any:
    operands = [x for x in (*args, *kwargs.values()) if isinstance(x, Batched | Degree)]
    if not any(isinstance(x, Batched) for x in operands):
        if not any(isinstance(x, Tensor) and x.dim() for x in (*args, *kwargs.values())):
            return _of_degrees(func, args, kwargs)
        raise Refused("a degree meets a tensor that has no row for each node")
    ragged, convert = aligned((*args, *kwargs.values()))
    value = func(*map(convert, args), **{k: convert(v) for k, v in kwargs.items()})
    first = next(x for x in operands if isinstance(x, Batched))
    result = Batched(value, first.space, ragged)
    if len(operands) == 1 and first.zero_if_empty and args[0] is first:
        plain = all(isinstance(x, int | float | torch.dtype) for x in args[1:])
        result.zero_if_empty = plain and func.__name__.strip("_") in _KEEP_ZERO
    return result


def _of_degrees(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Degree:
    """Compute as Python would with the numbers themselves: in double precision."""
    first = next(x for x in (*args, *kwargs.values()) if isinstance(x, Degree))
    space = first.space

    def convert(x: Any) -> Any:
        return x.value if isinstance(x, Degree) else x

    values = [convert(x) for x in args]
    name = func.__name__.strip("_")
    whole = {"add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "mod", "neg", "abs"}
    compare = {"eq", "ne", "lt", "le", "gt", "ge"}
    exact = name in whole and all(not isinstance(x, float) for x in values)
    if not exact and name not in compare:
        values = [
            x.double() if isinstance(x, Tensor) and x.dtype == torch.int64 else x for x in values
        ]
    return Degree(space, func(*values, **{k: convert(v) for k, v in kwargs.items()}))


def common_ragged(operands: Sequence[Any], rank: int) -> int | None:
    """Give the dimension that is ragged in all operands that have one."""
    places = {x.ragged for x in operands if isinstance(x, Batched) and x.ragged is not None}
    if len(places) > 1:
        raise Refused("the degree is another dimension in one operand than in the other")
    for x in operands:
        if isinstance(x, Batched) and x.ndim != rank:
            raise Refused(
                f"operands have {x.ndim} and {rank} dimensions: nodes would meet a dimension "
                "that is not nodes"
            )
    return places.pop() if places else None


def aligned(operands: Sequence[Any]) -> tuple[int | None, Any]:
    """Find how operands broadcast.

    Returns
    -------
    ragged : int or None
        Which dimension of the result is the degree.
    convert
        Makes of an operand the tensor or number to compute with.
    """
    shaped = [x for x in operands if isinstance(x, Batched) or _is_tensor(x)]
    rank = max(x.dim() for x in shaped)
    ragged = common_ragged(shaped, rank)
    batched = [x for x in operands if isinstance(x, Batched)]
    dtype = _dtype(shaped)

    def convert(x: Any) -> Any:
        if isinstance(x, Degree):
            return _degree_operand(x, rank, ragged, dtype)
        if isinstance(x, Batched):
            return _rows_operand(x, ragged)
        if _is_tensor(x):
            return _plain_operand(x, rank, ragged, batched[0])
        return x

    return ragged, convert


def _is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


def _dtype(shaped: Sequence[Any]) -> torch.dtype:
    dtype = shaped[0].dtype
    for x in shaped[1:]:
        dtype = torch.promote_types(dtype, x.dtype)
    return dtype


def _degree_operand(x: Degree, rank: int, ragged: int | None, dtype: torch.dtype) -> Tensor:
    value = x.value
    if value.is_floating_point() and not (dtype.is_floating_point or dtype.is_complex):
        dtype = torch.get_default_dtype()
    if value.dtype != torch.bool and (dtype != torch.bool):
        value = value.to(dtype)
    if ragged is not None:
        value = x.space.gather(value)
        rank -= 1
    return value.view([-1] + [1] * (rank - 1))


def _rows_operand(x: Batched, ragged: int | None) -> Tensor:
    if ragged is None or x.ragged is not None:
        return x.value
    if x.value.shape[ragged] != 1:
        raise Refused("a size that is no degree meets the degree")
    return x.space.gather(x.value.squeeze(ragged))


def _plain_operand(x: Tensor, rank: int, ragged: int | None, other: Batched) -> Tensor:
    """Align a tensor that knows nothing of nodes, or has one row for each."""
    missing = rank - x.dim()
    if missing == 0 and x.shape[0] != 1 and x.shape[0] == other.space.rows:
        return _rows_operand(Batched(x, other.space), ragged)
    if missing == 0 and x.shape[0] != 1:
        raise Refused("a tensor from elsewhere has a row for each node of one degree")
    if ragged is not None and ragged >= missing:
        if x.shape[ragged - missing] != 1:
            raise Refused("a size that is no degree meets the degree")
        x = x.squeeze(ragged - missing)
    return x
