"""One model through eager, Inductor and nativefx: who runs what, errors, compile time, speed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from measure import alternate, compile_with, first_call, fresh_caches, our_share
from torch._dynamo.backends.common import aot_autograd

from demo.table import Result
from nativefx.report import GraphReport, collector

__all__ = ["Examined", "examine", "warm_up"]

Outcome = list[torch.Tensor]
# Makes one whole call of a model (forward, or forward and backward) of its compiled form.
Step = Callable[[Callable[..., Any]], Callable[[], Outcome]]


class Examined:
    """The row of a model, its compiled form, and the graphs that were captured of it."""

    def __init__(self, name: str) -> None:
        self.result = Result(name)
        self.native: Callable[..., Any] | None = None
        self.captured: list[torch.fx.GraphModule] = []


def warm_up() -> None:
    """Compile something small with every backend: what each loads and checks once."""

    def small(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + 1) @ x

    x = torch.ones(8, 8, requires_grad=True)
    with fresh_caches():
        for backend in ("aot_eager", "inductor", "nativefx"):
            compile_with(backend, small)(x).sum().backward()
    torch._dynamo.reset()


def examine(
    name: str,
    model: torch.nn.Module,
    step: Step,
    *,
    same_random: bool = True,
    tell: Callable[[str], None],
) -> Examined:
    """Compile a model with each backend, compare with eager, time the calls in turns.

    Parameters
    ----------
    step
        Makes a whole call of `model` or a compiled form of it.
    same_random
        Whether Inductor's error says anything: it draws other random numbers.
    tell
        Is told what goes on.
    """
    found = Examined(name)
    result = found.result
    eager = step(model)
    expected = _seeded(eager)
    result.floor = min(_floor(found, model, step) for _ in range(2))
    steps = {"eager": eager}
    with fresh_caches(), collector() as reports:
        for backend in ("inductor", "nativefx"):
            compiled = compile_with(backend, model)
            steps[backend] = step(compiled)
            with our_share() as share:
                seconds = first_call(steps[backend])
            beyond = share.seconds if backend == "nativefx" else seconds - result.floor
            result.compiling[backend] = beyond
            tell(f"{backend} compiled: {beyond:.2f} CPU s beyond {result.floor:.1f} s of capture")
            known = same_random or backend == "nativefx"
            error = _max_error(_seeded(steps[backend]), expected)
            result.errors[backend] = error if known else None
    found.native = compiled
    count_runners(reports, result)
    result.calls = dict(alternate(steps, rounds=7, sample=0.0).seconds)
    tell("  ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in result.calls.items()))
    return found


def _floor(found: Examined, model: torch.nn.Module, step: Step) -> float:
    """CPU seconds of what PyTorch does before any backend: it captures and differentiates."""
    torch._dynamo.reset()
    found.captured = []
    keep = found.captured.append

    def run_as_captured(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        keep(graph)
        return make_boxed_func(graph)

    def backend(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        keep(graph)
        return aot_autograd(
            fw_compiler=run_as_captured,
            partition_fn=min_cut_rematerialization_partition,
            keep_inference_input_mutations=True,
        )(graph, inputs)

    seconds = first_call(step(torch.compile(model, backend=backend)))
    torch._dynamo.reset()
    return seconds


def _seeded(call: Callable[[], Outcome]) -> Outcome:
    torch.manual_seed(0)
    return [value.detach().clone() for value in call()]


def _max_error(found: Outcome, expected: Outcome) -> float:
    pairs = zip(found, expected, strict=True)
    return max(float((a.double() - b.double()).abs().max()) for a, b in pairs)


def _computing(reports: list[GraphReport]) -> Iterator[str]:
    """Who runs each node that is no input, constant, projection or dead."""
    for report in reports:
        for node in report.nodes:
            if node.runner != "nothing":
                yield "view" if node.runner == "number" else node.runner


def count_runners(reports: list[GraphReport], result: Result) -> None:
    """Count nodes by who runs them; views and sizes cost no step."""
    runners = list(_computing(reports))
    result.nodes = len(runners)
    result.shares = {runner: runners.count(runner) / len(runners) for runner in set(runners)}
    result.kernels = sum(len(report.kernels) for report in reports)
