"""Calls of a training graph without the layers that AOTAutograd puts around it.

Those layers handle aliases, mutation, subclasses, tokens and more; where a graph has none of
these, one `torch.autograd.Function` over the two compiled graphs does the same, at half the cost.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._functorch._aot_autograd.schemas import OutputType

__all__ = ["TrainingParts", "thin_training"]

_is_autocast = torch._C._is_any_autocast_enabled
_CAN_CLEAR = hasattr(torch._C._FunctionBase, "maybe_clear_saved_tensors")
_PLAIN_OUTPUTS = (OutputType.non_alias, OutputType.unsafe_view_alias)


@dataclasses.dataclass
class TrainingParts:
    """What AOTAutograd had compiled for one graph.

    Attributes
    ----------
    forward, backward
        The compiled graphs; more than one of a kind where it was compiled again, and no
        backward where that is left to the first call.
    facts
        AOTAutograd's metadata of the forward graph.
    backward_module
        The backward graph as it was cut from the joint one.
    compile_backward
        Compiles it.
    """

    forward: list[Callable[..., Any]] = dataclasses.field(default_factory=list)
    backward: list[Callable[..., Any]] = dataclasses.field(default_factory=list)
    facts: Any = None
    backward_module: torch.fx.GraphModule | None = None
    compile_backward: Callable[[torch.fx.GraphModule], Callable[..., Any]] | None = None

    def gradients(self) -> Sequence[Any]:
        """Give the outputs of the backward graph, one an input: None without a gradient."""
        if self.backward_module is None:
            return ()
        return self.backward_module.graph.output_node().args[0]

    def compiled_backward(self) -> Callable[..., Any]:
        """Give the compiled backward graph, compiled now if it was not."""
        if not self.backward:
            assert self.backward_module is not None and self.compile_backward is not None
            self.backward.append(self.compile_backward(self.backward_module))
            self.backward_module = None
        return self.backward[0]


def thin_training(
    parts: TrainingParts, example_inputs: Sequence[Any]
) -> Callable[..., tuple[Any, ...]] | None:
    """Join a forward and a backward graph; None where AOTAutograd's layers are needed."""
    facts = parts.facts
    if len(parts.forward) != 1 or len(parts.backward) > 1 or not _is_simple(facts):
        return None
    if len(parts.gradients()) != len(example_inputs) or _something_watches():
        return None
    if not all(type(x) in (torch.Tensor, torch.nn.Parameter, int) for x in _real(example_inputs)):
        return None
    return _join(parts)


def _real(inputs: Sequence[Any]) -> list[Any]:
    """Put in the place of each traced input one of the type that it has at run time."""
    kinds = {torch._subclasses.FakeTensor: torch.empty(0), torch.SymInt: 0}
    return [kinds.get(type(x), x) for x in inputs]


def _is_simple(facts: Any) -> bool:
    if facts is None or torch._C._is_any_autocast_enabled():
        return False
    if any(info.mutates_data or info.mutates_metadata for info in facts.input_info):
        return False
    return not (
        facts.num_outputs_aliased
        or facts.num_intermediate_bases
        or facts.dynamic_outputs
        or facts.tokens
        or facts.num_backward_tokens
        or facts.is_rng_op_functionalized
        or facts.num_graphsafe_rng_states
        or getattr(facts, "num_tensors_saved_with_no_vc_check", 0)
        or getattr(facts, "num_opaque_objects_saved_for_bw", 0)
        or facts.indices_of_inputs_that_requires_grad_with_mutations_in_bw
        or any(info.output_type not in _PLAIN_OUTPUTS for info in facts.output_info)
    )


def _something_watches() -> bool:
    """Whether hooks of saved tensors, or autograd's own compiler, must see more."""
    hooks = torch._C._autograd._top_saved_tensors_default_hooks(True)
    return hooks is not None or bool(torch._dynamo.config.compiled_autograd)


class _NoDoubleBackward(torch.autograd.Function):
    """Gives gradients on, and says at their own backward that there is none."""

    @staticmethod
    def forward(ctx: Any, run: Callable[[], tuple[Any, ...]], *anchors: Any) -> Any:
        return run()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError(
            "torch.compile with aot_autograd does not currently support double backward"
        )


class _Joined:
    """A forward and a backward graph, and what autograd has to know of their values."""

    def __init__(self, parts: TrainingParts) -> None:
        facts = parts.facts
        self.parts = parts
        self.forward_graph = parts.forward[0]
        self.num_outputs = facts.num_forward_returns
        self.saved = facts.tensors_saved_for_backwards_slice
        self.numbers = facts.symints_saved_for_backwards_slice
        self.constant = [i for i, info in enumerate(facts.output_info) if not info.requires_grad]
        self.tangents = [
            i
            for i, info in enumerate(facts.output_info)
            if issubclass(info.raw_type, torch.Tensor) and info.requires_grad_for_backward
        ]
        # An input that is no leaf and gets no gradient is cut off, so that nothing
        # that made it is walked through.
        gradients = parts.gradients()
        self.cut = [
            i
            for i, info in enumerate(facts.input_info)
            if gradients[i] is None and info.requires_grad and not info.is_leaf
        ]

    def forward(self, ctx: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        if _is_autocast():
            with torch._C._DisableAutocast():
                values = self.forward_graph(*inputs)
        else:
            values = self.forward_graph(*inputs)
        # A view would keep its base, and through it this node, alive.
        ctx.save_for_backward(*[x.detach() if x._is_view() else x for x in values[self.saved]])
        ctx.numbers = values[self.numbers]
        outputs = values[: self.num_outputs]
        if self.constant:
            constant = [outputs[i] for i in self.constant]
            ctx.mark_non_differentiable(*[x for x in constant if isinstance(x, torch.Tensor)])
            ctx._materialize_non_diff_grads = False
        return tuple(outputs)

    def backward(self, ctx: Any, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        values = [*ctx.numbers, *ctx.saved_tensors, *[grads[i] for i in self.tangents]]
        if _CAN_CLEAR:  # unless the graph is kept, the run may free what was saved
            ctx.maybe_clear_saved_tensors()
        if not torch.is_grad_enabled():
            return self.run_backward(values)
        anchors = [x for x in values if isinstance(x, torch.Tensor)]
        if not any(x.requires_grad for x in anchors):
            anchors = [torch.empty(0, requires_grad=True)]
        return _NoDoubleBackward.apply(lambda: self.run_backward(values), *anchors)

    def run_backward(self, values: list[Any]) -> tuple[Any, ...]:
        if torch._C._functorch.peek_interpreter_stack() is not None:
            raise RuntimeError(
                "a compiled backward cannot be called within vmap, grad or vjp; "
                "put them inside of what is compiled"
            )
        graph = self.parts.compiled_backward()
        if _is_autocast():
            with torch._C._DisableAutocast():
                return tuple(graph(values))
        return tuple(graph(values))


def _join(parts: TrainingParts) -> Callable[..., tuple[Any, ...]]:
    joined = _Joined(parts)
    cut = frozenset(joined.cut)

    class CompiledTraining(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            return joined.forward(ctx, inputs)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return joined.backward(ctx, grads)

    apply = CompiledTraining.apply

    def run(*inputs: Any) -> tuple[Any, ...]:
        if cut:
            inputs = tuple(x.detach() if i in cut else x for i, x in enumerate(inputs))
        if torch.is_grad_enabled():
            return apply(*inputs)
        with torch.enable_grad():
            return apply(*inputs)

    return run
