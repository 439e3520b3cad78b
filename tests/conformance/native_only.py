"""Makes every compiled graph run natively or fail, so that no test passes by eager mode."""

from __future__ import annotations

from typing import Any

import torch

from nativefx import dynamo_backend

__all__ = ["refuse_eager"]


def refuse_eager() -> None:
    """Replace the eager way of every graph that is compiled from now on by a failure."""

    def refused(gm: torch.fx.GraphModule) -> Any:
        def run(inputs: list[Any]) -> Any:
            raise AssertionError("a compiled graph ran in eager mode")

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    dynamo_backend._boxed = refused
