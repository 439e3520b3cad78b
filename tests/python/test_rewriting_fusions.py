"""The sets of fusion rules on exported functions: they apply, and compute the same."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from tolerances import assert_as_exact, to_float64
from torch import Tensor, nn

import nativefx

Function = Callable[..., Tensor]


def gelu_quotient(x: Tensor) -> Tensor:
    return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


def gelu_product(x: Tensor) -> Tensor:
    return 0.5 * (x * (1 + torch.erf(x * 0.7071067811865476)))


def gelu_cube(x: Tensor) -> Tensor:
    inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))
    return 0.5 * x * (1.0 + torch.tanh(inner))


def gelu_factored(x: Tensor) -> Tensor:
    return x * 0.5 * (1.0 + torch.tanh(x * 0.7978845608 * (1.0 + 0.044715 * x * x)))


def rms_norm(x: Tensor, w: Tensor) -> Tensor:
    return w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def rms_norm_quotient(x: Tensor, w: Tensor) -> Tensor:
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w


def rms_norm_cast(x: Tensor, w: Tensor) -> Tensor:
    wide = x.to(torch.float32)
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
    return w * wide.to(x.dtype)


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(q @ k.transpose(-2, -1) / 4.0, -1) @ v


def attention_masked(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    scores = torch.matmul(q, k.transpose(2, 3)) * 0.25 + mask
    return torch.matmul(nn.functional.softmax(scores, dim=-1), v)


def attention_flat(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.bmm(torch.softmax(torch.bmm(q, k.permute(0, 2, 1)), 2), v)


def rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * cos + turned * sin


def rotary_chunked(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-b, a), dim=-1) * sin


def normal(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape).to(dtype)


HEADS = (2, 3, 5, 16)

CASES: list[tuple[Function, str, str, Callable[[], list[Tensor]]]] = [
    *((f, "gelu", "gelu", lambda: [normal(4, 8) * 3]) for f in (gelu_quotient, gelu_product)),
    *((f, "gelu", "gelu", lambda: [normal(4, 8) * 3]) for f in (gelu_cube, gelu_factored)),
    (rms_norm, "rms_norm", "rms_norm", lambda: [normal(4, 8), normal(8)]),
    (rms_norm_quotient, "rms_norm", "rms_norm", lambda: [normal(4, 8), normal(8)]),
    (
        rms_norm_cast,
        "rms_norm",
        "rms_norm",
        lambda: [normal(4, 8, dtype=torch.bfloat16), normal(8, dtype=torch.bfloat16)],
    ),
    (attention, "attention", "scaled_dot", lambda: [normal(*HEADS) for _ in range(3)]),
    (
        attention_masked,
        "attention",
        "scaled_dot",
        lambda: [*(normal(*HEADS) for _ in range(3)), normal(2, 1, 5, 5)],
    ),
    (attention_flat, "attention", "scaled_dot", lambda: [normal(4, 6, 8) for _ in range(3)]),
    (rotary, "rotary", "rotary", lambda: [normal(*HEADS), normal(5, 16), normal(5, 16)]),
    (rotary_chunked, "rotary", "rotary", lambda: [normal(*HEADS), normal(5, 16), normal(5, 16)]),
]


class Calls(nn.Module):
    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.function(*inputs)


@pytest.mark.parametrize(("function", "name", "made", "make"), CASES)
def test_a_spelled_form_becomes_the_op(
    function: Function, name: str, made: str, make: Callable[[], list[Tensor]]
) -> None:
    torch.manual_seed(0)
    inputs = make()
    program = torch.export.export(Calls(function), tuple(inputs))
    lines: list[str] = []
    rules = getattr(nativefx.rules, name)
    assert nativefx.rewrite(program, rules, trace=lines.append) == 1, program.graph
    assert len(lines) == 1
    program.graph_module.graph.eliminate_dead_code()
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    left = [node for node in calls if "_assert_tensor_metadata" not in str(node.target)]
    assert len(left) == 1, program.graph
    assert made in str(left[0].target)
    assert left[0].meta["val"].shape == function(*inputs).shape
    got, expected = program.module()(*inputs), function(*inputs)
    if name == "rotary":
        assert torch.equal(got, expected)
    elif expected.dtype == torch.bfloat16:  # rounded once rather than twice
        torch.testing.assert_close(got, expected)
    else:
        assert_as_exact(got, expected, function(*to_float64(inputs)))


def test_sets_are_listed_with_what_they_do() -> None:
    assert [s.name for s in nativefx.rules.all_sets] == ["attention", "gelu", "rms_norm", "rotary"]
    assert all(s.summary for s in nativefx.rules.all_sets)
    with pytest.raises(AttributeError, match="there is no set of rules `magic`"):
        _ = nativefx.rules.magic
