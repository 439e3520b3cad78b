"""Operators called through the stable C ABI give what eager mode gives, bit for bit."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from aten_cases import (
    CASES,
    DISPATCHED,
    FAILING,
    IN_PLACE,
    OUT,
    SHIMMED,
    SQUARE,
    Case,
    X,
    Y,
    assert_same,
    aten,
    case_name,
    ints,
    rand,
)

from nativefx import _core


def call_of(op: Any, **options: Any) -> _core.AtenCall:
    return _core.AtenCall(str(op._schema), **options)


def assert_call_matches(call: _core.AtenCall, case: Case) -> None:
    op, args, kwargs = case
    torch.manual_seed(5)
    with torch.no_grad():
        eager = op(*args, **kwargs)
    torch.manual_seed(5)
    assert_same(call(*args, **kwargs), eager)


@pytest.mark.parametrize("case", CASES, ids=case_name)
@pytest.mark.parametrize("slow_crossing", [False, True], ids=["fast", "slow"])
def test_call_equals_eager(case: Case, slow_crossing: bool) -> None:
    call = call_of(case[0], slow_crossing=slow_crossing)
    assert_call_matches(call, case)


@pytest.mark.parametrize("case", DISPATCHED, ids=case_name)
def test_goes_through_the_dispatcher(case: Case) -> None:
    assert call_of(case[0]).path in ("dispatcher", "shim")


@pytest.mark.parametrize("case", SHIMMED, ids=case_name)
def test_goes_through_a_c_function(case: Case) -> None:
    call = call_of(case[0])
    assert call.path == "shim"
    assert "Scalar" in call.why or "str" in call.why or not call.why


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor(1.5),
        torch.tensor([[2.25]], dtype=torch.float64),
        torch.tensor(0.1, dtype=torch.bfloat16),
        torch.tensor(-(2**62)),
        torch.tensor(200, dtype=torch.uint8),
        torch.tensor(True),
    ],
)
def test_item(value: torch.Tensor) -> None:
    ours = call_of(aten._local_scalar_dense.default)(value)
    assert_same(ours, value.item())


@pytest.mark.parametrize("case", IN_PLACE, ids=case_name)
def test_in_place(case: Case) -> None:
    op, args, kwargs = case
    mine, eager = X.clone(), X.clone()
    torch.manual_seed(5)
    op(eager, *args, **kwargs)
    torch.manual_seed(5)
    before = mine._version
    result = call_of(op)(mine, *args, **kwargs)
    assert result is mine
    assert mine._version > before
    assert_same(mine, eager)


@pytest.mark.parametrize("case", OUT, ids=case_name)
@pytest.mark.parametrize("shape", [(4, 6), (0,)], ids=["fits", "resized"])
def test_out_argument(case: Case, shape: tuple[int, ...]) -> None:
    op, args, kwargs = case
    mine, eager = torch.empty(shape), torch.empty(shape)
    op(*args, **kwargs, out=eager)
    assert call_of(op)(*args, **kwargs, out=mine) is mine
    assert_same(mine, eager)


def test_out_of_several_results() -> None:
    values, indices = torch.empty(4), torch.empty(4, dtype=torch.int64)
    ours = call_of(aten.max.dim_max)(X, 1, max=values, max_values=indices)
    assert ours[0] is values and ours[1] is indices
    assert_same((values, indices), tuple(torch.max(X, 1)))


@pytest.mark.parametrize(
    ("op", "args"),
    [
        (aten.add.Tensor, (ints(1, 2), ints(3, 4))),
        (aten.mul.Scalar, (ints(1, 2), 2)),
        (aten.arange.default, (5,)),
        (aten.clamp.default, (X, 0.0, 1.0)),
        (aten.full.default, ([2], 2**60)),
        (aten.full.default, ([2], 1j)),
        (aten.native_layer_norm.default, (X, 0.5, None, None, 1e-5)),
        (aten.gelu.default, (X,)),
        (aten.div.Tensor_mode, (X, Y, "floor")),
        (aten.add.Tensor, (X.to_sparse(), X.to_sparse())),
    ],
)
def test_declines_rather_than_guess(op: Any, args: tuple[Any, ...]) -> None:
    with pytest.raises(RuntimeError, match="needs-vectorcall"):
        call_of(op)(*args)


@pytest.mark.parametrize(("op", "args", "text"), FAILING)
def test_error_text_is_that_of_pytorch(op: Any, args: tuple[Any, ...], text: str) -> None:
    with pytest.raises(RuntimeError, match=text) as caught:
        call_of(op)(*args)
    assert "pytorch-error" in str(caught.value)


def test_unknown_operator_is_an_error() -> None:
    call = _core.AtenCall("aten::no_such_op(Tensor self, int[]? dims=None) -> Tensor")
    for _ in range(3):
        with pytest.raises(RuntimeError, match="Could not find schema"):
            call(X, [1, 2])


def test_unreadable_schema_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="bad-schema"):
        _core.AtenCall("aten::add(Tensor self")


def test_every_schema_of_pytorch_is_read() -> None:
    schemas = [str(schema) for schema in torch._C._jit_get_all_schemas()]
    assert len(schemas) > 3000
    for schema in schemas:
        assert _core.parsed_schema(schema) == schema


def test_schema_mismatch() -> None:
    schema = str(aten.mm.default._schema)
    _core.check_recorded_schema(schema, schema)
    with pytest.raises(RuntimeError, match="schema-mismatch"):
        _core.check_recorded_schema(schema, schema.replace("mat2", "mat2, bool fast=False"))


def test_tensor_crosses_the_fast_way() -> None:
    assert _core.tensor_crossing() == {"borrow": True, "wrap": True, "pool": True}


def test_results_can_be_resized_and_saved() -> None:
    result = call_of(aten.mm.default)(X, SQUARE)
    assert result.untyped_storage().nbytes() == 4 * 6 * 4
    assert result.resize_(100, 10).shape == (100, 10)


def test_grad_mode_is_off_within_and_restored() -> None:
    weight = torch.nn.Parameter(rand(6, 6))
    assert torch.is_grad_enabled()
    result = call_of(aten.mm.default)(X, weight)
    assert torch.is_grad_enabled()
    assert not result.requires_grad


def test_conjugate_and_negative_views() -> None:
    z = torch.complex(rand(3, 3), rand(3, 3))
    for view in (z.conj(), torch._neg_view(X)):
        case: Case = (aten.mul.Tensor, (view, view), {})
        assert_call_matches(call_of(aten.mul.Tensor), case)


def test_number_of_threads() -> None:
    before = torch.get_num_threads()
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            assert _core.aten_num_threads() == count
    finally:
        torch.set_num_threads(before)


def test_many_threads_share_one_call() -> None:
    call = call_of(aten.mm.default)
    expected = X @ SQUARE
    wrong: list[int] = []

    def work(index: int) -> None:
        for _ in range(300):
            if not torch.equal(call(X, SQUARE), expected):
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# Loads the module alone, without its package, and calls an operator.
CALL_ALONE = """
import ctypes, importlib.util, sys
spec = importlib.util.spec_from_file_location("_core", sys.argv[1])
core = importlib.util.module_from_spec(spec)
spec.loader.exec_module(core)
assert "torch" not in sys.modules
libraries = [ctypes.CDLL(path) for path in sys.argv[3:]]
try:
    core.AtenCall("aten::mm(Tensor self, Tensor mat2) -> Tensor")
except RuntimeError as error:
    assert sys.argv[2] in str(error), error
else:
    raise AssertionError("called without PyTorch")
"""


def assert_fails_alone(code: str, *libraries: Path) -> None:
    command = [sys.executable, "-c", CALL_ALONE, _core.__file__, code, *map(str, libraries)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_without_pytorch_in_the_process() -> None:
    assert_fails_alone("no-pytorch")


def test_library_without_the_c_abi(tmp_path: Path) -> None:
    source, library = tmp_path / "empty.c", tmp_path / "libtorch_cpu.so"
    source.write_text("int nothing;\n")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-Wl,-soname,libtorch_cpu.so", source, "-o", library],
        check=True,
    )
    assert_fails_alone("pytorch-abi", library)


def test_strided_view() -> None:
    base = torch.arange(24).view(4, 6)[1:]
    view = _core.strided_view(base, [2, 3], [6, 2], 7)
    assert_same(view, torch.as_strided(base, [2, 3], [6, 2], 7))
    assert view.data_ptr() == base.data_ptr() + 8
