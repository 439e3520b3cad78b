"""Values for the `meta` of nodes that were made natively.

A node that an edit made has a native type. Python's passes want a FakeTensor or
a symbolic number instead, in the fake mode of the graph around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils import _pytree as pytree

from nativefx.symbolic_text import read_symbolic

__all__ = ["OF_THE_VALUE", "Values"]

# What `meta` says of the very value of a node, so that it does not go over to
# the node that replaces it.
OF_THE_VALUE = frozenset(
    [
        "val",
        "example_value",
        "tensor_meta",
        "unbacked_bindings",
        "eager_input_vals",
        "tensor_dict",
        "grapharg",
        "desc",
    ]
)


class Values:
    """Makes values in the fake mode in which the `meta` of a graph was made.

    Parameters
    ----------
    metas
        The `meta` dicts of the graph's nodes, read until one tells the mode.
    """

    def __init__(self, metas: Iterable[dict[str, Any]]) -> None:
        self._key = "val"
        self._mode: FakeTensorMode | None = None
        self._shape_env: Any = None
        for meta in metas:
            if self._learn(meta):
                break

    def _learn(self, meta: dict[str, Any]) -> bool:
        key = "val" if "val" in meta else "example_value"
        for leaf in pytree.tree_leaves(meta.get(key)):
            if isinstance(leaf, FakeTensor):
                self._key, self._mode = key, leaf.fake_mode
                self._shape_env = leaf.fake_mode.shape_env
                return True
            if isinstance(leaf, torch.SymInt | torch.SymFloat | torch.SymBool):
                self._key, self._shape_env = key, leaf.node.shape_env
        return False

    def fill_meta(self, meta: dict[str, Any], origin: dict[str, Any], description: Any) -> None:
        """Fill the `meta` of a new node.

        Parameters
        ----------
        meta
            The dict to fill.
        origin
            The `meta` of the node that was replaced: where it came from goes
            over, what is known of its value does not.
        description
            The native type (see `describe` in `type_description.h`) or None.
        """
        meta.update((key, value) for key, value in origin.items() if key not in OF_THE_VALUE)
        if description is None or description[0] == "opaque":
            return
        key = "example_value" if "example_value" in origin and "val" not in origin else self._key
        meta[key] = self.value(description)

    def value(self, description: Any) -> Any:
        """Make the value that a type describes."""
        kind, *parts = description
        if kind == "tensor":
            return self._tensor(*parts)
        if kind == "scalar":
            return self.symbol(parts[1])
        if kind in ("tuple", "list"):
            return (tuple if kind == "tuple" else list)(self.value(part) for part in parts[0])
        return None

    def symbol(self, expression: int | float | bool | str) -> Any:
        """Make the number that an expression stands for."""
        if not isinstance(expression, str):
            return expression
        env = self._shape_env
        if env is None:
            raise ValueError(
                f"no symbolic shapes in this graph, so `{expression}` cannot be made a number"
            )
        sympy_expression = read_symbolic(expression, {str(s): s for s in env.var_to_range})
        if sympy_expression.is_Boolean:
            return env.create_symboolnode(sympy_expression)
        if sympy_expression.is_integer:
            return env.create_symintnode(sympy_expression, hint=None)
        return env.create_symfloatnode(sympy_expression, hint=None)

    def _tensor(
        self,
        dtype: torch.dtype,
        sizes: tuple[int | str, ...],
        strides: tuple[int | str, ...] | None,
        device: str,
        layout: str,
        requires_grad: bool,
        offset: int | str,
    ) -> torch.Tensor | None:
        if layout != "strided":
            return None
        if self._mode is None:
            self._mode = FakeTensorMode(shape_env=self._shape_env, allow_non_fake_inputs=True)
        shape = [self.symbol(size) for size in sizes]
        with self._mode, torch.no_grad():
            if strides is None:
                value = torch.empty(shape, dtype=dtype, device=device)
            else:
                steps = [self.symbol(stride) for stride in strides]
                value = self._strided(shape, steps, self.symbol(offset), dtype, device)
        can_have_grad = dtype.is_floating_point or dtype.is_complex
        return value.requires_grad_(True) if requires_grad and can_have_grad else value

    @staticmethod
    def _strided(
        shape: list[Any], steps: list[Any], offset: Any, dtype: torch.dtype, device: str
    ) -> torch.Tensor:
        if isinstance(offset, int) and offset == 0:
            return torch.empty_strided(shape, steps, dtype=dtype, device=device)
        reach = offset + 1
        for size, step in zip(shape, steps, strict=True):
            reach = reach + (size - 1) * step
        storage = torch.empty([reach], dtype=dtype, device=device)
        return storage.as_strided(shape, steps, offset)
