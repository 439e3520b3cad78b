"""Compiled programs as files: `CompiledProgram.save` and `nativefx.load_compiled`.

A file holds the graph after all passes, as text; the machine code of its kernels; how
it is called, as JSON; and the bytes of weights, one section a storage, so that what
shared memory does so again. Loading makes a plan of the graph, which takes
milliseconds, and maps the weights. Nothing is traced, optimised or generated.
"""

from __future__ import annotations

import dataclasses
import json
import mmap
import os
from collections.abc import Mapping
from typing import Any

import torch
import torch.utils._pytree as pytree

from nativefx import _core
from nativefx.compiled_program import CompiledProgram, Interface
from nativefx.errors import error
from nativefx.graph import Graph
from nativefx.input_checks import InputSpec, Size, Symbol
from nativefx.native_options import native_options
from nativefx.options import Options

__all__ = ["load_compiled", "save"]


def save(program: CompiledProgram, path: str | os.PathLike[str]) -> None:
    """Write a program to a file; see `CompiledProgram.save`."""
    text = _core.portable_text(program.graph)
    used = {node.target for node in program.graph.nodes if node.op == "get_attr"}
    constants, storages = _describe_constants(
        {name: value for name, value in program.constants.items() if name in used}
    )
    options = program.options
    about = {
        "made_for": _made_for(options),
        "name": options.name,
        "kernels": options.kernels,
        "constants": constants,
        "interface": _describe_interface(program.interface),
    }
    sections = [
        ("about", json.dumps(about).encode()),
        ("graph", text.encode()),
        ("kernels", _pack_kernels(program)),
    ]
    sections += [(f"storage/{i}", _bytes_of(storage)) for i, storage in enumerate(storages)]
    _core.write_program(os.fspath(path), sections)


def load_compiled(
    path: str | os.PathLike[str],
    *,
    check_weights: bool = True,
    options: Mapping[str, Any] | None = None,
) -> CompiledProgram:
    """Load what `CompiledProgram.save` wrote; nothing is compiled.

    Weights stay in the file, which is mapped: processes that load it share them, and
    what a program writes to a buffer is its own and not written to the file. The file
    may be replaced or removed, but not overwritten in place, while it is in use. It
    holds machine code: load only what you would run.

    Parameters
    ----------
    path
        The file.
    check_weights
        Whether all bytes are compared with their hashes, which reads them. Without it
        only graph, code and structure are, and weights are read when they are used.
    options
        See `nativefx.options.Options`; `cache` and `verify` matter here.

    Raises
    ------
    nativefx.Error
        `bad-program` if the file is not as it was saved, `foreign-program` if it was
        saved by another build of nativefx, for another PyTorch or another CPU.
    OSError
        If the file cannot be read.
    """
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            raise error("bad-program", f"`{os.fspath(path)}` is empty")
        mapped = mmap.mmap(
            file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE
        )
    sections = _core.read_program(mapped)
    for name in ("about", "graph", "kernels"):
        if name not in sections:
            raise error("bad-program", f"`{os.fspath(path)}` has no section `{name}`")
        _core.check_program(mapped, name, 1)
    about = json.loads(_section(mapped, sections["about"]))
    native = native_options(Options.read(options), about["name"])
    native.kernels, native.passes = about["kernels"], ""
    _require_same(about["made_for"], _made_for(native))
    if check_weights:
        _core.check_program(mapped, "storage/", torch.get_num_threads())
    if native.kernels:
        kernels = _section(mapped, sections["kernels"])
        _core.add_kernels(kernels, native.cache, native.cache_limit)
    graph = Graph.parse(_section(mapped, sections["graph"]).decode())
    constants = _map_constants(mapped, sections, about["constants"])
    return CompiledProgram(graph, constants, _read_interface(about["interface"]), native)


def _made_for(options: _core.CompileOptions) -> dict[str, str]:
    """Name all that a program depends on besides its file."""
    made = {"PyTorch": str(torch.__version__)}
    if options.kernels:
        generator, target = _core.generator_identity(options.cache, options.cache_limit)
        made |= {"build of nativefx": generator, "CPU": target}
    return made


