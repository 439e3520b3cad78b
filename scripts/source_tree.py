"""The files of the repository and the order of its layers, for the checks."""

import re
import subprocess
from functools import cache
from pathlib import Path

__all__ = ["ROOT", "layers", "source_files"]

ROOT = Path(__file__).resolve().parent.parent


@cache
def source_files() -> tuple[Path, ...]:
    """List every file that git tracks or would track, relative to the root.

    Returns
    -------
    tuple of Path
        Sorted; a tracked file that was deleted is left out.
    """
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = {Path(name) for name in listing.split("\0") if name}
    return tuple(sorted(name for name in names if (ROOT / name).is_file()))


@cache
def layers() -> tuple[str, ...]:
    """Read the layer order from the one place that states it, CMakeLists.txt.

    Returns
    -------
    tuple of str
        Lowest first.
    """
    text = (ROOT / "CMakeLists.txt").read_text()
    match = re.search(r"set\(NFX_LAYERS\s+([^)]*)\)", text)
    if match is None:
        raise ValueError("CMakeLists.txt does not set NFX_LAYERS")
    return tuple(match.group(1).split())
