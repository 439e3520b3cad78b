"""PyTorch's own samples of its operators, compiled with `fallback="error"`.

    python tests/conformance/opinfo.py --jobs 2                # all
    python tests/conformance/opinfo.py --shard 3 --shards 40   # a part
    python tests/conformance/opinfo.py --names add,mul --dtypes float32

float32 is checked with gradients and two samples an operator; float64, bfloat16,
int64 and bool with one sample, forward. Operators run in subprocesses, so that a
crash is seen, counted and does not end the run.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

__all__ = ["DTYPES", "numbers_of", "run_all"]

DTYPES = ("float32", "float64", "bfloat16", "int64", "bool")
CHUNK = 60
SECONDS_PER_OPERATOR = 180
Line = dict[str, Any]


def work(numbers: list[int], dtypes: list[str]) -> None:
    """Check operators and write a line of JSON for each dtype; in a subprocess."""
    import torch
    from native_only import refuse_eager
    from opinfo_check import check_operator, is_heavy, name_of, operators

    refuse_eager()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)  # fills what `empty` leaves
    known = operators()
    for number in numbers:
        op = known[number]
        print(json.dumps({"start": number, "name": name_of(op)}), flush=True)
        for dtype in (getattr(torch, name) for name in dtypes):
            signal.alarm(SECONDS_PER_OPERATOR)
            main = dtype == torch.float32
            verdict = None
            if dtype in op.supported_dtypes("cpu"):
                verdict = check_operator(op, dtype, 2 if main else 1, gradients=main)
            if verdict is not None:
                line = {"name": name_of(op), "dtype": str(dtype)[6:], "heavy": is_heavy(op)}
                print(json.dumps({**line, **dataclasses.asdict(verdict)}), flush=True)
        print(json.dumps({"end": number}), flush=True)


def run_all(numbers: list[int], dtypes: tuple[str, ...] = DTYPES, jobs: int = 1) -> Iterator[Line]:
    """Check operators in subprocesses, a chunk at a time, `jobs` at once."""
    chunks = [numbers[start : start + CHUNK] for start in range(0, len(numbers), CHUNK)]
    with ThreadPoolExecutor(jobs) as pool:
        for lines in pool.map(lambda chunk: list(_run_chunk(chunk, dtypes)), chunks):
            yield from lines


def _run_chunk(chunk: list[int], dtypes: tuple[str, ...]) -> Iterator[Line]:
    left = list(chunk)
    while left:
        lines, code = _run_worker(left, dtypes)
        yield from (line for line in lines if "outcome" in line)
        done = {line["end"] for line in lines if "end" in line}
        started = [line for line in lines if "start" in line]
        left = [number for number in left if number not in done]
        if not left:
            return
        if not started or started[-1]["start"] not in left:
            raise RuntimeError(f"the worker ends before its first operator, with {code}")
        outcome = "timeout" if code == -signal.SIGALRM else "crash"
        yield {"name": started[-1]["name"], "dtype": "", "outcome": outcome, "detail": str(code)}
        left.remove(started[-1]["start"])


def _run_worker(numbers: list[int], dtypes: tuple[str, ...]) -> tuple[list[Line], int]:
    command = [sys.executable, __file__, "--work", ",".join(map(str, numbers))]
    command += ["--dtypes", ",".join(dtypes)]
    run = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, env=_environment()
    )
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith(b"{")]
    return lines, run.returncode


def _environment() -> dict[str, str]:
    here = Path(__file__).parents[1]
    paths = [str(here / "numeric"), str(here / "conformance"), os.environ.get("PYTHONPATH", "")]
    return {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def numbers_of(names: set[str], shard: int = 0, shards: int = 1) -> list[int]:
    """Positions of the operators of these names (none: all) that a shard has."""
    from opinfo_check import operators

    numbers = [i for i, op in enumerate(operators()) if not names or op.name in names]
    return numbers[shard::shards]


@dataclasses.dataclass
class Totals:
    """What the lines add up to."""

    outcomes: dict[str, collections.Counter[str]] = dataclasses.field(
        default_factory=lambda: collections.defaultdict(collections.Counter)
    )
    float32: list[Line] = dataclasses.field(default_factory=list)

    def add(self, line: Line) -> None:
        """Count a line."""
        self.outcomes[line["dtype"] or "died"][line["outcome"]] += 1
        if line["dtype"] == "float32":
            self.float32.append(line)

    def bad(self) -> int:
        """How many are not right although aot_eager passes them."""
        fine = ("right", "aot_eager fails")
        return sum(n for c in self.outcomes.values() for o, n in c.items() if o not in fine)

    def show(self) -> None:
        """Print the counts."""
        for dtype, counts in self.outcomes.items():
            print(f"{dtype:9}", ", ".join(f"{n} {outcome}" for outcome, n in counts.most_common()))
        light = [line for line in self.float32 if not line["heavy"]]
        own, native = (sum(line[key] for line in light) for key in ("in_kernel", "native"))
        print(
            f"{sum(line['in_kernel'] for line in self.float32)} operators with a node in a kernel; "
            f"{sum(line['aten'] for line in self.float32)} ATen steps, "
            f"{sum(line['python'] for line in self.float32)} calls through Python (float32)"
        )
        if light:
            print(
                f"of {len(light)} operators that are not matrix, convolution, sort, FFT or linear "
                f"algebra {own} ({own / len(light):.0%}) have their own kernel; {native} need "
                "neither PyTorch nor Python forward"
            )


def main() -> int:
    """Print what is not right, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shard", type=int, default=0)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="subprocesses at once")
    parser.add_argument("--names", default="", help="only operators of these names, with commas")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--log", type=Path, help="append each verdict to this file, as JSON")
    parser.add_argument("--work", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    dtypes = arguments.dtypes.split(",")
    if arguments.work:
        work([int(number) for number in arguments.work.split(",")], dtypes)
        return 0
    names = set(filter(None, arguments.names.split(",")))
    totals = Totals()
    numbers = numbers_of(names, arguments.shard, arguments.shards)
    for line in run_all(numbers, tuple(dtypes), arguments.jobs):
        totals.add(line)
        if arguments.log:
            with arguments.log.open("a") as log:
                log.write(json.dumps(line) + "\n")
        if line["outcome"] not in ("right", "aot_eager fails"):
            print(f"{line['name']:40} {line['dtype']:8} {line['outcome']:8} {line['detail']}")
            sys.stdout.flush()
    totals.show()
    return 1 if totals.bad() else 0


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1] / "numeric")]
    sys.exit(main())
