"""What is taken apart has no row of its own, and each name is one of PyTorch's."""

from __future__ import annotations

import re
from pathlib import Path

import torch

from nativefx.decompositions import DECOMPOSED, decompositions

OPS = Path(__file__).parents[2] / "docs" / "ops.md"


def test_every_name_has_a_decomposition_and_no_row():
    table = decompositions()
    rows = set(re.findall(r"^\| `(aten\.[^`]*)`", OPS.read_text(), re.MULTILINE))
    assert rows
    decomposed = {str(overload) for overload in table}
    assert not decomposed & rows
    assert {name.split(".")[1] for name in decomposed} == set(DECOMPOSED)
    assert all(hasattr(torch.ops.aten, name) for name in DECOMPOSED)
