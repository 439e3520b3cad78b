"""Check that files and functions stay small.

Run without arguments: prints what is too long, exits 1 if anything is.
"""

import ast
import sys
from collections.abc import Iterator

from source_tree import ROOT, source_files

__all__ = ["check_file_sizes", "check_function_sizes"]

FILE_LIMITS = {".h": 150, ".hpp": 150, ".cpp": 400, ".c": 400, ".py": 400}
SIZED = {"src", "python", "tools", "include", "plugins", "tests", "benchmarks", "examples"}
SIZED |= {"scripts"}

# Test bodies are lists of cases and may be longer.
FUNCTION_LIMIT = 40
FUNCTIONS_IN = {"src", "python", "tools", "plugins", "scripts"}


def check_file_sizes() -> list[str]:
    """Find source files over the limit for their kind."""
    problems = []
    for path in source_files():
        limit = FILE_LIMITS.get(path.suffix)
        if limit is None or path.parts[0] not in SIZED:
            continue
        lines = len((ROOT / path).read_text(errors="replace").splitlines())
        if lines > limit:
            problems.append(f"{path}: {lines} lines, limit {limit}: split it by subject")
    return problems


def native_functions(text: str) -> Iterator[tuple[int, int]]:
    """Yield (first line, length) of the functions at namespace level.

    In formatted code such a function begins at column 0 and ends with a line that is `}`
    alone; a class or a table ends with `};`, a namespace with a comment.
    """
    start = 0
    for number, line in enumerate(text.splitlines(), 1):
        if line == "}":
            if start:
                yield start, number - start + 1
            start = 0
        elif line and line[0] not in " \t#/}":
            start = number


def python_functions(text: str) -> Iterator[tuple[int, int]]:
    """Yield (first line, length) of every function, its docstring not counted."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            length = node.end_lineno - node.lineno + 1
            first = node.body[0]
            if ast.get_docstring(node) is not None and first.end_lineno:
                length -= first.end_lineno - first.lineno + 1
            yield node.lineno, length


def check_function_sizes() -> list[str]:
    """Find functions over the limit."""
    problems = []
    for path in source_files():
        if path.parts[0] not in FUNCTIONS_IN or path.suffix not in FILE_LIMITS:
            continue
        functions = python_functions if path.suffix == ".py" else native_functions
        for line, length in functions((ROOT / path).read_text(errors="replace")):
            if length > FUNCTION_LIMIT:
                problems.append(f"{path}:{line}: {length} lines, limit {FUNCTION_LIMIT}")
    return problems


def main() -> int:
    """Print every problem; 1 if there is one."""
    problems = check_file_sizes() + check_function_sizes()
    print("\n".join(problems) if problems else "sizes of files and functions: fine")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
