"""A program that was compiled as a whole, called like the model it was made of."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.fx
import torch.utils._pytree as pytree

from nativefx import _core
from nativefx.graph import Graph
from nativefx.input_checks import InputChecker, InputSpec, Symbol

__all__ = ["CompiledProgram", "Interface"]


@dataclasses.dataclass(frozen=True)
class Interface:
    """How a program is called.

    Attributes
    ----------
    takes, gives
        The structure of ``(args, kwargs)`` and of the result.
    inputs
        The leaves of `takes`.
    symbols
        The sizes that may vary.
    """

    takes: pytree.TreeSpec
    gives: pytree.TreeSpec
    inputs: tuple[InputSpec, ...]
    symbols: tuple[Symbol, ...] = ()


class CompiledProgram:
    """A compiled program; see `nativefx.compile_exported` and `nativefx.load_compiled`.

    It is called as the model was, computes without gradients, and may be called from
    any number of threads. Weights are constants of it, not copies: they are the tensors
    of the model that was compiled, or lie in the mapped file that was loaded.

    Attributes
    ----------
    graph
        The graph after all passes.
    constants
        Weights and buffers by the names that the graph knows them by. What the program
        writes to a buffer is seen here.
    report
        Who runs what, as plain data; see `nativefx.explain`.
    """

    def __init__(
        self, graph: Graph, constants: dict[str, Any], interface: Interface, options: Any
    ) -> None:
        self.graph = graph
        self.constants = constants
        self.interface = interface
        self.options = options
        self._eager: Callable[..., Any] | None = None
        holder = _Holder(constants)
        self._run = _core.compile_graph(graph, holder, self._run_in_pytorch, options)
        self._check = InputChecker(interface.inputs, interface.symbols)
        self._names = _keyword_names(interface.takes)
        self._plain_takes = not self._names and _is_flat(interface.takes.child(0), tuple)
        self._plain_gives = _plain_result(interface.gives)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute; arguments and result have the structure of the model's."""
        leaves = list(args) if self._plain_takes and not kwargs else self._leaves(args, kwargs)
        self._check(leaves)
        results = self._run(leaves)
        if self._plain_gives is not None:
            return self._plain_gives(results)
        return pytree.tree_unflatten(results, self.interface.gives)

    def _leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        if set(kwargs) != set(self._names):
            wanted = ", ".join(f"`{name}`" for name in self._names) or "none"
            raise TypeError(f"keyword arguments of this program: {wanted}")
        ordered = {name: kwargs[name] for name in self._names}
        leaves, spec = pytree.tree_flatten((args, ordered))
        if spec != self.interface.takes:
            raise TypeError(f"arguments are {spec}, not {self.interface.takes}")
        return leaves

    def _run_in_pytorch(self, leaves: list[Any]) -> list[Any]:
        """Take calls that a plan cannot: dispatch modes, tensor subclasses."""
        if self._eager is None:
            graph = self.graph.to_fx_graph()
            self._eager = torch.fx.GraphModule(_module_of(self.constants), graph)
        values = list(leaves)
        leaves.clear()
        with torch.no_grad():
            return list(self._eager(*values))

    @property
    def report(self) -> dict[str, Any]:
        """Who runs what."""
        return _core.compile_report(self._run)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write graph, machine code and weights to one file.

        The file appears under its name when it is complete. It is for this build of
        nativefx, this PyTorch and CPUs like this one; `nativefx.load_compiled` checks.

        Raises
        ------
        nativefx.Error
            `cannot-save` where the program holds what only this process knows.
        """
        from nativefx.artefact import save

        save(self, path)


class _Holder:
    """What `get_attr` nodes of a graph name, as attributes."""

    def __init__(self, constants: dict[str, Any]) -> None:
        self.__dict__.update(constants)


def _module_of(constants: dict[str, Any]) -> torch.nn.Module:
    module = torch.nn.Module()
    for name, value in constants.items():
        if isinstance(value, torch.Tensor):
            module.register_buffer(name, value.detach())
        else:
            setattr(module, name, value)
    return module


def _keyword_names(takes: pytree.TreeSpec) -> Sequence[str]:
    return tuple(takes.child(1).context)


def _is_flat(spec: pytree.TreeSpec, kind: type) -> bool:
    return spec.type is kind and all(child.is_leaf() for child in spec.children())


def _plain_result(gives: pytree.TreeSpec) -> Callable[[list[Any]], Any] | None:
    """Give the result from the list of leaves, where the structure is simple."""
    if gives.is_leaf():
        return lambda results: results[0]
    if _is_flat(gives, tuple):
        return tuple
    return list if _is_flat(gives, list) else None
