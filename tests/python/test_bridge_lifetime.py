"""Objects live as long as the graphs that hold them, and no longer."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import pytest
import torch
import torch.fx
from graph_comparator import Comparison
from models import capture_training
from round_trip import round_trip

from nativefx import Graph, _core


class Held:
    """Can be referred to weakly, unlike a plain object."""


def small() -> tuple[torch.fx.Graph, Held]:
    held = Held()
    graph = torch.fx.Graph()
    node = graph.call_function(torch.add, (graph.placeholder("x"), held))
    node.meta["held"] = held
    graph.output(node)
    return graph, held


def test_objects_are_released_with_the_graph() -> None:
    source, held = small()
    graph = Graph.from_fx(source)
    copy = graph.to_fx()
    alive = weakref.ref(held)
    del source, held
    gc.collect()
    assert alive() is not None
    del copy
    gc.collect()
    assert alive() is not None
    del graph
    gc.collect()
    assert alive() is None


def test_reference_counts_are_even() -> None:
    source, held = small()
    before = sys.getrefcount(held)
    for _ in range(10):
        graph = Graph.from_fx(source)
        graph.to_fx()
        Graph.parse(str(graph), handles_of=graph).to_fx()
        del graph
        gc.collect()
    assert sys.getrefcount(held) == before


def test_nodes_keep_their_graph() -> None:
    node = Graph.from_fx(small()[0])["add"]
    gc.collect()
    assert node.name == "add"
    assert len(node.graph) == 3


def test_weights_are_not_copied() -> None:
    module = torch.fx.symbolic_trace(torch.nn.Linear(4, 4))
    copy = Graph.from_fx(module).to_fx()
    assert copy.weight is module.weight
    assert copy.weight.data_ptr() == module.weight.data_ptr()


def test_meta_is_not_opened() -> None:
    class Closed(dict):  # type: ignore[type-arg]
        def __getitem__(self, key: object) -> object:
            raise AssertionError("meta was opened")

        get = items = keys = values = __iter__ = __getitem__  # type: ignore[assignment]

    source, _ = small()
    for node in source.nodes:
        node.meta = Closed()
    assert len(Graph.from_fx(source)) == 3


def test_interpreter_exit() -> None:
    """Graphs that live until the interpreter has gone do no harm."""
    program = (
        "import torch, torch.fx, nativefx\n"
        "keep = nativefx.Graph.from_fx(torch.fx.symbolic_trace(torch.nn.ReLU()))\n"
        "torch.keep = [keep, keep.nodes, keep.to_fx()]\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "leak" not in done.stderr


def test_threads() -> None:
    """Several threads may import and export at once, each its own graph."""
    failures: list[object] = []

    def work() -> None:
        for _ in range(20):
            try:
                failures.extend(round_trip(small()[0]).differences)
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.fixture
def slow_fields() -> object:
    _core.force_slow_fx_fields(True)
    yield
    _core.force_slow_fx_fields(False)


def test_probe_succeeds_here() -> None:
    assert _core.slow_fx_fields() == []


def test_slow_way(slow_fields: None, comparison: Comparison) -> None:
    """A PyTorch whose fields cannot be probed is read by getattr, with the same result."""
    assert len(_core.slow_fx_fields()) == 10
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    capture_training(model, lambda _, g: round_trip(g, comparison), torch.randn(2, 4))
