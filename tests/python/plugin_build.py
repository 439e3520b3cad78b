"""Plug-ins of C sources, built as a vendor builds theirs: with nothing of ours but headers."""

from __future__ import annotations

import functools
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
NULL = ROOT / "plugins" / "null" / "null.c"
FAULTY = ROOT / "tests" / "unit" / "plugin" / "modules" / "faulty.c"

_folder = tempfile.TemporaryDirectory(prefix="nfx_plugins_")


@functools.cache
def build(source: pathlib.Path) -> str:
    """Compile one C file; returns the path of the shared library."""
    made = pathlib.Path(_folder.name) / f"{source.stem}.so"
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror"]
    include = f"-I{ROOT / 'include'}"
    command = ["cc", *flags, "-fPIC", "-shared", include, str(source), "-o", str(made)]
    subprocess.run(command, check=True)
    return str(made)
