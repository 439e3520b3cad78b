"""`nativefx.partition` and `nativefx.inline`: same results, same graph again."""

from __future__ import annotations

import copy
import itertools
import operator
import pickle
import zlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.fx
from graph_comparator import Comparison, compare
from torch import nn
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

import nativefx


def taking(*targets: Any) -> Callable[[torch.fx.Node], bool]:
    return lambda node: node.target in targets


def everything(node: torch.fx.Node) -> bool:
    return True


def parts_of(gm: torch.fx.GraphModule) -> list[str]:
    return [
        node.target
        for node in gm.graph.nodes
        if node.op == "call_module"
        and isinstance(gm.get_submodule(node.target), torch.fx.GraphModule)
    ]


def same(ours: Any, right: Any) -> None:
    torch.testing.assert_close(ours, right, rtol=0, atol=0)


def check(
    module: nn.Module | Callable[..., Any],
    supports: Any,
    *inputs: torch.Tensor,
    comparison: Comparison,
    **options: Any,
) -> torch.fx.GraphModule:
    """Divide, run, inline; return the divided module."""
    gm = torch.fx.symbolic_trace(module)
    parts = nativefx.partition(gm, supports, **options)
    parts.graph.lint()
    right_inputs = [x.clone() for x in inputs]
    our_inputs = [x.clone() for x in inputs]
    same(parts(*our_inputs), gm(*right_inputs))
    same(our_inputs, right_inputs)
    again = nativefx.inline(parts)
    assert again.code == gm.code
    names = again.graph._graph_namespace  # it remembers the names of the parts
    names._used_names = set(gm.graph._graph_namespace._used_names)
    names._base_count = gm.graph._graph_namespace._base_count
    compare(gm.graph, again.graph, comparison)
    assert dict(again.named_modules()).keys() == dict(gm.named_modules()).keys()
    return parts


def mutation_order(a):
    b = a.clone()
    b.fill_(2)
    c = b + 1
    b.fill_(3)
    return b, c


def siblings(x):
    return torch.sin(x**2), torch.cos(x**2)


def updates(p, g, m):
    m.mul_(0.9).add_(g)
    p.sub_(m * 0.1)


def identity(x):
    return x


def nothing(x):
    return None


def unused(x, y):
    return x + 1


def chain(x):
    for _ in range(4):
        x = torch.relu(torch.neg(x))
    return x


def pieces(x):
    first, second = torch.split(x, 2)
    return first + 1, second * 2, torch.topk(x.flatten(), 2).values


def swapped(x, y):
    return torch.sub(y, x), torch.sub(x, y)


def three_slices(x):
    a = x[0:]
    b = a[0:]
    return b[0:]


def diamond(x):
    a = torch.relu(x)
    b = torch.neg(a)
    c = torch.exp(a)
    return b + c


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(7, 4)
        self.out = nn.Linear(4, 7, bias=False)
        self.out.weight = self.embedding.weight
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x):
        return self.out(torch.relu(self.embedding((x.abs() * 3).long().clamp(0, 6)) * self.scale))


class Constants(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.randn(4))
        self.inner = nn.Module()
        self.inner.b = nn.Parameter(torch.randn(4))

    def forward(self, x):
        return (x + self.a) * self.inner.b - self.a


TARGETS = [torch.relu, torch.neg, operator.add, operator.mul, torch.sin, torch.sub, "fill_", "mul_"]
CASES = {
    "mutation order": (mutation_order, 1),
    "siblings": (siblings, 1),
    "updates without output": (updates, 3),
    "identity": (identity, 1),
    "no output": (nothing, 1),
    "unused input": (unused, 2),
    "chain": (chain, 1),
    "tuples of tensors": (pieces, 1),
    "other order of arguments": (swapped, 2),
    "three slices": (three_slices, 1),
    "diamond": (diamond, 1),
    "tied weights": (Tied(), 1),
    "constants": (Constants(), 1),
}
SUPPORTS = {
    "everything": everything,
    "nothing": lambda node: False,
    "some": taking(*TARGETS),
    "the others": lambda node: node.target not in TARGETS,
    "modules": lambda node: node.op == "call_module",
}


@pytest.mark.parametrize("supports", SUPPORTS.values(), ids=SUPPORTS.keys())
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("connected_only", [False, True])
def test_same_results_and_same_graph_again(case, supports, connected_only, comparison):
    module, count = case
    inputs = [torch.randn(4, 4) for _ in range(count)]
    check(module, supports, *inputs, comparison=comparison, connected_only=connected_only)


