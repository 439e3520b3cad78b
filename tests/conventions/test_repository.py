"""The repository stands alone, its folders introduce themselves, diagnostics are tested."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from source_tree import ROOT, source_files

TEXT = {".h", ".hpp", ".cpp", ".c", ".py", ".md", ".txt", ".cmake", ".toml", ".json", ".sh", ".nfx"}
NAMES = {"Makefile", "run", ".gitignore", ".clang-format"}

# Paths of a developer's machine or of a folder beside the repository.
OUTSIDE = re.compile(r"\.\./shared\b|(?<![\w./-])/(?:work|root|home)/")

KIND = re.compile(
    r"struct\s+(\w+)\s*(?:final\s*)?\{(?:(?!\bstruct\b).)*?"
    r'static\s+constexpr\s+std::string_view\s+kCode\s*=\s*"([^"]*)"',
    re.DOTALL,
)
CODE = re.compile(r'\bkCode\s*=\s*"([^"]*)"')
REGISTERED = re.compile(r"^\s*NFX_DIAGNOSTIC\((\w+)\)", re.MULTILINE)


def texts() -> list[tuple[Path, str]]:
    """Read every text file of the repository."""
    paths = [path for path in source_files() if path.suffix in TEXT or path.name in NAMES]
    return [(path, (ROOT / path).read_text(errors="replace")) for path in paths]


def code_lines(text: str) -> str:
    """Drop whole-line comments, whose examples declare nothing."""
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


def declarations() -> list[tuple[Path, str, str, bool]]:
    """List (file, struct, code, registered) of every diagnostic kind in the sources."""
    found = []
    for path, text in texts():
        if path.parts[0] in ("src", "tools") and path.suffix in (".h", ".cpp"):
            code = code_lines(text)
            registered = set(REGISTERED.findall(code))
            found += [(path, *kind, kind[0] in registered) for kind in KIND.findall(code)]
    return found


def test_nothing_points_outside_the_repository() -> None:
    this = Path(__file__).resolve().relative_to(ROOT)
    found = [
        f"{path}: {match.group()}"
        for path, text in texts()
        if path != this
        for match in OUTSIDE.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("see ../shared/x", True),
        ("open('/root/x')", True),
        ("cat /work/x", True),
        ("../shared_memory", False),
        ("the at/home/run", False),
        ("build/work/x", False),
    ],
)
def test_outside_pattern(text: str, outside: bool) -> None:
    assert bool(OUTSIDE.search(text)) == outside


FOLDERS = sorted({path.parts[1] for path in source_files() if path.parts[0] == "src"})


@pytest.mark.parametrize("folder", FOLDERS)
def test_folder_introduces_itself(folder: str) -> None:
    readme = ROOT / "src" / folder / "README.md"
    assert readme.exists(), f"src/{folder} has no README.md"
    assert 0 < len(readme.read_text().splitlines()) <= 15


def test_every_code_belongs_to_a_parsed_kind() -> None:
    codes = Counter(
        code
        for path, text in texts()
        if path.parts[0] in ("src", "tools")
        for code in CODE.findall(code_lines(text))
    )
    assert codes == Counter(code for _, _, code, _ in declarations())


def test_diagnostic_kinds_are_registered_once() -> None:
    kinds = declarations()
    assert [f"{path}: {name}" for path, name, _, registered in kinds if not registered] == []
    counts = Counter(code for _, _, code, _ in kinds)
    assert [code for code, count in counts.items() if count > 1] == []
    assert [code for code in counts if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)] == []


def test_every_diagnostic_is_produced_by_a_test() -> None:
    tests = "\n".join(
        text
        for path, text in texts()
        if path.parts[0] == "tests" and path.parts[1] != "conventions"
    )
    untested = [
        f"{path}: {code}"
        for path, _, code, _ in declarations()
        if not re.search(rf"(?<![\w-]){re.escape(code)}(?![\w-])", tests)
    ]
    assert untested == []


def test_kind_pattern_reads_a_declaration() -> None:
    text = (
        "struct Other {};\n"
        'struct Bad {\n  static constexpr std::string_view kCode = "bad-thing";\n};\n'
        "NFX_DIAGNOSTIC(Bad);\n"
    )
    assert KIND.findall(text) == [("Bad", "bad-thing")]
    assert REGISTERED.findall(text) == ["Bad"]


def test_build_tree_and_wheel_offer_the_same_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (name, target), *others = project["entry-points"]["torch_dynamo_backends"].items()
    assert others == []
    assert f"{name} = {target}\\n" in (ROOT / "cmake" / "PythonModule.cmake").read_text()


def test_development_requirements_are_pinned() -> None:
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()
    names = [line for line in lines if line and not line.startswith("#")]
    assert names
    assert [line for line in names if not re.fullmatch(r"[\w-]+==[\d.]+", line)] == []
