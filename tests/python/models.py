"""Captures of models, graph by graph, as PyTorch's own tools make them."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import default_partition
from torch.fx import GraphModule

_TABLE = pathlib.Path(__file__).parent / "data" / "transformers_models.jsonl"

# Is given each graph as it is captured, with a word for what it is.
Visitor = Callable[[str, Any], None]


def families() -> list[str]:
    """The names of the models in the table."""
    return [row["type"] for row in _rows()]


def _rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in _TABLE.read_text().splitlines()]


def build(family: str) -> tuple[torch.nn.Module, dict[str, torch.Tensor]]:
    """Make a small model of a family with random weights, and inputs for it."""
    import transformers

    row = next(row for row in _rows() if row["type"] == family)
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(row["type"], **row["config"])
    model = getattr(transformers, row["cls"])(config).eval()
    inputs = {name: _input(*spec) for name, spec in row["inputs"].items()}
    return model, {**inputs, **row["call"]}


def _input(kind: str, shape: list[int], low: float, high: float) -> torch.Tensor:
    if kind == "int":
        return torch.randint(int(low), int(high), shape)
    return torch.empty(shape).uniform_(low, high)


def capture_backend(visit: Visitor) -> Callable[..., Any]:
    """Make a backend that shows Dynamo's graph, and the joint, forward and backward ones."""

    def partition(joint: GraphModule, inputs: Any, **options: Any) -> Any:
        visit("joint", joint)
        return default_partition(joint, inputs, **options)

    def show(name: str) -> Callable[..., Any]:
        def compiler(graph: GraphModule, inputs: list[Any]) -> Any:
            visit(name, graph)
            return make_boxed_func(graph.forward)

        return compiler

    ahead_of_time = aot_autograd(
        fw_compiler=show("forward"),
        bw_compiler=show("backward"),
        inference_compiler=show("inference"),
        partition_fn=partition,
    )

    def backend(graph: GraphModule, inputs: list[Any]) -> Any:
        visit("dynamo", graph)
        return ahead_of_time(graph, inputs)

    return backend


def capture_training(
    model: Callable[..., Any], visit: Visitor, *args: Any, dynamic: bool = False, **kwargs: Any
) -> None:
    """Compile a model and run it forward and backward, showing each graph."""
    torch._dynamo.reset()
    outputs = torch.compile(model, backend=capture_backend(visit), dynamic=dynamic)(*args, **kwargs)
    leaves = [
        leaf
        for leaf in torch.utils._pytree.tree_leaves(outputs)
        if isinstance(leaf, torch.Tensor) and leaf.requires_grad
    ]
    if leaves:
        sum(leaf.float().sum() for leaf in leaves).backward()


def capture_export(
    model: torch.nn.Module, visit: Visitor, *args: Any, strict: bool = False, **kwargs: Any
) -> None:
    """Export a model, showing the program and the module made of it."""
    program = torch.export.export(model, args, kwargs, strict=strict)
    visit("program", program)
    visit("exported module", program.module())
