"""What a GraphModule needs when nodes were put into its graph natively.

Attributes that the new nodes name, names that later nodes must not take, values of
what was not computed before, and code.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import re
from collections.abc import Iterable, Sequence
from typing import Any

import torch
import torch.fx
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx._lazy_graph_module import _LazyGraphModule
from torch.fx.graph_module import GraphModule
from torch.utils import _pytree as pytree

from nativefx import bridge
from nativefx.values import OF_THE_VALUE

__all__ = ["Attributes", "enter_names", "equal", "fill_values", "inherit", "recompile_later"]

_NUMBERED_CONSTANT = re.compile(r"_tensor_constant\d+")


class Attributes:
    """What the replacements of rules name, and a module that is to have it."""

    def __init__(self, gm: GraphModule) -> None:
        self._gm = gm
        self._needed: dict[str, Any] = {}

    def enter(self, replacement: GraphModule) -> GraphModule:
        """Return the replacement, with other names for constants whose name is taken.

        Tracing numbers constants from zero in every graph, so equal names mean
        nothing. Names that a person gave mean the module's own attribute.
        """
        targets = {n.target for n in replacement.graph.nodes if n.op in ("get_attr", "call_module")}
        renamed: dict[str, str] = {}
        for target in sorted(map(str, targets)):
            value = _find(replacement, target)
            if _NUMBERED_CONSTANT.fullmatch(target) and self._is_taken(target, value):
                renamed[target] = target = self._free_name()
            self._needed.setdefault(target, value)
        return _with_names(replacement, renamed) if renamed else replacement

    def _is_taken(self, target: str, value: Any) -> bool:
        present = self._needed.get(target, _find(self._gm, target))
        return present is not None and present is not value

    def _free_name(self) -> str:
        number = 0
        while True:
            name = f"_tensor_constant{number}"
            if name not in self._needed and not hasattr(self._gm, name):
                return name
            number += 1

    def copy_over(self, made: Iterable[torch.fx.Node]) -> None:
        """Give the module what new nodes name and it has not."""
        if not self._needed:
            return
        for node in made:
            if node.op not in ("get_attr", "call_module"):
                continue
            path = str(node.target)
            if _find(self._gm, path) is not None or path not in self._needed:
                continue
            value = copy.deepcopy(self._needed[path])
            if isinstance(value, torch.nn.Module):
                self._gm.add_submodule(path, value)
                continue
            owner, _, name = path.rpartition(".")
            if owner and _find(self._gm, owner) is None:
                self._gm.add_submodule(owner, torch.nn.Module())
            module = self._gm.get_submodule(owner)
            if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
                module.register_buffer(name, value)
            else:
                setattr(module, name, value)


def _find(module: torch.nn.Module, path: str) -> Any:
    found: Any = module
    for name in path.split("."):
        found = getattr(found, name, None)
    return found


def _with_names(module: GraphModule, renamed: dict[str, str]) -> GraphModule:
    other = copy.deepcopy(module)
    values = {new: _find(module, old) for old, new in renamed.items()}
    for name, value in values.items():
        setattr(other, name, value)
    for node in other.graph.nodes:
        if node.op == "get_attr" and node.target in renamed:
            node.target = renamed[node.target]
    return other


def enter_names(graph: torch.fx.Graph, made: Iterable[torch.fx.Node]) -> None:
    """Let the graph know names that were given past it."""
    names = graph._graph_namespace
    for node in made:
        names._used_names.add(node.name)
        base, _, number = node.name.rpartition("_")
        if base and number.isdecimal():
            names._base_count[base] = max(names._base_count.get(base, 0), int(number))


def inherit(meta: dict[str, Any], origin: dict[str, Any]) -> None:
    """Take over where a node came from, but nothing of its value."""
    meta.update((key, value) for key, value in origin.items() if key not in OF_THE_VALUE)


def equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two constants hold the same elements in the same type."""
    if a.shape != b.shape or a.dtype != b.dtype or a.device != b.device:
        return False
    return bool(torch.equal(a, b))


def fill_values(gm: GraphModule, nodes: Sequence[torch.fx.Node]) -> None:
    """Compute values of new nodes from those of their operands, where these have some."""
    maker = _ValueMaker(gm)
    for node in nodes:
        if node.op == "get_attr" or node.all_input_nodes:
            with contextlib.suppress(Exception):  # a value is a help to later passes, no more
                maker.fill(node)


class _ValueMaker:
    """Runs nodes in the fake mode in which their graph was traced."""

    def __init__(self, gm: GraphModule) -> None:
        self._gm = gm

    def fill(self, node: torch.fx.Node) -> None:
        inputs = node.all_input_nodes
        key = "example_value" if any("example_value" in n.meta for n in inputs) else "val"
        if any(key not in n.meta for n in inputs) or self._mode is None:
            return
        value = self._value(node, key)
        if value is not None:
            node.meta[key] = value

    @functools.cached_property
    def _mode(self) -> FakeTensorMode | None:
        for node in self._gm.graph.nodes:
            for value in pytree.tree_leaves(node.meta.get("val", node.meta.get("example_value"))):
                if isinstance(value, FakeTensor):
                    return value.fake_mode
        return None

    def _value(self, node: torch.fx.Node, key: str) -> Any:
        mode = self._mode
        assert mode is not None
        if node.op == "get_attr":
            return mode.from_tensor(_find(self._gm, str(node.target)), static_shapes=True)
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: n.meta[key])
        shapes = mode.shape_env
        quiet = shapes.ignore_fresh_unbacked_symbols() if shapes else contextlib.nullcontext()
        with mode, quiet:
            if callable(node.target):
                return node.target(*args, **kwargs)
            if node.op == "call_method":
                return getattr(args[0], str(node.target))(*args[1:], **kwargs)
        return None


def recompile_later(gm: GraphModule) -> None:
    """Generate code when the module is next called: it costs more than all the rest."""
    own = type(gm)
    if own.__mro__[1] is not GraphModule or "__call__" in _fields_set_by_users(own):
        gm.recompile()  # a lazy module puts it off itself
        return
    lazy = type(_LazyGraphModule.__new__(_LazyGraphModule))
    lazy.__name__ = own.__name__
    for name, value in _fields_set_by_users(own).items():
        setattr(lazy, name, value)
    gm.__class__ = lazy
    gm.recompile()


def _fields_set_by_users(own: type[GraphModule]) -> dict[str, Any]:
    """List what the class of a module holds beside what generating code put there."""
    generated = {"forward", "_wrapped_call"}
    wrapped = vars(own).get("_wrapped_call")
    if wrapped is not None and wrapped.cls_call is None:
        generated.add("__call__")
    skipped = generated | bridge.CLASS_FIELDS
    return {name: value for name, value in vars(own).items() if name not in skipped}
