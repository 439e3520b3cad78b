"""Operators with effects: AOTAutograd threads tokens through their graphs."""

from __future__ import annotations

import pytest
import torch
from native_only import refuse_eager
from tolerances import assert_as_exact

from nativefx import dynamo_backend

FUNCTIONS = {
    "inverse": torch.linalg.inv,
    "two effects": lambda x: torch.linalg.inv(x) @ torch.linalg.inv(x + 1),
    "cholesky": lambda x: torch.linalg.cholesky(x @ x.mT + torch.eye(3)) * 2,
}


@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_effects_run_natively(name, trained, monkeypatch):
    monkeypatch.setattr(dynamo_backend, "_boxed", dynamo_backend._boxed)
    refuse_eager()
    torch._dynamo.reset()
    torch.manual_seed(0)
    x = torch.randn(3, 3) + 3 * torch.eye(3)
    ours, theirs = (x.clone().requires_grad_(trained) for _ in range(2))
    function = FUNCTIONS[name]
    compiled = torch.compile(function, backend="nativefx", options={"fallback": "error"})
    for _ in range(2):
        found, expected = compiled(ours), function(theirs)
        assert_as_exact(found, expected)
        if trained:
            found.sum().backward()
            expected.sum().backward()
            assert_as_exact(ours.grad, theirs.grad)


def test_a_failed_check_raises():
    torch._dynamo.reset()
    compiled = torch.compile(torch.linalg.inv, backend="nativefx", options={"fallback": "error"})
    compiled(torch.eye(3))
    with pytest.raises(torch.linalg.LinAlgError):
        compiled(torch.zeros(3, 3))
