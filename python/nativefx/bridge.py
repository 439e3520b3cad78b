"""What happens once a graph, not once a node, when a graph crosses.

The native side reads and makes nodes. This module takes a graph, a module or an
exported program apart into what must be kept (`take`), and puts a new one
together around a new graph (`give`). What is kept holds no reference to the
graph that it came from, so that the original may go.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
import torch.fx
from torch.export import ExportedProgram
from torch.fx._lazy_graph_module import _LazyGraphModule
from torch.fx.graph_module import GraphModule, _WrappedCall

__all__ = [
    "CLASS_FIELDS",
    "FxSource",
    "NodeExtras",
    "finish_graph",
    "give",
    "renamed_signature",
    "start_graph",
    "take",
]

# Fields of a torch.fx.Graph that are about its nodes: made anew with them.
_NODE_FIELDS = frozenset(
    ["_root", "_insert", "_len", "_graph_namespace", "_owning_module", "_find_nodes_lookup_table"]
)
# Names that every class has.
CLASS_FIELDS = frozenset(["__module__", "__dict__", "__weakref__", "__doc__", "__qualname__"])


class NodeExtras(NamedTuple):
    """What a node holds when it has more than a `meta` dict."""

    meta: dict[str, Any]
    type: Any
    repr_fn: Callable[[torch.fx.Node], str] | None
    attributes: dict[str, Any] | None


@dataclasses.dataclass(frozen=True)
class GraphState:
    """A `torch.fx.Graph` without its nodes."""

    cls: type[torch.fx.Graph]
    fields: dict[str, Any]
    used_names: set[str]
    base_count: dict[str, int]
    owner: torch.nn.Module | None


@dataclasses.dataclass(frozen=True)
class ModuleState:
    """A `GraphModule` without its graph.

    Every instance of `GraphModule` has a class of its own, which holds the
    generated `forward`; `cls` is the class below it.
    """

    cls: type[GraphModule]
    name: str
    class_fields: dict[str, Any]
    fields: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class FxSource:
    """What a graph was read from."""

    graph: GraphState
    module: ModuleState | None = None
    program: tuple[type[ExportedProgram], dict[str, Any]] | None = None


def take(
    source: torch.fx.Graph | GraphModule | ExportedProgram,
) -> tuple[torch.fx.Graph, torch.nn.Module | None, FxSource]:
    """Take what is to be imported apart.

    Returns
    -------
    graph
        The graph whose nodes are to be read.
    module
        The module that its `get_attr` and `call_module` nodes name parts of.
    source
        All the rest, as it is now.

    Raises
    ------
    TypeError
        If `source` is none of the three.
    """
    if isinstance(source, ExportedProgram):
        module = source.graph_module
        fields = {**source.__dict__, "_graph_module": None}
        kept = FxSource(_graph_state(module.graph), _module_state(module), (type(source), fields))
        return module.graph, module, kept
    if isinstance(source, GraphModule):
        return source.graph, source, FxSource(_graph_state(source.graph), _module_state(source))
    if isinstance(source, torch.fx.Graph):
        owner = source.owning_module
        return source, owner, FxSource(_graph_state(source, owner))
    raise TypeError(
        f"cannot read a graph from `{type(source).__name__}`; "
        "give a GraphModule, a torch.fx.Graph or an ExportedProgram"
    )


def _graph_state(graph: torch.fx.Graph, owner: torch.nn.Module | None = None) -> GraphState:
    fields = {k: v for k, v in graph.__dict__.items() if k not in _NODE_FIELDS}
    names = graph._graph_namespace
    return GraphState(
        type(graph), fields, names._used_names.copy(), names._base_count.copy(), owner
    )


# What a module keeps for itself: parameters, buffers, submodules, hooks.
_TABLES = frozenset(
    key for key, value in torch.nn.Module().__dict__.items() if isinstance(value, dict | set)
) | frozenset(
    ["meta", "_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks"]
)


def _shallow(fields: dict[str, Any]) -> dict[str, Any]:
    """Copy a module's `__dict__` and its tables, but nothing in them, and no graph."""
    kept = {k: copy.copy(v) if k in _TABLES else v for k, v in fields.items()}
    if "_graph" in kept:
        kept["_graph"] = None  # keeps its place in the order
    return kept


def _module_state(module: GraphModule) -> ModuleState:
    instance_class = type(module)
    base = next(c for c in instance_class.__mro__ if c.__qualname__.split(".")[-1] != _IMPL_NAME)
    class_fields = {k: v for k, v in vars(instance_class).items() if k not in CLASS_FIELDS}
    return ModuleState(base, instance_class.__name__, class_fields, _shallow(module.__dict__))


