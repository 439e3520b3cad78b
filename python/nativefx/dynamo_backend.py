"""The back end that `torch.compile(model, backend="nativefx")` finds."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from nativefx import _core
from nativefx.errors import Error
from nativefx.gnn.recognition import recognize
from nativefx.graph import Graph
from nativefx.native_options import native_options
from nativefx.options import Options
from nativefx.plugin import outline_plugins
from nativefx.report import GraphReport, collecting
from nativefx.training import through_autograd

__all__ = ["compile_fx", "nativefx"]

# Probes the running PyTorch while no tracing mode is active.
_core.tensor_crossing()

_numbers = itertools.count()
_warned: set[str] = set()


def nativefx(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """Compile a graph of Dynamo.

    Parameters
    ----------
    gm, example_inputs
        The graph and its inputs.
    options
        See `nativefx.options.Options`.
    mode
        Of `torch.compile`; there is one way to compile, whatever the mode.

    Raises
    ------
    nativefx.Error
        On an option that is not known, and with ``fallback="error"`` on anything
        that keeps the graph from being compiled.
    """
    chosen = Options.read(options)
    gm = outline_plugins(gm, example_inputs, chosen.plugins, fallback=chosen.fallback)
    gm = recognize(gm, example_inputs)

    def compile_graph(
        graph: torch.fx.GraphModule, inputs: Sequence[Any], kind: str
    ) -> Callable[..., Any]:
        return compile_fx(graph, inputs, chosen, kind=kind)

    return through_autograd(gm, example_inputs, compile_graph, partition=chosen.partition)


def compile_fx(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    options: Options | None = None,
    *,
    kind: str = "inference",
) -> Callable[..., Any]:
    """Compile a graph of ATen operators as AOTAutograd gives it.

    Returns
    -------
    Callable
        It takes one list with the inputs, which it empties, and returns a list.
    """
    options = options or Options()
    name = f"{kind}_{next(_numbers)}"
    eager = _boxed(gm)
    try:
        lazy = _lazy_inputs(gm, example_inputs)
        compiled = _compile(gm, eager, options, name, own_memory=kind == "backward")
    except Error as error:
        if options.fallback == "error":
            raise
        _warn_once(error)
        for collect in collecting():
            collect(GraphReport.of_failure(name, gm, error))
        return eager
    if collectors := collecting():
        report = GraphReport.of_compiled(_core.compile_report(compiled), gm)
        for collect in collectors:
            collect(report)
    lazy += _token_inputs(gm)
    return _resolving(compiled, lazy) if lazy else compiled


def _compile(
    gm: torch.fx.GraphModule,
    eager: Callable[..., Any],
    options: Options,
    name: str,
    *,
    own_memory: bool,
) -> Callable[..., Any]:
    graph = Graph.from_fx(gm)
    graph.infer_types()
    native = native_options(options, name)
    native.own_memory = own_memory
    return _core.compile_graph(graph, gm, eager, native)


def _boxed(gm: torch.fx.GraphModule) -> Callable[[list[Any]], Any]:
    def run(inputs: list[Any]) -> Any:
        values = list(inputs)
        if isinstance(inputs, list):
            inputs.clear()
        return gm(*values)

    run._boxed_call = True  # type: ignore[attr-defined]
    return run


def _lazy_inputs(gm: torch.fx.GraphModule, inputs: Sequence[Any]) -> list[int]:
    """Find the inputs whose memory does not hold their values; one may not be written to."""
    tensors = [(i, value) for i, value in enumerate(inputs) if isinstance(value, torch.Tensor)]
    lazy = [i for i, value in tensors if value.is_neg() or value.is_conj()]
    if lazy:
        placeholders = [node for node in gm.graph.nodes if node.op == "placeholder"]
        for i in lazy:
            if any(user.target is torch.ops.aten.copy_.default for user in placeholders[i].users):
                error = Error(
                    "error[lazy-input]: an input that is a conjugate or negative view is written\n"
                    "  help: pass `x.resolve_conj().resolve_neg()`"
                )
                error.code = "lazy-input"
                raise error
    return lazy


def _token_inputs(gm: torch.fx.GraphModule) -> list[int]:
    """Find the tokens that order effects; AOTAutograd types them as tensors and gives None."""
    with_effects = torch.ops.higher_order.with_effects
    placeholders = [node for node in gm.graph.nodes if node.op == "placeholder"]
    return [
        i
        for i, node in enumerate(placeholders)
        if any(user.target is with_effects and user.args[0] is node for user in node.users)
    ]


def _resolving(compiled: Callable[..., Any], lazy: list[int]) -> Callable[..., Any]:
    """Give `compiled` those inputs as tensors with their values in memory."""

    def run(inputs: list[Any]) -> Any:
        for i in lazy:
            value = inputs[i]
            inputs[i] = torch.empty(0) if value is None else value.resolve_conj().resolve_neg()
        return compiled(inputs)

    run._boxed_call = True  # type: ignore[attr-defined]
    return run


def _warn_once(error: Error) -> None:
    if error.code in _warned:
        return
    _warned.add(error.code)
    warnings.warn(
        f"nativefx: a graph runs in PyTorch, uncompiled:\n{error}\n"
        f'  (options={{"fallback": "error"}} raises this)',
        stacklevel=2,
    )
