"""Tables as plain text, which a page can hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

__all__ = ["HEADER", "Result", "format_table", "row_of"]


@dataclasses.dataclass
class Result:
    """What one model gave. Times in seconds; a figure that does not exist is None."""

    model: str
    nodes: int = 0
    shares: dict[str, float] = dataclasses.field(default_factory=dict)
    kernels: int = 0
    errors: dict[str, float | None] = dataclasses.field(default_factory=dict)
    floor: float = 0.0
    compiling: dict[str, float] = dataclasses.field(default_factory=dict)
    calls: dict[str, float] = dataclasses.field(default_factory=dict)


HEADER: list[tuple[str, list[str]]] = [
    ("", ["model"]),
    ("graphs", ["nodes", "kernels"]),
    ("nodes run by, %", ["kernels", "views", "ATen", "Python"]),
    ("max error to eager", ["Inductor", "nativefx"]),
    ("compile beyond floor, CPU s", ["(floor)", "Inductor", "nativefx"]),
    ("a call, ms", ["eager", "Inductor", "nativefx"]),
]


def row_of(result: Result) -> list[str]:
    """Write the figures of one model as the cells under `HEADER`."""
    return [
        result.model,
        str(result.nodes),
        str(result.kernels),
        *[f"{100 * result.shares.get(r, 0.0):.0f}" for r in ("kernel", "view", "aten", "python")],
        *[_number(result.errors.get(name), "{:.1e}") for name in ("inductor", "nativefx")],
        f"({result.floor:.1f})",
        *[_number(result.compiling.get(name), "{:.2f}") for name in ("inductor", "nativefx")],
        *[_milliseconds(result.calls.get(name)) for name in ("eager", "inductor", "nativefx")],
    ]


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    value = seconds * 1e3
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def format_table(header: list[tuple[str, list[str]]], rows: Sequence[list[str]]) -> str:
    """Lay rows out under a header of two lines: groups, and the columns of each.

    Parameters
    ----------
    header
        Groups with their columns; the first column is text, the others numbers.
    rows
        Cells, as many as there are columns.
    """
    titles = [title for _, group in header for title in group]
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    spans, first = [], 0
    for name, group in header:
        columns = range(first, first + len(group))
        room = sum(widths[c] for c in columns) + len(group) - 1
        widths[first] += max(0, len(name) - room)
        spans.append((name, max(room, len(name)), columns))
        first += len(group)

    def line(cells: Sequence[str]) -> str:
        sides = [cells[0].ljust(widths[0])]
        sides += [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        return " | ".join(" ".join(sides[c] for c in columns) for _, _, columns in spans).rstrip()

    groups = " | ".join(name.center(room) for name, room, _ in spans).rstrip()
    rule = "-+-".join("-" * room for _, room, _ in spans)
    return "\n".join([groups, line(titles), rule, *map(line, rows)])
