"""Message passing in plain PyTorch: each model takes a graph, node and edge values.

A model is a function of ``(x, edge_index, w)``: ``x [N, F]``, ``w [E]``. Sources are
``edge_index[0]``, destinations ``edge_index[1]``.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

Model = Callable[[Tensor, Tensor, Tensor], Tensor]

MODELS: dict[str, Callable[[int], nn.Module]] = {}


def model(function: Model) -> Model:
    """Register a model without parameters."""

    class Wrapped(nn.Module):
        def forward(self, x: Tensor, edge_index: Tensor, w: Tensor) -> Tensor:
            return function(x, edge_index, w)

    MODELS[function.__name__] = lambda features: Wrapped()
    return function


def module(cls: type[nn.Module]) -> type[nn.Module]:
    """Register a model with parameters; made with the number of features."""
    MODELS[cls.__name__] = cls
    return cls


def spread(index: Tensor, v: Tensor) -> Tensor:
    return index.view([-1] + [1] * (v.dim() - 1)).expand_as(v)


def softmax(logits: Tensor, index: Tensor, n: int) -> Tensor:
    top = logits.new_zeros(n, *logits.shape[1:]).scatter_reduce_(
        0, spread(index, logits), logits.detach(), "amax", include_self=False
    )
    e = (logits - top.index_select(0, index)).exp()
    total = logits.new_zeros(n, *logits.shape[1:]).scatter_add_(0, spread(index, e), e) + 1e-16
    return e / total.index_select(0, index)


@model
def weighted_sum(x, edge_index, w):
    m = x.index_select(0, edge_index[0]) * w[:, None]
    return torch.zeros_like(x).index_add(0, edge_index[1], m)


@model
def weighted_sum_in_place(x, edge_index, w):
    out = x.new_zeros(x.size(0), x.size(1))
    out.index_add_(0, edge_index[1], w.unsqueeze(-1) * x[edge_index[0]])
    return out.relu()


@model
def weighted_sum_scatter(x, edge_index, w):
    src, dst = edge_index
    m = x.index_select(-2, src) * w.view(-1, 1)
    return x.new_zeros(x.shape).scatter_add_(0, spread(dst, m), m)


@model
def weighted_sum_put(x, edge_index, w):
    src, dst = edge_index
    return torch.zeros_like(x).index_put((dst,), x[src] * w[:, None], accumulate=True)


@model
def weighted_sum_embedding(x, edge_index, w):
    m = torch.nn.functional.embedding(edge_index[0], x) * w[:, None]
    return torch.zeros_like(x).index_add(0, edge_index[1], m, alpha=2)


@model
def onto_features(x, edge_index, w):
    return (x * 2).index_add(0, edge_index[1], x.index_select(0, edge_index[0]))


@model
def gather_op(x, edge_index, w):
    index = edge_index[0].unsqueeze(1).expand(-1, x.size(1))
    m = x.gather(0, index) * w[:, None]
    return torch.zeros_like(x).scatter_add(0, spread(edge_index[1], m), m)


@model
def two_sums_in_one_place(x, edge_index, w):
    out = torch.zeros_like(x)
    out.index_add_(0, edge_index[1], x[edge_index[0]])
    out.index_add_(0, edge_index[0], x[edge_index[1]] * w[:, None])
    return out


@model
def mean(x, edge_index, w):
    m = x.index_select(0, edge_index[0])
    total = x.new_zeros(x.shape).scatter_add_(0, spread(edge_index[1], m), m)
    count = x.new_zeros(x.size(0)).scatter_add_(0, edge_index[1], x.new_ones(m.size(0)))
    return total / count.clamp(min=1)[:, None]


@model
def mean_reduce(x, edge_index, w):
    m = x.index_select(0, edge_index[0])
    return x.new_zeros(x.shape).scatter_reduce(
        0, spread(edge_index[1], m), m, "mean", include_self=False
    )


@model
def maximum(x, edge_index, w):
    m = x.index_select(0, edge_index[0])
    return x.new_zeros(x.shape).scatter_reduce_(
        0, spread(edge_index[1], m), m, "amax", include_self=False
    )


@model
def maximum_with_base(x, edge_index, w):
    m = x[edge_index[0]] * w[:, None]
    return torch.full_like(x, 0.25).scatter_reduce(0, spread(edge_index[1], m), m, "amax")


@model
def minimum_from_infinity(x, edge_index, w):
    m = x[edge_index[0]]
    low = torch.full_like(x, torch.inf).scatter_reduce(0, spread(edge_index[1], m), m, "amin")
    return torch.where(low.isinf(), 0.0, low)


@model
def degree_normalised(x, edge_index, w):
    src, dst = edge_index
    degree = x.new_zeros(x.size(0)).index_add_(0, dst, w.exp())
    scale = degree.pow(-0.5)
    scale = scale.masked_fill(scale == torch.inf, 0.0)
    weight = scale[src] * w.exp() * scale[dst]
    return torch.zeros_like(x).index_add(0, dst, x[src] * weight[:, None])


@model
def distance(x, edge_index, w):
    src, dst = edge_index
    d = (x[src] - x[dst]).square().sum(-1, keepdim=True)
    m = (x[src] - x[dst]) / (1 + d)
    return torch.zeros_like(x).index_add(0, dst, m)


@model
def logsumexp(x, edge_index, w):
    src, dst = edge_index
    m = x[src] + w[:, None]
    top = torch.zeros_like(x).scatter_reduce(
        0, spread(dst, m), m.detach(), "amax", include_self=False
    )
    total = torch.zeros_like(x).index_add(0, dst, (m - top[dst]).exp())
    return (total + 1e-6).log() + top


@module
class GIN(nn.Module):
    def __init__(self, f: int) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(f, f), nn.ReLU(), nn.Linear(f, f))

    def forward(self, x, edge_index, w):
        total = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]].relu())
        return self.mlp(x + total)


@module
class GAT(nn.Module):
    def __init__(self, f: int, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.linear = nn.Linear(f, heads * f, bias=False)
        self.left = nn.Parameter(torch.randn(1, heads, f))
        self.right = nn.Parameter(torch.randn(1, heads, f))

    def forward(self, x, edge_index, w):
        src, dst = edge_index
        h = self.linear(x).view(x.size(0), self.heads, -1)
        logits = (h * self.left).sum(-1)[src] + (h * self.right).sum(-1)[dst]
        alpha = softmax(nn.functional.leaky_relu(logits, 0.2), dst, x.size(0))
        out = h.new_zeros(h.shape)
        m = h[src] * alpha.unsqueeze(-1)
        return out.scatter_add_(0, spread(dst, m), m).flatten(1)


@module
class GATv2(nn.Module):
    def __init__(self, f: int, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.left = nn.Linear(f, heads * f)
        self.right = nn.Linear(f, heads * f)
        self.attention = nn.Parameter(torch.randn(1, heads, f))

    def forward(self, x, edge_index, w):
        src, dst = edge_index
        left = self.left(x).view(x.size(0), self.heads, -1)
        right = self.right(x).view(x.size(0), self.heads, -1)
        both = nn.functional.leaky_relu(left[src] + right[dst], 0.2)
        alpha = softmax((both * self.attention).sum(-1), dst, x.size(0))
        return torch.zeros_like(left).index_add(0, dst, left[src] * alpha[..., None]).mean(1)


@module
class GatedGCN(nn.Module):
    def __init__(self, f: int) -> None:
        super().__init__()
        self.a, self.b, self.c, self.d = (nn.Linear(f, f) for _ in range(4))

    def forward(self, x, edge_index, w):
        src, dst = edge_index
        gate = torch.sigmoid(self.a(x)[src] + self.b(x)[dst] + w[:, None])
        total = torch.zeros_like(x).index_add(0, dst, gate * self.c(x)[src])
        return self.d(x) + total / (torch.zeros_like(x).index_add(0, dst, gate) + 1e-6)


@module
class EdgeConv(nn.Module):
    def __init__(self, f: int) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(2 * f, f), nn.ReLU(), nn.Linear(f, f))

    def forward(self, x, edge_index, w):
        src, dst = edge_index
        m = self.mlp(torch.cat([x[dst], x[src] - x[dst]], -1))
        return torch.zeros_like(x).scatter_reduce(0, spread(dst, m), m, "amax", include_self=False)


@module
class Transformer(nn.Module):
    def __init__(self, f: int) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(f, f) for _ in range(3))

    def forward(self, x, edge_index, w):
        src, dst = edge_index
        logits = (self.q(x)[dst] * self.k(x)[src]).sum(-1) / x.size(1) ** 0.5 + w
        alpha = softmax(logits, dst, x.size(0))
        return torch.zeros_like(x).index_add(0, dst, self.v(x)[src] * alpha[:, None])
