"""Beside libraries that carry an LLVM or a protobuf of their own, in either order."""

import itertools
import subprocess
import sys

import pytest

NEIGHBOURS = ["onnx", "onnxruntime", "llvmlite.binding"]
USES = {
    "onnx": "import onnx; assert onnx.helper.make_tensor('t', 1, [1], [2.0]).name == 't'",
    "onnxruntime": "import onnxruntime; assert onnxruntime.get_available_providers()",
    "llvmlite.binding": (
        "import llvmlite.binding as llvm; "
        "assert llvm.parse_assembly('define i32 @f() { ret i32 1 }').get_function('f')"
    ),
}
OURS = """
import torch, nativefx
f = torch.compile(lambda x: torch.tanh(x * 2).sum(-1), backend="nativefx",
                  options={"fallback": "error", "cache": ""})
x = torch.randn(3, 5)
torch.testing.assert_close(f(x), torch.tanh(x * 2).sum(-1))
"""


@pytest.mark.parametrize(
    "order", list(itertools.permutations(["ours", *NEIGHBOURS]))[::7], ids="-".join
)
def test_imports_in_any_order(order: tuple[str, ...]) -> None:
    source = "\n".join(OURS if name == "ours" else USES[name] for name in order)
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
