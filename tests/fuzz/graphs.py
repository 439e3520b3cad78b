"""Random graphs against eager mode; what fails is shrunk to a few lines.

    python tests/fuzz/graphs.py --count 300            # seeds 0 .. 299
    python tests/fuzz/graphs.py --seed 1234 --count 1   # one, with its program

A failing program is printed as Python and, with `--save FOLDER`, written there as
Python and as `.nfx`. Values, dtypes, strides, aliases of outputs and writes to inputs
are compared. Seeds run in subprocesses, so that a crash is seen and told.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from graph_programs import Program, generate, make_inputs, run
from torch.fx.experimental.proxy_tensor import make_fx

from nativefx.dynamo_backend import compile_fx
from nativefx.errors import Error
from nativefx.graph import Graph
from nativefx.options import Options

__all__ = ["Outcome", "check", "run_seeds", "shrink"]

CHUNK = 250
RELATIVE = {
    torch.float64: 1e-9,
    torch.float32: 2e-4,
    torch.float16: 2e-2,
    torch.bfloat16: 1.2e-1,
}


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`problem` is empty if the compiled graph does what eager mode does."""

    problem: str
    traced: bool = True


def bounds_of(program: Program) -> list[float]:
    """How far each output may be off: by the coarsest dtype that it is made of."""
    writes = {name for line in program.lines if not line.name for name in line.uses}
    bounds = []
    for output in program.outputs:
        needed, text = {output} | writes, ""
        for line in reversed(program.lines):
            if line.name in needed or not line.name:
                needed |= set(line.uses)
                text += line.text
        dtypes = {x.dtype for i, x in enumerate(program.inputs) if f"x{i}" in needed}
        dtypes |= {dtype for dtype in RELATIVE if str(dtype) in text}
        floats = [RELATIVE.get(dtype, RELATIVE[torch.float32]) for dtype in dtypes]
        bounds.append(max(floats, default=RELATIVE[torch.float32]))
    return bounds


def trace(program: Program) -> torch.fx.GraphModule:
    """The program as ATen nodes; writes stay in place, or become copies at its end."""
    inputs = make_inputs(program)

    def body(*values: torch.Tensor) -> Any:
        return run(program, list(values))

    function = torch.func.functionalize(body) if program.functional else body
    mode = "symbolic" if program.dynamic else "fake"
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_fx(function, tracing_mode=mode)(*inputs)


def check(program: Program) -> Outcome:
    """Compile and compare, twice in a row: the second run finds the first one's memory."""
    with torch.no_grad():
        expected_inputs = make_inputs(program)
        expected = run(program, expected_inputs)
        try:
            module = trace(program)
            traced_inputs = make_inputs(program)
            traced = module(*traced_inputs)
        except Exception:
            return Outcome("", traced=False)
        if differ(traced, expected, bounds=bounds_of(program)) or differ(
            traced_inputs, expected_inputs
        ):
            return Outcome("", traced=False)  # the trace is not the program
        try:
            options = Options(fallback="error", cache="")
            compiled = compile_fx(module, make_inputs(program), options)
            coarsest = [max(bounds_of(program))] * len(expected_inputs)
            for _ in range(2):
                inputs = make_inputs(program)
                found = compiled(list(inputs))
                problem = differ(found, expected, bounds=bounds_of(program))
                problem = problem or differ(inputs, expected_inputs, "input", coarsest)
                problem = problem or layout(found, traced)
                if problem:
                    return Outcome(problem)
        except (Error, RuntimeError, AssertionError) as error:
            return Outcome(f"{type(error).__name__}: {error}")
    return Outcome("")


