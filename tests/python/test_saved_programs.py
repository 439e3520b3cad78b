"""Compiled programs on disk: loaded equal, in other processes, and never believed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch
from test_exported import OPTIONS, Counter, Function, Keywords, Tied
from tolerances import assert_as_exact
from torch.export import Dim

import nativefx
from nativefx import _core

LIMIT = 1 << 30


@pytest.fixture
def saved(tmp_path):
    """A small program on disk, with the input and output of a call."""
    path = tmp_path / "program.nfp"
    x = torch.randn(3, 4)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU(), torch.nn.Softmax(-1))
    compiled = nativefx.compile_exported(
        model, (x,), dynamic_shapes=({0: Dim.DYNAMIC},), options=OPTIONS
    )
    compiled.save(path)
    return path, x, compiled(x)


def test_a_program_is_loaded_and_compiles_nothing(saved, tmp_path):
    path, x, expected = saved
    cache = str(tmp_path / "cache")
    loaded = nativefx.load_compiled(path, options={"cache": cache})
    assert_as_exact(loaded(x), expected)
    assert loaded(torch.randn(7, 4)).shape == (7, 4)
    stats = _core.jit_stats(cache, LIMIT)
    assert stats["compiled"] == 0
    assert not os.path.exists(cache)
    with pytest.raises(nativefx.Error, match="wrong-input"):
        loaded(torch.randn(7, 5))


def test_another_process_needs_neither_export_nor_the_model(saved, tmp_path):
    path, x, expected = saved
    torch.save((x, expected), tmp_path / "call.pt")
    script = (
        "import sys, torch, nativefx\n"
        f"program = nativefx.load_compiled({str(path)!r}, options={{'cache': ''}})\n"
        f"x, expected = torch.load({str(tmp_path / 'call.pt')!r})\n"
        "assert torch.equal(program(x), expected)\n"
        "assert 'torch._dynamo' not in sys.modules\n"
        "assert nativefx._core.jit_stats('', 1)['compiled'] == 0\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_state_is_saved_and_stays_in_the_process(tmp_path):
    x = torch.randn(2, 3)
    compiled = nativefx.compile_exported(Counter(), (x,), options=OPTIONS)
    compiled(x)
    compiled.save(tmp_path / "counter.nfp")
    before = (tmp_path / "counter.nfp").read_bytes()
    loaded = nativefx.load_compiled(tmp_path / "counter.nfp")
    for _ in range(2):
        found, expected = loaded(x), compiled(x)
        assert_as_exact(found["scaled"], expected["scaled"])
        assert_as_exact(loaded.constants["b_power"], compiled.constants["b_power"])
    assert (tmp_path / "counter.nfp").read_bytes() == before
    again = nativefx.load_compiled(tmp_path / "counter.nfp")
    assert_as_exact(again.constants["b_power"], torch.full((3,), 2.0))


def test_weights_that_share_memory_do_so_again(tmp_path):
    class Parts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            whole = torch.randn(2, 6)
            self.register_buffer("left", whole[:, :3])
            self.register_buffer("right", whole.t()[3:])
            self.register_buffer("empty", torch.zeros(0, 3))
            self.register_buffer("narrow", torch.randn(3).to(torch.bfloat16))

        def forward(self, x):
            return x @ self.left @ self.right @ x.t() + self.narrow, x.new_ones(0, 3) + self.empty

    model, x = Parts(), torch.randn(3, 2)
    nativefx.compile_exported(model, (x,), options=OPTIONS).save(tmp_path / "parts.nfp")
    loaded = nativefx.load_compiled(tmp_path / "parts.nfp")
    for found, expected in zip(loaded(x), model(x), strict=True):
        assert_as_exact(found, expected)
    left, right = loaded.constants["b_left"], loaded.constants["b_right"]
    assert left.untyped_storage().data_ptr() == right.untyped_storage().data_ptr()
    assert left.data_ptr() % 64 == 0


def test_tied_weights_are_written_once(tmp_path):
    tokens = torch.randint(0, 10, (5, 3))
    model = Tied().eval()
    nativefx.compile_exported(model, (tokens,), options=OPTIONS).save(tmp_path / "tied.nfp")
    with torch.no_grad():
        found = nativefx.load_compiled(tmp_path / "tied.nfp")(tokens)
        assert_as_exact(found, model(tokens))


def test_structure_is_saved(tmp_path):
    args = (torch.randn(3), {"k": [torch.randn(3)]})
    kwargs = {"scale": torch.tensor(2.0), "mode": "double"}
    compiled = nativefx.compile_exported(Keywords(), args, example_kwargs=kwargs)
    compiled.save(tmp_path / "keywords.nfp")
    found = nativefx.load_compiled(tmp_path / "keywords.nfp")(*args, **kwargs)
    assert_as_exact(found[0], compiled(*args, **kwargs)[0])
    assert found[1][1:] == (None, 3)


def test_a_program_without_kernels(tmp_path):
    x = torch.randn(3)
    options = {**OPTIONS, "kernels": False}
    compiled = nativefx.compile_exported(Function(lambda x: x.tanh() + 1), (x,), options=options)
    compiled.save(tmp_path / "plain.nfp")
    loaded = nativefx.load_compiled(tmp_path / "plain.nfp")
    assert_as_exact(loaded(x), x.tanh() + 1)
    assert loaded.report["kernels"] == []


def test_damage_is_found_wherever_it_is(saved):
    path, *_ = saved
    whole = path.read_bytes()
    for end in [*range(0, 200, 7), len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:end])
        with pytest.raises(nativefx.Error) as caught:
            nativefx.load_compiled(path)
        assert caught.value.code == "bad-program", end
    for at in [*range(0, 400, 13), *range(400, len(whole), 997), len(whole) - 1]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(nativefx.Error) as caught:
            nativefx.load_compiled(path)
        assert caught.value.code == "bad-program", at
    path.write_bytes(whole + b"x")
    with pytest.raises(nativefx.Error, match="bad-program"):
        nativefx.load_compiled(path)


def test_unchecked_weights_are_not_read(saved):
    path, x, expected = saved
    sections = _core.read_program(path.read_bytes())
    offset, size = sections["storage/0"]
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(bytes(size))
    with pytest.raises(nativefx.Error, match="section `storage/0` is damaged"):
        nativefx.load_compiled(path)
    assert not torch.equal(nativefx.load_compiled(path, check_weights=False)(x), expected)


def test_other_files_and_missing_ones(tmp_path):
    with pytest.raises(FileNotFoundError):
        nativefx.load_compiled(tmp_path / "nothing")
    torch.save(torch.ones(3), tmp_path / "tensor.pt")
    with pytest.raises(nativefx.Error, match="some other kind of file"):
        nativefx.load_compiled(tmp_path / "tensor.pt")
    _core.write_program(str(tmp_path / "parts.nfp"), [("about", b"{}")])
    with pytest.raises(nativefx.Error, match="no section `graph`"):
        nativefx.load_compiled(tmp_path / "parts.nfp")
    with pytest.raises(nativefx.Error) as caught:
        _core.write_program(str(tmp_path / "no" / "folder"), [])
    assert caught.value.code == "cannot-write-program"


@pytest.mark.parametrize("what", ["PyTorch", "build of nativefx", "CPU"])
def test_foreign_programs_are_refused(saved, what):
    path, *_ = saved
    whole = path.read_bytes()
    sections = _core.read_program(whole)
    parts = []
    for name, (offset, size) in sections.items():
        content = whole[offset : offset + size]
        if name == "about":
            content = content.replace(f'"{what}": "'.encode(), f'"{what}": "+other '.encode())
        parts.append((name, content))
    _core.write_program(str(path), parts)
    with pytest.raises(nativefx.Error) as caught:
        nativefx.load_compiled(path)
    assert caught.value.code == "foreign-program"
    assert f"another {what}: `+other`" in str(caught.value)


def test_what_only_this_process_knows_cannot_be_saved(tmp_path):
    program = torch.export.export(Function(lambda x: x * 2), (torch.ones(2),))
    (node,) = (n for n in program.graph.nodes if n.op == "call_function")
    node.target = lambda x, y: x * y
    compiled = nativefx.compile_exported(program)
    assert_as_exact(compiled(torch.ones(2)), torch.full((2,), 2.0))
    with pytest.raises(nativefx.Error) as caught:
        compiled.save(tmp_path / "never.nfp")
    assert caught.value.code == "cannot-save"
    assert not (tmp_path / "never.nfp").exists()
