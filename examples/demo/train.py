"""Training on Cora: the loss of every epoch, the accuracy at the end."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from demo.cora import Cora

__all__ = ["Course", "learning_rate", "loss_gap", "reset", "train"]


@dataclasses.dataclass
class Course:
    """How a training went.

    Attributes
    ----------
    losses
        Training loss of each epoch.
    accuracy
        On the test nodes, after the last epoch.
    """

    losses: list[float]
    accuracy: float


def learning_rate(model: nn.Module) -> float:
    """As in the papers: 0.01, with attention 0.005."""
    return 0.005 if "Gat" in type(model).__name__ else 0.01


def reset(model: nn.Module, seed: int) -> None:
    """Give every layer new parameters, in place."""
    torch.manual_seed(seed)
    for layer in model.children():
        layer.reset_parameters()


def train(
    model: nn.Module, run: Callable[[Tensor], Tensor], cora: Cora, epochs: int, seed: int
) -> Course:
    """Train `model` from new parameters with Adam, through `run`.

    Parameters
    ----------
    model
        Owns the parameters.
    run
        The model itself or its compiled form.
    seed
        Decides the parameters and, by PyTorch's generator, what dropout drops.
    """
    reset(model, seed)
    adam = torch.optim.Adam(model.parameters(), lr=learning_rate(model), weight_decay=5e-4)
    losses = []
    for _ in range(epochs):
        model.train()
        adam.zero_grad()
        loss = F.cross_entropy(run(cora.x)[cora.train], cora.y[cora.train])
        loss.backward()
        adam.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        found = run(cora.x).argmax(1)
    return Course(losses, float((found[cora.test] == cora.y[cora.test]).float().mean()))


def loss_gap(a: Course, b: Course, epochs: int) -> float:
    """Give the largest difference of two losses over the first epochs."""
    pairs = zip(a.losses[:epochs], b.losses[:epochs], strict=True)
    return max(abs(x - y) for x, y in pairs)
