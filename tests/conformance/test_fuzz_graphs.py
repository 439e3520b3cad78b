"""A few hundred random graphs; `make fuzz-graphs` runs many more."""

from __future__ import annotations

import pytest
from graph_programs import generate, make_inputs, run
from graphs import differ, run_seeds, shrink


@pytest.mark.parametrize("first", [0, 100, 200])
def test_random_graphs_do_what_eager_mode_does(first):
    failures, untraced = run_seeds(first, 100)
    assert not failures, "\n".join(failures)
    assert untraced < 10


def test_a_seed_gives_one_program():
    first, second = generate(7), generate(7)
    assert first.source() == second.source()
    assert not differ(run(first, make_inputs(first)), run(second, make_inputs(second)))


def test_a_failing_program_is_shrunk_to_what_fails(monkeypatch):
    """With a check that calls every program wrong that uses a sum, one line is left."""
    import graphs

    seed = next(s for s in range(200) if ".sum(" in generate(s).source())
    program = generate(seed)

    def wrong(candidate):
        return graphs.Outcome("a sum" if ".sum(" in candidate.source() else "")

    monkeypatch.setattr(graphs, "check", wrong)
    small = shrink(program)
    assert ".sum(" in small.source()
    assert len(small.lines) <= len(program.lines)
    assert sum(".sum(" in line.text for line in small.lines) == 1
    assert not small.dynamic
    assert not small.functional
