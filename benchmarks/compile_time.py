"""Compile time beyond what PyTorch spends on capture, against Inductor, in CPU seconds.

The floor is ``aot_eager``. Ours is the time inside our backend, from the captured graph to what
runs; Inductor's is what it takes above the floor, with no cache of an earlier run.
``--layers`` chooses the depth of the encoder.
"""

from __future__ import annotations

import argparse

import torch
from measure import compile_with, first_call, fresh_caches, machine, our_share
from torch import nn

from nativefx.report import GraphReport, collector


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


def compile_seconds(backend: str, model: nn.Module, x: torch.Tensor) -> float:
    torch._dynamo.reset()
    run = compile_with(backend, model)
    return first_call(lambda: run(x))


def stages_of(reports: list[GraphReport]) -> dict[str, float]:
    """Milliseconds of each stage, the longest first."""
    found: dict[str, float] = {}
    for report in reports:
        for stage, milliseconds in report.stages.items():
            found[stage] = found.get(stage, 0.0) + milliseconds
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=12)
    layers = parser.parse_args().layers
    print(machine())
    cases = {f"BERT-type, {layers} layers": encoder(layers), "MLP, 4 layers": perceptron()}
    with fresh_caches(), torch.no_grad():
        for backend in ("aot_eager", "inductor", "nativefx"):
            small = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
            compile_seconds(backend, small, torch.ones(2, 4))
        for name, (model, x) in cases.items():
            floor = min(compile_seconds("aot_eager", model, x) for _ in range(2))
            with our_share() as share, collector() as reports:
                whole = compile_seconds("nativefx", model, x)
            inductor = compile_seconds("inductor", model, x) - floor
            print(f"{name}: floor {floor:.2f} s")
            print(f"   beyond it Inductor {inductor:.2f} s, ours {share.seconds:.3f} s")
            print(f"   ratio of Inductor's to ours {inductor / share.seconds:.0f} x")
            print(f"   whole first call of ours beyond the floor {whole - floor:.2f} s")
            stages = stages_of(reports)
            print("   stages: " + "  ".join(f"{stage} {ms:.1f} ms" for stage, ms in stages.items()))


if __name__ == "__main__":
    main()
