"""Compile time beyond what PyTorch spends on capture, against Inductor, in CPU seconds.

The floor is ``aot_eager``. Ours is the time inside our backend, from the captured graph to what
runs; Inductor's is what it takes above the floor, with no cache of an earlier run.
``--layers`` chooses the depth of the encoder.
"""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any
from unittest import mock

import torch
from measure import compile_with, cpu_seconds, fresh_caches, machine
from torch import nn

from nativefx import dynamo_backend
from nativefx.report import collector


def encoder(layers: int) -> tuple[nn.Module, torch.Tensor]:
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=1000, hidden_size=256, num_hidden_layers=layers, num_attention_heads=4
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    return model, torch.randint(0, 1000, (2, 64))


def perceptron() -> tuple[nn.Module, torch.Tensor]:
    layers = [layer for _ in range(4) for layer in (nn.Linear(256, 256), nn.GELU())]
    return nn.Sequential(*layers), torch.randn(64, 256)


def first_call(backend: str, model: nn.Module, x: torch.Tensor) -> float:
    """CPU seconds by which the first call is dearer than the second."""
    torch._dynamo.reset()
    run = compile_with(backend, model)
    start = cpu_seconds()
    run(x)
    middle = cpu_seconds()
    run(x)
    return (middle - start) - (cpu_seconds() - middle)


@dataclasses.dataclass
class Share:
    """CPU seconds inside our backend, from the captured graph to what runs, and its stages."""

    seconds: float = 0.0
    stages: dict[str, float] = dataclasses.field(default_factory=dict)


def our_share(model: nn.Module, x: torch.Tensor) -> tuple[float, Share]:
    """Give the whole first call of nativefx, and what of it is ours."""
    share = Share()
    compile_fx = dynamo_backend.compile_fx

    def timed(*arguments: Any, **options: Any) -> Any:
        start = cpu_seconds()
        compiled = compile_fx(*arguments, **options)
        share.seconds += cpu_seconds() - start
        return compiled

    with mock.patch.object(dynamo_backend, "compile_fx", timed), collector() as reports:
        whole = first_call("nativefx", model, x)
    for report in reports:
        for stage, milliseconds in report.stages.items():
            share.stages[stage] = share.stages.get(stage, 0.0) + milliseconds
    return whole, share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=12)
    layers = parser.parse_args().layers
    print(machine())
    cases = {f"BERT-type, {layers} layers": encoder(layers), "MLP, 4 layers": perceptron()}
    with fresh_caches(), torch.no_grad():
        for backend in ("aot_eager", "inductor", "nativefx"):
            first_call(backend, nn.Sequential(nn.Linear(4, 4), nn.ReLU()), torch.ones(2, 4))
        for name, (model, x) in cases.items():
            floor = min(first_call("aot_eager", model, x) for _ in range(2))
            whole, share = our_share(model, x)
            inductor = first_call("inductor", model, x) - floor
            print(f"{name}: floor {floor:.2f} s")
            print(f"   beyond it Inductor {inductor:.2f} s, ours {share.seconds:.3f} s")
            print(f"   ratio of Inductor's to ours {inductor / share.seconds:.0f} x")
            print(f"   whole first call of ours beyond the floor {whole - floor:.2f} s")
            parts = sorted(share.stages.items(), key=lambda item: -item[1])
            print("   stages: " + "  ".join(f"{stage} {ms:.1f} ms" for stage, ms in parts))


if __name__ == "__main__":
    main()
