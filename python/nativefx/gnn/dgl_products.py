"""Matrix products and layers on the values of a reduce function."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from nativefx.gnn.dgl_batched import Batched, register
from nativefx.gnn.dgl_refusal import Refused

__all__: list[str] = []


@register("linear")
def _linear(func: Any, x: Any, weight: Any, bias: Any = None) -> Batched:
    if isinstance(weight, Batched) or isinstance(bias, Batched):
        raise Refused("the weight of a linear layer depends on the node")
    _require_features(x, 1)
    return x.like(F.linear(x.value, weight, bias))


def _require_features(x: Batched, count: int) -> None:
    """Refuse if one of the last dimensions is nodes or their edges."""
    if x.ndim - count < 1 or (x.ragged is not None and x.ragged >= x.ndim - count):
        raise Refused("a layer works along nodes or along the degree")


@register("layer_norm", "rms_norm")
def _layer_norm(func: Any, x: Batched, normalized_shape: Any, *args: Any, **kwargs: Any) -> Batched:
    _require_features(x, len(normalized_shape))
    return x.like(getattr(F, func.__name__)(x.value, normalized_shape, *args, **kwargs))


@register("batch_norm", "instance_norm", "group_norm")
def _batch_norm(func: Any, *args: Any, **kwargs: Any) -> Any:
    raise Refused(f"`{func.__name__}` takes statistics of the nodes of one degree")


@register("prelu")
def _prelu(func: Any, x: Batched, weight: Tensor) -> Batched:
    if weight.numel() == 1:
        return x.like(F.prelu(x.value, weight))
    if x.ragged == 1:
        raise Refused("the channels of `prelu` are the degree")
    if x.ragged is not None:
        raise Refused("`prelu` after a transposition is not known")
    return x.like(F.prelu(x.value, weight))


@register("glu")
def _glu(func: Any, x: Batched, dim: int = -1) -> Batched:
    dim = x.normal(dim)
    if dim == x.ragged:
        raise Refused("`glu` splits the degree")
    return x.like(F.glu(x.value, x.below(dim)))


@register("embedding")
def _embedding(func: Any, x: Batched, weight: Tensor, *args: Any, **kwargs: Any) -> Batched:
    return x.like(F.embedding(x.value, weight, *args, **kwargs))


@register("one_hot")
def _one_hot(func: Any, x: Batched, num_classes: int = -1) -> Batched:
    if num_classes < 0:
        raise Refused("the number of classes depends on the nodes of one degree")
    return x.like(F.one_hot(x.value, num_classes))


@register("matmul", "rmatmul", "bmm", "mm", "mv")
def _matmul(func: Any, a: Any, b: Any) -> Any:
    if func.__name__ == "__rmatmul__":
        a, b = b, a
    if not isinstance(b, Batched):
        return _times_plain(a, b)
    if not isinstance(a, Batched):
        return _plain_times(a, b)
    if a.ndim != b.ndim or a.ndim < 3:
        raise Refused("a matrix product goes across nodes")
    return _times(a, b, a.ndim)


def _times_plain(a: Batched, b: Tensor) -> Batched:
    _require_features(a, 1)
    after = a.ndim - (1 if a.ragged is None else 2)
    if b.dim() > 2 and b.dim() > after:
        raise Refused("a batch of matrices meets nodes or the degree")
    value = a.value @ b
    ragged = a.ragged
    return a.like(value, ragged)


def _plain_times(a: Tensor, b: Batched) -> Batched:
    """Compute ``a @ b`` where the rows of `b` are features or its columns the edges."""
    if a.dim() != 2 or b.ndim < 3:
        raise Refused("a matrix from elsewhere is multiplied with a row for each node")
    rows, columns = b.ndim - 2, b.ndim - 1
    if b.ragged == rows:
        raise Refused("a matrix from elsewhere is as wide as the degree")
    if b.ragged == columns:
        return b.like(b.value @ a.t())
    return b.like(a @ b.value)


def _times(a: Batched, b: Batched, rank: int) -> Batched:
    rows, inner = rank - 2, rank - 1
    if a.ragged == inner and b.ragged == rows:
        outer = a.value.unsqueeze(-1) * b.value.unsqueeze(-2)
        return a.like(a.space.sum(outer), None, True)
    if a.ragged == rows and b.ragged is None:
        value = a.value.unsqueeze(-2) @ a.space.gather(b.value)
        return a.like(value.squeeze(-2))
    if a.ragged is None and b.ragged == inner:
        value = a.space.gather(a.value) @ b.value.unsqueeze(-1)
        return a.like(value.squeeze(-1), inner)
    if {a.ragged, b.ragged} & {rows, inner}:
        raise Refused("a matrix product has the degree in both of its operands")
    ragged = a.ragged if a.ragged is not None else b.ragged
    return a.like(_spread(a, ragged) @ _spread(b, ragged), ragged)


def _spread(x: Batched, ragged: int | None) -> Tensor:
    if ragged is None or x.ragged is not None:
        if x.ragged is not None and x.ragged != ragged:
            raise Refused("the degree is another dimension in one operand than in the other")
        return x.value
    if x.value.shape[ragged] != 1:
        raise Refused("a size that is no degree meets the degree")
    return x.space.gather(x.value.squeeze(ragged))


@register("einsum")
def _einsum(func: Any, equation: str, *operands: Any) -> Batched:
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    terms, arrow, out = equation.replace(" ", "").partition("->")
    names = terms.split(",")
    if "." in equation or not arrow or len(names) != len(operands):
        raise Refused(f"this form of `einsum` is not known: {equation}")
    batched = [x for x in operands if isinstance(x, Batched)]
    node, edge = _letters(names, operands)
    if node not in out:
        raise Refused("`einsum` sums over nodes")
    inputs = []
    for name, x in zip(names, operands, strict=True):
        if not isinstance(x, Batched):
            if node in name or (edge and edge in name):
                raise Refused("a tensor from elsewhere has a row for each node of one degree")
            inputs.append((name, x))
        elif x.ragged is None:
            inputs.append((name, x.space.gather(x.value) if edge else x.value))
        else:
            inputs.append((name.replace(edge, ""), x.value))
    below = out.replace(edge, "") if edge else out
    if below[0] != node:
        raise Refused("`einsum` moves the nodes from the first dimension")
    value = torch.einsum(",".join(n for n, _ in inputs) + "->" + below, *(v for _, v in inputs))
    first = batched[0]
    if not edge:
        return first.like(value, None)
    if edge in out:
        return first.like(value, out.index(edge))
    return first.like(first.space.sum(value), None, True)


def _letters(names: list[str], operands: Any) -> tuple[str, str]:
    nodes = {name[0] for name, x in zip(names, operands, strict=True) if isinstance(x, Batched)}
    edges = {
        name[x.ragged]
        for name, x in zip(names, operands, strict=True)
        if isinstance(x, Batched) and x.ragged is not None
    }
    if len(nodes) != 1 or len(edges) > 1:
        raise Refused("`einsum` names nodes or the degree in two ways")
    return nodes.pop(), edges.pop() if edges else ""


@register("bilinear")
def _bilinear(func: Any, a: Any, b: Any, weight: Tensor, bias: Any = None) -> Any:
    if not isinstance(a, Batched) or not isinstance(b, Batched) or a.ragged != b.ragged:
        raise Refused("the operands of `bilinear` differ in their dimensions")
    _require_features(a, 1)
    return a.like(F.bilinear(a.value, b.value, weight, bias))


@register("cross", "linalg_cross")
def _cross(func: Any, a: Any, b: Any, *, dim: int = -1) -> Any:
    if not isinstance(a, Batched) or not isinstance(b, Batched) or a.ragged != b.ragged:
        raise Refused("the operands of `cross` differ in their dimensions")
    return a.like(torch.linalg.cross(a.value, b.value, dim=a.below(a.normal(dim))))
