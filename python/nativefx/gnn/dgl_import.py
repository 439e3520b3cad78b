"""Import DGL on a PyTorch that is newer than it."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types
from typing import Any

__all__ = ["import_dgl"]


def import_dgl() -> Any:
    """Import DGL 1.1 or 2.1 on the running PyTorch.

    The last releases of DGL import two modules that do not exist here:
    `dgl.graphbolt` loads a library built for one PyTorch release, and
    `setuptools.extern` is gone from setuptools. Message passing needs neither, so
    empty modules stand in for them.

    Returns
    -------
    module
        `dgl`, as ``import dgl`` would give it.

    Raises
    ------
    ModuleNotFoundError
        If DGL is not installed.
    """
    if "dgl" in sys.modules:
        return sys.modules["dgl"]
    if importlib.util.find_spec("dgl") is None:
        raise ModuleNotFoundError(
            "DGL is not installed; `pip install dgl==2.1.0 pandas` installs the newest "
            "release that has a wheel for this Python"
        )
    os.environ.setdefault("DGLBACKEND", "pytorch")
    if importlib.util.find_spec("setuptools") is None or not _has_extern():
        packaging = importlib.import_module("packaging")
        importlib.import_module("packaging.version")
        _stand_in("setuptools.extern").packaging = packaging
        sys.modules["setuptools.extern.packaging"] = packaging
    _stand_in("dgl.graphbolt")
    return importlib.import_module("dgl")


def _has_extern() -> bool:
    try:
        return importlib.util.find_spec("setuptools.extern") is not None
    except ModuleNotFoundError:
        return False


def _stand_in(name: str) -> Any:
    module: Any = types.ModuleType(name)
    module.__path__ = []
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    sys.modules[name] = module
    return module