_IMPL_NAME = "GraphModuleImpl"


def _blank(cls: Any) -> Any:
    """Make an instance that is not initialised."""
    return cls.__new__(cls)


def start_graph(source: FxSource | None) -> torch.fx.Graph:
    """Make an empty graph with everything of the original but its nodes."""
    if source is None:
        return torch.fx.Graph()
    state = source.graph
    graph = _blank(state.cls)
    torch.fx.Graph.__init__(graph)
    graph.__dict__.update(state.fields)
    graph._owning_module = state.owner
    return graph


def finish_graph(source: FxSource | None, graph: torch.fx.Graph, edited: bool) -> None:
    """Let the graph go on naming new nodes where the original would."""
    names = graph._graph_namespace
    if source is not None:
        names._used_names = source.graph.used_names.copy()
        names._base_count = source.graph.base_count.copy()
    if not edited:
        return
    for name in names._obj_to_name.values():
        if name in names._used_names:
            continue
        names._used_names.add(name)
        base, _, number = name.rpartition("_")
        if base and number.isdecimal():
            names._base_count[base] = max(names._base_count.get(base, 0), int(number))


def give(
    source: FxSource | None, graph: torch.fx.Graph, edited: bool, attributes: dict[str, Any]
) -> torch.fx.Graph | GraphModule | ExportedProgram:
    """Put a new original together around `graph`.

    Parameters
    ----------
    source
        What the graph was read from; None for one that was made natively.
    graph
        The new graph.
    edited
        Whether it computes, or names, something else than the original did.
    attributes
        What `get_attr` and `call_module` nodes name, by path.
    """
    if source is None:
        return GraphModule(attributes, graph)
    if source.module is None:
        return graph
    module = _new_module(source.module, graph, edited)
    for path, value in attributes.items():
        _set_attribute(module, path, value)
    if source.program is None:
        return module
    return _new_program(source.program, module, edited)


def _new_module(state: ModuleState, graph: torch.fx.Graph, edited: bool) -> GraphModule:
    # Generating code costs more than all the rest of the crossing, so it waits
    # for the first call. An unchanged graph has the code that it had.
    lazily = edited and state.cls is GraphModule
    base = _LazyGraphModule if lazily else state.cls
    module = _blank(base)
    instance_class = type(module)
    instance_class.__name__ = state.name
    module.__dict__.update(_shallow(state.fields))
    module.__dict__["_graph"] = graph
    graph._owning_module = module
    if edited:
        module.recompile()
        return module
    for key, value in state.class_fields.items():
        if isinstance(value, _WrappedCall):
            value = _WrappedCall(instance_class, value.cls_call)
        setattr(instance_class, key, value)
    return module


def _set_attribute(module: torch.nn.Module, path: str, value: Any) -> None:
    """Set an attribute where it differs, leaving the original's modules alone."""
    try:
        present = module
        for name in path.split("."):
            present = getattr(present, name)
        if present is value:
            return
    except AttributeError:
        pass
    *outer, last = path.split(".")
    for name in outer:
        inner = module._modules.get(name)
        inner = torch.nn.Module() if inner is None else _shallow_module(inner)
        module._modules[name] = inner
        module = inner
    module.__dict__.pop(last, None)
    setattr(module, last, value)


def _shallow_module(module: torch.nn.Module) -> torch.nn.Module:
    clone = _blank(type(module))
    clone.__dict__.update(_shallow(module.__dict__))
    if "_graph" in module.__dict__:
        clone.__dict__["_graph"] = module.__dict__["_graph"]
    return clone


def _new_program(
    state: tuple[type[ExportedProgram], dict[str, Any]], module: GraphModule, edited: bool
) -> ExportedProgram:
    cls, fields = state
    program = _blank(cls)
    program.__dict__.update(fields)
    program._graph_module = module
    if edited:
        program._graph_signature = renamed_signature(program._graph_signature, module.graph)
    return program


def renamed_signature(signature: Any, graph: torch.fx.Graph) -> Any:
    """Let a signature name the nodes that now stand where its own stood."""
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    outputs = graph.output_node().args[0]
    return dataclasses.replace(
        signature,
        input_specs=_renamed_specs(signature.input_specs, inputs),
        output_specs=_renamed_specs(signature.output_specs, outputs),
    )


def _renamed_specs(specs: list[Any], nodes: Iterable[Any]) -> list[Any]:
    renamed = []
    for spec, node in zip(specs, nodes, strict=True):
        if isinstance(node, torch.fx.Node) and getattr(spec.arg, "name", None) != node.name:
            spec = dataclasses.replace(spec, arg=dataclasses.replace(spec.arg, name=node.name))
        renamed.append(spec)
    return renamed
