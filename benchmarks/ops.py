"""Ops that should become one kernel, against eager and Inductor: a chain of ten, and the norms.

Each line twice: outputs dropped at once, so that their memory serves the next call, and outputs
kept, so that every call touches new memory. One thread, so that other work disturbs little;
``--threads`` chooses. ``--only`` takes the cases whose name has that text.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import torch
import torch.nn.functional as F
from measure import alternate, compile_with, fresh_caches, machine, print_ratios
from torch import Tensor

_KEPT = 4


def arithmetic_chain(x: Tensor, y: Tensor) -> Tensor:
    a = (x + y) * 0.5
    b = (a - x) * y
    c = torch.relu(b + 1.0) - 0.25
    return (c * a + b) * 2.0


def chain_with_exponentials(x: Tensor, y: Tensor) -> Tensor:
    a = torch.sigmoid(x + y) * 0.5
    b = torch.tanh(a - x) * y
    c = torch.relu(b + 1.0) - 0.25
    return (c * a + b) * 2.0


def softmax(x: Tensor) -> Tensor:
    return torch.softmax(x, -1)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return F.layer_norm(x, (x.size(-1),), weight, bias)


def bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    return F.gelu(x + bias)


def cases() -> list[tuple[str, Callable[..., Tensor], tuple[Tensor, ...]]]:
    square, row = torch.randn(4096, 4096), torch.randn(4096)
    found: list[tuple[str, Callable[..., Tensor], tuple[Tensor, ...]]] = []
    for label, size in (("1M", 1 << 20), ("16M", 1 << 24)):
        pair = (torch.randn(size), torch.randn(size))
        found.append((f"ten-op chain, arithmetic, {label}", arithmetic_chain, pair))
        found.append((f"ten-op chain, sigmoid and tanh, {label}", chain_with_exponentials, pair))
    found.append(("softmax 4096x4096", softmax, (square,)))
    found.append(("layer norm 4096x4096", layer_norm, (square, row, row)))
    found.append(("bias + GELU 4096x4096", bias_gelu, (square, row)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    print(machine())
    with fresh_caches(), torch.no_grad():
        for name, function, inputs in cases():
            if chosen.only not in name:
                continue
            torch._dynamo.reset()
            compiled = {b: compile_with(b, function) for b in ("eager", "inductor", "nativefx")}
            calls = {b: (lambda run=run, x=inputs: run(*x)) for b, run in compiled.items()}
            torch.testing.assert_close(calls["nativefx"](), calls["eager"]())
            print_ratios(f"{name}, dropped", alternate(calls, rounds=9))
            print_ratios(f"{name}, kept", alternate(calls, rounds=7, kept=_KEPT))


if __name__ == "__main__":
    main()
