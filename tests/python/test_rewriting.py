"""Rules on torch.fx graphs: like `torch.fx.subgraph_rewriter` where that is right."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.fx import GraphModule, symbolic_trace
from torch.fx import subgraph_rewriter as peer

import nativefx

Function = Callable[..., Any]


def tensors(count: int) -> list[Tensor]:
    torch.manual_seed(0)
    return [torch.randn(4, 4) for _ in range(count)]


class Case:
    """A function, a pattern and a replacement, and how often the pattern is there."""

    def __init__(self, function: Any, pattern: Any, replacement: Any, count: int) -> None:
        self.function, self.pattern = function, pattern
        self.replacement, self.count = replacement, count

    def graph(self) -> GraphModule:
        return symbolic_trace(self.function)

    def inputs(self) -> list[Tensor]:
        return tensors(sum(n.op == "placeholder" for n in self.graph().graph.nodes))


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.linear = nn.Linear(4, 4)
        self.act = nn.Sigmoid()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.linear(x))


class Swapped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.tanh = nn.Tanh()

    def forward(self, x: Tensor) -> Tensor:
        return self.tanh(self.linear(x))


class Buffered(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("scale", torch.full((4, 4), 3.0))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x) * self.scale


def chain(x: Tensor) -> Tensor:
    for _ in range(5):
        x = torch.neg(x)
    return x


CASES: dict[str, Case] = {
    "one call": Case(
        lambda x, w: x + torch.cat([x, w]).sum() + torch.cat([w, x]).max(),
        lambda a, b: torch.cat([a, b]),
        lambda a, b: torch.stack([a, b]),
        2,
    ),
    "nothing matches": Case(
        lambda x: torch.relu(x), lambda x: torch.neg(x), lambda x: torch.abs(x), 0
    ),
    "the whole graph": Case(
        lambda x: torch.neg(torch.relu(x)),
        lambda x: torch.neg(torch.relu(x)),
        lambda x: torch.sin(x),
        1,
    ),
    "a result with users outside": Case(
        lambda x: (lambda r: torch.neg(r) + r)(torch.relu(torch.sin(x))),
        lambda x: torch.relu(torch.sin(x)),
        lambda x: torch.sigmoid(x),
        1,
    ),
    "inner nodes are used outside": Case(
        lambda x: (lambda s: torch.relu(s) + s)(torch.sin(x)),
        lambda x: torch.relu(torch.sin(x)),
        lambda x: torch.sigmoid(x),
        0,
    ),
    "back to back": Case(
        lambda x: torch.neg(torch.relu(torch.neg(torch.relu(x)))),
        lambda x: torch.neg(torch.relu(x)),
        lambda x: torch.clamp(x, max=0) + 1,
        2,
    ),
    "overlapping": Case(chain, lambda x: torch.neg(torch.neg(x)), lambda x: torch.relu(x) - x, 2),
    "the replacement holds the pattern": Case(
        lambda x: torch.neg(torch.neg(x)), lambda x: torch.neg(x), lambda x: torch.neg(x) + 1, 2
    ),
    "an argument twice": Case(
        lambda x, y: (x * x) + (x * y),
        lambda x: x * x,
        lambda x: torch.square(x),
        1,
    ),
    "argument order": Case(lambda x, y: x - y, lambda a, b: a - b, lambda a, b: torch.sub(b, a), 1),
    "a constant for an argument": Case(
        lambda x, y: torch.add(x, 2) + torch.add(x, y),
        lambda x, k: torch.add(x, k),
        lambda x, k: torch.sub(x, k),
        2,
    ),
    "a list for an argument": Case(
        lambda x, y: torch.cat([x, y, x], 0).sum(),
        lambda xs: torch.cat(xs, 0),
        lambda xs: torch.stack(xs, 1),
        1,
    ),
    "a shape for an argument": Case(
        lambda x: x.reshape((2, 8)) + 1,
        lambda x, shape: x.reshape(shape),
        lambda x, shape: x.view(shape).neg(),
        1,
    ),
    "a literal is compared": Case(
        lambda x: torch.clamp(x, 0.0, 1.0) + torch.clamp(x, 0.0, 2.0),
        lambda x: torch.clamp(x, 0.0, 1.0),
        lambda x: torch.sigmoid(x),
        1,
    ),
    "a literal's type is compared": Case(
        lambda x: torch.mul(x, 2) + torch.mul(x, 2.0),
        lambda x: torch.mul(x, 2.0),
        lambda x: torch.add(x, x),
        1,
    ),
    "methods": Case(
        lambda x: x.relu().sum(dim=1, keepdim=True) + x.sum(),
        lambda x: x.relu().sum(dim=1, keepdim=True),
        lambda x: torch.sum(x, dim=1, keepdim=True),
        1,
    ),
    "keywords": Case(
        lambda x: torch.sum(x, dim=0, keepdim=False) + torch.sum(x, dim=1, keepdim=False),
        lambda x: torch.sum(x, dim=0, keepdim=False),
        lambda x: torch.mean(x, dim=0, keepdim=False),
        1,
    ),
    "two results": Case(
        lambda x: (lambda s: torch.relu(s) * torch.neg(s))(torch.sin(x)),
        lambda x: (lambda s: (torch.relu(s), torch.neg(s)))(torch.sin(x)),
        lambda x: (torch.clamp(x, min=0), torch.abs(x)),
        1,
    ),
    "two results of two calls": Case(
        lambda x, y: torch.relu(x) + torch.neg(y),
        lambda x, y: (torch.relu(x), torch.neg(y)),
        lambda x, y: (torch.sin(x), torch.cos(y)),
        1,
    ),
    "results that share an argument": Case(
        lambda x: (torch.sin(x) + 1) * (torch.cos(x) + 2) + torch.tan(x),
        lambda x: (torch.sin(x), torch.cos(x)),
        lambda x: (torch.cos(x), torch.sin(x)),
        1,
    ),
    "a call with several results": Case(
        lambda x: (lambda p: p[0] + p[1])(torch.split(x, 2)),
        lambda x: (lambda p: (p[0], p[1]))(torch.split(x, 2)),
        lambda x: (x[:2], x[2:]),
        1,
    ),
    "the replacement is the argument": Case(
        lambda x: torch.relu(torch.neg(torch.neg(x))),
        lambda x: torch.neg(torch.neg(x)),
        lambda x: x,
        1,
    ),
    "matches feed each other": Case(
        lambda x, y: torch.add(torch.add(x, y), torch.add(y, x)),
        lambda a, b: torch.add(a, b),
        lambda a, b: torch.mul(a, b) + a,
        3,
    ),
    "modules": Case(Inner(), Inner(), Swapped(), 1),
    "the replacement has attributes": Case(
        lambda x: torch.relu(x) + 1, lambda x: torch.relu(x), Buffered(), 1
    ),
}


def as_given(side: Any) -> Any:
    """Return modules traced, for a module as such is called as a leaf."""
    return symbolic_trace(side) if isinstance(side, nn.Module) else side


def what_matched(match: Any) -> dict[str, str]:
    return {str(k): str(getattr(v, "target", v)) for k, v in match.nodes_map.items()}


@pytest.mark.parametrize("name", CASES)
def test_replace_pattern_is_as_the_peer(name: str) -> None:
    case = CASES[name]
    ours, theirs = case.graph(), case.graph()
    matches = nativefx.replace_pattern(ours, as_given(case.pattern), as_given(case.replacement))
    expected = peer.replace_pattern(theirs, as_given(case.pattern), as_given(case.replacement))
    assert len(matches) == len(expected) == case.count
    ours.graph.lint()
    inputs = case.inputs()
    torch.testing.assert_close(ours(*inputs), theirs(*inputs), rtol=0, atol=0)
    assert len(ours.graph.nodes) == len(theirs.graph.nodes)
    for mine, other in zip(matches, expected, strict=True):
        assert what_matched(mine) == what_matched(other)
        assert str(mine.anchor) == str(other.anchor)


@pytest.mark.parametrize("name", CASES)
def test_native_graphs_are_rewritten_alike(name: str) -> None:
    case = CASES[name]
    module = case.graph()
    rule = nativefx.rule(as_given(case.pattern), as_given(case.replacement), commutative=False)
    graph = nativefx.Graph.from_fx(copy.deepcopy(module))
    assert nativefx.rewrite(graph, rule) == nativefx.rewrite(module, [rule])
    graph.verify()
    inputs = case.inputs()
    torch.testing.assert_close(graph.to_fx()(*inputs), module(*inputs), rtol=0, atol=0)


def test_untouched_nodes_stay_the_same_objects() -> None:
    module = symbolic_trace(lambda x: torch.sin(torch.neg(torch.relu(torch.cos(x)))))
    before = {node.name: node for node in module.graph.nodes}
    rule = nativefx.rule(lambda x: torch.neg(torch.relu(x)), lambda x: torch.clamp(x, max=0))
    assert nativefx.rewrite(module, [rule]) == 1
    after = {node.name: node for node in module.graph.nodes}
    assert set(after) == {"x", "cos", "clamp", "sin", "output"}
    assert all(after[name] is before[name] for name in after if name != "clamp")
    assert list(after["cos"].users) == [after["clamp"]]
    assert "clamp" in module.code
    assert isinstance(module, GraphModule)


def test_new_names_do_not_collide_later() -> None:
    module = symbolic_trace(lambda x: torch.relu(x) + torch.relu(x + 1))
    nativefx.rewrite(module, nativefx.rule(lambda x: torch.relu(x), lambda x: torch.tanh(x)))
    with module.graph.inserting_before(module.graph.output_node()):
        extra = module.graph.call_function(torch.tanh, (next(iter(module.graph.nodes)),))
    names = [node.name for node in module.graph.nodes]
    assert len(set(names)) == len(names)
    assert extra.name not in names[:-2]
