"""Models of `transformers` through the back end: results equal to eager's.

    python tests/conformance/transformers_models.py              # twelve models
    python tests/conformance/transformers_models.py bert vit     # these
    python tests/conformance/transformers_models.py --all        # the whole list
    python tests/conformance/transformers_models.py --all --shard 2 --shards 8

Each line tells who runs the nodes of forward and backward: the share in our kernels,
kernels, views, the steps that PyTorch's C ABI runs, and those that need the interpreter.
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

sys.path.insert(0, str(Path(__file__).parents[1] / "numeric"))

from native_only import refuse_eager
from tolerances import assert_as_exact, to_float64

from nativefx.report import GraphReport, collector

__all__ = ["FAMILIES", "Outcome", "load", "models", "run_model"]

DATA = Path(__file__).with_name("transformers_models.jsonl")

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


def run_model(row: dict[str, Any], *, backward: bool = False) -> Outcome:
    """Compile, run and compare; raises where something is wrong."""
    model, inputs = load(row)
    start = time.perf_counter()
    with collector() as graphs:
        with torch.no_grad():
            eager = _forward(model, inputs)
            torch._dynamo.reset()
            run = torch.compile(model, backend="nativefx", options={"fallback": "error"})
            found = _forward(run, inputs)
            again = _forward(run, inputs)
        grads = _gradients(run, model, inputs) if backward else []
    seconds = time.perf_counter() - start
    eager_grads = _gradients(model, model, inputs) if backward else []
    exact, exact_grads = _in_float64(model, inputs, backward)
    assert_as_exact(found, eager, exact)
    assert_as_exact(again, eager, exact)
    assert_as_exact(grads, eager_grads, exact_grads)
    return _outcome(row["type"], graphs, seconds)


def _forward(model: Any, inputs: dict[str, Any]) -> list[torch.Tensor]:
    torch.manual_seed(1)
    return tensors(model(**inputs))


def _gradients(run: Any, model: torch.nn.Module, inputs: dict[str, Any]) -> list[torch.Tensor]:
    """Of the mean square of all floating results, by parameter."""
    model.zero_grad(set_to_none=True)
    results = [x for x in _forward(run, inputs) if x.requires_grad]
    if not results:
        return []
    torch.stack([x.square().mean() for x in results]).sum().backward()
    return [p.grad.clone() for p in model.parameters() if p.grad is not None]


def _in_float64(model: Any, inputs: dict[str, Any], backward: bool) -> tuple[Any, Any]:
    """The same in float64; none for models with an operator that is not there."""
    wide = to_float64(inputs)
    try:
        model.double()
        with torch.no_grad():
            exact = _forward(model, wide)
        grads = _gradients(model, model, wide) if backward else []
    except RuntimeError:
        return None, None
    return exact, grads


def _outcome(name: str, graphs: list[GraphReport], seconds: float) -> Outcome:
    def total(runner: str) -> int:
        return sum(graph.count(runner) for graph in graphs)

    kernels = sum(len(graph.kernels) for graph in graphs)
    return Outcome(
        name, total("kernel"), total("view"), total("aten"), total("python"), kernels, seconds
    )


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("types", nargs="*", default=[])
    parser.add_argument("--all", action="store_true", help="the whole list")
    parser.add_argument("--shard", type=int, default=0)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--forward-only", action="store_true")
    return parser.parse_args(arguments)


def main() -> int:
    """Run models and print a line for each."""
    chosen = parse()
    refuse_eager()
    warnings.filterwarnings("ignore")
    known = models()
    wanted = chosen.types or (list(known) if chosen.all else FAMILIES)
    wanted = wanted[chosen.shard :: chosen.shards]
    failed = with_python = 0
    titles = ("in kernels", "kernels", "views", "aten", "python", "seconds")
    print(f"{'model':28}" + "".join(f"{title:>11}" for title in titles))
    for name in wanted:
        row = known[name]
        try:
            outcome = run_model(row, backward=row["backward"] and not chosen.forward_only)
        except Exception as error:
            failed += 1
            print(f"{name:28} {type(error).__name__}: {str(error)[:300]}", flush=True)
            continue
        with_python += outcome.python_steps > 0
        counts = (outcome.kernels, outcome.view_nodes, outcome.aten_steps, outcome.python_steps)
        print(
            f"{name:28}{outcome.share:11.1%}"
            + "".join(f"{count:11}" for count in counts)
            + f"{outcome.seconds:11.1f}",
            flush=True,
        )
    print(
        f"{len(wanted) - failed} of {len(wanted)} models equal to eager, "
        f"{with_python} with a step in the interpreter"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
