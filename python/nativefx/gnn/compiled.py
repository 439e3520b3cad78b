"""Compile modules that pass messages: `nativefx.gnn.compile`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn
from torch._dynamo.exc import TorchDynamoException
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from torch.utils._pytree import tree_leaves

__all__ = ["CompiledGnn", "compile"]


def compile(
    module: Callable[..., Any],
    *,
    dynamic: bool | None = None,
    options: Mapping[str, Any] | None = None,
) -> CompiledGnn:
    """Compile a module of PyG, of DGL or of plain PyTorch that passes messages.

    As ``torch.compile(module, backend="nativefx")``, and beyond that: self loops and
    other edges whose number follows from data stay in one graph; a module that is
    called with graphs of DGL goes through `compile_dgl`.

    Parameters
    ----------
    module
        A module, or a function.
    dynamic
        Of `torch.compile`. By default sizes that change are found by themselves.
    options
        Options of the back end, see `nativefx.options.Options`.
    """
    return CompiledGnn(module, dynamic, dict(options or {}))


class CompiledGnn(nn.Module):
    """A compiled module; see `compile`.

    Attributes
    ----------
    module
        The module itself.
    """

    def __init__(
        self, module: Callable[..., Any], dynamic: bool | None, options: dict[str, Any]
    ) -> None:
        super().__init__()
        self.module = module
        self._options = options
        self._compiled = torch.compile(
            module, backend="nativefx", dynamic=dynamic, options=dict(options)
        )
        self._takes_data_dependent_sizes = True
        self._of_dgl: Callable[..., Any] | None = None

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run it; compile it first where that was not done for such arguments."""
        if _has_dgl_graph((args, kwargs)):
            return self._with_dgl(*args, **kwargs)
        if self._takes_data_dependent_sizes:
            try:
                with torch._dynamo.config.patch(
                    capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True
                ):
                    return self._compiled(*args, **kwargs)
            except (GuardOnDataDependentSymNode, TorchDynamoException) as error:
                self._takes_data_dependent_sizes = False
                warnings.warn(
                    "nativefx: Python code depends on values of tensors, so the module is "
                    f"compiled in parts: {str(error).splitlines()[0]}",
                    stacklevel=2,
                )
        return self._compiled(*args, **kwargs)

    def _with_dgl(self, *args: Any, **kwargs: Any) -> Any:
        if self._of_dgl is None:
            from nativefx.gnn.dgl_module import compile_dgl

            fallback = self._options.get("fallback", "allow")
            self._of_dgl = compile_dgl(self.module, fallback=fallback, options=self._options)
        return self._of_dgl(*args, **kwargs)


def _has_dgl_graph(arguments: Any) -> bool:
    return any(type(leaf).__module__.startswith("dgl.") for leaf in tree_leaves(arguments))
