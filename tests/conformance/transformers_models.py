"""Models of `transformers` through the back end: results equal to eager's.

    python tests/conformance/transformers_models.py            # twelve models
    python tests/conformance/transformers_models.py bert vit   # these

Each line tells the share of nodes in our kernels, the steps that PyTorch's C ABI
runs and those that need the interpreter.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from native_only import refuse_eager
from tolerances import assert_as_exact, to_float64

from nativefx.report import GraphReport, collector

__all__ = ["FAMILIES", "Outcome", "load", "models", "run_model"]

DATA = Path(__file__).parents[1] / "python" / "data" / "transformers_models.jsonl"

# Encoders, decoders, both, vision, audio, mixture of experts: one of each family.
FAMILIES = [
    "albert",
    "electra",
    "roberta",
    "mistral",
    "qwen2",
    "gpt_neox",
    "opt",
    "mbart",
    "whisper",
    "clip",
    "dinov3_vit",
    "resnet",
]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a compiled model does."""

    name: str
    kernel_nodes: int
    view_nodes: int
    aten_steps: int
    python_steps: int
    kernels: int
    seconds: float

    @property
    def share(self) -> float:
        """The share of the nodes that compute which our kernels run."""
        return self.kernel_nodes / max(1, self.kernel_nodes + self.aten_steps + self.python_steps)


def models() -> dict[str, dict[str, Any]]:
    """All known configurations by type."""
    rows = [json.loads(line) for line in DATA.read_text().splitlines()]
    return {row["type"]: row for row in rows}


def load(row: dict[str, Any]) -> tuple[torch.nn.Module, dict[str, Any]]:
    """Make a model with random weights, and its inputs."""
    import transformers

    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(row["type"], **row["config"])
    model = getattr(transformers, row["cls"])(config).eval()
    inputs: dict[str, Any] = dict(row["call"])
    for name, (kind, shape, low, high) in row["inputs"].items():
        if kind == "int":
            inputs[name] = torch.randint(low, high, shape)
        else:
            inputs[name] = torch.rand(shape) * (high - low) + low
    return model, inputs


def tensors(result: Any) -> list[torch.Tensor]:
    """The floating tensors of a model's result."""
    leaves = torch.utils._pytree.tree_leaves(
        dict(result.items()) if hasattr(result, "items") else result
    )
    return [x for x in leaves if isinstance(x, torch.Tensor)]


def run_model(row: dict[str, Any]) -> Outcome:
    """Compile, run and compare; raises where something is wrong."""
    model, inputs = load(row)
    with torch.no_grad():
        torch.manual_seed(1)
        eager = tensors(model(**inputs))
        start = time.perf_counter()
        with collector() as graphs:
            torch._dynamo.reset()
            run = torch.compile(model, backend="nativefx", options={"fallback": "error"})
            torch.manual_seed(1)
            found = tensors(run(**inputs))
            torch.manual_seed(1)
            again = tensors(run(**inputs))
        seconds = time.perf_counter() - start
        torch.manual_seed(1)
        exact = tensors(model.double()(**to_float64(inputs)))
    assert_as_exact(found, eager, exact)
    assert_as_exact(again, eager, exact)
    return _outcome(row["type"], graphs, seconds)


def _outcome(name: str, graphs: list[GraphReport], seconds: float) -> Outcome:
    def total(runner: str) -> int:
        return sum(graph.count(runner) for graph in graphs)

    kernels = sum(len(graph.kernels) for graph in graphs)
    return Outcome(
        name, total("kernel"), total("view"), total("aten"), total("python"), kernels, seconds
    )


def main() -> int:
    """Run models and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("types", nargs="*", default=FAMILIES)
    wanted = parser.parse_args().types
    refuse_eager()
    warnings.filterwarnings("ignore")
    known = models()
    failed = 0
    print(
        f"{'model':24} {'in kernels':>10} {'kernels':>8} {'aten':>6} {'python':>6} {'seconds':>8}"
    )
    for name in wanted:
        try:
            outcome = run_model(known[name])
        except Exception as error:
            failed += 1
            print(f"{name:24} {type(error).__name__}: {str(error)[:300]}")
            continue
        print(
            f"{name:24} {outcome.share:10.1%} {outcome.kernels:8} {outcome.aten_steps:6} "
            f"{outcome.python_steps:6} {outcome.seconds:8.1f}",
            flush=True,
        )
    print(f"{len(wanted) - failed} of {len(wanted)} models equal to eager")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "numeric"))
    sys.exit(main())
