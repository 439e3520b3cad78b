"""The memory that compiled graphs keep between calls."""

from __future__ import annotations

import dataclasses

from nativefx import _core

__all__ = ["MemoryUsage", "limit_idle_memory", "memory_usage", "release_memory"]


@dataclasses.dataclass(frozen=True)
class MemoryUsage:
    """Bytes of the pool that large intermediates and outputs come from.

    Attributes
    ----------
    in_use
        What running graphs and living tensors hold.
    idle
        What waits for its next use. ``in_use + idle`` is never more than `peak`.
    peak
        The most that was in use at one time since idle memory was last released.
    """

    in_use: int
    idle: int
    peak: int


def memory_usage() -> MemoryUsage:
    """Tell what the pool holds."""
    return MemoryUsage(**_core.memory_usage())


def release_memory() -> None:
    """Return the idle memory to the system.

    It goes by itself when nothing has used it for ten seconds.
    """
    _core.release_memory()


def limit_idle_memory(bytes: int) -> None:
    """Set how much may lie idle; a quarter of the machine's memory unless set."""
    if bytes < 0:
        raise ValueError(f"a limit of {bytes} bytes is negative")
    _core.limit_idle_memory(bytes)
