"""Graphs of real models come back as they were."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from graph_comparator import Comparison
from models import build, capture_export, capture_training, families
from round_trip import round_trip

ALWAYS = {"bert-generation", "mistral", "resnet", "mamba"}
FAMILIES = [
    pytest.param(family, marks=() if family in ALWAYS else pytest.mark.slow)
    for family in families()
]


@pytest.mark.parametrize("family", FAMILIES)
def test_training_graphs(comparison: Comparison, family: str) -> None:
    model, inputs = build(family)
    seen = []

    def visit(name: str, graph: Any) -> None:
        seen.append(name)
        round_trip(graph, comparison)

    capture_training(model, visit, **inputs)
    assert {"dynamo", "joint", "forward", "backward"} <= set(seen)


@pytest.mark.parametrize("family", FAMILIES)
def test_exported_graphs(comparison: Comparison, family: str) -> None:
    model, inputs = build(family)
    try:
        capture_export(model, lambda _, graph: round_trip(graph, comparison), **inputs)
    except (RuntimeError, torch._dynamo.exc.TorchDynamoException) as error:
        pytest.skip(f"PyTorch does not export it: {str(error)[:80]}")


def test_dynamic_shapes(comparison: Comparison) -> None:
    model, inputs = build("mistral")
    capture_training(model, lambda _, g: round_trip(g, comparison), dynamic=True, **inputs)
