"""Why a user-defined function is not compiled."""

from __future__ import annotations

import os
import traceback

__all__ = ["Refused", "RowsWithoutEdges", "user_line"]

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Refused(Exception):
    """A function does what cannot be computed for all degrees at once.

    It runs as DGL runs it; the message is the reason.
    """


class RowsWithoutEdges(Exception):
    """A value of a node depends on more than a sum over its edges.

    Nodes without edges must then be left out while it is computed.
    """


def user_line(error: BaseException) -> str:
    """Give the innermost line of user code that led to an error, as ``file.py:12 in f``."""
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        folder = frame.filename
        if folder.startswith((_OWN, "<")) or f"{os.sep}torch{os.sep}" in folder:
            continue
        place = f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}"
    return place
