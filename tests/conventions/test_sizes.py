"""Files and functions stay small; the checks themselves can fail."""

from pathlib import Path

import check_sizes
import pytest


def test_files_are_small() -> None:
    assert check_sizes.check_file_sizes() == []


def test_functions_are_small() -> None:
    assert check_sizes.check_function_sizes() == []


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("src/ir/a.cpp", 400, None),
        ("src/ir/a.cpp", 401, "401 lines, limit 400"),
        ("src/ir/a.h", 150, None),
        ("src/ir/a.h", 151, "151 lines, limit 150"),
        ("python/nativefx/a.py", 401, "limit 400"),
        ("docs/a.md", 1000, None),
    ],
)
def test_file_limit(
    name: str,
    lines: int,
    message: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text("\n" * lines)
    monkeypatch.setattr(check_sizes, "ROOT", tmp_path)
    monkeypatch.setattr(check_sizes, "source_files", lambda: (Path(name),))
    problems = check_sizes.check_file_sizes()
    assert len(problems) == (message is not None)
    assert message is None or message in problems[0]


NATIVE = """\
#include "a.h"

namespace nfx {
namespace {

struct Table {
  int rows[2];
};

constexpr int kRows[] = {
    1,
};

int one_line() { return 1; }

Result<int> spread(int a,
                   int b) {
  if (a) {
    return b;
  }
  return a;
}

}  // namespace

template <class T>
void two() {
}

}  // namespace nfx
"""


def test_native_functions_are_found() -> None:
    assert list(check_sizes.native_functions(NATIVE)) == [(16, 7), (27, 2)]


def test_docstring_is_not_counted() -> None:
    text = 'def f():\n    """One.\n\n    Two.\n    """\n    return 1\n'
    assert list(check_sizes.python_functions(text)) == [(1, 2)]


def test_long_functions_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = (Path("src/ir/a.cpp"), Path("scripts/a.py"), Path("tests/unit/ir/a_test.cpp"))
    body = "void f() {\n" + "  g();\n" * 39 + "}\n"
    texts = (body, "def f():\n" + "    g()\n" * 40, body)
    for name, text in zip(names, texts, strict=True):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(check_sizes, "ROOT", tmp_path)
    monkeypatch.setattr(check_sizes, "source_files", lambda: names)
    assert check_sizes.check_function_sizes() == [
        "src/ir/a.cpp:1: 41 lines, limit 40",
        "scripts/a.py:1: 41 lines, limit 40",
    ]