def test_round_robin_of_three(comparison):
    turns = dict(zip(("neg", "relu", "neg_1", "relu_1", "neg_2"), itertools.cycle(range(3))))

    def turn(number: int) -> Callable[[torch.fx.Node], bool]:
        return lambda node: turns.get(node.name) == number

    parts = check(
        chain, {f"device{i}": turn(i) for i in range(3)}, torch.randn(4), comparison=comparison
    )
    assert parts_of(parts)[:3] == ["device0_0", "device1_0", "device2_0"]


def test_writes_stay_between_the_reads():
    gm = torch.fx.symbolic_trace(mutation_order)
    parts = nativefx.partition(gm, taking("fill_"))
    assert len(parts_of(parts)) == 2
    same(parts(torch.zeros(2)), (torch.full((2,), 3.0), torch.full((2,), 3.0)))


def test_refusals_tell_why():
    gm = torch.fx.symbolic_trace(diamond)
    parts = nativefx.partition(gm, lambda node: node.target is torch.exp or "too simple")
    assert parts.meta["nativefx.refusals"]["relu"] == ["region: too simple"]
    assert "exp" not in parts.meta["nativefx.refusals"]


def test_small_parts_stay():
    gm = torch.fx.symbolic_trace(diamond)
    assert parts_of(nativefx.partition(gm, taking(torch.exp), min_nodes=2)) == []


def test_weights_are_shared_and_train():
    gm = torch.fx.symbolic_trace(Tied())
    parts = nativefx.partition(gm, lambda node: node.op == "call_module")
    parts(torch.randn(4)).sum().backward()
    assert gm.embedding.weight.grad is not None


def test_divided_modules_copy_and_pickle():
    parts = nativefx.partition(torch.fx.symbolic_trace(Constants()), everything)
    x = torch.randn(4)
    for other in (copy.deepcopy(parts), pickle.loads(pickle.dumps(parts))):
        same(other(x), parts(x))
        same(nativefx.inline(other)(x), parts(x))


def test_an_edited_part_is_inlined_as_it_is():
    gm = torch.fx.symbolic_trace(diamond)
    parts = nativefx.partition(gm, taking(torch.exp))
    inside = parts.get_submodule(parts_of(parts)[0])
    (node,) = [n for n in inside.graph.nodes if n.target is torch.exp]
    node.target = torch.sin
    inside.recompile()
    x = torch.randn(3)
    whole = nativefx.inline(parts)
    same(whole(x), torch.sin(torch.relu(x)) - torch.relu(x))
    assert parts_of(whole) == []


def test_a_use_of_the_whole_tuple_is_told():
    gm = torch.fx.symbolic_trace(diamond)
    parts = nativefx.partition(gm, taking(torch.exp))
    (call,) = [n for n in parts.graph.nodes if n.op == "call_module"]
    parts.graph.output_node().args = (call,)
    parts.recompile()
    with pytest.raises(nativefx.Error, match="as a whole"):
        nativefx.inline(parts)


class ByTarget(OperatorSupportBase):
    def __init__(self, seed: int) -> None:
        self.seed = seed

    def is_node_supported(self, submodules, node):
        return (
            node.op == "call_function" and zlib.crc32(f"{node.name} {self.seed}".encode()) % 3 != 0
        )


@pytest.mark.parametrize("seed", range(8))
def test_never_more_parts_than_torch_fx(seed, comparison):
    generator = torch.Generator().manual_seed(seed)
    ops = [torch.relu, torch.neg, torch.exp, torch.sin]

    def model(x):
        values = [x]
        for _ in range(60):
            a, b, o = torch.randint(0, 1 << 20, (3,), generator=generator).tolist()
            first = values[-1 - a % min(len(values), 5)]
            values.append(
                torch.tanh(first + values[b % len(values)]) if b % 2 else ops[o % 4](first)
            )
        return values[-1], values[-2]

    graph = torch.fx.Graph()
    tracer = torch.fx.proxy.GraphAppendingTracer(graph)
    out = model(torch.fx.Proxy(graph.placeholder("x"), tracer))
    graph.output(tuple(proxy.node for proxy in out))
    gm = torch.fx.GraphModule({}, graph)
    support = ByTarget(seed)
    peer = CapabilityBasedPartitioner(
        copy.deepcopy(gm), support, allows_single_node_partition=True
    ).propose_partitions()
    parts = check(gm, support, torch.randn(3), comparison=comparison)
    assert 0 < len(parts_of(parts)) <= len(peer)
