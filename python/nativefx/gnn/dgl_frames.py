"""Fields of a traced graph, by type of node or edge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from nativefx.gnn.dgl_passing import Inputs

__all__ = ["Frame", "FramesByType", "Overlay"]


class Frame(MutableMapping[str, Any]):
    """Fields of one type, replaced as a whole when a scope ends."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields
        self.initializers: dict[str | None, Any] = {}

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.fields[name] = value

    def __delitem__(self, name: str) -> None:
        del self.fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(list(self.fields))

    def __len__(self) -> int:
        return len(self.fields)


class FramesByType:
    """Frames by type: what ``g.nodes`` and ``g.edges`` are."""

    def __init__(self, frames: Any, call: Any) -> None:
        self._frames = frames
        self._call = call

    def __getitem__(self, key: Any) -> Any:
        return TypeData(self._frames(key))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Give what the graph's method of that name gives."""
        return self._call(*args, **kwargs)


@dataclass
class TypeData:
    """Fields of one type."""

    data: Any


class Overlay(Inputs):
    """Fields of destinations with some replaced."""

    def __init__(self, inputs: Any, found: Mapping[str, Any], ids: Any = None) -> None:
        self._inputs = inputs
        self._found = found
        self._ids = ids
        self.used = {}

    def __getitem__(self, name: Any) -> Any:
        if name == "nid" and self._ids is not None:
            return self._ids
        if isinstance(name, tuple) and name[0] == "dst" and name[1] in self._found:
            return self._found[name[1]]
        return self._inputs[name]

    def fields(self, kind: str) -> list[str]:
        """Give the names of fields."""
        names = dict.fromkeys(self._inputs.fields(kind))
        if kind == "dst":
            names.update(dict.fromkeys(self._found))
        return list(names)
