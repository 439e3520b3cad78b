"""What nativefx raises."""

from __future__ import annotations

__all__ = ["Error"]


class Error(Exception):
    """A diagnostic of the native side.

    Attributes
    ----------
    code
        The stable code of the diagnostic, such as ``"unsupported-op"``.
    """

    code: str = ""
