"""The course of the demo: models, search, training, round trips, table, pictures."""

from __future__ import annotations

import argparse
import functools
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from measure import alternate, machine

from demo import ROOT
from demo import graph_models as graphs
from demo import transformer_models as transformers
from demo.cora import Cora, read_cora
from demo.examine import Examined, Outcome, examine, warm_up
from demo.pictures import draw_losses, draw_timings
from demo.round_trips import round_trips
from demo.search import QUERIES, MiniLM, difference_of_rankings, ranking, read_sentences, search
from demo.table import HEADER, format_table, row_of
from demo.train import Course, loss_gap, reset, train

__all__ = ["main"]

_FOLDER = ROOT / "build" / "demo"
_GRAPH_MODELS = {
    "GCN, PyG layers": graphs.GcnOfPyg,
    "GCN, by hand": graphs.GcnByHand,
    "GAT, PyG layers": graphs.GatOfPyg,
    "GAT, by hand": graphs.GatByHand,
}
_EPOCHS, _COMPARED, _SEEDS = 200, 20, 5
_start = time.monotonic()


def main() -> None:
    """Run everything, or with ``--quick`` a search and one training."""
    parser = argparse.ArgumentParser(description="real models through nativefx")
    parser.add_argument("--quick", action="store_true", help="two models, one seed")
    quick = parser.parse_args().quick
    _FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"{machine()}\nEvery model runs with options={{'fallback': 'error'}}.", flush=True)
    stage("loading the compilers, ours and Inductor's")
    warm_up()
    examined = [*run_search(), *([] if quick else run_transformers())]
    trained, courses = run_trainings(quick)
    examined += trained
    show_round_trips(examined)
    results = [one.result for one in examined]
    stage("results")
    print(format_table(HEADER, [row_of(result) for result in results]))
    print(_NOTES)
    draw_losses(courses, _FOLDER / "losses.png")
    draw_timings(results, _FOLDER / "timings.png")
    stage(f"done; pictures: {_FOLDER.relative_to(ROOT)}/losses.png, timings.png")


_NOTES = """\
- A call: forward of a batch; of the graph networks a training step (forward, loss, backward).
- Nodes: of all graphs of a model. Views and sizes need no step; ATen is called from native code.
- Floor: what torch.compile spends on capture, measured with a backend that compiles nothing.
  Inductor's figure is what it takes beyond it, ours what is spent inside our backend.
- Max error: over outputs, and gradients of a training step; Inductor's dropout draws other numbers.
- Inductor cannot see into the operators of the layers by hand and calls their plain form."""


def stage(text: str) -> None:
    """Say what begins."""
    print(f"\n==> {text}  [{time.monotonic() - _start:.0f} s]", flush=True)


def tell(text: str) -> None:
    """Say how a stage goes on."""
    print(f"    {text}", flush=True)


def run_search() -> list[Examined]:
    """Search the sentences with eager and with nativefx, and show what is found."""
    stage("MiniLM-L6 searches sentences by meaning")
    model = MiniLM()
    case = model.case()
    found = examine_forward(case)
    eager, ours = search(model, model.encoder), search(model, found.native)
    sentences = read_sentences()
    for query, scores in zip(QUERIES, ours, strict=True):
        tell(f'"{query}"')
        for place, index in enumerate(ranking(scores)[:3], 1):
            tell(f"   {place}. {float(scores[index]):.3f}  {sentences[index]}")
    differing = sum(map(difference_of_rankings, eager, ours))
    tell(f"{differing} of {eager.numel()} places differ from eager's ranking")
    if differing:
        raise SystemExit("the ranking is not eager's")
    return [found]


def run_transformers() -> list[Examined]:
    """Run the models that are built from configurations."""
    found = []
    for make in (transformers.bert, transformers.llama, transformers.vit):
        case = make()
        stage(case.name)
        found.append(examine_forward(case))
    return found


def examine_forward(case: transformers.Case) -> Examined:
    """Examine the forward of a model, without gradients."""

    def step(run: Callable[..., Any]) -> Callable[[], Outcome]:
        def call() -> Outcome:
            with torch.no_grad():
                return [run(*case.inputs)]

        return call

    return examine(case.name, case.model, step, tell=tell)


def run_trainings(quick: bool) -> tuple[list[Examined], dict[str, dict[str, Course]]]:
    """Train the graph networks on Cora, with eager and with nativefx."""
    cora = read_cora()
    stage("what dropout alone costs")
    calls = {"once": lambda: F.dropout(cora.x, 0.5)}
    spent = alternate(calls, rounds=3, sample=0.0).seconds["once"]
    tell(f"drawing for all features {spent * 1e3:.0f} ms: eager and nativefx draw the same numbers")
    tell("from PyTorch's generator, Inductor draws others, of its own and faster")
    names = ["GCN, PyG layers"] if quick else list(_GRAPH_MODELS)
    examined, courses = [], {}
    for name in names:
        stage(f"{name}: training on Cora")
        model = _GRAPH_MODELS[name](cora)
        reset(model, 0)
        step = functools.partial(training_step, model, cora)
        found = examine(name, model, step, same_random=False, tell=tell)
        examined.append(found)
        complete = _SEEDS if "PyG" in name and not quick else 1
        courses[name] = compare_training(model, found.native, cora, complete)
    return examined, courses


def training_step(
    model: torch.nn.Module, cora: Cora, run: Callable[..., Any]
) -> Callable[[], Outcome]:
    """Make one training step: forward, loss, backward."""

    def call() -> Outcome:
        model.train()
        model.zero_grad(set_to_none=True)
        out = run(cora.x)
        F.cross_entropy(out[cora.train], cora.y[cora.train]).backward()
        return [out, *[p.grad for p in model.parameters() if p.grad is not None]]

    return call


def compare_training(
    model: torch.nn.Module, native: Any, cora: Cora, complete: int
) -> dict[str, Course]:
    """Train with five seeds; compare the losses of the first epochs with eager's.

    The first seed is trained to the end by both, the first `complete` ones by
    nativefx, the others as far as they are compared.
    """
    first: dict[str, Course] = {}
    accuracies = []
    for seed in range(_SEEDS):
        ours = train(model, native, cora, _EPOCHS if seed < complete else _COMPARED, seed)
        eager = train(model, model, cora, _COMPARED if seed else _EPOCHS, seed)
        first = first or {"nativefx": ours, "eager": eager}
        gap = loss_gap(ours, eager, _COMPARED)
        text = f"seed {seed}: loss of {_COMPARED} epochs differs from eager's by {gap:.1e}"
        if seed < complete:
            accuracies.append(ours.accuracy)
            text += f", test accuracy {ours.accuracy:.3f}"
        tell(text + ("" if seed else f" (eager {eager.accuracy:.3f})"))
        if gap > 1e-4:
            raise SystemExit("the loss is not eager's")
    tell(f"test accuracy, mean of {complete}: {statistics.mean(accuracies):.3f}")
    return first


def show_round_trips(examined: list[Examined]) -> None:
    """Send the captured graphs of every model into the native IR and back."""
    stage("every captured graph to the native IR and back, directly and through text")
    differences = 0
    for one in examined:
        found = round_trips(one.captured)
        differences += len(found.differences)
        tell(
            f"{one.result.model}: {found.graphs} graphs, {found.nodes} nodes, "
            f"{len(found.differences)} differences"
        )
        for difference in found.differences[:5]:
            tell(f"   {difference}")
    if differences:
        raise SystemExit("a graph came back different")
