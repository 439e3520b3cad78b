"""What message, reduce and apply functions are handed: edges and nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nativefx.gnn.dgl_batched import Batched
from nativefx.gnn.dgl_space import Space

__all__ = ["EdgeBatch", "Fields", "NodeBatch", "NodesByDegree"]


class Fields(Mapping[str, Any]):
    """Fields by name, each made when it is first asked for."""

    def __init__(self, names: Any, make: Callable[[str], Any]) -> None:
        self._names = list(names)
        self._make = make
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class EdgeBatch:
    """All edges, as DGL's class of that name shows them to a message function.

    Parameters
    ----------
    inputs
        Gives tensors by name: ``("src", field)``, ``("dst", field)``,
        ``("edge", field)`` and the index tensors.
    etype
        Canonical type of the edges.
    """

    def __init__(self, inputs: Any, etype: Any) -> None:
        self._inputs = inputs
        self.canonical_etype = etype
        self.src = Fields(inputs.fields("src"), lambda name: self._gather("src", name))
        self.dst = Fields(inputs.fields("dst"), lambda name: self._gather("dst", name))
        self.data = Fields(inputs.fields("edge"), lambda name: inputs["edge", name])

    def _gather(self, end: str, name: str) -> Any:
        return self._inputs[end, name].index_select(0, self._inputs[f"{end}_index"])

    def edges(self) -> tuple[Any, Any, Any]:
        """Give sources, destinations and IDs of the edges."""
        return self._inputs["src_index"], self._inputs["dst_index"], self._inputs["eid"]

    def batch_size(self) -> Any:
        """Give the number of edges."""
        return self._inputs["eid"].shape[0]

    def __len__(self) -> int:
        return int(self.batch_size())


class NodeBatch:
    """All nodes, as DGL's class of that name shows them to an apply function."""

    def __init__(self, inputs: Any, ntype: Any, data: Mapping[str, Any]) -> None:
        self._inputs = inputs
        self.ntype = ntype
        self.data = data
        self.mailbox = None

    def nodes(self) -> Any:
        """Give the IDs of the nodes."""
        return self._inputs["nid"]

    def batch_size(self) -> Any:
        """Give the number of nodes."""
        return self._inputs["nid"].shape[0]

    def __len__(self) -> int:
        return int(self.batch_size())


class NodesByDegree:
    """Nodes with edges, for a reduce function, their degrees left open."""

    def __init__(
        self, space: Space, ntype: Any, data: Mapping[str, Any], mailbox: Mapping[str, Any]
    ) -> None:
        self._space = space
        self.ntype = ntype
        self.data = data
        self.mailbox = mailbox

    def nodes(self) -> Batched:
        """Give the IDs of the nodes."""
        return Batched(self._space.fetch("ids"), self._space)

    def batch_size(self) -> Any:
        """Give the number of nodes."""
        return self._space.rows

    def __len__(self) -> int:
        return int(self._space.rows)
