"""Functions that write to memory: inputs, views, slices, states; nothing is lost or moved."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

import pytest
import torch
from corner_check import check, compiled, same_facts


def square() -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(4, 4, generator=generator) for _ in range(2)]


def transposed_in_place(x, y):
    z = x.t()
    z.mul_(2)
    return z


def transposed_in_place_and_read(x, y):
    z = x.t()
    z.mul_(2)
    return z, x + y, x


def unread_writes(x, y):
    x.mul_(y)
    x.view(-1).add_(1)
    torch.relu_(x)
    return x


def writes_alone(x, y):
    x.mul_(y)
    y.add_(1)


def write_through_base_read_by_view(x, y):
    v = x[1:]
    x.add_(1)
    w = v * 2
    x.mul_(y)
    return w, v + 0


def write_through_view_read_by_base(x, y):
    x.view(16)[3:9].copy_(y.reshape(-1)[:6])
    return x * 2


def chain_of_views(x, y):
    v = x.t()[1:3].unsqueeze(0)
    v.exp_()
    return x.sum(), v.squeeze(0)


def diagonal(x, y):
    x.diagonal().fill_(7)
    x.diagonal(1).add_(1)
    return x - y


def select_and_slice(x, y):
    x[0] = y[1]
    x[:, 2] += 3
    x[1:, 1:3] = 0
    return x


def index_assignment(x, y):
    i = torch.tensor([0, 2])
    x[i] = y[i] * 2
    x[:, i] += 1
    return x.sum(1)


def masked_assignment(x, y):
    x[y > 0] = 0
    return x * 1


def scatter_in_place(x, y):
    index = (y > 0).long()
    x.scatter_(0, index, y)
    x.scatter_add_(1, index, y)
    return x + 1


def index_add_in_place(x, y):
    x.index_add_(0, torch.tensor([1, 1, 3]), y[:3])
    x.index_copy_(0, torch.tensor([0]), y[3:])
    return x


def swap_halves(x, y):
    t = x[:2].clone()
    x[:2] = x[2:]
    x[2:] = t
    return x


def overlapping_shift(x, y):
    flat = x.view(-1)
    flat[1:] = flat[:-1].clone()
    return x


def read_between_writes(x, y):
    a = x * 2
    x.add_(1)
    b = x * 2
    x.zero_()
    return a + b, x


def intermediate_written(x, y):
    z = x * 2
    z[0] = 5
    z.t()[1].mul_(3)
    return z, z.t()


def intermediate_written_then_alias(x, y):
    z = torch.zeros(4, 4)
    v = z[1:3]
    v.add_(y[1:3])
    z.mul_(2)
    return v, z


def both_inputs_swapped(x, y):
    t = x + 0
    x.copy_(y)
    y.copy_(t)


def copy_with_cast(x, y):
    x.copy_(y > 0)
    y.copy_(x.double())
    return x


def copy_broadcast(x, y):
    x.copy_(y[0])
    return x.mean()


def detached_write(x, y):
    x.detach().mul_(2)
    return x + 1


def write_and_return_view(x, y):
    x.add_(1)
    return x[1:], x.view(-1), x


def out_variant(x, y):
    torch.add(x, y, out=x)
    torch.mul(x, 2, out=y)
    return x - y


def write_of_own_expression(x, y):
    x.copy_(x.t() + x)
    return x


def resized_view(x, y):
    z = (x * 2).as_strided((2, 3), (4, 1), 1)
    z.add_(1)
    return z, x.as_strided((3, 2), (1, 4)) * 2


def written_view_of_input_returned_twice(x, y):
    v = x[1]
    v.add_(y[0])
    return v, v


def cumulative(x, y):
    x.cumsum_(0)
    return x


def bernoulli_mask(x, y):
    mask = torch.zeros_like(x, dtype=torch.bool)
    mask[1:3] = True
    x.masked_fill_(mask, -1)
    return mask, x


def split_write(x, y):
    a, b = x.split(2)
    a.add_(b)
    b.mul_(a)
    return x, a


def chunk_and_unbind(x, y):
    for i, row in enumerate(x.unbind(0)):
        row.add_(i)
    return [row * 2 for row in x.chunk(2, 1)]


def loop_over_slices(x, y):
    for i in range(4):
        x[i, : i + 1] = y[i].cumsum(0)[: i + 1]
    return x


WRITES = [
    f
    for f in list(globals().values())
    if isinstance(f, FunctionType) and f.__code__.co_varnames[:2] == ("x", "y")
]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("function", WRITES, ids=lambda f: f.__name__)
def test_writes(function, dynamic):
    check(function, square, dynamic=dynamic)


def from_one_base(cut: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]):
    def make() -> list[torch.Tensor]:
        base = torch.randn(64, generator=torch.Generator().manual_seed(0))
        return list(cut(base))

    return make


BASES = {
    "same": lambda b: (b[:16].view(4, 4),) * 2,
    "equal views": lambda b: (b[:16].view(4, 4), b[:16].view(4, 4)),
    "transposed": lambda b: (b[:16].view(4, 4), b[:16].view(4, 4).t()),
    "overlap": lambda b: (b[:16].view(4, 4), b[8:24].view(4, 4)),
    "apart": lambda b: (b[:16].view(4, 4), b[32:48].view(4, 4)),
    "interleaved": lambda b: (b[:32].view(4, 8)[:, ::2], b[:32].view(4, 8)[:, 1::2]),
}
ALIASED = [
    writes_alone,
    unread_writes,
    both_inputs_swapped,
    write_through_base_read_by_view,
    write_and_return_view,
    select_and_slice,
]


@pytest.mark.parametrize("cut", BASES.values(), ids=BASES)
@pytest.mark.parametrize("function", ALIASED, ids=lambda f: f.__name__)
def test_inputs_of_one_memory(function, cut):
    # AOTAutograd makes such outputs anew from the common base.
    check(function, from_one_base(cut), objects=False)


LAYOUTS = {
    "transposed": lambda: [x.t() for x in square()],
    "sliced": lambda: [torch.cat([x, x], 1)[:, 2:6] for x in square()],
    "stepped": lambda: [torch.cat([x, x], 1)[:, ::2] for x in square()],
}


@pytest.mark.parametrize("make", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize(
    "function",
    [transposed_in_place_and_read, select_and_slice, diagonal, read_between_writes, split_write],
    ids=lambda f: f.__name__,
)
def test_writes_to_other_layouts(function, make):
    check(function, make)


def window(state, x):
    new = torch.cat([state, x])[-3:]
    state.copy_(new)
    return new


def rolled(state, x):
    state.copy_(torch.roll(state, 1, 0))
    state[0] = x[0]
    return state.sum(0)


def shifted_in_place(state, x):
    state[:-1] = state[1:].clone()
    state[-1] = x[0]
    return state * 1


def running_mean(state, x):
    state.mul_(0.9).add_(x.mean(0), alpha=0.1)
    return x.sum(0) - state


@pytest.mark.parametrize("function", [window, rolled, shifted_in_place, running_mean])
@pytest.mark.parametrize("dynamic", [False, True])
def test_state_over_calls(function, dynamic):
    run = compiled(function, dynamic=dynamic)
    ours = torch.zeros(3, 5)
    theirs = ours.clone()
    for step in range(6):
        x = torch.randn(2, 5, generator=torch.Generator().manual_seed(step))
        found, expected = run(ours, x), function(theirs, x)
        same_facts((found, ours), (expected, theirs))


def test_parameters_updated_without_output():
    def step(parameters, gradients, moments):
        for p, g, m in zip(parameters, gradients, moments, strict=True):
            m.lerp_(g, 0.1)
            p.addcdiv_(m, g.square() + 1, value=-0.1)

    def make() -> list[list[torch.Tensor]]:
        generator = torch.Generator().manual_seed(0)
        shapes = [(3, 4), (4,), ()]
        return [[torch.randn(s, generator=generator) for s in shapes] for _ in range(3)]

    check(step, make, calls=3)
