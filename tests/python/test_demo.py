"""The demo's own judgement: rankings, losses, shares and the table."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from demo.examine import count_runners
from demo.search import difference_of_rankings, ranking, read_sentences
from demo.table import HEADER, Result, format_table, row_of
from demo.train import Course, loss_gap

from nativefx.report import GraphReport, NodeReport


def test_ranking_is_best_first_and_stable() -> None:
    assert ranking(torch.tensor([0.1, 0.9, 0.5, 0.9])) == [1, 3, 2, 0]


@pytest.mark.parametrize(
    ("ours", "differing"),
    [
        ([0.9, 0.5, 0.1], 0),
        ([0.8, 0.4, 0.0], 0),  # other scores, same order
        ([0.5, 0.9, 0.1], 2),  # two places swapped
        ([0.1, 0.9, 0.5], 3),
    ],
)
def test_difference_of_rankings(ours: list[float], differing: int) -> None:
    assert difference_of_rankings(torch.tensor([0.9, 0.5, 0.1]), torch.tensor(ours)) == differing


def test_ties_of_eager_may_stand_in_either_order() -> None:
    eager, ours = torch.tensor([0.5, 0.5 + 1e-7, 0.1]), torch.tensor([0.5 + 1e-7, 0.5, 0.1])
    assert ranking(eager) != ranking(ours)
    assert difference_of_rankings(eager, ours) == 0


def test_loss_gap_is_the_largest_of_the_first_epochs() -> None:
    a, b = Course([1.0, 0.5, 9.0], 0.8), Course([1.0, 0.75, 1.0], 0.8)
    assert loss_gap(a, b, 2) == 0.25
    assert loss_gap(a, b, 3) == 8.0


def node(runner: str) -> NodeReport:
    return NodeReport("n", "t", runner, 0, "", "")


def test_shares_leave_out_inputs_and_sum_to_one() -> None:
    runners = ["nothing", "kernel", "kernel", "view", "number", "aten", "python", "kernel", "aten"]
    report = GraphReport("g", [node(r) for r in runners], [{"name": "k0"}], {})
    result = Result("m")
    count_runners([report, report], result)
    assert (result.nodes, result.kernels) == (16, 2)
    assert result.shares == {"kernel": 3 / 8, "view": 2 / 8, "aten": 2 / 8, "python": 1 / 8}


def test_table_columns_line_up() -> None:
    rows = [
        row_of(
            Result(
                "a model of a long name",
                1234,
                {"kernel": 0.5, "aten": 0.5},
                7,
                {"inductor": None, "nativefx": 1.5e-6},
                2.5,
                {"inductor": 17.25, "nativefx": 0.125},
                {"eager": 0.25, "inductor": 0.0123456, "nativefx": 0.001},
            )
        ),
        row_of(Result("b")),
    ]
    text = format_table(HEADER, rows).splitlines()
    bars = [[at for at, c in enumerate(line) if c in "|+"] for line in text]
    assert len(text) == 5
    assert all(bar == bars[0] for bar in bars)
    cells = text[3].replace("|", " ").split("name")[1].split()
    assert cells[:6] == ["1234", "7", "50", "0", "50", "0"]
    assert cells[6:] == ["-", "1.5e-06", "(2.5)", "17.25", "0.12", "250", "12.3", "1"]


def test_table_widens_a_group_for_its_name() -> None:
    header = [("", ["m"]), ("a long group", ["x", "y"])]
    text = format_table(header, [["m1", "1", "2"]])
    assert [line.rstrip() for line in text.splitlines()] == [
        "   | a long group",
        "m  |          x y",
        "---+-------------",
        "m1 |          1 2",
    ]


def test_sentences_are_distinct() -> None:
    sentences = read_sentences()
    assert len(sentences) >= 60
    assert len(set(sentences)) == len(sentences)
    assert all(sentences)
