"""Which calls of message passing were compiled, and why others were not."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nativefx.errors import Error

__all__ = ["CallReport", "DglReport", "explain_dgl", "recording"]


@dataclasses.dataclass
class CallReport:
    """Calls of one kind with the same functions.

    Attributes
    ----------
    kind
        ``message_passing``, ``apply_edges``, ``apply_nodes`` or ``edge_softmax``.
    functions
        Names of the functions, with file and line of those of the user.
    compiled
        Whether they run compiled.
    reason
        Why not, else empty.
    place
        The line that is the reason, as ``file.py:12 in function``, or empty.
    calls
        How often they were called.
    operators
        Number of PyTorch operators that a compiled call was traced to.
    """

    kind: str
    functions: str
    compiled: bool
    reason: str = ""
    place: str = ""
    calls: int = 0
    operators: int = 0

    def __str__(self) -> str:
        head = f"{self.kind}({self.functions}), {self.calls} calls"
        if self.compiled:
            return f"compiled  {head}: {self.operators} operators"
        at = f" ({self.place})" if self.place else ""
        return f"in DGL    {head}: {self.reason}{at}"


class DglReport:
    """Calls of message passing that a function made, in order of the first of each."""

    def __init__(self) -> None:
        self._calls: dict[tuple[Any, ...], CallReport] = {}

    @property
    def calls(self) -> list[CallReport]:
        """Reports of the calls."""
        return list(self._calls.values())

    def add(self, call: CallReport) -> None:
        """Count a call."""
        key = (call.kind, call.functions, call.compiled, call.reason, call.operators)
        kept = self._calls.setdefault(key, dataclasses.replace(call, calls=0))
        kept.calls += 1

    def __str__(self) -> str:
        compiled = sum(c.calls for c in self.calls if c.compiled)
        total = sum(c.calls for c in self.calls)
        lines = [f"message passing: {compiled} of {total} calls compiled"]
        return "\n".join(lines + [f"  {call}" for call in self.calls])


_recording: list[DglReport] = []
_warned: set[tuple[str, str, str]] = set()


@contextmanager
def recording() -> Iterator[DglReport]:
    """Collect a report of the calls made inside this context."""
    report = DglReport()
    _recording.append(report)
    try:
        yield report
    finally:
        _recording.remove(report)


def explain_dgl(function: Callable[..., Any], *args: Any, **kwargs: Any) -> DglReport:
    """Call a function with `accelerate` and report its calls of message passing.

    Parameters
    ----------
    function
        A module of DGL, or a function that calls some.
    *args, **kwargs
        Its arguments.
    """
    from nativefx.gnn.dgl_accelerate import accelerate

    with accelerate(), recording() as report, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        function(*args, **kwargs)
    return report


def tell(call: CallReport, fallback: str) -> None:
    """Add a call to the reports; warn of one that runs in DGL, or raise.

    Raises
    ------
    nativefx.Error
        ``dgl-call`` for a call that is not compiled, with ``fallback="error"``.
    """
    for report in _recording:
        report.add(call)
    if call.compiled:
        return
    message = f"error[dgl-call]: {call.kind}({call.functions}) runs in DGL: {call.reason}"
    if call.place:
        message += f"\n  --> {call.place}"
    if fallback == "error":
        error = Error(message)
        error.code = "dgl-call"
        raise error
    key = (call.kind, call.functions, call.reason)
    if key not in _warned:
        _warned.add(key)
        warnings.warn(f"nativefx: {message.removeprefix('error[dgl-call]: ')}", stacklevel=4)
