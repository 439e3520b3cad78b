"""Golden tests: text IR in, pass name, text IR out.

`nfx` is that of the release build, or of another build directory:
`lit --param build=build/debug tests/golden`.
"""

import os
from pathlib import Path

import lit.formats

root = Path(__file__).resolve().parents[2]
build = root / lit_config.params.get("build", os.environ.get("NFX_BUILD", "build/release"))  # noqa: F821

config.name = "golden"  # noqa: F821
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821
config.suffixes = [".nfx"]  # noqa: F821
config.test_exec_root = str(root / "build" / "golden")  # noqa: F821
config.environment["PATH"] = os.pathsep.join(  # noqa: F821
    [str(build / "bin"), "/usr/lib/llvm-19/bin", os.environ["PATH"]]
)
