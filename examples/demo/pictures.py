"""Loss curves and timings as PNG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from demo.table import Result
from demo.train import Course

__all__ = ["draw_losses", "draw_timings"]

_COLOURS = {"eager": "#9aa5b1", "inductor": "#e08e45", "nativefx": "#1f6f8b"}


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "font.size": 9})
    return plt


def draw_losses(courses: Mapping[str, Mapping[str, Course]], path: Path) -> None:
    """Draw the training loss by epoch, one plot a model, eager beneath nativefx."""
    plt = _pyplot()
    figure, plots = plt.subplots(
        1, len(courses), figsize=(3.4 * len(courses), 2.8), sharey=True, squeeze=False
    )
    for plot, (name, by_backend) in zip(plots[0], courses.items(), strict=True):
        eager, native = by_backend["eager"].losses, by_backend["nativefx"].losses
        plot.plot(eager, color=_COLOURS["eager"], linewidth=4, label="eager")
        plot.plot(native, color=_COLOURS["nativefx"], linewidth=1, label="nativefx")
        plot.set_title(name)
        plot.set_xlabel("epoch")
    plots[0][0].set_ylabel("training loss")
    plots[0][0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def draw_timings(results: Sequence[Result], path: Path) -> None:
    """Draw the time of a call relative to eager, and compile seconds beyond the floor."""
    plt = _pyplot()
    figure, (calls, compiling) = plt.subplots(1, 2, figsize=(10, 0.55 * len(results) + 1.6))
    rows = range(len(results))
    for place, backend in enumerate(("eager", "inductor", "nativefx")):
        values = [r.calls[backend] / r.calls["eager"] for r in results]
        at = [row + 0.26 * (place - 1) for row in rows]
        calls.barh(at, values, 0.24, color=_COLOURS[backend], label=backend)
    for place, backend in enumerate(("inductor", "nativefx")):
        seconds = [r.compiling[backend] for r in results]
        at = [row + 0.36 * (place - 0.5) for row in rows]
        compiling.barh(at, seconds, 0.34, color=_COLOURS[backend], label=backend)
    compiling.set_xscale("log")
    for plot, title in (
        (calls, "time of a call, eager = 1"),
        (compiling, "CPU seconds to compile, beyond capture"),
    ):
        plot.set_title(title)
        plot.set_yticks(list(rows), [r.model for r in results])
        plot.invert_yaxis()
    compiling.set_yticklabels([])
    handles, labels = calls.get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, loc="lower center", ncols=3)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, dpi=150)
    plt.close(figure)
