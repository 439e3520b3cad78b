"""Options of `torch.compile(model, backend="nativefx", options={...})`."""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nativefx.errors import error

__all__ = ["Options"]

_FALLBACKS = ("allow", "error")


@dataclasses.dataclass(frozen=True)
class Options:
    """How graphs are compiled.

    Attributes
    ----------
    fallback
        ``"allow"``: a graph that fails to compile runs in PyTorch, with a warning.
        ``"error"``: the failure is raised. Operators that PyTorch runs inside a
        compiled graph are no fallback; `nativefx.explain` counts them.
    dump
        A folder to which each stage writes what it made: the graph, the kernels,
        their LLVM IR and assembly. Empty: nothing is written.
    kernels
        Whether loop kernels are generated. Without them every operator runs as a
        whole in PyTorch.
    passes
        Names of the passes that run first, with commas between; None: the default
        pipeline.
    partition
        What training saves for its backward: ``"min_cut"`` recomputes what is cheap,
        ``"default"`` saves what the backward reads.
    cache
        A folder that keeps machine code between processes. Empty: none is kept.
    cache_limit
        How many MiB the folder may hold; what was not used for longest goes first.
    plugins
        Whom to ask for parts of the graph before anything else, in order of priority:
        paths of shared libraries, or `nativefx.Plugin` objects.
    profile
        Records what compiled graphs do, from the first compilation to the exit of the
        interpreter, as a Chrome trace: True for ``nativefx-trace.json``, or a path.
        `nativefx.profile` records a part of a program.
    verify
        Whether the graph is verified between stages.
    fuse_limit
        How many operators, in graph order, may become part of a kernel; negative:
        all. For bisecting, see `nativefx.bisect`.
    """

    fallback: str = "allow"
    dump: str = ""
    kernels: bool = True
    passes: str | None = None
    partition: str = "min_cut"
    plugins: Sequence[Any] = ()
    cache: str = dataclasses.field(default_factory=lambda: _default_cache())
    cache_limit: int = 1024
    profile: bool | str = False
    verify: bool = False
    fuse_limit: int = -1

    @classmethod
    def read(cls, options: Mapping[str, Any] | None) -> Options:
        """Check what a user gave.

        Raises
        ------
        nativefx.Error
            `unknown-option` or `bad-option`.
        """
        given = dict(options or {})
        fields = {field.name: field for field in dataclasses.fields(cls)}
        for name, value in given.items():
            if name not in fields:
                raise error("unknown-option", _unknown(name, list(fields)))
            if name == "dump" and isinstance(value, Path):
                given[name] = str(value)
            elif not _fits(name, value):
                raise error("bad-option", f"option `{name}` cannot be {value!r}")
        return cls(**given)


def _default_cache() -> str:
    folder = os.environ.get("NATIVEFX_CACHE_DIR")
    if folder is not None:
        return folder
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "nativefx")


def _fits(name: str, value: Any) -> bool:
    if name == "fallback":
        return value in _FALLBACKS
    if name == "partition":
        return value in ("min_cut", "default")
    if name == "plugins":
        return isinstance(value, list | tuple)
    if name in ("kernels", "verify"):
        return isinstance(value, bool)
    if name == "profile":
        return isinstance(value, bool | str)
    if name == "fuse_limit":
        return isinstance(value, int)
    if name == "cache_limit":
        return isinstance(value, int) and not isinstance(value, bool) and value > 0
    return isinstance(value, str) or (name == "passes" and value is None)


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean `{near[0]}`?" if near else "known are " + ", ".join(known)
    return f"there is no option `{name}`; {hint}"