def differ(
    found: Any, expected: Any, what: str = "output", bounds: list[float] | None = None
) -> str:
    """How values or dtypes differ; empty if they do not."""
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{what} {i} is {a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
        if b.numel() == 0:
            continue
        if not b.is_floating_point():
            if not torch.equal(a, b):
                return f"{what} {i} differs: {a.flatten()[:6]}, not {b.flatten()[:6]}"
            continue
        wide_a, wide_b = a.double(), b.double()
        if not torch.equal(wide_a.isnan(), wide_b.isnan()):
            return f"{what} {i} has NaNs elsewhere"
        scale = wide_b.nan_to_num().abs().max().clamp(min=1e-3)
        error = (wide_a - wide_b).nan_to_num().abs().max()
        bound = max(RELATIVE[b.dtype], bounds[i] if bounds else 0.0)
        if error > bound * scale:
            return f"{what} {i} errs by {error:.3g} at scale {scale:.3g}"
    return ""


def layout(found: Any, traced: Any) -> str:
    """How strides and aliases differ from those of the graph run node by node."""
    for i, (a, b) in enumerate(zip(found, traced, strict=True)):
        if b.numel() > 1 and significant(a) != significant(b):
            return f"output {i} has strides {a.stride()}, not {b.stride()}"
    ours = [a.untyped_storage()._cdata for a in found]
    theirs = [b.untyped_storage()._cdata for b in traced]
    for i in range(len(ours)):
        for j in range(i):
            if (ours[i] == ours[j]) != (theirs[i] == theirs[j]):
                return f"outputs {j} and {i} share memory in one and not in the other"
    return ""


def significant(x: torch.Tensor) -> list[int]:
    return [s for s, n in zip(x.stride(), x.shape, strict=True) if n > 1]


def shrink(program: Program) -> Program:
    """The smallest program that still fails, taking away one thing at a time."""
    changed = True
    while changed:
        changed = False
        for smaller in reductions_of(program):
            try:
                failed = bool(check(smaller).problem)
            except Exception:
                continue
            if failed:
                program, changed = smaller, True
                break
    return program


def reductions_of(program: Program) -> Iterator[Program]:
    """Programs with one output, line or property less."""
    for i in range(len(program.outputs)):
        if len(program.outputs) > 1:
            yield dataclasses.replace(
                program, outputs=program.outputs[:i] + program.outputs[i + 1 :]
            )
    for i in reversed(range(len(program.lines))):
        line = program.lines[i]
        rest = program.lines[:i] + program.lines[i + 1 :]
        used = {u for other in rest for u in other.uses}
        if line.name not in used and line.name not in program.outputs:
            yield dataclasses.replace(program, lines=rest)
        elif line.name and line.uses and line.name in program.outputs and line.name not in used:
            outputs = tuple(o for o in program.outputs if o != line.name) + line.uses[:1]
            yield dataclasses.replace(program, lines=rest, outputs=outputs)
    if program.dynamic:
        yield dataclasses.replace(program, dynamic=False)
    if program.functional:
        yield dataclasses.replace(program, functional=False)
    for i, given in enumerate(program.inputs):
        if given.layout != "plain":
            plain = dataclasses.replace(given, layout="plain")
            inputs = (*program.inputs[:i], plain, *program.inputs[i + 1 :])
            yield dataclasses.replace(program, inputs=inputs)


def describe(seed: int, program: Program, problem: str) -> str:
    """A failing program as text that can be read and run."""
    kind = ("dynamic" if program.dynamic else "static") + (
        ", functional" if program.functional else ""
    )
    inputs = "".join(
        f"#   x{i}: {x.dtype} {list(x.shape)} {x.layout}\n" for i, x in enumerate(program.inputs)
    )
    return f"# seed {seed}, {kind}: {problem}\n{inputs}{program.source()}"


def work(first: int, count: int, save: str) -> None:
    """Check seeds and print a line for each that starts, fails or cannot be traced."""
    torch.set_num_threads(1)
    for seed in range(first, first + count):
        print(f"start {seed}", flush=True)
        program = generate(seed)
        if not program.outputs:
            continue
        outcome = check(program)
        if not outcome.traced:
            print(f"untraced {seed}", flush=True)
        if outcome.problem:
            small = shrink(program)
            text = describe(seed, small, check(small).problem)
            print(f"fail {seed}\n{text}\nend", flush=True)
            if save:
                stem = Path(save) / f"seed_{seed}"
                stem.parent.mkdir(parents=True, exist_ok=True)
                stem.with_suffix(".py").write_text("import torch\n\n" + text)
                graph = Graph.from_fx(trace(small))
                graph.infer_types()
                stem.with_suffix(".nfx").write_text(str(graph))
        if seed % 50 == 0:
            torch._dynamo.reset()
            gc.collect()


def run_seeds(first: int, count: int, save: str = "") -> tuple[list[str], int]:
    """Check seeds in subprocesses.

    Returns
    -------
    failures, untraced
        The text of each failure; how many programs PyTorch itself cannot trace.
    """
    failures: list[str] = []
    untraced, end = 0, first + count
    while first < end:
        chunk = min(CHUNK, end - first)
        command = [sys.executable, __file__, "--work", f"{first},{chunk}", "--save", save]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        untraced += sum(line.startswith("untraced") for line in lines)
        failures += texts(lines)
        started = [int(line.split()[1]) for line in lines if line.startswith("start ")]
        if done.returncode == 0:
            first += chunk
            continue
        if not started:
            raise RuntimeError(done.stderr[-2000:])
        failures.append(
            f"# seed {started[-1]} ends the process: {done.returncode}\n{done.stderr[-1500:]}"
        )
        first = started[-1] + 1
    return failures, untraced


def texts(lines: list[str]) -> list[str]:
    """The failures that a worker printed."""
    found: list[str] = []
    inside = False
    for line in lines:
        if line.startswith("fail "):
            found.append("")
            inside = True
        elif line == "end":
            inside = False
        elif inside:
            found[-1] += line + "\n"
    return found


def main() -> int:
    """Run seeds and print what fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0, help="the first")
    parser.add_argument("--save", default="", help="folder for failing programs")
    parser.add_argument("--work", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        first, count = map(int, arguments.work.split(","))
        work(first, count, arguments.save)
        return 0
    failed = untraced = 0
    for first in range(arguments.seed, arguments.seed + arguments.count, CHUNK):
        count = min(CHUNK, arguments.seed + arguments.count - first)
        failures, lost = run_seeds(first, count, arguments.save)
        untraced += lost
        failed += len(failures)
        for text in failures:
            print(text, flush=True)
        print(f"seeds up to {first + count - 1}: {failed} fail", flush=True)
    print(f"{arguments.count} graphs, {untraced} of them not traced by PyTorch, {failed} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
