"""Recording of what compiled graphs do: `nativefx.profile`."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

from nativefx import _core
from nativefx.errors import error

__all__ = ["profile", "record", "record_until_exit"]


@contextlib.contextmanager
def record() -> Iterator[list[dict[str, Any]]]:
    """Record what all plans of the process do inside the block.

    Yields
    ------
    list of dict
        Filled when the block ends: `name`, `op`, `category` (``"plan"``, ``"kernel"``,
        ``"aten"``, ``"external"``, ``"memory"``), `start` and `end` in nanoseconds,
        `thread`, and `plan`, which tells plans apart.

    Raises
    ------
    nativefx.Error
        `already-recording`: there is one recording at a time.
    """
    if not _core.start_profile():
        raise error("already-recording", "what plans do is being recorded already")
    events: list[dict[str, Any]] = []
    try:
        yield events
    finally:
        events += _core.stop_profile()


@contextlib.contextmanager
def profile(path: str | os.PathLike[str]) -> Iterator[None]:
    """Record what compiled graphs do inside the block, as a Chrome trace.

    The file opens in Perfetto (https://ui.perfetto.dev) and in ``chrome://tracing``.
    Under `torch.profiler` the same steps are ranges of that, too.

    Parameters
    ----------
    path
        The file, written when the block ends.
    """
    with record() as events:
        yield
    _write_trace(path, events)


def record_until_exit(path: str) -> None:
    """Record from now on, and write the trace when the interpreter exits."""
    if _core.start_profile():
        atexit.register(lambda: _write_trace(path, _core.stop_profile()))


def _write_trace(path: str | os.PathLike[str], events: list[dict[str, Any]]) -> None:
    process = os.getpid()
    traced = [
        {
            "name": event["name"],
            "cat": event["category"],
            "ph": "X",
            "ts": event["start"] / 1000,
            "dur": (event["end"] - event["start"]) / 1000,
            "pid": process,
            "tid": event["thread"],
            "args": {"op": event["op"]} if event["op"] else {},
        }
        for event in events
    ]
    temporary = f"{os.fspath(path)}.{process}.part"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": traced, "displayTimeUnit": "ns"}, file)
    os.replace(temporary, path)
