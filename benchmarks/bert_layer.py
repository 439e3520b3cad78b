"""One layer of a BERT-type model, forward and training, against eager and Inductor.

The products are the same library's in all three, so the time outside of them is shown too.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import torch
from measure import Times, alternate, compile_with, fresh_caches, machine, print_ratios
from torch import Tensor, nn

_HIDDEN, _INNER, _HEADS = 768, 3072, 12


def bert_layer() -> nn.Module:
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer

    config = BertConfig(
        hidden_size=_HIDDEN,
        intermediate_size=_INNER,
        num_attention_heads=_HEADS,
        attn_implementation="sdpa",
    )
    torch.manual_seed(0)
    return BertLayer(config)


def products(x: Tensor, backward: bool) -> Callable[[], object]:
    """Call the matrix products of the layer alone, attention's not counted."""
    rows = x.reshape(-1, _HIDDEN)
    square, up = torch.randn(_HIDDEN, _HIDDEN), torch.randn(_HIDDEN, _INNER)
    wide = torch.randn(rows.size(0), _INNER)
    shapes = [(rows, square)] * 4 + [(rows, up), (wide, up.T)]
    if backward:
        grad = [(rows, square.T)] * 4 + [(wide, up.T), (rows, up)]
        shapes += grad + [(rows.T, rows)] * 4 + [(rows.T, wide), (wide.T, rows)]

    def call() -> object:
        return [torch.mm(a, b) for a, b in shapes]

    return call


def forward(run: Callable[..., Tensor], x: Tensor) -> Callable[[], object]:
    def call() -> object:
        with torch.no_grad():
            return run(x)

    return call


def training(run: Callable[..., Tensor], layer: nn.Module, x: Tensor) -> Callable[[], object]:
    x = x.clone().requires_grad_()  # as in the middle of a model

    def call() -> object:
        layer.zero_grad(set_to_none=True)
        x.grad = None
        out = run(x)
        out.sum().backward()
        return out

    return call


def outside_products(times: Times) -> str:
    spent = {name: seconds - times.seconds["products"] for name, seconds in times.seconds.items()}
    ratios = [f"{name} {spent[name] / spent['nativefx']:.2f} x" for name in ("eager", "inductor")]
    return "  ".join(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    torch.set_num_threads(parser.parse_args().threads)
    print(machine())
    x = torch.randn(4, 128, _HIDDEN)
    layer = bert_layer()
    with fresh_caches():
        for kind in ("forward", "training"):
            layer.train(kind == "training")
            torch._dynamo.reset()
            calls = {}
            for backend in ("eager", "inductor", "nativefx"):
                run = compile_with(backend, layer)
                calls[backend] = forward(run, x) if kind == "forward" else training(run, layer, x)
            calls["products"] = products(x, kind == "training")
            times = alternate(calls, rounds=9)
            print_ratios(f"BERT layer 768, 4x128, {kind}", times)
            print(f"{'   outside the products, ratio to ours':44s} {outside_products(times)}")


if __name__ == "__main__":
    main()
