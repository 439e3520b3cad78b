"""Every code block of the documentation runs; the tool that runs them can fail."""

import os
import subprocess
import sys
from pathlib import Path

import doc_blocks
import pytest

RUNNER = Path(doc_blocks.__file__)


def run(page: Path | str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(doc_blocks.BUILD / "python"), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, str(RUNNER), str(page)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
    )


@pytest.mark.parametrize("page", doc_blocks.pages(), ids=str)
def test_blocks_of_page_run(page: Path) -> None:
    done = run(page)
    assert done.returncode == 0, done.stdout + done.stderr


def page_of(folder: Path, *blocks: tuple[str, str]) -> Path:
    page = folder / "page.md"
    page.write_text("\n".join(f"Words.\n```{language}\n{text}\n```" for language, text in blocks))
    return page


GOOD = {
    "python blocks share names": [("python", "x = 1"), ("python", "assert x == 1")],
    "all blocks share a folder": [
        ("python", "open('f', 'w').write('hi')"),
        ("sh", 'test "$(cat f)" = hi'),
        ("python", "assert open('f').read() == 'hi'"),
    ],
    "sh sees the repository": [("sh", "test -f CMakeLists.txt")],
    "c is compiled": [("c", "int f(void);\nint f(void) { return 1; }")],
    "cpp sees the layers": [("cpp", '#include "support/result.h"\nnfx::Status f();')],
    "text and console are not run": [("text", "rm -rf"), ("console", "$ false")],
}

BAD = {
    "python raises": ([("python", "raise SystemExit('boom')")], "boom"),
    "sh fails in the middle": ([("sh", "false\ntrue")], "bash"),
    "sh fails in a pipe": ([("sh", "false | true")], "bash"),
    "c does not compile": ([("c", "int f(void) { return x; }")], "undeclared"),
    "cpp warns": ([("cpp", "static int unused;")], "unused"),
    "language unknown": ([("fortran", "end")], "unknown language `fortran`"),
    "language missing": ([("", "words")], "unknown language ``"),
    "later block fails": ([("python", "x = 1"), ("python", "assert x == 2")], "AssertionError"),
}


@pytest.mark.parametrize("blocks", GOOD.values(), ids=GOOD.keys())
def test_good_page_passes(blocks: list[tuple[str, str]], tmp_path: Path) -> None:
    done = run(page_of(tmp_path, *blocks))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(blocks)} blocks run" in done.stdout


@pytest.mark.parametrize(("blocks", "message"), BAD.values(), ids=BAD.keys())
def test_bad_page_fails(blocks: list[tuple[str, str]], message: str, tmp_path: Path) -> None:
    done = run(page_of(tmp_path, *blocks))
    assert done.returncode != 0
    assert message in done.stdout + done.stderr


def test_traceback_names_page_and_line(tmp_path: Path) -> None:
    done = run(page_of(tmp_path, ("python", "x = 1\nraise ValueError(x)")))
    assert 'page.md", line 4' in done.stderr


def test_open_fence_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n")
    assert "never closed" in run(page).stderr


def test_longer_and_indented_fences(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("- item\n  ````text\n  ```\n  inner\n  ````\n")
    (block,) = doc_blocks.blocks(page)
    assert (block.language, block.text, block.line) == ("text", "```\ninner\n", 3)