def _require_same(saved: dict[str, str], here: dict[str, str]) -> None:
    for name, value in here.items():
        if saved.get(name) != value:
            theirs, ours = _differences(saved.get(name, ""), value)
            raise error(
                "foreign-program",
                f"it was saved for another {name}: `{theirs}`, not `{ours}`",
                help="compile the model and save it again, here",
            )


def _differences(theirs: str, ours: str) -> tuple[str, str]:
    """Leave out what two lists of CPU features have in common."""
    a, b = (text.replace(",", " ").split(" ") for text in (theirs, ours))
    return " ".join(w for w in a if w not in b), " ".join(w for w in b if w not in a)


def _section(mapped: mmap.mmap, place: tuple[int, int]) -> bytes:
    offset, size = place
    return mapped[offset : offset + size]


def _pack_kernels(program: CompiledProgram) -> bytes:
    options = program.options
    if not options.kernels:
        return b""
    return _core.pack_kernels(program._run, options.cache, options.cache_limit)


def _describe_constants(
    constants: Mapping[str, Any],
) -> tuple[list[dict[str, Any]], list[torch.UntypedStorage]]:
    """Describe tensors by the storages that they are parts of."""
    described = []
    numbers: dict[int, int] = {}
    storages: list[torch.UntypedStorage] = []
    for name, tensor in constants.items():
        if not isinstance(tensor, torch.Tensor) or tensor.layout is not torch.strided:
            raise error("cannot-save", f"constant `{name}` is no ordinary tensor")
        if tensor.is_quantized or tensor.is_conj() or tensor.is_neg():
            raise error("cannot-save", f"constant `{name}` is no plain memory")
        storage = tensor.untyped_storage()
        number = numbers.setdefault(storage._cdata, len(storages))
        if number == len(storages):
            storages.append(storage)
        described.append(
            {
                "name": name,
                "storage": number,
                "dtype": str(tensor.dtype).removeprefix("torch."),
                "sizes": list(tensor.shape),
                "strides": list(tensor.stride()),
                "offset": tensor.storage_offset(),
            }
        )
    return described, storages


def _bytes_of(storage: torch.UntypedStorage) -> memoryview:
    whole = torch.empty(0, dtype=torch.uint8).set_(storage)
    return memoryview(whole.numpy())


def _map_constants(
    mapped: mmap.mmap, sections: Mapping[str, tuple[int, int]], described: list[dict[str, Any]]
) -> dict[str, torch.Tensor]:
    storages: dict[int, torch.UntypedStorage] = {}
    constants = {}
    for entry in described:
        number = entry["storage"]
        if number not in storages:
            storages[number] = _map_storage(mapped, sections[f"storage/{number}"])
        tensor = torch.empty(0, dtype=getattr(torch, entry["dtype"]))
        constants[entry["name"]] = tensor.set_(
            storages[number], entry["offset"], entry["sizes"], entry["strides"]
        )
    return constants


def _map_storage(mapped: mmap.mmap, place: tuple[int, int]) -> torch.UntypedStorage:
    offset, size = place
    if size == 0:
        return torch.UntypedStorage(0)
    view = torch.frombuffer(mapped, dtype=torch.uint8, offset=offset, count=size)
    return view.untyped_storage()


def _describe_interface(interface: Interface) -> dict[str, Any]:
    try:
        takes = pytree.treespec_dumps(interface.takes)
        gives = pytree.treespec_dumps(interface.gives)
    except NotImplementedError as problem:
        raise error("cannot-save", f"inputs or outputs have no saved form: {problem}") from None
    return {
        "takes": takes,
        "gives": gives,
        "inputs": [dataclasses.asdict(spec) for spec in interface.inputs],
        "symbols": [dataclasses.asdict(symbol) for symbol in interface.symbols],
    }


def _read_interface(described: dict[str, Any]) -> Interface:
    try:
        takes, gives = (pytree.treespec_loads(described[k]) for k in ("takes", "gives"))
    except NotImplementedError as problem:
        raise error(
            "unknown-structure",
            f"a type of its inputs or outputs is not known here: {problem}",
            help="import the module that defines and registers it first",
        ) from None
    inputs = tuple(
        InputSpec(**{**spec, "sizes": tuple(Size(**size) for size in spec["sizes"])})
        for spec in described["inputs"]
    )
    return Interface(takes, gives, inputs, tuple(Symbol(**s) for s in described["symbols"]))
