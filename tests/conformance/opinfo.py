"""PyTorch's own samples of its operators, compiled with `fallback="error"`.

    python tests/conformance/opinfo.py                  # the first 200 that aot_eager passes
    python tests/conformance/opinfo.py --count 0        # all
    python tests/conformance/opinfo.py --shard 3 --shards 40

One float32 sample an operator. Operators run in subprocesses, so that a crash is
seen, counted and does not end the run.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["OUTCOMES", "check_operator", "operators", "run_all"]

OUTCOMES = ("right", "wrong", "raises", "crash", "timeout", "aot_eager fails")
CHUNK = 20
SECONDS_PER_OPERATOR = 60


def operators() -> list[Any]:
    """All operators that take float32 on the CPU, in PyTorch's order."""
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    return [op for op in op_db if torch.float32 in op.dtypes]


def check_operator(op: Any) -> tuple[str, str, bool]:
    """Run one sample.

    Returns
    -------
    outcome
        One of `OUTCOMES`.
    detail
        What is wrong; empty if nothing is.
    in_kernel
        Whether a node of it runs in one of our kernels.
    """
    import torch
    from tolerances import assert_as_exact

    from nativefx.report import collector

    sample = next(iter(op.sample_inputs("cpu", torch.float32, requires_grad=False)))
    call = _caller(op)
    try:
        expected = _run(call, sample, "aot_eager")
    except Exception as error:
        return "aot_eager fails", _brief(error), False
    with collector() as graphs:
        try:
            found = _run(call, sample, "nativefx", options={"fallback": "error"})
        except Exception as error:
            return "raises", _brief(error), False
    in_kernel = any(graph.count("kernel") for graph in graphs)
    try:
        exact = _exact(call, sample)
        for ours, theirs in zip(found, expected, strict=True):
            assert_as_exact(ours, theirs, exact)
    except AssertionError as error:
        return "wrong", _brief(error), in_kernel
    return "right", "", in_kernel


def _caller(op: Any) -> Callable[..., Any]:
    def call(sample: Any) -> Any:
        return op(sample.input, *sample.args, **sample.kwargs)

    return call


def _run(call: Callable[..., Any], sample: Any, backend: str, **kwargs: Any) -> Any:
    import torch

    torch._dynamo.reset()
    compiled = torch.compile(call, backend=backend, **kwargs)
    results = []
    for _ in range(2):  # the second run has the memory of the first
        own = _copy(sample)
        torch.manual_seed(0)
        results.append(compiled(own))
    return results


def _copy(sample: Any) -> Any:
    """The same sample with inputs of its own, for operators that write to them."""
    import torch

    def clone(value: Any) -> Any:
        return value.clone() if isinstance(value, torch.Tensor) else value

    return sample.transform(clone)


def _exact(call: Callable[..., Any], sample: Any) -> Any:
    """The result in float64; none where the operator does not give the same there."""
    import torch
    from torch.utils._pytree import tree_leaves

    def widen(value: Any) -> Any:
        is_float = isinstance(value, torch.Tensor) and value.dtype == torch.float32
        return value.double() if is_float else value

    try:
        torch.manual_seed(0)
        exact = call(sample.transform(widen))
        torch.manual_seed(0)
        eager = call(_copy(sample))
    except Exception:
        return None
    pairs = zip(tree_leaves(exact), tree_leaves(eager), strict=False)
    return exact if all(_near(wide, narrow) for wide, narrow in pairs) else None


def _near(wide: Any, narrow: Any) -> bool:
    import torch

    if not isinstance(narrow, torch.Tensor) or not narrow.is_floating_point():
        return True
    return wide.shape == narrow.shape and torch.allclose(
        wide.float(), narrow.float(), rtol=1e-2, atol=1e-3, equal_nan=True
    )


def _brief(error: BaseException) -> str:
    return f"{type(error).__name__}: {error!s}"[:400]


def work(numbers: list[int]) -> None:
    """Check operators and write a line of JSON for each; in a subprocess."""
    import torch
    from native_only import refuse_eager

    refuse_eager()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)  # fills what `empty` leaves
    known = operators()
    for number in numbers:
        op = known[number]
        print(json.dumps({"start": number}), flush=True)
        try:
            outcome, detail, in_kernel = check_operator(op)
        except Exception as error:  # no sample, or it cannot be copied
            outcome, detail, in_kernel = "aot_eager fails", _brief(error), False
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        line = {"number": number, "name": name, "outcome": outcome, "detail": detail}
        print(json.dumps({**line, "in_kernel": in_kernel}), flush=True)


def run_all(numbers: list[int]) -> Iterator[dict[str, Any]]:
    """Check operators in subprocesses, a chunk at a time."""
    waiting = collections.deque(numbers)
    while waiting:
        chunk = [waiting.popleft() for _ in range(min(CHUNK, len(waiting)))]
        done, last, ending = _run_chunk(chunk)
        yield from done
        left = chunk[len(done) :]
        if left and last == left[0]:
            yield {
                "number": last,
                "name": f"#{last}",
                "outcome": ending,
                "detail": "",
                "in_kernel": False,
            }
            left = left[1:]
        elif left and not done:
            raise RuntimeError("the worker ends before its first operator")
        waiting.extendleft(reversed(left))


def _run_chunk(chunk: list[int]) -> tuple[list[dict[str, Any]], int, str]:
    command = [sys.executable, __file__, "--work", ",".join(map(str, chunk))]
    ending = "crash"
    try:
        output = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS_PER_OPERATOR * len(chunk),
            check=False,
        ).stdout
    except subprocess.TimeoutExpired as expired:
        output, ending = expired.stdout or b"", "timeout"
    lines = [json.loads(line) for line in output.splitlines() if line.startswith(b"{")]
    done = [line for line in lines if "outcome" in line]
    started = [line["start"] for line in lines if "start" in line]
    return done, started[-1] if started else -1, ending


def main() -> int:
    """Print what is not right, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="operators that aot_eager passes")
    parser.add_argument("--shard", type=int, default=0)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--names", default="", help="only operators of these names, with commas")
    parser.add_argument("--work", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work([int(number) for number in arguments.work.split(",")])
        return 0
    wanted = set(filter(None, arguments.names.split(",")))
    numbers = [i for i, op in enumerate(operators()) if not wanted or op.name in wanted]
    numbers = numbers[arguments.shard :: arguments.shards]
    counts: collections.Counter[str] = collections.Counter()
    in_kernel = 0
    for line in run_all(numbers):
        counts[line["outcome"]] += 1
        in_kernel += line["in_kernel"]
        if line["outcome"] not in ("right", "aot_eager fails"):
            print(f"{line['name']:40} {line['outcome']:8} {line['detail']}", flush=True)
        passed = sum(counts.values()) - counts["aot_eager fails"]
        if arguments.count and passed >= arguments.count:
            break
    print(
        ", ".join(f"{counts[o]} {o}" for o in OUTCOMES) + f"; {in_kernel} with a node in a kernel"
    )
    return 0 if counts["right"] + counts["aot_eager fails"] == sum(counts.values()) else 1


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.path.insert(0, str(Path(__file__).parents[1] / "numeric"))
    sys.exit(main())
