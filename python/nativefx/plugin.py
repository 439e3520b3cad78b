"""Plug-ins: compilers of others, in a shared library, that run parts of a model.

Plug-ins are asked before AOTAutograd, on a trace in which `linear`, attention
and layer norm are still whole. What they take becomes one call of the operator
`nativefx::region(int id, Tensor[] xs, SymInt[] ns) -> Tensor[]`, which nothing
opens again. Its backward is the backward of the region's own operators, so that
AOTAutograd traces it and the back end compiles it like any other.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import torch
import torch.fx

from nativefx import _core
from nativefx.errors import Error
from nativefx.graph import Graph
from nativefx.pre_dispatch import trace_pre_dispatch

__all__ = ["NodeClaim", "Plugin", "PluginReport", "RegionReport", "outline_plugins", "reports"]


class Plugin:
    """A loaded plug-in.

    Parameters
    ----------
    path
        The shared library. A library is loaded once, however often it is named.

    Raises
    ------
    nativefx.Error
        `plugin-open`, `plugin-entry`, `plugin-version`, `plugin-init` or
        `plugin-malformed`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        real = os.path.realpath(path)
        if real not in _loaded:
            _loaded[real] = _core.Plugin(real)
        self._native = _loaded[real]

    @property
    def path(self) -> str:
        """The file."""
        return self._native.path

    @property
    def name(self) -> str:
        """What it calls itself."""
        return self._native.name

    @property
    def version(self) -> str:
        """Its own version."""
        return self._native.version

    @property
    def backends(self) -> list[str]:
        """The names of its backends."""
        return self._native.backends

    def __repr__(self) -> str:
        return f"Plugin({self.path!r}: {self.name} {self.version})"


_loaded: dict[str, Any] = {}


@dataclasses.dataclass(frozen=True)
class NodeClaim:
    """Who runs a node: a region, or nobody of the plug-ins, for these reasons."""

    name: str
    target: str
    region: str
    reasons: list[str]
    source: str


@dataclasses.dataclass(frozen=True)
class RegionReport:
    """A region. With a failure its backend did not compile it, and PyTorch runs it."""

    name: str
    backend: str
    nodes: int
    inputs: int
    outputs: int
    failure: str


