"""Outputs that share memory, and inputs that are written to, as eager does it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from tolerances import assert_as_exact

OPTIONS = {"fallback": "error"}


def compiled(function: Callable) -> Callable:
    torch._dynamo.reset()
    return torch.compile(function, backend="nativefx", options=OPTIONS)


def shares(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def same_twice(x):
    y = x + 1
    return y, y


def input_itself(x):
    return x, x * 2


def view_of_input(x):
    return x.t(), x[1:], x * 2


def view_of_intermediate(x):
    y = x * 2
    return y.t(), y[0]


def view_and_base(x):
    y = x * 2
    return y, y.view(-1), y[1:]


def detached(x):
    y = x * 2
    return y.detach(), y


def expanded(x):
    return (x.sum(0, keepdim=True) + 1).expand(5, 4)


def split_parts(x):
    y = torch.relu(x)
    a, b = y.split(2, dim=1)
    return a, b, a + b


def through_matmul(x):
    y = x @ x
    return y.t(), y


def may_alias(x):
    y = x.t() * 3
    return y.contiguous(), y.reshape(-1)


ALIASES = [
    same_twice,
    input_itself,
    view_of_input,
    view_of_intermediate,
    view_and_base,
    detached,
    expanded,
    split_parts,
    through_matmul,
    may_alias,
]


@pytest.mark.parametrize("function", ALIASES, ids=lambda f: f.__name__)
def test_outputs_share_memory_as_in_eager(function):
    x = torch.randn(4, 4)
    inputs = [x, x]
    expected = function(x)
    run = compiled(function)
    run(x)
    found = run(x)  # a second run has the frame of the first
    assert_as_exact(found, expected)
    expected = expected if isinstance(expected, tuple) else (expected,)
    found = found if isinstance(found, tuple) else (found,)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.stride() == theirs.stride()
        assert [shares(ours, i) for i in inputs] == [shares(theirs, i) for i in inputs]
    for i in range(len(found)):
        for j in range(len(found)):
            assert (found[i] is found[j]) == (expected[i] is expected[j])
            assert shares(found[i], found[j]) == shares(expected[i], expected[j])


def test_results_of_two_runs_are_apart():
    run = compiled(lambda x: torch.tanh(x) + 1)
    first = run(torch.zeros(8))
    second = run(torch.ones(8))
    assert_as_exact(first, torch.ones(8))
    assert not shares(first, second)


def test_output_owns_exactly_its_bytes():
    run = compiled(lambda x: ((x + 1) * 2, (x - 1).t()))
    x = torch.randn(3, 5)
    for output in run(x):
        assert output.untyped_storage().nbytes() == 60
        output.resize_(100)


def add_in_place(x):
    x.add_(1)
    return x * 2


def two_inputs(x, y):
    x.mul_(2)
    y.add_(x)
    return x + y


def swap(x, y):
    t = x.clone()
    x.copy_(y)
    y.copy_(t)
    return x - y


def through_a_view(x):
    x[1:].zero_()
    return x.sum()


def column(x):
    x[:, 0] = 5.0
    return x.relu()


def mutated_and_returned(x):
    x.add_(1)
    return x


def transposed(x):
    x.t().mul_(3)
    return x + 1


def read_before_write(x):
    y = torch.exp(x)
    x.zero_()
    return y + x


MUTATIONS = [
    add_in_place,
    two_inputs,
    swap,
    through_a_view,
    column,
    mutated_and_returned,
    transposed,
    read_before_write,
]


@pytest.mark.parametrize("function", MUTATIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "sliced"])
def test_inputs_are_written_in_place(function, layout):
    def make() -> list[torch.Tensor]:
        generator = torch.Generator().manual_seed(0)
        made = [torch.randn(4, 4, generator=generator) for _ in range(2)]
        if layout == "transposed":
            made = [x.t() for x in made]
        if layout == "sliced":
            made = [torch.cat([x, x], 1)[:, 2:6] for x in made]
        return made[: function.__code__.co_argcount]

    run = compiled(function)
    for _ in range(2):
        ours, theirs = make(), make()
        versions = [x._version for x in ours]
        found, expected = run(*ours), function(*theirs)
        assert_as_exact((found, ours), (expected, theirs))
        changed = [x._version > v for x, v in zip(ours, versions, strict=True)]
        assert changed == [x._version > 0 for x in theirs]
        assert (found is ours[0]) == (expected is theirs[0])


def test_buffers_of_a_module():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))
            self.norm = torch.nn.BatchNorm1d(4)

        def forward(self, x):
            self.count.add_(1)
            return self.norm(x) * self.count

    torch.manual_seed(0)
    ours, theirs = Counter(), Counter()
    theirs.load_state_dict(ours.state_dict())
    run = compiled(ours)
    for _ in range(3):
        x = torch.randn(5, 4)
        assert_as_exact(run(x), theirs(x))
    assert_as_exact(dict(ours.named_buffers()), dict(theirs.named_buffers()))
