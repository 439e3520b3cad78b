"""A shard of PyTorch's operator samples; `make test-opinfo` runs all of them."""

from __future__ import annotations

from opinfo import DTYPES, numbers_of, run_all

SHARDS = 70


def test_a_shard_of_operators():
    lines = list(run_all(numbers_of(set(), 7, SHARDS)))
    assert {line["dtype"] for line in lines} == set(DTYPES)
    bad = [line for line in lines if line["outcome"] not in ("right", "aot_eager fails")]
    assert not bad, bad
    main = [line for line in lines if line["dtype"] == "float32"]
    assert len(main) >= 5
    assert any(line["in_kernel"] for line in main)