@dataclasses.dataclass(frozen=True)
class PluginReport:
    """What plug-ins took of one graph of Dynamo."""

    nodes: list[NodeClaim]
    regions: list[RegionReport]
    failure: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Give the report as plain data."""
        return dataclasses.asdict(self)


_collected: list[list[PluginReport]] = []


@contextlib.contextmanager
def reports() -> Iterator[list[PluginReport]]:
    """Collect a report of every graph for which plug-ins are asked inside the block."""
    found: list[PluginReport] = []
    _collected.append(found)
    try:
        yield found
    finally:
        _collected.remove(found)


def outline_plugins(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    plugins: Sequence[Plugin | str | os.PathLike[str]],
    *,
    fallback: str = "allow",
) -> torch.fx.GraphModule:
    """Replace what plug-ins take of a graph of Dynamo by calls of regions.

    Parameters
    ----------
    gm, example_inputs
        The graph and its inputs, as Dynamo gives them to a back end.
    plugins
        Whom to ask, in order of priority.
    fallback
        As in `nativefx.options.Options`: ``"error"`` raises where a plug-in fails to
        compile or run a region that it has claimed.

    Returns
    -------
    torch.fx.GraphModule
        A graph for AOTAutograd, or `gm` itself if the plug-ins take nothing.

    Raises
    ------
    nativefx.Error
        A plug-in cannot be loaded; with ``fallback="error"``, any other failure.
    """
    loaded = [p if isinstance(p, Plugin) else Plugin(p) for p in plugins]
    if not loaded:
        return gm
    try:
        traced = trace_pre_dispatch(gm, example_inputs)
    except Error as failure:
        _failed(failure, fallback)
        _tell(PluginReport([], [], str(failure)))
        return gm
    graph = Graph.from_fx(traced)
    graph.infer_types()
    told = _core.outline_regions(graph, [p._native for p in loaded], _Enter(fallback))
    report = _report(told, traced)
    _tell(report)
    for region in report.regions:
        if region.failure:
            _failed(_error_of(region.failure), fallback)
    if all(region.failure for region in report.regions):
        return gm
    return graph.to_fx()


class _Region:
    """A region at run time: the plug-in's code, and PyTorch's in reserve."""

    def __init__(self, native: Any, fallback: str) -> None:
        self.native = native
        self.fallback = fallback
        self.module: torch.fx.GraphModule = native.graph.to_fx()
        self.tensor_inputs: list[bool] = native.tensor_inputs

    def arguments(self, tensors: Sequence[Any], integers: Sequence[Any]) -> list[Any]:
        """Put the inputs in the order of the graph."""
        tensor, integer = iter(tensors), iter(integers)
        return [next(tensor) if is_tensor else next(integer) for is_tensor in self.tensor_inputs]

    def eager(self, tensors: Sequence[Any], integers: Sequence[Any]) -> list[torch.Tensor]:
        """Run it in PyTorch."""
        return list(self.module(*self.arguments(tensors, integers)))

    def run(self, tensors: list[torch.Tensor], integers: list[int]) -> list[torch.Tensor]:
        """Run it in the plug-in, and if that fails in PyTorch."""
        try:
            return self.native.run(tensors, integers)
        except Error as error:
            _failed(error, self.fallback)
            return self.eager(tensors, integers)


# A graph that AOTAutograd has made names a region by a number only, and may be
# called as long as the process lives, so regions stay. Equal ones are one.
_regions: list[_Region] = []
_known: dict[tuple[str, ...], int] = {}
# What plug-ins made is given back while they are still loaded.
atexit.register(_regions.clear)
atexit.register(_loaded.clear)


class _Enter:
    """Gives compiled regions their numbers."""

    def __init__(self, fallback: str) -> None:
        self.fallback = fallback

    def __call__(self, native: Any) -> int:
        text = native.graph.text(meta=False)
        key = (self.fallback, native.plugin, native.backend, text)
        # Text tells objects of Python apart only within one graph.
        if "#" not in text and key in _known:
            return _known[key]
        _regions.append(_Region(native, self.fallback))
        _known[key] = len(_regions) - 1
        return len(_regions) - 1


@torch.library.custom_op("nativefx::region", mutates_args=(), device_types="cpu")
def _region(id: int, xs: list[torch.Tensor], ns: list[int]) -> list[torch.Tensor]:
    return _regions[id].run(xs, ns)


@_region.register_fake
def _(id: int, xs: list[torch.Tensor], ns: list[int]) -> list[torch.Tensor]:
    return _regions[id].eager(xs, ns)


def _save_for_backward(ctx: Any, inputs: tuple[Any, ...], output: list[torch.Tensor]) -> None:
    ctx.region, tensors, ctx.integers = inputs
    ctx.save_for_backward(*tensors)


def _backward(
    ctx: Any, gradients: Sequence[torch.Tensor | None]
) -> tuple[None, list[torch.Tensor | None], list[None]]:
    """Differentiate the region as PyTorch would; its forward is dead code where unused."""
    wanted = ctx.needs_input_grad[1]
    if not isinstance(wanted, list | tuple):
        wanted = [wanted] * len(ctx.saved_tensors)
    with torch.enable_grad():
        inputs = [
            tensor.detach().requires_grad_(bool(needed))
            for tensor, needed in zip(ctx.saved_tensors, wanted, strict=True)
        ]
        outputs = _regions[ctx.region].eager(inputs, ctx.integers)
    pairs = [
        (output, gradient)
        for output, gradient in zip(outputs, gradients, strict=True)
        if gradient is not None and output.requires_grad
    ]
    leaves = [tensor for tensor in inputs if tensor.requires_grad]
    found: Iterator[torch.Tensor | None] = iter(
        torch.autograd.grad([o for o, _ in pairs], leaves, [g for _, g in pairs], allow_unused=True)
        if pairs and leaves
        else [None] * len(leaves)
    )
    by_input = [next(found) if tensor.requires_grad else None for tensor in inputs]
    return None, by_input, [None] * len(ctx.integers)


_region.register_autograd(_backward, setup_context=_save_for_backward)


_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<scope>\S+)')


def _report(told: dict[str, Any], traced: torch.fx.GraphModule) -> PluginReport:
    sources = {}
    for node in traced.graph.nodes:
        frames = _FRAME.findall(node.meta.get("stack_trace") or "")
        sources[node.name] = "{}:{} in {}".format(*frames[-1]) if frames else ""
    nodes = [NodeClaim(**node, source=sources.get(node["name"], "")) for node in told["nodes"]]
    return PluginReport(nodes, [RegionReport(**region) for region in told["regions"]])


def _tell(report: PluginReport) -> None:
    for found in _collected:
        found.append(report)


_warned: set[str] = set()


def _failed(error: Error, fallback: str) -> None:
    if fallback == "error":
        raise error
    if error.code not in _warned:
        _warned.add(error.code)
        warnings.warn(f"nativefx: a part of a model runs in PyTorch:\n{error}", stacklevel=3)


def _error_of(text: str) -> Error:
    """Make the error of a diagnostic that came as text."""
    error = Error(text)
    error.code = text.partition("[")[2].partition("]")[0]
    return error
