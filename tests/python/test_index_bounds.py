"""Positions outside of what they index: an error as in eager, in range the same values."""

from __future__ import annotations

import pytest
import torch

from nativefx.errors import IndexOutOfRange

ROWS = 5

GATHERS = {
    "index": lambda x, i: x[i],
    "index_select": lambda x, i: x.index_select(0, i),
    "embedding": lambda x, i: torch.nn.functional.embedding(i, x),
    "gather": lambda x, i: x.gather(0, i[:, None].expand(-1, x.shape[1])),
    "take": lambda x, i: x.take(i),
    "fused": lambda x, i: (x[i] * 2 + 1).sum(-1),
    "two indices": lambda x, i: x[i, i % 2],
}


def compiled(function):
    torch._dynamo.reset()
    return torch.compile(function, backend="nativefx", options={"fallback": "error"})


@pytest.mark.parametrize("name", GATHERS)
@pytest.mark.parametrize("bad", [ROWS, 10**9, -(10**9)])
def test_a_position_outside_raises(name, bad):
    function = compiled(GATHERS[name])
    x = torch.randn(ROWS, 3)
    good = torch.tensor([0, 3, 1])
    if name == "take" and bad == ROWS:
        bad = x.numel()
    torch.testing.assert_close(function(x, good), GATHERS[name](x, good))
    with pytest.raises(IndexOutOfRange, match="out of bounds") as caught:
        function(x, torch.tensor([0, bad, 1]))
    assert caught.value.code == "index-out-of-range"
    torch.testing.assert_close(function(x, good), GATHERS[name](x, good))


@pytest.mark.parametrize("kind", [IndexError, RuntimeError])
def test_it_is_what_eager_raises(kind):
    function = compiled(lambda x, i: x[i])
    with pytest.raises(kind):
        function(torch.randn(2), torch.tensor([7]))


@pytest.mark.parametrize("name", ["index", "take"])
def test_negative_positions_count_from_the_end(name):
    x, index = torch.randn(ROWS, 3), torch.tensor([-1, -ROWS])
    torch.testing.assert_close(compiled(GATHERS[name])(x, index), GATHERS[name](x, index))
    with pytest.raises(IndexOutOfRange):
        compiled(GATHERS["index"])(x, torch.tensor([-ROWS - 1]))


@pytest.mark.parametrize("name", ["index_select", "embedding"])
def test_negative_positions_are_outside(name):
    with pytest.raises(IndexOutOfRange):
        compiled(GATHERS[name])(torch.randn(ROWS, 3), torch.tensor([-1]))


INDICES = {
    "int32": lambda: torch.tensor([1, 0, 4, 2], dtype=torch.int32),
    "strided": lambda: torch.tensor([1, 99, 0, 99, 4, 99, 2, 99])[::2],
    "transposed": lambda: torch.tensor([[1, 0], [4, 2], [3, 3]]).t(),
    "expanded": lambda: torch.tensor([[1], [4]]).expand(2, 3),
    "offset": lambda: torch.tensor([99, 99, 1, 0])[2:],
    "no dimension": lambda: torch.tensor(3),
    "empty": lambda: torch.empty(0, dtype=torch.long),
}


@pytest.mark.parametrize("kind", INDICES)
def test_only_the_positions_themselves_count(kind):
    x, index = torch.randn(ROWS, 3), INDICES[kind]()
    function = compiled(lambda x, i: x[i] + 1)
    torch.testing.assert_close(function(x, index), x[index] + 1)
    if index.numel():
        with pytest.raises(IndexError):
            function(x, torch.full_like(index, ROWS))


def test_computed_positions_are_looked_at_too():
    function = compiled(lambda x, i: x[i * 2 - 1])
    x = torch.randn(ROWS)
    torch.testing.assert_close(function(x, torch.tensor([1, 2])), x[torch.tensor([1, 3])])
    with pytest.raises(IndexOutOfRange):
        function(x, torch.tensor([10**6]))


def test_positions_that_are_gathered_read_zero_outside():
    function = compiled(lambda x, i, j: x[i[j]] + 1)
    x, i = torch.randn(ROWS), torch.tensor([3, 10**6])
    torch.testing.assert_close(function(x, i, torch.tensor([0])), x[3:4] + 1)
    torch.testing.assert_close(function(x, i, torch.tensor([1])), torch.ones(1))
