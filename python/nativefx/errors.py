"""What nativefx raises."""

from __future__ import annotations

__all__ = ["Error", "IndexOutOfRange", "error"]


class Error(Exception):
    """A diagnostic of the native side.

    Attributes
    ----------
    code
        The stable code of the diagnostic, such as ``"unsupported-op"``.
    """

    code: str = ""


class IndexOutOfRange(Error, IndexError, RuntimeError):
    """An index tensor holds a position outside of what it indexes.

    Eager raises `IndexError` or `RuntimeError`, by operator; this is both.
    """


def error(code: str, message: str, *, help: str = "") -> Error:
    """Make a diagnostic of the Python side; it reads like those of the native side."""
    made = Error(f"error[{code}]: {message}" + (f"\n  help: {help}" if help else ""))
    made.code = code
    return made
