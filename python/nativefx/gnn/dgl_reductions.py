"""Reductions and softmax on the values of a reduce function, along edges or features."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import torch

from nativefx.gnn.dgl_batched import Batched, register
from nativefx.gnn.dgl_refusal import Refused

__all__: list[str] = []

_Extreme = collections.namedtuple("_Extreme", ["values", "indices"])


def _dims(x: Batched, dim: Any) -> list[int]:
    if dim is None or (isinstance(dim, tuple | list) and not dim):
        raise Refused("a reduction over all dimensions goes across nodes")
    return [x.normal(d) for d in (dim if isinstance(dim, tuple | list) else [dim])]


def _along(
    x: Batched, dim: Any, keepdim: bool, edges: Callable[..., Any], features: Callable[..., Any]
) -> Batched:
    """Reduce along features first, then along the edges."""
    dims = _dims(x, dim)
    rest = sorted((d for d in dims if d != x.ragged), reverse=True)
    zero = x.zero_if_empty
    value = x.value
    if rest:
        value = features(value, [x.below(d) for d in rest], keepdim)
    ragged = x.ragged
    if ragged is not None and not keepdim:
        ragged -= sum(d < ragged for d in rest)
    if x.ragged not in dims or ragged is None:
        return x.like(value, ragged, zero)
    value = edges(value)
    return x.like(value.unsqueeze(ragged) if keepdim else value, None)


def _linear_reduction(name: str, edges: Callable[..., Any]) -> None:
    @register(name)
    def reduce(
        func: Any, x: Batched, dim: Any = None, keepdim: bool = False, *, dtype: Any = None,
        axis: Any = None, keepdims: bool = False,
    ) -> Batched:  # fmt: skip
        if dtype is not None:
            x = x.like(x.value.to(dtype), zero=x.zero_if_empty)
        feature = getattr(torch, name)
        result = _along(
            x, axis if dim is None else dim, keepdim or keepdims,
            lambda v: edges(x.space, v),
            lambda v, dims, keep: feature(v, dims, keepdim=keep),
        )  # fmt: skip
        if x.ragged is not None and result.ragged is None:
            result.zero_if_empty = True
        return result


_linear_reduction("sum", lambda space, v: space.sum(v))
_linear_reduction("mean", lambda space, v: space.mean(v))


def _even(kind: str) -> Callable[..., Any]:
    """Extreme whose gradient is shared evenly by the edges that reach it, as `amax` has it."""

    def edges(space: Any, v: Any) -> Any:
        space.require_edges()
        return space.extreme(v, kind)

    return edges


@register("amax", "amin")
def _amax(func: Any, x: Batched, dim: Any = (), keepdim: bool = False) -> Batched:
    name = func.__name__
    return _along(
        x, dim, keepdim,
        lambda v: _even(name)(x.space, v),
        lambda v, dims, keep: getattr(torch, name)(v, dims, keepdim=keep),
    )  # fmt: skip


@register("prod")
def _prod(
    func: Any, x: Batched, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Batched:
    value = x.value if dtype is None else x.value.to(dtype)
    if not value.is_floating_point() and not value.is_complex():
        value = value.to(torch.int64)
    return _along(
        x.like(value), dim, keepdim,
        lambda v: _even("prod")(x.space, v),
        lambda v, dims, keep: torch.prod(v, dims[0], keepdim=keep),
    )  # fmt: skip


@register("max", "min")
def _max(func: Any, x: Batched, *args: Any, **kwargs: Any) -> Any:
    name = func.__name__
    other = kwargs.get("other", args[0] if args else None)
    if isinstance(other, Batched | torch.Tensor):
        pointwise = torch.maximum if name == "max" else torch.minimum
        return pointwise(x, other)
    return _extreme_at(name, x, *args, **kwargs)


def _extreme_at(name: str, x: Batched, dim: Any = None, keepdim: bool = False) -> Any:
    (dim,) = _dims(x, dim)
    if dim != x.ragged:
        found = getattr(torch, name)(x.value, x.below(dim), keepdim=keepdim)
        ragged = _ragged_after(x, dim, keepdim)
        return _Extreme(x.like(found.values, ragged), x.like(found.indices, ragged))
    edge = x.space.arg_edge(x.value, "amax" if name == "max" else "amin")
    values, indices = x.space.select_edge(x.value, edge), x.space.position(edge)
    if keepdim:
        values, indices = values.unsqueeze(dim), indices.unsqueeze(dim)
    return _Extreme(x.like(values, None), x.like(indices, None))


def _ragged_after(x: Batched, dim: int, keepdim: bool) -> int | None:
    if x.ragged is None or keepdim or dim > x.ragged:
        return x.ragged
    return x.ragged - 1


@register("argmax", "argmin")
def _argmax(func: Any, x: Batched, dim: Any = None, keepdim: bool = False) -> Batched:
    return _extreme_at(func.__name__.removeprefix("arg"), x, dim, keepdim).indices


@register("any", "all")
def _any(func: Any, x: Batched, dim: Any = None, keepdim: bool = False) -> Batched:
    name = func.__name__

    def edges(v: Any) -> Any:
        if name == "any":
            return x.space.sum(v != 0) > 0
        return x.space.sum(v == 0) == 0

    def features(v: Any, dims: list[int], keep: bool) -> Any:
        for dim in dims:
            v = getattr(torch, name)(v, dim, keepdim=keep)
        return v

    if x.ragged in _dims(x, dim):
        x.space.require_edges()
    return _along(x, dim, keepdim, edges, features)


@register("logsumexp")
def _logsumexp(func: Any, x: Batched, dim: Any, keepdim: bool = False) -> Batched:
    return _along(x, dim, keepdim, x.space.logsumexp, torch.logsumexp)


@register("std", "var")
def _std(
    func: Any, x: Batched, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *,
    correction: Any = None,
) -> Batched:  # fmt: skip
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    dims = _dims(x, dim)
    name = func.__name__
    if x.ragged not in dims:
        return _along(
            x, dim, keepdim, lambda v: v,
            lambda v, d, keep: getattr(torch, name)(v, d, correction=correction, keepdim=keep),
        )  # fmt: skip
    if len(dims) > 1:
        raise Refused(f"`{name}` over edges and features at once is not known")

    def edges(v: Any) -> Any:
        variance = x.space.variance(v, correction)
        return variance if name == "var" else _root(variance)

    return _along(x, dim, keepdim, edges, lambda v, *_: v)


def _root(x: torch.Tensor) -> torch.Tensor:
    """Square root with gradient 0 at 0, as `std` and `norm` have it."""
    zero = x == 0
    return torch.where(zero, 0.0, torch.where(zero, 1.0, x).sqrt())


def _sum_root(x: Any, dim: Any, keepdim: bool) -> Batched:
    total = (x * x).sum(dim, keepdim)
    return total.like(_root(total.value))


@register("norm", "vector_norm", "linalg_vector_norm", "linalg_norm")
def _norm(
    func: Any, x: Any, p: Any = 2, dim: Any = None, keepdim: bool = False, **kwargs: Any
) -> Batched:
    p = kwargs.pop("ord", p)
    p = 2 if p in ("fro", None) else p
    if any(v is not None for v in kwargs.values()) or not isinstance(p, int | float):
        raise Refused(f"this form of `{func.__name__}` is not known")
    if x.ragged in _dims(x, dim):
        if p not in (1, 2):
            raise Refused("only norms 1 and 2 are known along a mailbox")
        if p == 1:
            return x.abs().sum(dim, keepdim)
        x.space.require_edges()
        return _sum_root(x, dim, keepdim)
    return _along(
        x, dim, keepdim, lambda v: v,
        lambda v, d, keep: torch.linalg.vector_norm(v, p, d, keepdim=keep),
    )  # fmt: skip


@register("softmax", "log_softmax", "softmin")
def _softmax(func: Any, x: Batched, dim: Any = None, *_: Any, dtype: Any = None, **__: Any) -> Any:
    (dim,) = _dims(x, dim)
    value = x.value if dtype is None else x.value.to(dtype)
    name = func.__name__
    if name == "softmin":
        value = -value
    log = name == "log_softmax"
    if dim == x.ragged:
        return x.like(x.space.softmax(value, log))
    return x.like((torch.log_softmax if log else torch.softmax)(value, x.below(dim)))


@register("normalize")
def _normalize(
    func: Any, x: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Any = None
) -> Batched:
    return x / _norm(torch.norm, x, p, dim, True).clamp_min(eps)


@register("cosine_similarity")
def _cosine_similarity(func: Any, a: Any, b: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    lengths = [_norm(torch.norm, x, 2, dim, False).clamp_min(eps) for x in (a, b)]
    return (a * b).sum(dim) / (lengths[0] * lengths[1])


@register("cumsum", "cumprod", "sort", "argsort", "topk", "median", "kthvalue", "flip", "roll")
def _ordered(func: Any, x: Batched, *args: Any, **kwargs: Any) -> Any:
    name = func.__name__
    dim = kwargs.get("dim", kwargs.get("dims"))
    if dim is None:
        at = 1 if name in ("topk", "kthvalue") else 0
        if name == "roll":
            at = 1
        dim = args[at] if len(args) > at else -1
    dims = _dims(x, dim)
    if x.ragged in dims:
        raise Refused(f"`{name}` along a mailbox depends on the order of edges")
    args, kwargs = _rest(name, x, dims[0], args, kwargs)
    result = func(x.value, *args, **kwargs)
    if isinstance(result, tuple):
        ragged = x.ragged
        if name in ("median", "kthvalue"):
            ragged = _ragged_after(x, dims[0], bool(kwargs.get("keepdim", False)))
        return _Extreme(*(x.like(v, ragged) for v in result))
    return x.like(result)


def _rest(name: str, x: Batched, dim: int, args: Any, kwargs: Any) -> tuple[Any, Any]:
    below = x.below(dim)
    if name in ("topk", "kthvalue"):
        return args[:1], {**kwargs, "dim": below}
    if name in ("flip", "roll"):
        return args[: name == "roll"], {**kwargs, "dims": [below]}
    return (), {**kwargs, "dim": below}
