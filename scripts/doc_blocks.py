"""Find and run the fenced code blocks of a documentation page.

=============  ==========================================================================
language       what is done with a block
=============  ==========================================================================
python         executed; the blocks of a page share one namespace and one folder
sh             run with bash in that folder, which links to everything in the repository
nfx            parsed and printed by `nfx print`; printing the output again changes nothing
c, cpp         compiled against include/ (cpp: and src/); one with a main is linked and run
text, console  not run
=============  ==========================================================================

Any other language, or none, is an error: nothing is skipped silently.

Run as ``doc_blocks.py PAGE`` it runs the page and exits 1 at the first block that fails.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Block", "blocks", "pages", "run_page"]

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("NFX_BUILD", ROOT / "build" / "release")).resolve()
FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+)(?P<language>[^`\n]*)$")


@dataclass(frozen=True)
class Block:
    """One fenced block: its page, the line its text begins at, language and text."""

    page: Path
    line: int
    language: str
    text: str


def pages() -> list[Path]:
    """List the pages whose blocks are run, relative to the root."""
    found = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    found += sorted((ROOT / "docs").glob("**/*.md")) + sorted((ROOT / "src").glob("*/README.md"))
    return [page.relative_to(ROOT) for page in found if page.exists()]


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page in order.

    Raises
    ------
    ValueError
        A fence is never closed.
    """
    opened: re.Match[str] | None = None
    start = 0
    lines: list[str] = []
    for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
        match = FENCE.match(line)
        if opened is None:
            if match:
                opened, start, lines = match, number + 1, []
        elif match and not match["language"].strip() and match["fence"].startswith(opened["fence"]):
            text = "".join(f"{text}\n" for text in lines)
            yield Block(page, start, opened["language"].strip(), text)
            opened = None
        else:
            lines.append(line.removeprefix(opened["indent"]))
    if opened is not None:
        raise ValueError(f"{page}:{start - 1}: the fence is never closed")


def run_command(block: Block, command: list[str], given: str | None = None) -> str:
    """Run a program for a block and return its output; leave with its errors if it fails."""
    done = subprocess.run(command, input=given, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{block.page}:{block.line}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def run_python(block: Block, names: dict[str, Any]) -> None:
    """Execute a block as lines of a file like its page: Dynamo, `inspect`, tracebacks read it."""
    file = Path(".python", block.page.name).resolve()
    file.parent.mkdir(exist_ok=True)
    before = file.read_text() if file.exists() else ""
    before += "\n" * (block.line - 1 - before.count("\n"))
    file.write_text(before + block.text)
    exec(compile("\n" * before.count("\n") + block.text, str(file), "exec"), names)


def run_sh(block: Block, _names: dict[str, Any]) -> None:
    """Run a block with bash, stopping at the first command that fails."""
    run_command(block, ["bash", "-euo", "pipefail", "-c", block.text])


def run_nfx(block: Block, _names: dict[str, Any]) -> None:
    """Parse a block, and check that its printed form is stable."""
    printed = run_command(block, ["nfx", "print", "-"], block.text)
    again = run_command(block, ["nfx", "print", "-"], printed)
    if again != printed:
        sys.exit(f"{block.page}:{block.line}: print(parse(text)) is not stable:\n{again}")


def run_native(block: Block, _names: dict[str, Any]) -> None:
    """Compile a C or C++ block; link with libnativefx and run it if it has a main."""
    suffix, compiler = {"c": ("c", ["gcc", "-std=c11"]), "cpp": ("cpp", ["g++", "-std=c++20"])}[
        block.language
    ]
    source = Path(f"block_{block.line}.{suffix}")
    source.write_text(block.text)
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
    if block.language == "cpp":
        flags.append(f"-I{ROOT / 'src'}")
    if not re.search(r"\bint main\(", block.text):
        run_command(block, [*compiler, *flags, "-c", str(source), "-o", "block.o"])
        return
    library = BUILD / "lib"
    link = [f"-L{library}", f"-Wl,-rpath,{library}", "-lnativefx"]
    run_command(block, [*compiler, *flags, str(source), "-o", source.stem, *link])
    run_command(block, [f"./{source.stem}"])


def run_nothing(_block: Block, _names: dict[str, Any]) -> None:
    """Leave a block that shows output or a session as it is."""


RUNNERS: dict[str, Callable[[Block, dict[str, Any]], None]] = {
    "python": run_python,
    "sh": run_sh,
    "nfx": run_nfx,
    "c": run_native,
    "cpp": run_native,
    "text": run_nothing,
    "console": run_nothing,
}


def run_page(page: Path) -> int:
    """Run the blocks of a page in a folder of its own; return how many there were."""
    os.environ["PATH"] = f"{BUILD / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    names: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for entry in ROOT.iterdir():
            if not entry.name.startswith("."):
                (Path(folder) / entry.name).symlink_to(entry)
        os.chdir(folder)
        for block in blocks(page):
            runner = RUNNERS.get(block.language)
            if runner is None:
                sys.exit(f"{page}:{block.line - 1}: unknown language `{block.language}`")
            runner(block, names)
            count += 1
        os.chdir(ROOT)
    return count


if __name__ == "__main__":
    print(f"{sys.argv[1]}: {run_page(Path(sys.argv[1]))} blocks run")
