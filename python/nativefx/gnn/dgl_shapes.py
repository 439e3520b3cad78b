"""Views, concatenation and selection on the values of a reduce function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from nativefx.gnn.dgl_batched import Batched, Degree, register
from nativefx.gnn.dgl_refusal import Refused

__all__: list[str] = []


def _flat(args: Sequence[Any]) -> list[Any]:
    if len(args) == 1 and isinstance(args[0], tuple | list):
        return list(args[0])
    return list(args)


@register("view", "reshape")
def _view(func: Any, x: Batched, *shape: Any, **kwargs: Any) -> Batched:
    sizes = _flat(shape or tuple(kwargs.values()))
    if len(sizes) == 1 and isinstance(sizes[0], torch.dtype):
        return x.like(x.value.view(sizes[0]))
    degrees = [i for i, s in enumerate(sizes) if isinstance(s, Degree) and s.is_size]
    if any(isinstance(s, Degree) and not s.is_size for s in sizes):
        raise Refused("a view merges the degree with features")
    if x.ragged is None:
        return _view_rows(x, sizes, degrees)
    if not degrees:
        degrees = _guess_degree(x, sizes)
    if len(degrees) != 1 or not _is_rows(x, sizes[0]):
        raise Refused("a view merges the degree with features or nodes")
    place = degrees[0]
    if place != x.ragged or (place > 1 and list(sizes[1:place]) != list(x.shape[1:place])):
        raise Refused("a view moves the degree to another dimension")
    features = [s for i, s in enumerate(sizes) if i not in (0, place)]
    return x.view_like(x.value.reshape([x.value.shape[0], *features]), place)


def _is_rows(x: Batched, size: Any) -> bool:
    return (isinstance(size, int) and size == -1) or (
        not isinstance(size, Degree) and size == x.space.rows
    )


def _guess_degree(x: Batched, sizes: list[Any]) -> list[int]:
    """Find a degree written as -1: the features must have their number without it."""
    open_sizes = [i for i, s in enumerate(sizes) if isinstance(s, int) and s == -1]
    rest = [s for i, s in enumerate(sizes) if i > 0 and i not in open_sizes]
    if open_sizes == [1] and math.prod(rest) == math.prod(x.value.shape[1:]):
        return [1]
    return []


def _view_rows(x: Batched, sizes: list[Any], degrees: list[int]) -> Batched:
    if degrees or not _is_rows(x, sizes[0]):
        raise Refused("a view merges nodes with features")
    features = math.prod(x.value.shape[1:])
    if not any(isinstance(s, int) and s == -1 for s in sizes[1:]) and (
        math.prod(sizes[1:]) != features
    ):
        raise Refused("a view merges nodes with features")
    return x.view_like(x.value.reshape([x.value.shape[0], *sizes[1:]]))


@register("flatten")
def _flatten(func: Any, x: Batched, start_dim: int = 0, end_dim: int = -1) -> Batched:
    first, last = x.normal(start_dim), x.normal(end_dim)
    if x.ragged is not None and first <= x.ragged <= last and first != last:
        raise Refused("a view merges the degree with features")
    value = x.value.flatten(x.below(first), x.below(last))
    ragged = x.ragged
    if ragged is not None and ragged > last:
        ragged -= last - first
    return x.view_like(value, ragged)


@register("unflatten")
def _unflatten(func: Any, x: Batched, dim: int, sizes: Any) -> Batched:
    dim = x.normal(dim)
    if dim == x.ragged:
        raise Refused("a view splits the degree")
    ragged = x.ragged
    if ragged is not None and dim < ragged:
        ragged += len(sizes) - 1
    return x.view_like(x.value.unflatten(x.below(dim), sizes), ragged)


@register("unsqueeze")
def _unsqueeze(func: Any, x: Batched, dim: int) -> Batched:
    dim = dim if dim >= 0 else dim + x.ndim + 1
    if dim == 0:
        raise Refused("a dimension is put before the nodes")
    if x.ragged is not None and dim <= x.ragged:
        return x.view_like(x.value.unsqueeze(dim), x.ragged + 1)
    return x.view_like(x.value.unsqueeze(dim - (x.ragged is not None)))


@register("squeeze")
def _squeeze(func: Any, x: Batched, dim: Any = None) -> Batched:
    if dim is None:
        raise Refused("`squeeze` of all dimensions depends on the number of nodes and the degree")
    dims = sorted((x.normal(d) for d in (dim if isinstance(dim, tuple) else (dim,))), reverse=True)
    for d in dims:
        if d == x.ragged:
            raise Refused("`squeeze` depends on the degree")
        if x.value.shape[x.below(d)] != 1:
            continue
        ragged = x.ragged
        if ragged is not None and d < ragged:
            ragged -= 1
        x = x.view_like(x.value.squeeze(x.below(d)), ragged)
    return x


@register("transpose", "swapaxes", "swapdims")
def _transpose(func: Any, x: Batched, a: int, b: int) -> Batched:
    order = list(range(x.ndim))
    a, b = x.normal(a), x.normal(b)
    order[a], order[b] = b, a
    return _permute(func, x, *order)


@register("permute", "movedim")
def _permute(func: Any, x: Batched, *dims: Any, **kwargs: Any) -> Batched:
    if func.__name__ == "movedim":
        raise Refused("`movedim` is not known; write `permute`")
    order = _flat(dims or tuple(kwargs.values()))
    if order[0] != 0:
        raise Refused("the nodes are moved from the first dimension")
    order = [0, *(x.normal(d) for d in order[1:])]
    ragged = None if x.ragged is None else order.index(x.ragged)
    below = [x.below(d) if d else 0 for d in order if d == 0 or d != x.ragged]
    return x.view_like(x.value.permute(below), ragged)


@register("expand", "repeat", "tile", "expand_as", "broadcast_to")
def _expand(func: Any, x: Any, *sizes: Any, **kwargs: Any) -> Batched:
    wanted = _flat(sizes or tuple(kwargs.values()))
    if isinstance(wanted[0], Batched):
        other = wanted[0]
        wanted = list(other.shape)
    if not isinstance(x, Batched):
        raise Refused("a tensor from elsewhere is expanded over nodes")
    repeats = func.__name__ in ("repeat", "tile")
    if len(wanted) != x.ndim:
        raise Refused(f"`{func.__name__}` puts dimensions before the nodes")
    head = wanted[0]
    if not (head == 1 if repeats else _is_rows(x, head)):
        raise Refused("nodes are repeated")
    for dim, size in enumerate(wanted):
        if isinstance(size, Degree):
            x = _expand_to_degree(x, dim, size)
            wanted[dim] = 1 if repeats else -1
    if x.ragged is not None and repeats and wanted[x.ragged] != 1:
        raise Refused("edges are repeated")
    below = [s for d, s in enumerate(wanted) if d != x.ragged]
    below[0] = 1 if repeats else -1
    return x.view_like(x.value.repeat(below) if repeats else x.value.expand(below))


def _expand_to_degree(x: Batched, dim: int, size: Degree) -> Batched:
    if not size.is_size:
        raise Refused("a dimension gets a size computed of the degree")
    if x.ragged == dim:
        return x
    if x.ragged is not None or x.value.shape[dim] != 1:
        raise Refused("a size that is no degree becomes the degree")
    return x.like(x.space.gather(x.value.squeeze(dim)), dim)


@register("cat", "concat", "concatenate", "stack", "hstack")
def _cat(func: Any, tensors: Sequence[Any], dim: int = 0, **kwargs: Any) -> Batched:
    dim = kwargs.get("axis", dim)
    name = func.__name__
    if name == "hstack":
        raise Refused("`hstack` is not known; write `cat`")
    first = next(x for x in tensors if isinstance(x, Batched))
    parts = [x if isinstance(x, Batched) else _rows_of(x, first) for x in tensors]
    if name == "stack":
        dim = dim if dim >= 0 else dim + first.ndim + 1
        parts = [x.unsqueeze(dim) for x in parts]
    dim = parts[0].normal(dim)
    ragged = {x.ragged for x in parts}
    if len(ragged) > 1 or len({x.ndim for x in parts}) > 1 or parts[0].ragged == dim:
        raise Refused("parts with and without a degree, or edges, are put together")
    zero = all(x.zero_if_empty for x in parts)
    return parts[0].like(torch.cat([x.value for x in parts], parts[0].below(dim)), zero=zero)


def _rows_of(x: Tensor, other: Batched) -> Batched:
    if other.ragged is None and x.dim() == other.ndim and x.shape[0] == other.space.rows:
        return Batched(x, other.space)
    raise Refused("a tensor from elsewhere has a row for each node of one degree")


@register("chunk", "split", "unbind", "tensor_split")
def _chunk(func: Any, x: Batched, *args: Any, **kwargs: Any) -> tuple[Batched, ...]:
    name = func.__name__
    unbinds = name == "unbind"
    dim = kwargs.pop("dim", (args[0:1] if unbinds else args[1:2] or (0,))[0] if args else 0)
    dim = x.normal(dim)
    if dim == x.ragged:
        raise Refused(f"`{name}` divides the degree")
    head = () if unbinds else args[:1] or tuple(kwargs.values())
    parts = getattr(torch, name)(x.value, *head, dim=x.below(dim))
    ragged = x.ragged
    if unbinds and ragged is not None and dim < ragged:
        ragged -= 1
    return tuple(x.view_like(part, ragged) for part in parts)


@register("select")
def _select(func: Any, x: Any, dim: int, index: Any) -> Batched:
    dim = x.normal(dim)
    return x[(slice(None),) * dim + (index,)]


@register("narrow")
def _narrow(func: Any, x: Any, dim: int, start: int, length: int) -> Batched:
    dim = x.normal(dim)
    return x[(slice(None),) * dim + (slice(start, start + length),)]


@register("index_select")
def _index_select(func: Any, x: Any, dim: int, index: Any) -> Batched:
    if not isinstance(x, Batched):
        if dim != 0 or index.ndim != 1:
            raise Refused("a parameter is indexed along another dimension than its first")
        return index.like(x.index_select(0, index.value))
    dim = x.normal(dim)
    if dim == x.ragged or isinstance(index, Batched):
        raise Refused("edges of a mailbox are selected by a tensor")
    return x.like(x.value.index_select(x.below(dim), index))


@register("gather", "take_along_dim")
def _gather(func: Any, x: Batched, dim: Any, index: Any, **_: Any) -> Batched:
    if func.__name__ == "take_along_dim":
        dim, index = index, dim
    dim = x.normal(dim)
    if not isinstance(index, Batched):
        raise Refused("a mailbox is indexed by a tensor that has no row for each node")
    if dim != x.ragged:
        if x.ragged != index.ragged:
            raise Refused("a mailbox is indexed by a tensor of other dimensions")
        return x.like(x.value.gather(x.below(dim), index.value))
    if index.ragged is not None or index.value.shape[dim] != 1:
        raise Refused("several edges of a mailbox are selected for each node")
    edge = x.space.edge_at(index.value.squeeze(dim))
    return x.like(x.value.gather(0, edge).unsqueeze(dim), None)


@register("getitem")
def _getitem(func: Any, x: Any, item: Any) -> Batched:
    if not isinstance(x, Batched):
        return _rows_of_parameter(x, item)
    items = list(item) if isinstance(item, tuple) else [item]
    items = _without_ellipsis(items, x.ndim)
    if items[0] != slice(None):
        raise Refused("nodes are selected by position")
    below: list[Any] = [slice(None)]
    dim, ragged, chosen = 1, x.ragged, None
    place = 1
    for part in items[1:]:
        if part is None:
            below.append(None)
            place += 1
            if x.ragged is not None and dim <= x.ragged:
                ragged = (ragged or 0) + 1
            continue
        if dim == x.ragged:
            chosen = part
        else:
            if isinstance(part, Batched | Degree):
                raise Refused("features are selected by values of nodes")
            below.append(part)
            if isinstance(part, int) and x.ragged is not None and dim < x.ragged:
                ragged = (ragged or 0) - 1
        dim += 1
    value = x.value
    if chosen is None or chosen == slice(None):
        return x.view_like(value[tuple(below)], ragged)
    if not isinstance(chosen, int):
        raise Refused("part of a mailbox is selected")
    if ragged != x.ragged and ragged is not None and None in below:
        raise Refused("this form of indexing is not known")
    rows = value.index_select(0, _edge_of(x, chosen))
    return x.like(rows[tuple(below)], None)


def _edge_of(x: Batched, position: int) -> Tensor:
    if position not in (0, -1):
        raise Refused("an edge is selected that nodes of lower degree do not have")
    return x.space.edge_at(position)


def _rows_of_parameter(x: Tensor, item: Any) -> Batched:
    if not isinstance(item, Batched) or item.dtype == torch.bool:
        raise Refused("this form of indexing is not known")
    flat = x.index_select(0, item.value.reshape(-1))
    return item.like(flat.view([*item.value.shape, *x.shape[1:]]))


def _without_ellipsis(items: list[Any], rank: int) -> list[Any]:
    given = sum(i is not None and i is not Ellipsis for i in items)
    missing = [slice(None)] * (rank - given)
    for at, part in enumerate(items):
        if part is Ellipsis:
            return items[:at] + missing + items[at + 1 :]
    return items + missing


@register("new_zeros", "new_ones", "new_empty", "new_full", "new_tensor")
def _new(func: Any, x: Batched, *args: Any, **kwargs: Any) -> Any:
    if func.__name__ in ("new_tensor",):
        return x.value.new_tensor(*args, **kwargs)
    shape = _flat(args if func.__name__ != "new_full" else args[:1])
    if any(isinstance(s, Degree) for s in shape):
        places = [i for i, s in enumerate(shape) if isinstance(s, Degree)]
        if places != [1] or not shape[1].is_size or not _is_rows(x, shape[0]):
            raise Refused("a tensor gets a size computed of the degree")
        sizes = [x.space.fetch("row").shape[0], *shape[2:]]
        fill = args[1:] if func.__name__ == "new_full" else ()
        return x.like(getattr(x.value, func.__name__)(sizes, *fill, **kwargs), 1)
    value = getattr(x.value, func.__name__)(*args, **kwargs)
    return x.like(value, None) if shape and _is_rows(x, shape[0]) else value
