"""An operator that fails inside a plan raises what it raises in eager mode."""

from __future__ import annotations

import pytest
import torch

OPTIONS = {"fallback": "error"}


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def raised(function, inputs):
    with pytest.raises(Exception) as caught:
        function(*inputs)
    return caught.type, str(caught.value).splitlines()[0]


CASES = {
    "an index out of range": (
        lambda x, i: x[i] * 2,
        lambda: (torch.randn(4, 3), torch.tensor([1, 7])),
        lambda: (torch.randn(4, 3), torch.tensor([1, 2])),
    ),
    "an embedding out of range": (
        lambda w, i: torch.nn.functional.embedding(i, w).exp(),
        lambda: (torch.randn(4, 3), torch.tensor([9])),
        lambda: (torch.randn(4, 3), torch.tensor([0])),
    ),
    "a singular matrix": (
        lambda x, b: torch.linalg.solve(x, b) + 1,
        lambda: (torch.zeros(3, 3), torch.ones(3, 1)),
        lambda: (torch.eye(3), torch.ones(3, 1)),
    ),
    "not positive definite": (
        lambda x: torch.linalg.cholesky(x) * 2,
        lambda: (-torch.eye(3),),
        lambda: (torch.eye(3),),
    ),
    "a probability above one": (
        lambda x: torch.bernoulli(x) + 1,
        lambda: (torch.full((3,), 2.0),),
        lambda: (torch.full((3,), 0.5),),
    ),
    "a target out of range": (
        lambda x, t: torch.nn.functional.nll_loss(x, t) * 2,
        lambda: (torch.randn(2, 3), torch.tensor([0, 5])),
        lambda: (torch.randn(2, 3), torch.tensor([0, 2])),
    ),
    "no repetition": (
        lambda x: torch.multinomial(x, 3) + 1,
        lambda: (torch.zeros(4),),
        lambda: (torch.ones(4),),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_class_and_text_are_those_of_eager(name):
    function, bad, good = CASES[name]
    # Without kernels, so that every operator is PyTorch's own.
    options = {**OPTIONS, "kernels": False}
    run = torch.compile(function, backend="nativefx", options=options)
    run(*good())
    assert raised(run, bad()) == raised(function, bad())
    run(*good())  # and the plan works on
