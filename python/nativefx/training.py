"""The way of a graph through AOTAutograd, inference and training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.partitioners import (
    default_partition,
    min_cut_rematerialization_partition,
)
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from nativefx.decompositions import decompositions
from nativefx.gnn.recompute import has_edges, mark_recompute
from nativefx.thin_training import TrainingParts, thin_training

__all__ = ["GraphCompiler", "foreign_mode_is_active", "through_autograd"]

GraphCompiler = Callable[[torch.fx.GraphModule, Sequence[Any], str], Callable[..., Any]]


def through_autograd(
    module: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    compile_graph: GraphCompiler,
    *,
    partition: str,
) -> Callable[..., Any]:
    """Trace a graph of Dynamo with AOTAutograd and compile what comes out.

    Beyond what AOTAutograd does itself only what stands in `decompositions` is
    decomposed. Inputs that the graph mutates are written in place by `copy_` nodes
    at its end.

    Parameters
    ----------
    module
        The graph of Dynamo.
    example_inputs
        Its inputs, as Dynamo gives them to a back end.
    compile_graph
        Makes a boxed callable of a graph; told which one it is: ``"inference"``,
        ``"forward"`` or ``"backward"``.
    partition
        See `nativefx.options.Options`.
    """
    found = _Found(example_inputs, compile_graph)
    choose = min_cut_rematerialization_partition if partition == "min_cut" else default_partition

    def split(joint: torch.fx.GraphModule, inputs: Sequence[Any], **facts: Any) -> Any:
        if has_edges(joint):
            mark_recompute(joint)
        halves = choose(joint, inputs, **facts)
        found.parts.backward_module = halves[1]
        return halves

    backend = aot_autograd(
        fw_compiler=found.compiler("forward"),
        bw_compiler=found.compiler("backward"),
        inference_compiler=found.compiler("inference"),
        partition_fn=split,
        keep_inference_input_mutations=True,
        decompositions=decompositions(),
    )
    with torch._functorch.config.patch(donated_buffer=False):
        wrapped = backend(module, example_inputs)
    return found.without_wrapper() or wrapped


class _Found:
    """What is compiled for one graph of Dynamo, and whether it may be called as it is."""

    def __init__(self, example_inputs: Sequence[Any], compile_graph: GraphCompiler) -> None:
        self.example_inputs = example_inputs
        self.compile_graph = compile_graph
        self.inference: list[Callable[..., Any]] = []
        self.parts = TrainingParts(compile_backward=self.compile_backward)
        self.has_subclass = any(is_traceable_wrapper_subclass(x) for x in example_inputs)

    def compiler(self, kind: str) -> Callable[..., Any]:
        def compile_kind(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
            _keep_saved_tensors()
            made = self.compile_graph(graph, inputs, kind)
            same_inputs = len(inputs) == len(self.example_inputs) and not self.has_subclass
            if kind == "inference" and same_inputs and _needs_no_wrapper():
                self.inference.append(made)
            elif kind == "forward" and same_inputs:
                self.parts.forward.append(made)
                self.parts.facts = _metadata()
            elif kind == "backward":
                self.parts.backward.append(made)
            return made

        return compile_kind

    def compile_backward(self, graph: torch.fx.GraphModule) -> Callable[..., Any]:
        values = [node.meta["val"] for node in graph.graph.find_nodes(op="placeholder")]
        return self.compile_graph(graph, values, "backward")

    def without_wrapper(self) -> Callable[..., Any] | None:
        if self.inference and _takes_inputs_singly(self.inference[0]):
            return self.inference[0]
        if self.parts.forward and _takes_inputs_singly(self.parts.forward[0]):
            return thin_training(self.parts, self.example_inputs)
        return None


def _metadata() -> Any:
    context = torch._guards.TracingContext.try_get()
    return context.fw_metadata if context is not None else None


def _takes_inputs_singly(compiled: Callable[..., Any]) -> bool:
    """Whether a compiled graph may also be called with its inputs one by one."""
    return type(compiled).__name__ == "CompiledGraph"


def _needs_no_wrapper() -> bool:
    """Whether what AOTAutograd wraps around the graph at run time would do nothing.

    It gives outputs the identity of the inputs that they are views of, writes to
    inputs after the run, unpacks subclasses, threads effect tokens through, and
    turns autocast off. Turning grad mode off a plan does itself.
    """
    facts = _metadata()
    if facts is None or torch._C._is_any_autocast_enabled():
        return False
    return not (
        facts.num_mutated_inp_runtime_indices
        or facts.num_outputs_aliased
        or facts.num_intermediate_bases
        or facts.dynamic_outputs
        or facts.tokens
        or facts.is_rng_op_functionalized
    )


def _keep_saved_tensors() -> None:
    """Tell AOTAutograd that backward reuses no saved tensor as scratch memory.

    Without the empty list it refuses to walk a compiled graph backward twice.
    """
    if (facts := _metadata()) is not None:
        facts.bw_donated_idxs = []


def foreign_mode_is_active() -> bool:
    """Whether a dispatch mode is active that must see every operator.

    AOTAutograd runs the first call of a graph under a mode that looks for custom
    operators whose results alias their inputs; it sees those of a plan as well.
    """
    modes = torch.utils._python_dispatch._get_current_dispatch_mode_stack()
    return any(type(mode).__name__ != "_AnalyzeCustomOpInputOutputMode" for mode in modes)
