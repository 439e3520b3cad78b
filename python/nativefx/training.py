"""The way of a graph through AOTAutograd, inference and training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from functorch.compile import default_partition, min_cut_rematerialization_partition
from torch._dynamo.backends.common import aot_autograd

__all__ = ["GraphCompiler", "through_autograd"]

GraphCompiler = Callable[[torch.fx.GraphModule, Sequence[Any], str], Callable[..., Any]]


def through_autograd(
    module: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    compile_graph: GraphCompiler,
    *,
    partition: str,
) -> Callable[..., Any]:
    """Trace a graph of Dynamo with AOTAutograd and compile what comes out.

    Nothing is decomposed beyond what AOTAutograd does itself. Inputs that the
    graph mutates are written in place by `copy_` nodes at its end.

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

    def compiler(kind: str) -> Callable[..., Any]:
        def compile_kind(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
            _keep_saved_tensors()
            return compile_graph(graph, inputs, kind)

        return compile_kind

    choose = min_cut_rematerialization_partition if partition == "min_cut" else default_partition
    backend = aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        partition_fn=choose,
        keep_inference_input_mutations=True,
        decompositions={},
    )
    with torch._functorch.config.patch(donated_buffer=False):
        return backend(module, example_inputs)


def _keep_saved_tensors() -> None:
    """Tell AOTAutograd that backward reuses no saved tensor as scratch memory.

    Without the empty list it refuses to walk a compiled graph backward twice.
    """
    context = torch._guards.TracingContext.try_get()
    if context is not None and context.fw_metadata is not None:
        context.fw_metadata.bw_donated_idxs = []
