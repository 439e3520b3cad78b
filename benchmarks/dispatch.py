"""What a call costs beside the work: three inputs of 4 x 4, inference and training.

The floor is Dynamo with a function that returns one of its inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from measure import alternate, compile_with, fresh_caches, machine
from torch import Tensor

_PEERS = ("eager", "aot_eager", "inductor", "nativefx")


def small(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
    return torch.relu(x + y) * z


def nothing(graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    return lambda *values: (values[0],)


def calls(training: bool, backward: bool) -> dict[str, Callable[[], object]]:
    """One call each of every peer, compiled."""
    inputs = [torch.randn(4, 4, requires_grad=training) for _ in range(3)]
    grad = torch.ones(4, 4)
    made: dict[str, Callable[[], object]] = {}

    def add(name: str, run: Callable[..., Tensor]) -> None:
        def call() -> object:
            out = run(*inputs)
            return out.backward(grad) if backward else out

        call()
        made[name] = call

    for backend in _PEERS:
        add(backend, compile_with(backend, small))
    if not training:
        add("floor", torch.compile(small, backend=nothing))
    return made


def main() -> None:
    torch.set_num_threads(1)
    print(machine())
    kinds = {
        "inference": (False, False),
        "training forward": (True, False),
        "forward and backward": (True, True),
    }
    with fresh_caches():
        for name, kind in kinds.items():
            torch._dynamo.reset()
            seconds = alternate(calls(*kind), rounds=15, sample=0.05).seconds
            each = "  ".join(f"{peer} {value * 1e6:.1f}" for peer, value in seconds.items())
            ratio = seconds["nativefx"] / seconds["inductor"]
            print(f"{name}, us a call: {each};  ours / Inductor {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
