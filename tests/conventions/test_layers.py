"""Includes and imports point one way; the checks themselves can fail."""

from collections.abc import Callable
from pathlib import Path

import check_includes
import pytest
import source_tree

CHECKS = [
    check_includes.check_layers,
    check_includes.check_confinement,
    check_includes.check_import_cycles,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_repository_keeps_the_rule(check: Callable[[], list[str]]) -> None:
    assert check() == []


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], None]:
    """Let the checks see a small made-up repository instead of this one."""

    def plant(files: dict[str, str]) -> None:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        paths = tuple(sorted(map(Path, files)))
        monkeypatch.setattr(check_includes, "ROOT", tmp_path)
        monkeypatch.setattr(check_includes, "source_files", lambda: paths)

    return plant


WRONG = {
    "include points up": ("layers", {"src/ir/a.h": '#include "passes/b.h"\n'}, "stands above"),
    "test looks up": ("layers", {"tests/unit/ir/a.cpp": '#include "jit/b.h"\n'}, "stands above"),
    "include is relative": ("layers", {"src/ir/a.h": '#include "../ir/b.h"\n'}, "relative"),
    "folder is no layer": ("layers", {"src/utils/a.h": ""}, "not in NFX_LAYERS"),
    "plug-in looks inside": ("layers", {"plugins/p/a.c": '#include "ir/b.h"\n'}, "not public"),
    "LLVM outside jit": (
        "confinement",
        {"src/loop/a.h": "#include <llvm/IR/Value.h>\n"},
        "allowed: src/jit/",
    ),
    "Python outside python": (
        "confinement",
        {"src/ir/a.h": "#  include <Python.h>\n"},
        "allowed: src/python/",
    ),
    "PyTorch anywhere": (
        "confinement",
        {"src/runtime/aten.h": "#include <torch/torch.h>\n"},
        "allowed: nowhere",
    ),
    "imports in a circle": (
        "import_cycles",
        {
            "python/nativefx/a.py": "from . import b\n",
            "python/nativefx/b.py": "from nativefx.c import x\n",
            "python/nativefx/c.py": "import nativefx.a\n",
        },
        "nativefx.a -> nativefx.b -> nativefx.c -> nativefx.a",
    ),
}

RIGHT = {
    "includes point down": {"src/passes/a.h": '#include "ir/b.h"\n#include "passes/c.h"\n'},
    "LLVM in jit": {"src/jit/a.h": "#include <llvm/IR/Value.h>\n"},
    "Python in python": {"src/python/a.cpp": "#include <nanobind/nanobind.h>\n"},
    "tools see all layers": {"tools/nfx/a.cpp": '#include "plugin/b.h"\n'},
    "imports without a circle": {
        "python/nativefx/__init__.py": "from nativefx.a import x\n",
        "python/nativefx/a.py": "from .gnn import y\n",
        "python/nativefx/gnn/__init__.py": "from .z import y\n",
        "python/nativefx/gnn/z.py": "import torch\n\ndef f():\n    import nativefx\n",
    },
}


@pytest.mark.parametrize(("check", "files", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_tree_is_reported(
    check: str, files: dict[str, str], message: str, tree: Callable[[dict[str, str]], None]
) -> None:
    tree(files)
    (problem,) = getattr(check_includes, f"check_{check}")()
    assert message in problem


@pytest.mark.parametrize("files", RIGHT.values(), ids=RIGHT.keys())
def test_right_tree_passes(files: dict[str, str], tree: Callable[[dict[str, str]], None]) -> None:
    tree(files)
    assert [problem for check in CHECKS for problem in check()] == []


def test_layer_order_is_read() -> None:
    order = source_tree.layers()
    assert order[0] == "support"
    assert order.index("ir") < order.index("passes") < order.index("python")
