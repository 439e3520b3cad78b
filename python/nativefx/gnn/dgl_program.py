"""Trace a call of message passing once for all graphs, and compile what was traced."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from nativefx.gnn.dgl_batched import Degree
from nativefx.gnn.dgl_passing import Inputs
from nativefx.gnn.dgl_refusal import Refused

__all__ = ["Program", "trace_mode"]

# Sizes to trace with: no two equal, none 0 or 1, so that each is a symbol of its own.
_HINTS = {"src": 1009, "dst": 1013, "rows": 1019, "edges": 2003}

_SIZE_OF = {
    "src_index": "edges", "dst_index": "edges", "eid": "edges", "row": "edges", "order": "edges",
    "position": "edges", "nid": "dst", "dst_degree": "dst", "rows": "rows", "degree": "rows",
    "start": "rows", "src_degree": "src", "src_nid": "src",
    "src": "src", "dst": "dst", "edge": "edges",
}  # fmt: skip


def _size_of(name: Any) -> str:
    return _SIZE_OF[name[0] if isinstance(name, tuple) else name]


class Program:
    """A traced call.

    Parameters
    ----------
    body
        Computes tensors by name of `Inputs`.
    tensors
        The inputs by name, of one graph.
    captured
        Tensors that the functions read besides: they are inputs as well.
    index_names
        Index tensors that the body may ask for.
    one_type
        Whether sources and destinations are the same nodes.
    sizes
        Sizes to trace with, if Python code asks for them.
    compiler
        Makes of a graph of torch.fx what runs, or None to run the graph itself.

    Raises
    ------
    Refused
        If the functions do what cannot be traced.
    """

    def __init__(
        self,
        body: Callable[[Inputs], Mapping[str, Tensor]],
        tensors: Mapping[Any, Tensor],
        captured: Sequence[Tensor],
        *,
        index_names: Sequence[str],
        one_type: bool,
        compiler: Callable[[torch.fx.GraphModule], Callable[..., Any]] | None,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        self._sizes = dict(_HINTS, dst=_HINTS["src"]) if one_type else dict(_HINTS)
        self._sizes.update(sizes or {})
        env = ShapeEnv()
        mode = FakeTensorMode(shape_env=env, allow_non_fake_inputs=True)
        names = [*tensors, *index_names]
        fakes = [self._fake(mode, name, tensors.get(name)) for name in names]
        self._symbols = {
            kind: fake.shape[0].node.expr
            for name, fake in zip(names, fakes, strict=True)
            if isinstance(fake.shape[0], torch.SymInt)
            for kind in [_size_of(name)]
        }
        self.graph, used = _trace(body, names, fakes, captured, mode, self)
        self._captured_used = used
        self._guards = [guard.expr for guard in env.guards]
        self._checked: set[tuple[int, ...]] = set()
        self.inputs = _drop_unused(self.graph, names, len(used))
        self.operators = sum(n.op == "call_function" for n in self.graph.graph.nodes)
        self._run = compiler(self.graph) if compiler is not None else self.graph

    def _fake(self, mode: FakeTensorMode, name: Any, tensor: Tensor | None) -> Tensor:
        size = self._sizes[_size_of(name)]
        if tensor is None:
            sample = torch.zeros(size, dtype=torch.int64)
        else:
            sample = torch.zeros(
                (size, *tensor.shape[1:]), dtype=tensor.dtype, device=tensor.device
            )
            sample.requires_grad_(tensor.requires_grad)
        return _symbolic_rows(mode, sample)

    def accepts(self, sizes: Mapping[str, int]) -> bool:
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
        for value in values:
            torch._dynamo.maybe_mark_dynamic(value, 0)
        return dict(
            zip(
                self.output_names,
                self._run(*values, *(captured[i] for i in self._captured_used)),
                strict=True,
            )
        )

    output_names: tuple[str, ...] = ()


def _symbolic_rows(mode: FakeTensorMode, sample: Tensor) -> Tensor:
    from torch.fx.experimental.symbolic_shapes import DimDynamic, StatelessSymbolicContext

    dims = [DimDynamic.DUCK] + [DimDynamic.STATIC] * (sample.dim() - 1)
    context: Any = StatelessSymbolicContext(dynamic_sizes=dims)
    return mode.from_tensor(sample, symbolic_context=context)


def _trace(
    body: Callable[[Inputs], Mapping[str, Tensor]],
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
