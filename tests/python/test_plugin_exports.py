"""What the shared libraries show to others, and what a plug-in needs of them."""

from __future__ import annotations

import re
import subprocess

from doc_blocks import BUILD
from plugin_build import NULL, ROOT, build


def symbols(library, *flags):
    shown = subprocess.run(
        ["nm", "-D", *flags, str(library)], check=True, capture_output=True, text=True
    )
    return {line.split()[-1].split("@")[0] for line in shown.stdout.splitlines()}


def declared():
    header = (ROOT / "include" / "nativefx" / "nativefx.h").read_text()
    return set(re.findall(r"^NFX_API [\w* ]*?\b(nfx_\w+)\(", header, re.MULTILINE))


def test_the_library_exports_the_interface_and_nothing_else():
    assert "nfx_graph_parse" in declared()
    assert symbols(BUILD / "lib" / "libnativefx.so", "--defined-only") == declared()


def test_the_host_table_holds_the_interface():
    table = (ROOT / "include" / "nativefx" / "host.h").read_text()
    members = {f"nfx_{name}" for name in re.findall(r"\(\*(\w+)\)\(", table)}
    assert members == declared() - {"nfx_context_create", "nfx_context_free"}


def test_a_plugin_needs_nothing_of_ours():
    needed = symbols(build(NULL), "--undefined-only")
    assert not {name for name in needed if name.startswith("nfx_")}
    defined = symbols(build(NULL), "--defined-only")
    assert defined == {"nfx_plugin_init"}
