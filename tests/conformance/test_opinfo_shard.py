"""A shard of PyTorch's operator samples; `opinfo.py` runs all of them."""

from __future__ import annotations

from opinfo import operators, run_all

SHARDS = 30


def test_a_shard_of_operators():
    numbers = list(range(len(operators())))[7::SHARDS]
    lines = list(run_all(numbers))
    passed = [line for line in lines if line["outcome"] != "aot_eager fails"]
    bad = [line for line in passed if line["outcome"] != "right"]
    assert not bad, bad
    assert len(passed) >= 10
    assert any(line["in_kernel"] for line in passed)
