"""Values of a reduce function: one row for each node, or one for each edge of each node.

DGL calls a reduce function once for every in-degree that occurs. Here it is called
once: a mailbox is `Batched` with the degree, which differs from node to node, as one
of its dimensions. Work along the other dimensions is done on the tensor of all edges,
work along that one is a reduction or softmax over the edges of each node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from nativefx.gnn.dgl_refusal import Refused
from nativefx.gnn.dgl_space import Space

__all__ = ["Batched", "Degree", "register", "registered"]

_HANDLERS: dict[str, Callable[..., Any]] = {}


def register(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function the meaning of PyTorch functions and methods of these names."""

    def add(handler: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            _HANDLERS[name] = handler
        return handler

    return add


def registered(name: str) -> Callable[..., Any] | None:
    """Give the handler of a PyTorch function, or None."""
    return _HANDLERS.get(name)


def function_name(func: Any) -> str:
    """Give the name of a PyTorch function without its underscores: ``add`` for ``__radd__``."""
    return getattr(func, "__name__", str(func)).strip("_")


class _Overloaded:
    """Whatever PyTorch functions, operators and methods are applied to, symbolically."""

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = getattr(func, "__name__", str(func))
        return _call(name, func, tuple(args), dict(kwargs or {}))

    def __getattr__(self, name: str) -> Any:
        method = getattr(Tensor, name, None)
        if name.startswith("__") or method is None:
            raise AttributeError(f"a mailbox has no attribute `{name}`")
        if not callable(method):
            raise Refused(f"attribute `{name}` of a mailbox is not known")
        return lambda *args, **kwargs: _call(name, method, (self, *args), kwargs)

    def __bool__(self) -> bool:
        raise Refused("Python control flow depends on values of nodes or edges")

    def __index__(self) -> int:
        raise Refused("a Python number is made of a degree or of values of nodes")

    __int__ = __index__

    def __float__(self) -> float:
        raise Refused("a Python number is made of a degree or of values of nodes")

    def __iter__(self) -> Any:
        raise Refused("Python iterates over nodes or edges")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise Refused("a NumPy array is made of values of nodes or edges")

    __hash__ = object.__hash__


def _call(name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    inplace = name.endswith("_") and not name.endswith("__")
    handler = _HANDLERS.get(name.strip("_"))
    if handler is None:
        raise Refused(f"`{name}` on a mailbox or on values of nodes is not known")
    if inplace and not name.startswith("_"):
        func = getattr(torch, name[:-1], None) or getattr(Tensor, name[:-1])
    inplace = bool(kwargs.pop("inplace", False)) or inplace
    result = handler(func, *args, **kwargs)
    if inplace:
        args[0].overwrite(result)
        return args[0]
    return result


def _add_operators() -> None:
    def add(name: str) -> None:
        method = getattr(Tensor, f"__{name}__")
        kind = name.removeprefix("i") if name in _INPLACE else name

        def operator(self: Any, *args: Any) -> Any:
            return _call(f"__{kind}__", getattr(Tensor, f"__{kind}__", method), (self, *args), {})

        setattr(_Overloaded, f"__{name}__", operator)

    for name in (*_OPERATORS, *_INPLACE):
        add(name)


_INPLACE = ("iadd", "isub", "imul", "itruediv")
_OPERATORS = [
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "rtruediv",
    "floordiv",
    "rfloordiv",
    "mod",
    "pow",
    "rpow",
    "matmul",
    "rmatmul",
    "neg",
    "abs",
    "invert",
    "and",
    "or",
    "xor",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "getitem",
]
_add_operators()


class Degree(_Overloaded):
    """The size of the ragged dimension, or a number computed of it: one for each node.

    It stands for a Python number, so it takes the dtype of what it meets.

    Attributes
    ----------
    value : Tensor
        ``[rows]``, int64 or float64 (or bool).
    """

    def __init__(self, space: Space, value: Tensor | None = None) -> None:
        self.space = space
        self._value = value

    @property
    def is_size(self) -> bool:
        """Whether this is the degree itself."""
        return self._value is None

    @property
    def value(self) -> Tensor:  # noqa: D102
        return self.space.fetch("degree") if self._value is None else self._value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        func = getattr(torch, _UFUNCS.get(ufunc.__name__, ufunc.__name__), None)
        if method != "__call__" or kwargs or func is None:
            raise Refused(f"`numpy.{ufunc.__name__}` of a degree is not known")
        return _call(func.__name__, func, inputs, {})


_UFUNCS = {"power": "pow", "absolute": "abs"}


class Batched(_Overloaded):
    """A tensor with the nodes as its first dimension and perhaps their edges as another.

    Attributes
    ----------
    value : Tensor
        Without a ragged dimension ``[rows, ...]``; with one ``[edges, ...]``, the
        features in order.
    space : Space
        The edges of the nodes.
    ragged : int or None
        Which dimension the degree is.
    zero_if_empty
        Whether it is zero, with zero gradients, at nodes without edges.
    """

    def __init__(
        self, value: Tensor, space: Space, ragged: int | None = None, zero_if_empty: bool = False
    ) -> None:
        self.value = value
        self.space = space
        self.ragged = ragged
        self.zero_if_empty = zero_if_empty
        self.shared = False

    # ---- what it looks like

    @property
    def ndim(self) -> int:
        """Give the number of dimensions."""
        return self.value.dim() + (self.ragged is not None)

    def dim(self) -> int:
        """Give the number of dimensions."""
        return self.ndim

    @property
    def shape(self) -> tuple[Any, ...]:
        """Sizes: number of nodes, the `Degree` if it is a dimension, sizes of features."""
        sizes = list(self.value.shape)
        sizes[0] = self.space.rows
        if self.ragged is not None:
            sizes.insert(self.ragged, Degree(self.space))
        return tuple(sizes)

    def size(self, dim: int | None = None) -> Any:
        """Sizes, or one of them."""
        return self.shape if dim is None else self.shape[dim]

    @property
    def dtype(self) -> torch.dtype:
        """Type of the elements."""
        return self.value.dtype

    @property
    def device(self) -> torch.device:
        """Where the elements are."""
        return self.value.device

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to it."""
        return self.value.requires_grad

    def is_floating_point(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return self.value.is_floating_point()

    def __len__(self) -> int:
        return int(self.space.rows)

    # ---- its dimensions on the tensor below

    def normal(self, dim: Any) -> int:
        """Count a dimension from the front; refuse the nodes."""
        if not isinstance(dim, int):
            raise Refused(f"a dimension is given as {dim!r}")
        dim = dim if dim >= 0 else dim + self.ndim
        if dim == 0:
            raise Refused("work is done across nodes")
        if not 0 < dim < self.ndim:
            raise IndexError(f"dimension out of range: {dim} of {self.ndim}")
        return dim

    def below(self, dim: int) -> int:
        """Which dimension of `value` one of the features is."""
        return dim - 1 if self.ragged is not None and dim > self.ragged else dim

    def like(self, value: Tensor, ragged: int | str | None = "same", zero: bool = False) -> Batched:
        """Wrap a result computed of this one."""
        place = self.ragged if isinstance(ragged, str) else ragged
        return Batched(value, self.space, place, zero)

    def view_like(self, value: Tensor, ragged: int | str | None = "same") -> Batched:
        """Wrap a view of this one: from now on neither is written in place."""
        self.shared = True
        result = self.like(value, ragged, self.zero_if_empty)
        result.shared = True
        return result

    def overwrite(self, result: Batched) -> None:
        """Take the value that an operation in place computed."""
        if self.shared:
            raise Refused("a value that shares memory with another is written in place")
        if not isinstance(result, Batched) or result.ragged != self.ragged:
            raise Refused("an operation in place would change the dimensions")
        self.value = result.value.to(self.value.dtype)
        self.zero_if_empty = result.zero_if_empty
