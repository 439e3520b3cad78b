"""Gather and scatter along the rows of tensors, in the order of the edges.

`recognize` turns what a model writes with ``index_select``, ``scatter_add`` and
their kin into these operators, before AOTAutograd. They are dual to each other,
so joint graphs consist of them too; the back end then chooses an order of the
edges for each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import SymInt, Tensor

__all__ = ["LIBRARY", "define"]

LIBRARY = torch.library.Library("mp", "DEF")


def define(schema: str, value: Callable[..., Any], shape: Callable[..., Any]) -> None:
    """Define an operator of the library ``mp``.

    Parameters
    ----------
    schema
        Of the operator.
    value, shape
        What it computes in PyTorch, and the empty tensors that stand for that.
    """
    LIBRARY.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    name = schema[: schema.index("(")]
    LIBRARY.impl(name, value, "CompositeExplicitAutograd")
    torch.library.register_fake(f"mp::{name}", shape, lib=LIBRARY)


def _rows(x: Tensor, size: int | SymInt) -> Tensor:
    return x.new_empty([size, *x.shape[1:]])


def _spread(index: Tensor, v: Tensor) -> Tensor:
    return index.view([-1] + [1] * (v.dim() - 1)).expand_as(v)


def _gather(x: Tensor, index: Tensor) -> Tensor:
    return x.index_select(0, index)


def _wrapped(index: Tensor, n: int) -> Tensor:
    return torch.where(index < 0, index + n, index)


def _scatter_sum(v: Tensor, index: Tensor, n: int) -> Tensor:
    return _rows(v, n).zero_().index_add_(0, index, v)


def _scatter_max(v: Tensor, index: Tensor, n: int, fill: float) -> Tensor:
    return (
        _rows(v, n).fill_(fill).scatter_reduce_(0, _spread(index, v), v, "amax", include_self=False)
    )


def _scatter_min(v: Tensor, index: Tensor, n: int, fill: float) -> Tensor:
    return (
        _rows(v, n).fill_(fill).scatter_reduce_(0, _spread(index, v), v, "amin", include_self=False)
    )


define(
    "gather(Tensor x, Tensor index) -> Tensor",
    _gather,
    lambda x, index: _rows(x, index.size(0)),
)
define(
    "wrapped(Tensor index, SymInt n) -> Tensor",
    _wrapped,
    lambda index, n: index.new_empty(index.shape),
)
define(
    "scatter_sum(Tensor v, Tensor index, SymInt n) -> Tensor",
    _scatter_sum,
    lambda v, index, n: _rows(v, n),
)
define(
    "scatter_max(Tensor v, Tensor index, SymInt n, float fill) -> Tensor",
    _scatter_max,
    lambda v, index, n, fill: _rows(v, n),
)
define(
    "scatter_min(Tensor v, Tensor index, SymInt n, float fill) -> Tensor",
    _scatter_min,
    lambda v, index, n, fill: _rows(v, n),
)


def _save_gather(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, index = inputs
    ctx.rows = x.size(0)
    ctx.save_for_backward(index)


def _grad_gather(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    (index,) = ctx.saved_tensors
    return torch.ops.mp.scatter_sum(grad, index, ctx.rows), None


def _save_scatter_sum(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(inputs[1])


def _grad_scatter_sum(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    (index,) = ctx.saved_tensors
    return torch.ops.mp.gather(grad, index), None, None


def _save_extremum(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    v, index, ctx.rows, ctx.fill = inputs
    ctx.save_for_backward(v, index, output)


def _grad_extremum(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    """Divide among equal values; what was in place before counts as one of them.

    That is how `scatter_reduce` divides, also where it leaves out that value.
    """
    v, index, output = ctx.saved_tensors
    chosen = (v == torch.ops.mp.gather(output, index)).to(grad.dtype)
    sharing = torch.ops.mp.scatter_sum(chosen, index, ctx.rows)
    sharing = sharing + (output == ctx.fill).to(grad.dtype)
    return chosen * torch.ops.mp.gather(grad / sharing, index), None, None, None


for _name, _save, _grad in (
    ("gather", _save_gather, _grad_gather),
    ("scatter_sum", _save_scatter_sum, _grad_scatter_sum),
    ("scatter_max", _save_extremum, _grad_extremum),
    ("scatter_min", _save_extremum, _grad_extremum),
):
    torch.library.register_autograd(f"mp::{_name}", _grad, setup_context=_save, lib=LIBRARY)
