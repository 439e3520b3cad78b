"""A graph of DGL while a module is traced: fields and index tensors of any graph.

It has the types and relations of the graph that the module was called with; numbers
of nodes and edges, indices and fields stay open.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from nativefx.gnn.dgl_builtins import edge_softmax
from nativefx.gnn.dgl_frames import Frame, FramesByType, Overlay
from nativefx.gnn.dgl_passing import (
    Call,
    Inputs,
    edge_fields,
    is_builtin,
    node_fields,
    pass_messages,
)
from nativefx.gnn.dgl_refusal import Refused
from nativefx.gnn.dgl_space import Space

__all__ = ["Relation", "Schema", "TracedGraph"]


@dataclass(frozen=True)
class Relation:
    """A canonical type of edges, and what is fixed of its edges while tracing."""

    etype: tuple[str, str, str]
    src: str
    dst: str
    has_edges: bool
    has_empty: bool


@dataclass(frozen=True)
class Schema:
    """What is fixed of a graph while tracing.

    Attributes
    ----------
    number
        Which of the graphs of a call it is.
    relations
        In order of their IDs. `src` and `dst` name frames: types of nodes, of blocks
        with ``src:`` or ``dst:`` before.
    """

    number: int
    relations: tuple[Relation, ...]
    ntypes: tuple[str, ...]
    srctypes: tuple[str, ...]
    dsttypes: tuple[str, ...]
    is_block: bool
    idtype: torch.dtype


class _Index:
    """What DGL's own functions ask of ``g._graph``."""

    def __init__(self, graph: TracedGraph) -> None:
        self.graph = graph

    def number_of_etypes(self) -> int:
        return len(self.graph.schema.relations)


class _RelationInputs(Inputs):
    """Fields and index tensors of a relation, as message passing asks for them."""

    def __init__(self, graph: TracedGraph, relation: Relation) -> None:
        self._frames = {
            "src": graph.frames[relation.src],
            "dst": graph.frames[relation.dst],
            "edge": graph.edge_frames[relation.etype],
        }
        self._index = graph.index_of(relation)
        self.used = {}

    def __getitem__(self, name: Any) -> Any:
        return self._frames[name[0]][name[1]] if isinstance(name, tuple) else self._index(name)

    def fields(self, kind: str) -> list[str]:
        return list(self._frames[kind])


