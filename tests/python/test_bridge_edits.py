"""After a native edit only what was edited differs, and new nodes know their origin."""

from __future__ import annotations

import operator
from typing import Any

import pytest
import torch
import torch.fx
from graph_comparator import Comparison, compare, compare_nodes
from torch._subclasses.fake_tensor import FakeTensor

import nativefx
from nativefx import Graph


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(x)
        return torch.relu(y) + y


def export(module: torch.nn.Module, *args: Any, dynamic: bool = False) -> Any:
    shapes = ({0: torch.export.Dim("n")},) if dynamic else None
    return torch.export.export(module, args, dynamic_shapes=shapes, strict=True)


def replace_relu(graph: Graph) -> None:
    """Replace relu by gelu, as a pass would."""
    relu = next(node for node in graph.nodes if node.target == "aten.relu.default")
    gelu = graph.call(
        torch.ops.aten.gelu.default, (relu.operands[0],), {"approximate": "tanh"}, replaces=relu
    )
    graph.replace_all_uses(relu, gelu)
    graph.erase(relu)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_new_node(dynamic: bool) -> None:
    program = export(Net(), torch.randn(3, 4), dynamic=dynamic)
    graph = Graph.from_fx(program)
    assert graph.infer_types() > 4
    assert not graph.edited
    replace_relu(graph)
    assert graph.edited
    graph.verify()
    edited = graph.to_fx()

    before = {node.name: node for node in program.graph.nodes}
    after = {node.name: node for node in edited.graph.nodes}
    assert before.keys() - after.keys() == {"relu"}
    assert after.keys() - before.keys() == {"gelu"}
    relu, gelu = before["relu"], after["gelu"]
    assert gelu.target is torch.ops.aten.gelu.default
    assert gelu.kwargs == {"approximate": "tanh"}
    for key in ("stack_trace", "nn_module_stack", "from_node"):
        assert gelu.meta[key] is relu.meta[key]
    assert "tensor_meta" not in gelu.meta
    value, old = gelu.meta["val"], relu.meta["val"]
    assert isinstance(value, FakeTensor) and value is not old
    assert value.fake_mode is old.fake_mode
    assert (value.dtype, value.device) == (old.dtype, old.device)
    assert str(value.shape) == str(old.shape)
    assert str(value.stride()) == str(old.stride())
    if dynamic:
        assert isinstance(value.shape[0], torch.SymInt)
        assert value.shape[0].node.expr == old.shape[0].node.expr
    x = torch.randn(3, 4)
    inner = Net()
    inner.load_state_dict(program.state_dict)
    linear = inner.linear(x)
    expected = torch.nn.functional.gelu(linear, approximate="tanh") + linear
    torch.testing.assert_close(edited.module()(x), expected)


def test_other_nodes_are_untouched() -> None:
    program = export(Net(), torch.randn(3, 4))
    graph = Graph.from_fx(program)
    graph.infer_types()
    replace_relu(graph)
    edited = graph.to_fx()
    after = {node.name: node for node in edited.graph.nodes}
    twins = {n: after[n.name if n.name != "relu" else "gelu"] for n in program.graph.nodes}
    result = Comparison()
    for node, twin in twins.items():
        if node.name == "relu":
            continue
        compare_nodes(f"%{node.name}", node, twin, twins, result)
    # The linear's users were listed as relu, add; a new user comes last.
    unlike = [d for d in result.differences if " users" not in d]
    assert not unlike
    assert result.nodes == len(program.graph.nodes) - 1


def test_signature_follows_renamed_output() -> None:
    program = export(Net(), torch.randn(3, 4))
    graph = Graph.from_fx(program)
    last = next(node for node in graph.nodes if node.op == "output").operands[0]
    graph.set_name(last, "result")
    edited = graph.to_fx()
    assert edited.graph_signature.user_outputs == ("result",)
    edited.validate()
    x = torch.randn(3, 4)
    torch.testing.assert_close(edited.module()(x), program.module()(x))


def test_module_recompiles_lazily() -> None:
    module = torch.fx.symbolic_trace(Net())
    graph = Graph.from_fx(module)
    relu = graph["relu"]
    graph.replace_all_uses(relu, graph.call(torch.sigmoid, (relu.operands[0],), replaces=relu))
    graph.erase(relu)
    edited = graph.to_fx()
    assert isinstance(edited, torch.fx.GraphModule)
    assert edited._needs_recompile()
    x = torch.randn(2, 4)
    y = module.linear(x)
    torch.testing.assert_close(edited(x), torch.sigmoid(y) + y)
    assert "sigmoid" in edited.code


