"""Every example of PyTorch's export database that exports comes back as it was."""

from __future__ import annotations

import pytest
import torch
from graph_comparator import Comparison
from round_trip import round_trip
from torch._export.db.case import SupportLevel
from torch._export.db.examples import all_examples

EXAMPLES = all_examples()
EXPORTED = [name for name, case in EXAMPLES.items() if case.support_level == SupportLevel.SUPPORTED]


@pytest.mark.parametrize("name", sorted(EXPORTED))
def test_example(comparison: Comparison, name: str) -> None:
    case = EXAMPLES[name]
    torch._dynamo.reset()
    try:
        program = torch.export.export(
            case.model,
            case.example_args,
            case.example_kwargs,
            dynamic_shapes=case.dynamic_shapes,
            strict=True,
        )
    except Exception as error:
        pytest.skip(f"PyTorch does not export it: {str(error)[:80]}")
    round_trip(program, comparison)
    round_trip(program.module(), comparison)


def test_most_examples_export() -> None:
    assert len(EXPORTED) >= 20