class TracedGraph:
    """Stands for a `DGLGraph`; see `dgl` for what its methods mean.

    Parameters
    ----------
    schema
        What is fixed.
    inputs
        Tensors: ``("node", number, frame, field)``, ``("edge", number, etype, field)``,
        ``("index", number, etype, name)``.
    """

    def __init__(self, schema: Schema, inputs: Mapping[Any, Tensor]) -> None:
        self.schema = schema
        self.inputs = inputs
        names = dict.fromkeys([r.src for r in schema.relations] + [r.dst for r in schema.relations])
        for kind in schema.srctypes + schema.dsttypes:
            names.update(
                dict.fromkeys([f"src:{kind}", f"dst:{kind}"] if schema.is_block else [kind])
            )
        self.frames = {name: Frame({}) for name in names}
        self.edge_frames = {r.etype: Frame({}) for r in schema.relations}
        for key, value in inputs.items():
            if key[0] in ("node", "edge") and key[1] == schema.number:
                frames: Any = self.frames if key[0] == "node" else self.edge_frames
                frames[key[2]][key[3]] = value
        self._graph = _Index(self)
        self.nodes = FramesByType(self._node_frame, self._node_ids)
        self.edges = FramesByType(lambda k: self.edge_frames[self._relation(k).etype], self._ends)
        self.srcnodes = FramesByType(lambda k: self._end_frame("src", k), self._node_ids)
        self.dstnodes = FramesByType(lambda k: self._end_frame("dst", k), self._node_ids)

    # ---- types

    ntypes = property(lambda self: list(self.schema.ntypes))
    srctypes = property(lambda self: list(self.schema.srctypes))
    dsttypes = property(lambda self: list(self.schema.dsttypes))
    canonical_etypes = property(lambda self: [r.etype for r in self.schema.relations])
    etypes = property(lambda self: [r.etype[1] for r in self.schema.relations])
    is_block = property(lambda self: self.schema.is_block)
    idtype = property(lambda self: self.schema.idtype)
    device = property(lambda self: torch.device("cpu"))
    is_homogeneous = property(lambda self: len(self.ntypes) == 1 and len(self.etypes) == 1)

    def to_canonical_etype(self, etype: Any) -> tuple[str, str, str]:  # noqa: D102
        return self._relation(etype).etype

    def _relation(self, etype: Any = None) -> Relation:
        found = [r for r in self.schema.relations if etype in (None, r.etype, r.etype[1])]
        if len(found) != 1:
            raise Refused(f"edge type {etype!r} names {len(found)} relations")
        return found[0]

    def __getitem__(self, etype: Any) -> TracedGraph:
        relation = self._relation(etype)
        part = object.__new__(_Part)
        part.__dict__.update(self.__dict__)
        part.whole = self
        part.schema = Schema(
            self.schema.number, (relation,), tuple(dict.fromkeys(relation.etype[::2])),
            (relation.etype[0],), (relation.etype[2],), self.schema.is_block, self.schema.idtype,
        )  # fmt: skip
        part._graph = _Index(part)
        return part

    # ---- fields

    def _node_frame(self, ntype: Any) -> Frame:
        return self.frames[ntype]

    def _end_frame(self, end: str, ntype: Any = None) -> Frame:
        kinds = self.schema.srctypes if end == "src" else self.schema.dsttypes
        if ntype is None:
            if len(kinds) != 1:
                raise Refused("fields of several types are asked for at once")
            ntype = kinds[0]
        return self.frames[f"{end}:{ntype}" if self.schema.is_block else ntype]

    srcdata = property(lambda self: self._end_frame("src"))
    dstdata = property(lambda self: self._end_frame("dst"))
    ndata = property(lambda self: self._end_frame("src"))
    edata = property(lambda self: self.edge_frames[self._relation().etype])

    @contextlib.contextmanager
    def local_scope(self) -> Iterator[None]:  # noqa: D102
        frames = [*self.frames.values(), *self.edge_frames.values()]
        kept = [(dict(f.fields), dict(f.initializers)) for f in frames]
        try:
            yield
        finally:
            for frame, (fields, initializers) in zip(frames, kept, strict=True):
                frame.fields, frame.initializers = fields, initializers

    def set_n_initializer(  # noqa: D102
        self, initializer: Any, field: Any = None, ntype: Any = None
    ) -> None:
        self._end_frame("dst", ntype).initializers[field] = initializer

    # ---- indices and sizes

    def index_of(self, relation: Relation) -> Any:
        """Give the index tensors of a relation by name."""
        return lambda name: self.inputs["index", self.schema.number, relation.etype, name]

    def _ends(self, form: str = "uv", order: str = "eid", etype: Any = None) -> Any:
        index = self.index_of(self._relation(etype))
        ends = tuple(index(n).to(self.idtype) for n in ("src_index", "dst_index"))
        if order not in ("eid", None) or form not in ("uv", "all", "eid"):
            raise Refused(f"edges in order {order!r} are asked for")
        return {"uv": ends, "all": (*ends, index("eid")), "eid": index("eid")}[form]

    all_edges = _ends

    def _count(self, end: str, ntype: Any = None) -> Any:
        for relation in self.schema.relations:
            for side, name in (("src", relation.etype[0]), ("dst", relation.etype[2])):
                if ntype in (None, name) and (side == end or not self.schema.is_block):
                    return self.index_of(relation)(f"{side}_degree").shape[0]
        raise Refused(f"the number of nodes of type {ntype!r} without edges is asked for")

    def _node_ids(self, ntype: Any = None) -> Tensor:
        return torch.arange(self._count("src", ntype), dtype=self.idtype)

    def num_nodes(self, ntype: Any = None) -> Any:  # noqa: D102
        if ntype is None and (len(self.ntypes) > 1 or self.schema.is_block):
            raise Refused("the number of nodes of all types is asked for")
        return self._count("src", ntype)

    def num_src_nodes(self, ntype: Any = None) -> Any:  # noqa: D102
        return self._count("src", ntype or self.schema.srctypes[0])

    def num_dst_nodes(self, ntype: Any = None) -> Any:  # noqa: D102
        return self._count("dst", ntype or self.schema.dsttypes[0])

    def num_edges(self, etype: Any = None) -> Any:  # noqa: D102
        return self.index_of(self._relation(etype))("eid").shape[0]

    number_of_nodes, number_of_edges = num_nodes, num_edges
    number_of_src_nodes, number_of_dst_nodes = num_src_nodes, num_dst_nodes

    def in_degrees(self, v: Any = "__ALL__", etype: Any = None) -> Tensor:  # noqa: D102
        return self._degrees("dst_degree", v, etype)

    def out_degrees(self, u: Any = "__ALL__", etype: Any = None) -> Tensor:  # noqa: D102
        return self._degrees("src_degree", u, etype)

    def _degrees(self, name: str, ids: Any, etype: Any) -> Tensor:
        degrees = self.index_of(self._relation(etype))(name).to(self.idtype)
        return degrees if isinstance(ids, str) else degrees[ids]

    def __getattr__(self, name: str) -> Any:
        raise Refused(f"`{name}` of a graph is not known while a module is traced")

    # ---- message passing

    def _passed(self, relation: Relation, functions: tuple[Any, ...]) -> dict[str, Tensor]:
        message, reduce, apply = functions
        inputs = _RelationInputs(self, relation)
        if not relation.has_edges:
            if is_builtin(reduce):
                raise Refused("a built-in function reduces a relation without edges")
            call = Call(apply=apply, ntype=relation.etype[2])
            return {} if apply is None else dict(node_fields(call, inputs))
        frame = self.frames[relation.dst]
        zero = is_builtin(reduce) or not relation.has_empty or not frame.initializers
        empty = relation.has_empty and not is_builtin(reduce)
        inner = apply if zero else None
        call = Call(message, reduce, inner, relation.etype, relation.etype[2], empty, zero)
        found = pass_messages(call, inputs)
        if not zero:
            found = {k: self._started(frame, k, v, inputs) for k, v in found.items()}
            if apply is not None:
                merged = Overlay(inputs, found)
                found = node_fields(Call(apply=apply, ntype=relation.etype[2]), merged)
        return dict(found)

    def _started(self, frame: Frame, name: str, value: Tensor, inputs: Any) -> Tensor:
        count = inputs["dst_degree"].shape[0]
        shape = (count, *value.shape[1:])
        make = frame.initializers.get(name, frame.initializers.get(None))
        initial = (
            value.new_zeros(shape)
            if make is None
            else make(shape, value.dtype, value.device, slice(0, count))
        )
        return initial.index_copy(0, inputs["rows"], value)

    def update_all(  # noqa: D102
        self, message_func: Any, reduce_func: Any, apply_node_func: Any = None, etype: Any = None
    ) -> None:
        relation = self._relation(etype)
        found = self._passed(relation, (message_func, reduce_func, apply_node_func))
        if is_builtin(reduce_func) and reduce_func.name in ("min", "max"):
            found = _without_infinity(found, first_only=True)
        self.frames[relation.dst].update(found)

    def multi_update_all(  # noqa: D102
        self, etype_dict: Any, cross_reducer: Any, apply_node_func: Any = None
    ) -> None:
        merge = sys.modules["dgl.heterograph"].reduce_dict_data
        parts: dict[str, list[Any]] = {}
        order: dict[str, list[int]] = {}
        functions: Any = ()
        for etype, given in etype_dict.items():
            relation = self._relation(etype)
            functions = (*given, None)[:3]
            parts.setdefault(relation.dst, []).append(self._passed(relation, functions))
            order.setdefault(relation.dst, []).append(self.schema.relations.index(relation))
        for name, found in parts.items():
            out = merge(found, cross_reducer, order[name])
            if is_builtin(functions[1]) and functions[1].name in ("min", "max"):
                out = _without_infinity(out, first_only=False)
            self.frames[name].update(out)
            if apply_node_func is not None:
                self.apply_nodes(apply_node_func, ntype=name.removeprefix("dst:"))

    def apply_edges(self, func: Any, edges: Any = "__ALL__", etype: Any = None) -> None:  # noqa: D102
        if not isinstance(edges, str):
            raise Refused("`apply_edges` on part of the edges is not known")
        relation = self._relation(etype)
        call = Call(func, etype=relation.etype)
        found = edge_fields(call, _RelationInputs(self, relation))
        self.edge_frames[relation.etype].update(found)

    def apply_nodes(self, func: Any, v: Any = "__ALL__", ntype: Any = None) -> None:  # noqa: D102
        if not isinstance(v, str):
            raise Refused("`apply_nodes` on part of the nodes is not known")
        frame = self._end_frame("dst", ntype)
        inputs: Any = Inputs({("dst", k): x for k, x in frame.items()})
        ids = self._node_ids(ntype) if not self.schema.is_block else None
        inputs = Overlay(inputs, {}, ids)
        frame.update(node_fields(Call(apply=func, ntype=ntype), inputs))

    def softmax(self, logits: Tensor, norm_by: str) -> Tensor:
        """Softmax over the edges that enter (``"dst"``) or leave a node."""
        index = self.index_of(self._relation())
        degree = index(f"{norm_by}_degree")
        names = {"row": f"{norm_by}_index", "degree": f"{norm_by}_degree"}
        return edge_softmax(Space(degree.shape[0], lambda n: index(names[n]), True), logits)


class _Part(TracedGraph):
    """One relation of a graph: shares the frames."""

    whole: TracedGraph


def _without_infinity(found: Mapping[str, Any], first_only: bool) -> dict[str, Any]:
    changed = dict(found)
    for name in list(changed)[: 1 if first_only else None]:
        value = changed[name]
        if value is not None:
            changed[name] = value.masked_fill(torch.isinf(value), 0)
    return changed
