"""Rules where `torch.fx.subgraph_rewriter` fails, and what it has no words for."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.fx import GraphModule, symbolic_trace

import nativefx

Function = Callable[..., Any]


def tensors(count: int) -> list[Tensor]:
    torch.manual_seed(0)
    return [torch.randn(4, 4) for _ in range(count)]


def chain(x: Tensor) -> Tensor:
    for _ in range(5):
        x = torch.neg(x)
    return x


# --- where the peer fails, or computes something else ----------------------------------


def test_constants_of_a_traced_replacement_come_along() -> None:
    # The peer leaves `_tensor_constant0` undefined, or takes the module's own.
    own, other = torch.full((4, 4), 2.0), torch.full((4, 4), 5.0)
    module = symbolic_trace(lambda x: torch.relu(x * own))
    assert any(node.op == "get_attr" for node in module.graph.nodes)
    nativefx.replace_pattern(module, lambda x: torch.relu(x), lambda x: torch.tanh(x) * other)
    (x,) = tensors(1)
    torch.testing.assert_close(module(x), torch.tanh(x * own) * other, rtol=0, atol=0)


def test_constants_are_compared_by_their_elements() -> None:
    # The peer takes any tensor for any other one.
    two, three = torch.tensor(2.0), torch.tensor(3.0)
    module = symbolic_trace(lambda x: (x * two) + (x * three))
    rule = nativefx.rule(lambda x: x * torch.clone(two), lambda x: x + x)
    plain = nativefx.rule(lambda x: x * two, lambda x: x + x)
    assert nativefx.rewrite(module, [rule, plain]) == 1
    (x,) = tensors(1)
    torch.testing.assert_close(module(x), (x + x) + x * three, rtol=0, atol=0)


def test_two_arguments_may_be_one_value() -> None:
    # The peer wants another node for every argument.
    module = symbolic_trace(lambda x: torch.mul(x, x))
    assert nativefx.replace_pattern(module, lambda a, b: a.mul(b), lambda a, b: a + b) == []
    found = nativefx.replace_pattern(
        module, lambda a, b: torch.mul(a, b), lambda a, b: torch.add(a, b)
    )
    assert len(found) == 1
    (x,) = tensors(1)
    torch.testing.assert_close(module(x), x + x)


def test_zero_is_not_minus_zero() -> None:
    module = symbolic_trace(lambda x: torch.add(x, -0.0) * torch.add(x, 0.0))
    rule = nativefx.rule(lambda x: torch.add(x, 0.0), lambda x: torch.abs(x))
    assert nativefx.rewrite(module, [rule]) == 1
    x = torch.tensor([-2.0])
    assert module(x).item() == -4.0


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.add_(1),
        lambda x: torch.relu_(x),
        lambda x: torch.neg(x, out=x),
        lambda x: torch.nn.functional.relu(x, inplace=True),
        lambda x: x.view(-1).mul_(2),
        lambda x: x.__setitem__(0, 7.0),
    ],
)
def test_no_read_moves_across_a_write(write: Function) -> None:
    def function(x: Tensor) -> Tensor:
        r = torch.cos(x)
        write(x)
        return torch.sin(r) + x

    module = symbolic_trace(function)
    module.graph.lint()
    rule = nativefx.rule(lambda x: torch.sin(torch.cos(x)), lambda x: torch.cos(x) * 2)
    assert nativefx.rewrite(module, [rule]) == 0
    (x,) = tensors(1)
    torch.testing.assert_close(module(x.clone()), function(x.clone()), rtol=0, atol=0)


def test_a_write_elsewhere_does_not_matter() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        r = torch.cos(x)
        torch.relu_(y)
        return torch.sin(r) + y

    module = symbolic_trace(function)
    rule = nativefx.rule(lambda x: torch.sin(torch.cos(x)), lambda x: torch.cos(x) * 2)
    assert nativefx.rewrite(module, [rule]) == 1


def test_a_replacement_stands_behind_all_that_it_needs() -> None:
    # The peer puts it before the first user of a result, where `y * 2` is not made yet.
    def function(x: Tensor, y: Tensor) -> Tensor:
        a = torch.sin(x)
        early = torch.relu(a)
        late = y * 2
        return early + torch.cos(late)

    module = symbolic_trace(function)
    rule = nativefx.rule(
        lambda x, y: (torch.sin(x), torch.cos(y)), lambda x, y: (torch.cos(y), torch.sin(x))
    )
    assert nativefx.rewrite(module, [rule]) == 1
    module.graph.lint()
    x, y = tensors(2)
    expected = torch.relu(torch.cos(y * 2)) + torch.sin(x)
    torch.testing.assert_close(module(x, y), expected, rtol=0, atol=0)


def test_a_match_that_would_be_a_cycle_is_none() -> None:
    module = symbolic_trace(lambda x: torch.cos(torch.relu(torch.sin(x))))
    rule = nativefx.rule(
        lambda x, y: (torch.sin(x), torch.cos(y)), lambda x, y: (torch.cos(y), torch.sin(x))
    )
    assert nativefx.rewrite(module, [rule]) == 0


def test_arguments_inside_slices_match() -> None:
    module = symbolic_trace(lambda x, n: torch.relu(x[:, n:]))
    rule = nativefx.rule(lambda x, n: torch.relu(x[:, n:]), lambda x, n: torch.neg(x[:, n:]))
    assert nativefx.rewrite(module, [rule]) == 1
    (x,) = tensors(1)
    torch.testing.assert_close(module(x, 1), -x[:, 1:], rtol=0, atol=0)


# --- what rules can do more ------------------------------------------------------------


def test_commutative_arguments_match_in_either_order() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return (torch.sin(x) + torch.cos(y)) * (torch.cos(y) + torch.sin(x))

    rule = nativefx.rule(lambda a, b: torch.sin(a) + torch.cos(b), lambda a, b: torch.atan2(a, b))
    module = symbolic_trace(function)
    assert nativefx.rewrite(module, [rule]) == 2
    x, y = tensors(2)
    torch.testing.assert_close(module(x, y), torch.atan2(x, y) ** 2)


def test_commutative_choices_are_taken_back() -> None:
    # The shared `b` decides far from where the order is chosen.
    module = symbolic_trace(lambda p, q, r: torch.maximum(torch.mul(p, q) + torch.mul(r, p), q))
    rule = nativefx.rule(
        lambda a, b, c: torch.maximum(torch.mul(a, b) + torch.mul(a, c), b),
        lambda a, b, c: a - b - c,
    )
    assert nativefx.rewrite(module, [rule]) == 1
    p, q, r = tensors(3)
    torch.testing.assert_close(module(p, q, r), p - q - r)


def test_tuples_do_not_commute() -> None:
    module = symbolic_trace(lambda x: x.new_zeros(operator.add(x.size(), (8,))) + 3)
    shapes = nativefx.rule(lambda s: operator.add((8,), s), lambda s: s)
    sums = nativefx.rule(lambda x: 3 + x, lambda x: x - 5)
    assert nativefx.rewrite(module, shapes) == 0
    assert nativefx.rewrite(module, sums) == 1


def test_where_sees_constants_and_nodes() -> None:
    seen: list[tuple[str, Any]] = []

    def small(match: nativefx.rewriting.Match) -> bool:
        seen.append((match["x"].name, match["k"]))
        return match["k"] < 3

    module = symbolic_trace(lambda x: torch.add(x, 2) * torch.add(x, 5))
    rule = nativefx.rule(lambda x, k: torch.add(x, k), lambda x, k: torch.sub(x, k), small)
    assert nativefx.rewrite(module, [rule]) == 1
    assert seen == [("x", 2), ("x", 5)]
    (x,) = tensors(1)
    torch.testing.assert_close(module(x), (x - 2) * (x + 5))


def test_where_may_fail_and_leaves_the_module_alone() -> None:
    def fail(match: nativefx.rewriting.Match) -> bool:
        raise LookupError("told so")

    module = symbolic_trace(lambda x: torch.relu(x))
    rule = nativefx.rule(lambda x: torch.relu(x), lambda x: torch.neg(x), fail)
    with pytest.raises(LookupError, match="told so"):
        nativefx.rewrite(module, [rule])
    assert [node.name for node in module.graph.nodes] == ["x", "relu", "output"]


def test_applications_are_traced() -> None:
    lines: list[str] = []
    module = symbolic_trace(lambda x: torch.relu(torch.neg(x)))
    rule = nativefx.rule(lambda x: torch.relu(torch.neg(x)), lambda x: torch.abs(x), name="fold")
    nativefx.rewrite(module, rule, trace=lines.append)
    assert lines == ["fold: %relu becomes %abs_1"]


def test_rules_repeat_until_none_applies() -> None:
    module = symbolic_trace(chain)
    rule = nativefx.rule(lambda x: torch.neg(torch.neg(x)), lambda x: torch.relu(x))
    again = nativefx.rule(lambda x: torch.relu(torch.relu(x)), lambda x: torch.neg(x))
    assert nativefx.rewrite(module, [rule, again], repeat=True) == 4
    assert [node.name for node in module.graph.nodes] == ["x", "relu", "output"]


def test_rules_without_end_are_refused() -> None:
    module = symbolic_trace(lambda x: torch.relu(x))
    rule = nativefx.rule(lambda x: torch.relu(x), lambda x: torch.relu(x))
    with pytest.raises(nativefx.Error, match="endless-rules"):
        nativefx.rewrite(module, [rule], repeat=True)


@pytest.mark.parametrize(
    ("pattern", "replacement", "code"),
    [
        (lambda x: x, lambda x: torch.relu(x), "empty-pattern"),
        (lambda x, y: torch.relu(x), lambda x: torch.relu(x), "unlike-replacement"),
        (lambda x: torch.relu(x), lambda x: (x, x), "unlike-replacement"),
        (lambda x, y: torch.relu(x), lambda x, y: torch.relu(y), "unbound-argument"),
        (lambda x: (x, torch.relu(x)), lambda x: (torch.relu(x), x), "replaced-input"),
    ],
)
def test_sides_that_are_unlike_are_refused(
    pattern: Function, replacement: Function, code: str
) -> None:
    module = symbolic_trace(lambda x: torch.relu(x))
    with pytest.raises(nativefx.Error, match=code):
        nativefx.rewrite(module, nativefx.rule(pattern, replacement))


def test_patterns_compute_nothing_that_they_do_not_return() -> None:
    def pattern(x: Tensor) -> Tensor:
        torch.sin(x)
        return torch.relu(x)

    module = symbolic_trace(lambda x: torch.relu(x))
    with pytest.raises(nativefx.Error, match="dead-pattern-node"):
        nativefx.rewrite(module, nativefx.rule(pattern, lambda x: torch.neg(x)))


# --- graphs of Dynamo and export -------------------------------------------------------

aten = torch.ops.aten


def exported(function: Function, *inputs: Tensor) -> torch.export.ExportedProgram:
    class Module(nn.Module):
        def forward(self, *args: Tensor) -> Any:
            return function(*args)

    return torch.export.export(Module(), inputs).run_decompositions({})


def silu_rule() -> nativefx.rewriting.Rule:
    return nativefx.rule(
        lambda x: aten.mul.Tensor(x, aten.sigmoid.default(x)),
        lambda x: aten.neg.default(aten.silu.default(x)),
    )


def test_exported_programs_keep_values_origins_and_signature() -> None:
    program = exported(lambda x: torch.sigmoid(x) * x, *tensors(1))
    replaced = next(n for n in program.graph.nodes if n.target is aten.mul.Tensor)
    assert nativefx.rewrite(program, silu_rule()) == 1
    nodes = {node.name: node for node in program.graph.nodes}
    assert nodes["neg_default"].meta["val"] is replaced.meta["val"]
    assert nodes["silu_default"].meta["val"].shape == (4, 4)
    assert nodes["silu_default"].meta["stack_trace"] == replaced.meta["stack_trace"]
    assert nodes["silu_default"].meta["nn_module_stack"] == replaced.meta["nn_module_stack"]
    assert program.graph_signature.user_outputs == ("neg_default",)
    (x,) = tensors(1)
    torch.testing.assert_close(program.module()(x), -torch.nn.functional.silu(x))


def test_arguments_with_defaults_may_be_spelled_or_not() -> None:
    program = exported(
        lambda x, y: torch.add(x, y, alpha=1) + torch.add(x, y, alpha=2), *tensors(2)
    )
    rule = nativefx.rule(
        lambda a, b: aten.add.Tensor(a, b, alpha=2), lambda a, b: aten.sub.Tensor(a, b)
    )
    assert nativefx.rewrite(program, rule) == 1
    plain = nativefx.rule(
        lambda a, b, c: aten.add.Tensor(aten.add.Tensor(a, b), c),
        lambda a, b, c: aten.mul.Tensor(a, c),
    )
    assert nativefx.rewrite(program, plain) == 1


def test_conditions_ask_for_shapes() -> None:
    program = exported(lambda x: torch.sigmoid(x) * x, *tensors(1))
    asked: list[Any] = []

    def wide(match: nativefx.rewriting.Match) -> bool:
        asked.append((match.shape("x"), match.dtype("x")))
        return match.value("x").shape[-1] > 100

    rule = nativefx.rule(
        lambda x: aten.mul.Tensor(x, aten.sigmoid.default(x)), lambda x: aten.silu.default(x), wide
    )
    assert nativefx.rewrite(program, rule) == 0
    assert asked == [(torch.Size([4, 4]), torch.float32)]


def test_graphs_of_dynamo_are_rewritten() -> None:
    counts: list[int] = []

    def backend(module: GraphModule, inputs: list[Tensor]) -> Function:
        rule = nativefx.rule(
            lambda x: torch.relu(torch.sin(x)), lambda x: torch.nn.functional.silu(x)
        )
        counts.append(nativefx.rewrite(module, rule))
        made = next(n for n in module.graph.nodes if "silu" in n.name)
        assert made.meta["example_value"].shape == (4, 4)
        return module

    def function(x: Tensor) -> Tensor:
        return torch.relu(torch.sin(x)) + 1

    torch._dynamo.reset()
    (x,) = tensors(1)
    got = torch.compile(function, backend=backend)(x)
    assert counts == [1]
    torch.testing.assert_close(got, torch.nn.functional.silu(x) + 1)


def test_other_objects_are_refused() -> None:
    with pytest.raises(TypeError, match="cannot rewrite `int`"):
        nativefx.rewrite(3, [])  # type: ignore[arg-type]
