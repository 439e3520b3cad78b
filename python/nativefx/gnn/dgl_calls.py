"""Find or make the program of a call, and run it."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from nativefx.errors import Error
from nativefx.gnn.dgl_captures import Captures
from nativefx.gnn.dgl_passing import Call, Inputs
from nativefx.gnn.dgl_program import Program, Spec, hints_for
from nativefx.gnn.dgl_refusal import Refused, user_line
from nativefx.gnn.dgl_report import CallReport, tell

__all__ = ["GraphSide", "Settings", "kind_of", "refusal", "run_call"]

# Programs of one key differ in what Python code asked of sizes; more than this many
# mean that it asks for the sizes themselves.
_VARIANTS = 4
_programs: dict[Any, list[Program | CallReport]] = {}


class Settings:
    """How calls are compiled; see `dgl_accelerate.accelerate`."""

    def __init__(self, fallback: str, compiles: bool, options: Mapping[str, Any] | None) -> None:
        if fallback not in ("allow", "error"):
            raise ValueError(f'fallback is "allow" or "error", not {fallback!r}')
        self.fallback = fallback
        self.compiles = compiles
        self.options = {"fallback": fallback, **(options or {})}

    def compiler(self) -> Callable[[torch.fx.GraphModule], Callable[..., Any]] | None:
        """Give what makes of a traced graph what runs, or None."""
        if not self.compiles:
            return None
        return lambda graph: torch.compile(graph, backend="nativefx", options=self.options)

    @property
    def key(self) -> tuple[Any, ...]:
        """What programs depend on."""
        return (self.compiles, repr(sorted(self.options.items())))


_KINDS = {
    **dict.fromkeys(("src_index", "dst_index", "eid", "row", "order", "position", "edge"), "edges"),
    **dict.fromkeys(("nid", "dst_degree", "dst_start", "dst"), "dst"),
    **dict.fromkeys(("rows", "degree", "start"), "rows"),
    **dict.fromkeys(("src_degree", "src_nid", "src"), "src"),
}


def kind_of(name: Any, one_type: bool) -> str:
    """Give what the first dimension of an input counts.

    Sources and destinations that are the same nodes are counted as ``"dst"``.
    """
    kind = _KINDS[name[0] if isinstance(name, tuple) else name]
    return "dst" if one_type and kind == "src" else kind


class GraphSide:
    """What a call gets from the graph: index tensors and sizes."""

    def __init__(
        self,
        index: Callable[[str], Tensor],
        index_names: tuple[str, ...],
        sizes: Mapping[str, int],
        one_type: bool,
        id_dtype: torch.dtype = torch.int64,
    ) -> None:
        self.index = index
        self.index_names = index_names
        self.sizes = dict(sizes)
        self.one_type = one_type
        self.id_dtype = id_dtype

    def specs(self, tensors: Mapping[Any, Tensor]) -> dict[Any, Spec]:
        """Describe fields and index tensors."""
        known = {n: Spec.of(t, kind_of(n, self.one_type)) for n, t in tensors.items()}
        for name in self.index_names:
            dtype = self.id_dtype if name in ("nid", "eid", "src_nid") else torch.int64
            known[name] = Spec(kind_of(name, self.one_type), dtype=dtype)
        return known


def run_call(
    kind: str,
    functions: tuple[Any, ...],
    call: Call,
    body: Callable[[Call, Inputs], Mapping[str, Tensor]],
    graph: GraphSide,
    tensors: Mapping[Any, Tensor],
    settings: Settings,
) -> dict[str, Tensor] | None:
    """Run a call compiled.

    Returns
    -------
    dict or None
        The fields that it computes; None if DGL has to run it.

    Raises
    ------
    nativefx.Error
        If it cannot be compiled and the settings do not allow that.
    """
    captures = Captures(*functions)
    key = (
        kind, captures.key, _call_key(call), settings.key,
        torch.is_grad_enabled(), torch.is_autocast_enabled("cpu"),
        tuple(graph.specs(tensors).items()),
    )  # fmt: skip
    programs = _programs.setdefault(key, [])
    found = next((p for p in programs if _accepts(p, graph.sizes)), None)
    if found is None:
        found = _make(kind, functions, call, body, graph, tensors, captures, settings, programs)
        programs.append(found)
    if isinstance(found, CallReport):
        tell(found, settings.fallback)
        return None
    report = CallReport(kind, describe(functions), True, operators=found.operators)
    tell(report, settings.fallback)

    def fetch(name: Any) -> Tensor:
        return tensors[name] if name in tensors else graph.index(name)

    return found(fetch, captures.tensors)


def _call_key(call: Call) -> tuple[Any, ...]:
    return (call.etype, call.ntype, call.has_empty, call.zero_start, call.facts)


def _accepts(found: Program | CallReport, sizes: Mapping[str, int]) -> bool:
    return isinstance(found, CallReport) or found.accepts(sizes)


def _make(
    kind: str,
    functions: tuple[Any, ...],
    call: Call,
    body: Callable[[Call, Inputs], Mapping[str, Tensor]],
    graph: GraphSide,
    tensors: Mapping[Any, Tensor],
    captures: Captures,
    settings: Settings,
    programs: list[Program | CallReport],
) -> Program | CallReport:
    try:
        if len(programs) >= _VARIANTS:
            raise Refused("Python control flow depends on the numbers of nodes or edges")
        specs = graph.specs(tensors)
        make = functools.partial(
            Program, lambda inputs: body(call, inputs), specs, captures.tensors,
            compiler=settings.compiler(),
        )  # fmt: skip
        program = make(hints=hints_for(spec.kind for spec in specs.values()))
        # Sizes that the code asked for are those of this graph, not those of the trace.
        return program if program.accepts(graph.sizes) else make(hints=graph.sizes)
    except Error:
        raise
    except Exception as error:
        return refusal(kind, functions, error)


def refusal(kind: str, functions: tuple[Any, ...], error: Exception) -> CallReport:
    """Report why a call is not compiled."""
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
    text = reason if isinstance(error, Refused) else f"{type(error).__name__}: {reason}"
    return CallReport(kind, describe(functions), False, text, user_line(error))


def describe(functions: tuple[Any, ...]) -> str:
    """Name functions, with file and line of those of the user."""
    return ", ".join(_name(f) for f in functions if f is not None)


def _name(function: Any) -> str:
    bare = inspect.unwrap(getattr(function, "__func__", function))
    code = getattr(bare, "__code__", None)
    if code is None:
        return str(getattr(function, "name", type(function).__name__))
    return f"{bare.__name__} at {os.path.basename(code.co_filename)}:{code.co_firstlineno}"