def test_names_go_on_as_in_the_original() -> None:
    module = torch.fx.symbolic_trace(Net())
    copy = Graph.from_fx(module).to_fx()
    for graph in (module.graph, copy.graph):
        output = graph.output_node()
        with graph.inserting_before(output):
            names = [graph.call_function(operator.add, (1, 2)).name for _ in range(3)]
        assert names == ["add_1", "add_2", "add_3"]


def test_edited_subgraph() -> None:
    class Branch(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.cond(x.sum() > 0, lambda x: x.relu(), lambda x: x.sin(), (x,))

    program = export(Branch(), torch.ones(3))
    graph = Graph.from_fx(program)
    graph.infer_types()
    name, branch = next(
        (name, sub)
        for name, sub in graph.subgraphs.items()
        if any(node.target == "aten.relu.default" for node in sub.nodes)
    )
    replace_relu(branch)
    edited = graph.to_fx()
    original = getattr(program.graph_module, name)
    changed = getattr(edited.graph_module, name)
    assert changed is not original
    assert "relu" in original.code and "gelu" in changed.code
    for other in graph.subgraphs.keys() - {name}:
        assert getattr(edited.graph_module, other) is getattr(program.graph_module, other)
    x = torch.ones(3)
    torch.testing.assert_close(edited.module()(x), torch.nn.functional.gelu(x, approximate="tanh"))
    torch.testing.assert_close(program.module()(x), x)


def test_graph_of_its_own() -> None:
    """A bare torch.fx.Graph comes back as one, beside its module."""
    module = torch.fx.symbolic_trace(Net())
    graph = Graph.from_fx(module.graph).to_fx()
    assert isinstance(graph, torch.fx.Graph)
    result = Comparison()
    compare(module.graph, graph, result)
    assert not result.differences


@pytest.mark.parametrize("wrong", [1, torch.nn.Linear(1, 1), None])
def test_refuses_what_is_no_graph(wrong: object) -> None:
    with pytest.raises(TypeError, match="cannot read a graph"):
        Graph.from_fx(wrong)


def test_refuses_a_node_of_another_graph() -> None:
    other = torch.fx.Graph().placeholder("x")
    graph = torch.fx.Graph()
    graph.output(other)
    with pytest.raises(ValueError, match="belongs to another graph"):
        Graph.from_fx(graph)


def test_refuses_a_node_used_before_it_is_made() -> None:
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    y = graph.call_function(torch.relu, (x,))
    y.append(x)
    graph.output(y)
    with pytest.raises(ValueError, match="used before it is made"):
        Graph.from_fx(graph)


def test_edits_refuse_nodes_of_other_graphs() -> None:
    module = torch.fx.symbolic_trace(Net())
    first, second = Graph.from_fx(module), Graph.from_fx(module)
    with pytest.raises(ValueError, match="another graph"):
        first.call(torch.relu, (second["relu"],))
    with pytest.raises(ValueError, match="uses cannot be erased"):
        first.erase(first["relu"])
    relu = first["relu"]
    first.replace_all_uses(relu, first["linear"])
    first.erase(relu)
    with pytest.raises(ValueError, match="was erased"):
        _ = relu.name
    with pytest.raises(KeyError):
        _ = first["relu"]


def test_unknown_function_is_refused_by_name() -> None:
    graph = Graph.from_fx(torch.fx.symbolic_trace(Net()))
    graph.call("no_such_module.function", (graph["x"],), before=graph["output"])
    with pytest.raises(ValueError, match=r"no_such_module\.function"):
        graph.to_fx()


def test_function_by_name() -> None:
    graph = Graph.from_fx(torch.fx.symbolic_trace(Net()))
    made = graph.call("aten.neg.default", (graph["add"],), before=graph["output"])
    graph.set_operand(graph["output"], 0, made)
    x = torch.randn(2, 4)
    module = graph.to_fx()
    torch.testing.assert_close(module(x), -(torch.relu(module.linear(x)) + module.linear(x)))


def test_broken_graph_is_reported() -> None:
    graph = Graph.from_fx(torch.fx.symbolic_trace(Net()))
    graph.move_before(graph["output"], graph["relu"])
    with pytest.raises(nativefx.Error) as caught:
        graph.verify()
    assert caught.value.code
