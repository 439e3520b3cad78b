"""Trace a call of message passing once for all graphs, and compile what was traced."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import (
    DimDynamic,
    ShapeEnv,
    StatelessSymbolicContext,
)

from nativefx.gnn.dgl_batched import Degree
from nativefx.gnn.dgl_passing import Inputs
from nativefx.gnn.dgl_refusal import Refused

__all__ = ["Program", "Spec", "hints_for", "trace_mode"]

_HINTS = (1009, 1013, 1019, 2003, 1021, 1031, 1033, 2011, 1039, 1049, 1051, 2017)


@dataclass(frozen=True)
class Spec:
    """What is known of an input for graphs of any size.

    Attributes
    ----------
    kind
        What its first dimension counts, such as ``"edges"``; None: its sizes are fixed.
    sizes
        The other dimensions, or all.
    """

    kind: Hashable | None
    sizes: tuple[int, ...] = ()
    dtype: torch.dtype = torch.int64
    requires_grad: bool = False
    device: torch.device | None = None

    @classmethod
    def of(cls, tensor: Tensor, kind: Hashable | None) -> Spec:
        """Describe a tensor."""
        sizes = tuple(tensor.shape[kind is not None :])
        return cls(kind, sizes, tensor.dtype, tensor.requires_grad, tensor.device)


def hints_for(kinds: Iterable[Hashable]) -> dict[Hashable, int]:
    """Give sizes to trace with: no two equal, none 0 or 1, so each becomes a symbol."""
    distinct = list(dict.fromkeys(kinds))
    extra = [2027 + 2 * i for i in range(len(distinct))]
    return dict(zip(distinct, [*_HINTS, *extra], strict=False))


class Program:
    """A traced call.

    Parameters
    ----------
    body
        Computes tensors by name of `Inputs`.
    specs
        The inputs by name.
    captured
        Tensors that the functions read besides: they are inputs as well.
    hints
        Sizes to trace with, by kind.
    compiler
        Makes of a graph of torch.fx what runs, or None to run the graph itself.

    Raises
    ------
    Refused
        If the functions do what cannot be traced.
    """

    def __init__(
        self,
        body: Callable[[Inputs], Mapping[Any, Any]],
        specs: Mapping[Any, Spec],
        captured: Sequence[Tensor],
        hints: Mapping[Any, int],
        compiler: Callable[[torch.fx.GraphModule], Callable[..., Any]] | None,
    ) -> None:
        env = ShapeEnv()
        mode = FakeTensorMode(shape_env=env, allow_non_fake_inputs=True)
        names = list(specs)
        fakes = [_fake(mode, spec, hints) for spec in specs.values()]
        self._symbols = {
            spec.kind: fake.shape[0].node.expr
            for spec, fake in zip(specs.values(), fakes, strict=True)
            if spec.kind is not None
        }
        self.output_names: tuple[Any, ...] = ()
        self.graph, used = _trace(body, names, fakes, captured, mode, self)
        self._captured_used = used
        self._guards = [guard.expr for guard in env.guards]
        self._checked: set[tuple[int, ...]] = set()
        self.inputs = _drop_unused(self.graph, names, len(used))
        self._dynamic = [specs[name].kind is not None for name in self.inputs]
        self.operators = sum(n.op == "call_function" for n in self.graph.graph.nodes)
        self._run = compiler(self.graph) if compiler is not None else self.graph

    def accepts(self, sizes: Mapping[Any, int]) -> bool:
        """Whether the sizes of a graph meet what Python code asked of sizes."""
        if not self._guards:
            return True
        key = tuple(sizes.values())
        if key in self._checked:
            return True
        known = {self._symbols[k]: v for k, v in sizes.items() if k in self._symbols}
        if all(bool(guard.xreplace(known)) for guard in self._guards):
            self._checked.add(key)
            return True
        return False

    def __call__(self, fetch: Callable[[Any], Tensor], captured: Sequence[Tensor]) -> Any:
        """Run on the tensors of a graph; gives fields by name."""
        values = [fetch(name).contiguous() for name in self.inputs]
        for value, dynamic in zip(values, self._dynamic, strict=True):
            if dynamic:
                torch._dynamo.maybe_mark_dynamic(value, 0)
        return dict(
            zip(
                self.output_names,
                self._run(*values, *(captured[i] for i in self._captured_used)),
                strict=True,
            )
        )


def _fake(mode: FakeTensorMode, spec: Spec, hints: Mapping[Any, int]) -> Tensor:
    head = () if spec.kind is None else (hints[spec.kind],)
    sample = torch.zeros((*head, *spec.sizes), dtype=spec.dtype, device=spec.device)
    sample.requires_grad_(spec.requires_grad)
    dims = [DimDynamic.STATIC] * sample.dim()
    dims[: len(head)] = [DimDynamic.DUCK] * len(head)
    context: Any = StatelessSymbolicContext(dynamic_sizes=dims)
    return mode.from_tensor(sample, symbolic_context=context)


def _trace(
    body: Callable[[Inputs], Mapping[Any, Any]],
    names: Sequence[Any],
    fakes: Sequence[Tensor],
    captured: Sequence[Tensor],
    mode: FakeTensorMode,
    program: Any,
) -> tuple[torch.fx.GraphModule, list[int]]:
    def flat(*values: Tensor) -> list[Tensor]:
        found = body(Inputs(dict(zip(names, values, strict=True))))
        program.output_names = tuple(found)
        for name, value in found.items():
            if not isinstance(value, Tensor):
                raise Refused(f"field `{name}` is no tensor")
        return list(found.values())

    with trace_mode(), mode, enable_python_dispatcher():
        graph = make_fx(
            flat, tracing_mode="symbolic", pre_dispatch=True, _allow_non_fake_inputs=True
        )(*fakes)
    _refuse_data(graph)
    return graph, _lift(graph, captured)


def _refuse_data(graph: torch.fx.GraphModule) -> None:
    for node in graph.graph.nodes:
        if node.target is torch.ops.aten._local_scalar_dense.default:
            raise Refused("a Python number is made of values of tensors")


def _lift(graph: torch.fx.GraphModule, captured: Sequence[Tensor]) -> list[int]:
    """Make inputs of the captured tensors that the graph holds; refuse others."""
    number = {id(tensor): i for i, tensor in enumerate(captured)}
    lifted: dict[int, torch.fx.Node] = {}
    last = [n for n in graph.graph.nodes if n.op == "placeholder"][-1]
    for node in list(graph.graph.nodes):
        if node.op != "get_attr":
            continue
        tensor = getattr(graph, node.target)
        at = number.get(id(tensor))
        if at is None:
            if all(u.target is torch.ops.aten.lift_fresh_copy.default for u in node.users):
                continue
            raise Refused("a tensor is read that cannot be found from the function")
        if at not in lifted:
            with graph.graph.inserting_after(last):
                last = lifted[at] = graph.graph.placeholder(f"captured_{at}")
        node.replace_all_uses_with(lifted[at])
        graph.graph.erase_node(node)
    graph.recompile()
    return list(lifted)


def _drop_unused(graph: torch.fx.GraphModule, names: Sequence[Any], lifted: int) -> list[Any]:
    graph.graph.eliminate_dead_code()
    holders = [n for n in graph.graph.nodes if n.op == "placeholder"]
    kept = []
    for name, node in zip(names, holders[: len(holders) - lifted], strict=True):
        if node.users:
            kept.append(name)
        else:
            graph.graph.erase_node(node)
    graph.recompile()
    return kept


@contextlib.contextmanager
def trace_mode() -> Iterator[None]:
    """Let functions of `math` take degrees, and refuse what a trace would lose."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise Refused("an `autograd.Function` has a gradient of its own")

    with contextlib.ExitStack() as stack:
        for name in ("log", "log2", "log10", "log1p", "sqrt", "exp"):
            stack.enter_context(mock.patch.object(math, name, _math(name)))
        stack.enter_context(mock.patch.object(torch.autograd.Function, "apply", refuse))
        yield


def _math(name: str) -> Callable[..., Any]:
    number, tensor = getattr(math, name), getattr(torch, name)

    def function(x: Any, *rest: Any) -> Any:
        if isinstance(x, Degree):
            return tensor(x, *rest) if not rest else tensor(x) / number(*rest)
        return number(x, *rest)

    return function
