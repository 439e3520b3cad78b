"""An exported program as one graph whose weights are constants.

`torch.export` lifts parameters and buffers to inputs, returns what was written to
buffers, and wraps regions with another grad mode. `freeze` undoes the three: weights
become `get_attr` nodes, writes become `copy_` nodes, regions are part of the graph, and
what depends on weights alone is computed once.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
import torch.fx
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ConstantArgument,
    InputKind,
    OutputKind,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)

from nativefx.errors import error
from nativefx.fold_weights import WeightFolder, mutated_placeholders

__all__ = ["FrozenGraph", "freeze"]

_MUTATIONS = (
    OutputKind.BUFFER_MUTATION,
    OutputKind.PARAMETER_MUTATION,
    OutputKind.USER_INPUT_MUTATION,
)
_CONSTANTS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
_VALUES = (
    TensorArgument,
    SymIntArgument,
    SymFloatArgument,
    SymBoolArgument,
    ConstantArgument,
)


@dataclasses.dataclass(frozen=True)
class FrozenGraph:
    """What `freeze` makes.

    Attributes
    ----------
    graph
        Its placeholders are the leaves of the user's inputs in order.
    constants
        What `get_attr` nodes name: tensors, and modules of higher-order operators.
    """

    graph: torch.fx.Graph
    constants: dict[str, Any]


def freeze(program: ExportedProgram) -> FrozenGraph:
    """Make weights constant and writes explicit; `program` stays as it is.

    Raises
    ------
    nativefx.Error
        `unsupported-export` where the program needs more than its graph.
    """
    return _Freezing(program).run()


class _Freezing:
    """One walk over the nodes of a program."""

    def __init__(self, program: ExportedProgram) -> None:
        self.program = program
        self.graph = torch.fx.Graph()
        self.constants: dict[str, Any] = {}
        self.known: dict[int, torch.fx.Node] = {}  # by id of a tensor: tied weights
        self.by_target: dict[str, torch.fx.Node] = {}
        self.env: dict[torch.fx.Node, Any] = {}
        self.folder = WeightFolder(self.add_constant)

    def run(self) -> FrozenGraph:
        source = self.program.graph_module
        self.written = mutated_placeholders(source.graph)
        signature = self.program.graph_signature
        specs = iter(signature.input_specs)
        for spec in signature.output_specs:
            if spec.kind is OutputKind.BUFFER_MUTATION:
                self.written |= {
                    i.arg.name for i in signature.input_specs if i.target == spec.target
                }
        for node in source.graph.nodes:
            if node.op == "placeholder":
                self.env[node] = self.placeholder(node, next(specs))
            elif node.op == "output":
                self.graph.output(self.outputs(node))
            else:
                self.copy(node, source, self.env)
        self.drop_unused_constants()
        return FrozenGraph(self.graph, self.constants)

    def placeholder(self, node: torch.fx.Node, spec: Any) -> torch.fx.Node:
        if spec.kind is InputKind.USER_INPUT and isinstance(spec.arg, _VALUES):
            return self.graph.node_copy(node)
        if spec.kind not in _CONSTANTS:
            raise error("unsupported-export", f"input `{node.name}` is of kind {spec.kind.name}")
        tensor = self.program.state_dict.get(spec.target)
        if tensor is None:
            tensor = self.program.constants[spec.target]
        made = self.known.get(id(tensor))
        if made is None:
            made = self.add_constant(node.name, tensor, dict(node.meta))
            self.known[id(tensor)] = made
            if node.name not in self.written:
                self.folder.set_weight(made, tensor)
        elif node.name in self.written:
            self.folder.forget(made)
        self.by_target[spec.target] = made
        return made

    def add_constant(self, name: str, value: Any, meta: dict[str, Any]) -> torch.fx.Node:
        name = _free_name(name, self.constants)
        self.constants[name] = value
        made = self.graph.create_node("get_attr", name, name=name)
        made.meta = meta
        return made

    def copy(
        self, node: torch.fx.Node, owner: torch.nn.Module, env: dict[torch.fx.Node, Any]
    ) -> None:
        if node.op == "get_attr":
            self.copy_attribute(node, owner, env)
        elif _is_region(node):
            env[node] = self.inline(node, owner, env)
        elif _projects_region(node, env):
            env[node] = env[node.args[0]][node.args[1]]
        else:
            env[node] = self.folder.copy(self.graph, node, lambda n: env[n])

    def copy_attribute(
        self, node: torch.fx.Node, owner: torch.nn.Module, env: dict[torch.fx.Node, Any]
    ) -> None:
        if all(_is_region(user) for user in node.users):
            return  # a region's module, which is inlined
        value = owner
        for name in str(node.target).split("."):
            value = getattr(value, name)
        env[node] = self.add_constant(node.name, value, dict(node.meta))

    def inline(
        self, node: torch.fx.Node, owner: torch.nn.Module, env: dict[torch.fx.Node, Any]
    ) -> Any:
        """Copy the nodes of a region; grad mode is off in all of a plan anyway."""
        module = getattr(owner, node.args[1].target)
        inner: dict[torch.fx.Node, Any] = {}
        given = iter(node.args[2:])
        for part in module.graph.nodes:
            if part.op == "placeholder":
                inner[part] = torch.fx.map_arg(next(given), lambda n: env[n])
            elif part.op == "output":
                return torch.fx.map_arg(part.args[0], lambda n: inner[n])
            else:
                self.copy(part, module, inner)
        raise AssertionError("a graph ends with its output")

    def outputs(self, node: torch.fx.Node) -> Any:
        """Write what was mutated, and give what the user gets."""
        kept = []
        for spec, value in zip(
            self.program.graph_signature.output_specs, node.args[0], strict=True
        ):
            value = torch.fx.map_arg(value, lambda n: self.env[n])
            if spec.kind in _MUTATIONS:
                self.write(spec, value)
            elif spec.kind is OutputKind.USER_OUTPUT:
                kept.append(value)
            else:
                raise error("unsupported-export", f"an output is of kind {spec.kind.name}")
        return tuple(kept)

    def write(self, spec: Any, value: torch.fx.Node) -> None:
        if spec.kind is OutputKind.USER_INPUT_MUTATION:
            place = next(n for n in self.graph.nodes if n.name == spec.target)
        else:
            place = self.by_target[spec.target]
        made = self.graph.call_function(torch.ops.aten.copy_.default, (place, value))
        made.meta = {"val": place.meta.get("val")}

    def drop_unused_constants(self) -> None:
        for node in reversed(list(self.graph.nodes)):
            if node.op == "get_attr" and not node.users:
                self.graph.erase_node(node)
                del self.constants[node.target]


def _free_name(name: str, taken: dict[str, Any]) -> str:
    found, number = name, 0
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def _is_region(node: torch.fx.Node) -> bool:
    return node.target is torch.ops.higher_order.wrap_with_set_grad_enabled


def _projects_region(node: torch.fx.Node, env: dict[torch.fx.Node, Any]) -> bool:
    is_projection = getattr(node.target, "__name__", "") == "getitem" and len(node.args) == 2
    if not is_projection or not isinstance(node.args[0], torch.fx.Node):
        return False
    return isinstance(env.get(node.args[0]), tuple | list)
