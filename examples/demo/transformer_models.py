"""The transformer models: one with its real weights, three built from configurations."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

__all__ = ["Case", "bert", "llama", "vit"]


@dataclasses.dataclass
class Case:
    """A model and what it is called with."""

    name: str
    model: nn.Module
    inputs: tuple[Tensor, ...]


class LastHidden(nn.Module):
    """The last hidden state of a model, as one tensor."""

    def __init__(self, model: nn.Module, argument: str) -> None:
        super().__init__()
        self.model = model
        self.argument = argument

    def forward(self, x: Tensor) -> Tensor:
        return self.model(**{self.argument: x}).last_hidden_state


def _seeded(make: Callable[[], nn.Module]) -> nn.Module:
    torch.manual_seed(0)
    return make().eval()


def _tokens(vocabulary: int, batch: int, length: int) -> Tensor:
    return torch.randint(0, vocabulary, (batch, length), generator=_generator())


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


def bert() -> Case:
    """Make a BERT-type encoder: 4 layers, 512 wide, 2 sequences of 128."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=8000,
        hidden_size=512,
        num_hidden_layers=4,
        num_attention_heads=8,
        intermediate_size=2048,
        max_position_embeddings=256,
    )
    model = _seeded(lambda: BertModel(config, add_pooling_layer=False))
    return Case("BERT-type 4x512", LastHidden(model, "input_ids"), (_tokens(8000, 2, 128),))


def llama() -> Case:
    """Make a Llama-type decoder: 4 layers, 512 wide, grouped key heads, 2 sequences of 128."""
    from transformers import LlamaConfig, LlamaModel

    config = LlamaConfig(
        vocab_size=8000,
        hidden_size=512,
        num_hidden_layers=4,
        num_attention_heads=8,
        num_key_value_heads=4,
        intermediate_size=1376,
        max_position_embeddings=256,
        use_cache=False,
    )
    model = _seeded(lambda: LlamaModel(config))
    return Case("Llama-type 4x512", LastHidden(model, "input_ids"), (_tokens(8000, 2, 128),))


def vit() -> Case:
    """Make a ViT-type encoder: 6 layers, 384 wide, 2 images of 224 x 224 in patches of 16."""
    from transformers import ViTConfig, ViTModel

    config = ViTConfig(
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=6,
        intermediate_size=1536,
    )
    model = _seeded(lambda: ViTModel(config, add_pooling_layer=False))
    images: Any = torch.rand(2, 3, 224, 224, generator=_generator()) * 2 - 1
    return Case("ViT-type 6x384", LastHidden(model, "pixel_values"), (images,))
