"""A graph of Dynamo as operators above autograd, in which coarse ones are still whole."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import torch
import torch.fx
from torch._dispatch.python import enable_python_dispatcher
from torch._dynamo.utils import detect_fake_mode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.traceback import preserve_node_meta

from nativefx.errors import error

__all__ = ["trace_pre_dispatch"]


def trace_pre_dispatch(
    gm: torch.fx.GraphModule, example_inputs: Sequence[Any]
) -> torch.fx.GraphModule:
    """Trace the graph into ATen operators above autograd and decomposition.

    Raises
    ------
    nativefx.Error
        `pre-dispatch-trace`: PyTorch cannot trace it.
    """
    try:
        return _trace(gm, example_inputs)
    except Exception as problem:
        message = f"the graph cannot be traced above autograd: {problem}"
        raise error("pre-dispatch-trace", message) from problem


def _trace(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> torch.fx.GraphModule:
    placeholders = gm.graph.find_nodes(op="placeholder")
    values = [
        node.meta.get("example_value", example)
        for node, example in zip(placeholders, example_inputs, strict=True)
    ]
    fake_mode = detect_fake_mode(values)
    with contextlib.ExitStack() as stack:
        if fake_mode is not None:
            allowed = fake_mode.allow_non_fake_inputs
            stack.callback(setattr, fake_mode, "allow_non_fake_inputs", allowed)
            fake_mode.allow_non_fake_inputs = True
            stack.enter_context(fake_mode)
        stack.enter_context(enable_python_dispatcher())
        stack.enter_context(preserve_node_meta())
        return make_fx(torch.fx.Interpreter(gm).run, pre_dispatch=True)(*values)
