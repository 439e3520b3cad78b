"""Check that includes and imports point one way.

A layer of ``src`` may include itself and the layers below it. LLVM is seen only in
``src/jit``, Python only in ``src/python``, protobuf only in ``src/formats/onnx``, and
PyTorch's headers nowhere. Python modules of the package import one another without
cycles. Run without arguments: prints what is wrong, exits 1 if anything is.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from source_tree import ROOT, layers, source_files

__all__ = ["check_confinement", "check_import_cycles", "check_layers"]

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
NATIVE = {".h", ".cpp", ".c", ".hpp"}

# Headers with this prefix may be included only below one of these folders.
CONFINED = {
    "llvm/": ("src/jit/",),
    "llvm-c/": ("src/jit/",),
    "Python.h": ("src/python/",),
    "nanobind/": ("src/python/",),
    "google/protobuf/": ("src/formats/onnx/",),
    "torch/": (),
    "ATen/": (),
    "c10/": (),
}


def native_includes() -> Iterator[tuple[Path, str]]:
    """Yield (file, included name) for every #include of the repository."""
    for path in source_files():
        if path.suffix in NATIVE:
            text = (ROOT / path).read_text(errors="replace")
            for name in INCLUDE.findall(text):
                yield path, name


def layer_of(path: Path) -> str | None:
    """Name the layer whose includes bind this file; None outside of all layers."""
    parts = path.parts
    if parts[0] == "src":
        return parts[1]
    return parts[2] if parts[:2] == ("tests", "unit") and len(parts) > 3 else None


def check_layers() -> list[str]:
    """Find includes that point up, and folders of src that are no layer."""
    order = {layer: i for i, layer in enumerate(layers())}
    problems = []
    for path in source_files():
        if path.parts[0] == "src" and path.parts[1] not in order:
            problems.append(f"{path}: `src/{path.parts[1]}` is not in NFX_LAYERS")
    for path, name in native_includes():
        layer, target = layer_of(path), name.split("/")[0]
        if layer not in order:
            if path.parts[0] == "plugins" and target in order:
                problems.append(f"{path}: a plug-in includes `{name}`, which is not public")
        elif target in order and order[target] > order[layer]:
            problems.append(f"{path}: `{layer}` includes `{name}`, which stands above it")
        elif name.startswith("."):
            problems.append(f"{path}: include `{name}` from src/, not by a relative path")
    return problems


def check_confinement() -> list[str]:
    """Find headers of another project outside the folder that may see them."""
    problems = []
    for path, name in native_includes():
        for prefix, folders in CONFINED.items():
            if name.startswith(prefix) and not path.as_posix().startswith(folders):
                where = " or ".join(folders) or "nowhere"
                problems.append(f"{path}: includes `{name}`, allowed: {where}")
    return problems


def imported_modules(path: Path, package: str) -> set[str]:
    """Collect the modules of `package` that a file imports when it is imported itself."""
    found: set[str] = set()
    tree = ast.parse((ROOT / path).read_text(), str(path))
    for node in tree.body:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = path.with_suffix("").parts[1 : -node.level]
                base = ".".join([*parents, *filter(None, [node.module])])
            found.add(base)
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return {name for name in found if name.split(".")[0] == package}


def import_graph() -> dict[str, set[str]]:
    """Map each module of the Python package to the package's modules it imports."""
    modules = {}
    for path in source_files():
        if path.parts[0] == "python" and path.suffix == ".py":
            parts = path.with_suffix("").parts[1:]
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return {
        module: {name for name in imported_modules(path, "nativefx") if name in modules} - {module}
        for module, path in modules.items()
    }


def check_import_cycles() -> list[str]:
    """Find modules of the Python package that import one another in a circle."""
    # A package's __init__ gathers what its modules offer: importing from the
    # package itself inside it is the usual cycle, and reported like any other.
    graph = import_graph()
    problems = []
    state: dict[str, int] = {}

    def visit(module: str, trail: list[str]) -> None:
        state[module] = 1
        for target in sorted(graph[module]):
            if state.get(target) == 1:
                circle = [*trail[trail.index(target) :], target]
                problems.append(f"python: import cycle {' -> '.join(circle)}")
            elif target not in state:
                visit(target, [*trail, target])
        state[module] = 2

    for module in sorted(graph):
        if module not in state:
            visit(module, [module])
    return problems


def main() -> int:
    """Print every problem; 1 if there is one."""
    problems = check_layers() + check_confinement() + check_import_cycles()
    print("\n".join(problems) if problems else "includes and imports: fine")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
