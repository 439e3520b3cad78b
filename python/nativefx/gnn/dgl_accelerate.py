"""Compile single calls of DGL's message passing where they stand."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unittest import mock

import torch
from torch import Tensor

from nativefx.gnn.dgl_builtins import edge_softmax
from nativefx.gnn.dgl_calls import GraphSide, Settings, run_call
from nativefx.gnn.dgl_import import import_dgl
from nativefx.gnn.dgl_passing import (
    Call,
    Inputs,
    edge_fields,
    is_builtin,
    node_fields,
    pass_messages,
)
from nativefx.gnn.dgl_space import Space
from nativefx.gnn.dgl_structure import Structure

__all__ = ["accelerate"]

_EDGE_INDICES = ("src_index", "dst_index", "eid")
_ROW_INDICES = ("nid", "dst_degree", "dst_start", "rows", "degree", "row", "start")
_ORDER_INDICES = ("order", "position")


@contextlib.contextmanager
def accelerate(
    *, fallback: str = "allow", compile: bool = True, options: Mapping[str, Any] | None = None
) -> Iterator[None]:
    """Compile calls of DGL's message passing made inside this context.

    `update_all`, `apply_edges`, `apply_nodes`, `multi_update_all`, `send_and_recv`,
    `pull`, `push`, `prop_nodes`, `prop_edges` and `edge_softmax` with functions of the
    user or of DGL mean what they mean in DGL. A call is traced when it is first made
    with functions that read such things, and used again for graphs of any size.

    Parameters
    ----------
    fallback
        ``"allow"``: a call that cannot be compiled runs in DGL, with one warning that
        names the line and the reason. ``"error"``: it raises `nativefx.Error`.
    compile
        Whether what was traced is compiled; without, it runs as plain PyTorch.
    options
        Options of ``torch.compile(backend="nativefx")``.
    """
    settings = Settings(fallback, compile, options)
    import_dgl()
    core, softmax = sys.modules["dgl.core"], sys.modules["dgl.ops.edge_softmax"]
    graph_class = sys.modules["dgl.heterograph"].DGLGraph
    with contextlib.ExitStack() as stack:
        for owner, name, make in (
            (core, "message_passing", _message_passing),
            (core, "invoke_edge_udf", _edge_udf),
            (core, "invoke_node_udf", _node_udf),
            (core, "invoke_gsddmm", _gsddmm),
            (softmax, "edge_softmax_internal", _edge_softmax),
            (graph_class, "__getitem__", _relation),
        ):
            replaced = make(getattr(owner, name), settings)
            stack.enter_context(mock.patch.object(owner, name, replaced))
        yield


def _message_passing(original: Callable[..., Any], settings: Settings) -> Callable[..., Any]:
    def run(g: Any, mfunc: Any, rfunc: Any, afunc: Any) -> Any:
        if g._graph.number_of_etypes() != 1 or not g.num_edges():
            return original(g, mfunc, rfunc, afunc)
        structure = Structure.of(g._graph)
        empty = structure.has_empty and not is_builtin(rfunc)
        zero = not empty or _starts_from_zero(g)
        # The initial value of a field is known once the field is: apply runs after that.
        inner = afunc if zero else None
        call = Call(mfunc, rfunc, inner, g.canonical_etypes[0], g.dsttypes[0], empty, zero)
        functions = (mfunc, rfunc, inner)
        found = run_call(
            "message_passing", functions, call, pass_messages, _side(g, structure),
            _fields(g), settings,
        )  # fmt: skip
        if found is None:
            return original(g, mfunc, rfunc, afunc)
        if not zero:
            found = _with_initial_rows(g, structure, found)
            if afunc is not None:
                found = _apply_after(g, found, afunc)
        return found

    return run


def _apply_after(g: Any, found: dict[str, Tensor], afunc: Any) -> Any:
    core = sys.modules["dgl.core"]
    dgl = import_dgl()
    data = {**dict(g.dstdata.items()), **found}
    return core.invoke_node_udf(
        g, "__ALL__", g.dsttypes[0], afunc, ndata=data, orig_nid=g.dstdata.get(dgl.NID)
    )


def _edge_udf(original: Callable[..., Any], settings: Settings) -> Callable[..., Any]:
    def run(graph: Any, eid: Any, etype: Any, func: Any, *, orig_eid: Any = None) -> Any:
        found = None
        if graph._graph.number_of_etypes() == 1 and _is_all(eid) and graph.num_edges():
            call = Call(func, etype=etype)
            found = run_call(
                "apply_edges", (func,), call, edge_fields,
                _side(graph, Structure.of(graph._graph)), _fields(graph), settings,
            )  # fmt: skip
        return original(graph, eid, etype, func, orig_eid=orig_eid) if found is None else found

    return run


def _gsddmm(original: Callable[..., Any], settings: Settings) -> Callable[..., Any]:
    def run(graph: Any, func: Any) -> Any:
        found = None
        if graph._graph.number_of_etypes() == 1 and graph.num_edges():
            found = run_call(
                "apply_edges", (func,), Call(func), edge_fields,
                _side(graph, Structure.of(graph._graph)), _fields(graph), settings,
            )  # fmt: skip
        return original(graph, func) if found is None else found

    return run


def _node_udf(original: Callable[..., Any], settings: Settings) -> Callable[..., Any]:
    def run(
        graph: Any, nid: Any, ntype: Any, func: Any, *, ndata: Any = None, orig_nid: Any = None
    ) -> Any:
        data = ndata
        if data is None:
            data = graph._node_frames[graph.get_ntype_id(ntype)]
            data = data if _is_all(nid) else data.subframe(nid)
        ids = orig_nid if orig_nid is not None else nid
        ids = graph.nodes(ntype) if _is_all(ids) else ids
        found = None
        if len(ids):
            side = GraphSide(
                {"nid": ids}.__getitem__, ("nid",), {"dst": len(ids)}, False, ids.dtype
            )
            tensors = {("dst", name): value for name, value in data.items()}
            call = Call(apply=func, ntype=ntype)
            found = run_call("apply_nodes", (func,), call, node_fields, side, tensors, settings)
        if found is not None:
            return found
        return original(graph, nid, ntype, func, ndata=ndata, orig_nid=orig_nid)

    return run


def _edge_softmax(original: Callable[..., Any], settings: Settings) -> Callable[..., Any]:
    def run(gidx: Any, logits: Any, eids: Any = "__ALL__", norm_by: str = "dst") -> Any:
        found = None
        if _is_all(eids) and len(logits) and norm_by in ("dst", "src"):
            structure = Structure.of(gidx)
            call = Call(facts=("edge_softmax", norm_by))
            found = run_call(
                "edge_softmax", (), call, _softmax_body,
                GraphSide(
                    structure.__getitem__, ("dst_index", "src_index", "dst_degree", "src_degree"),
                    structure.sizes, structure.one_type,
                ),
                {("edge", "logits"): logits}, settings,
            )  # fmt: skip
        return original(gidx, logits, eids, norm_by) if found is None else found["out"]

    return run


def _softmax_body(call: Call, inputs: Inputs) -> dict[str, Tensor]:
    end = call.facts[1]
    degree = inputs[f"{end}_degree"]
    names = {"row": f"{end}_index", "degree": f"{end}_degree"}
    space = Space(degree.shape[0], lambda name: inputs[names[name]], has_empty=True)
    return {"out": edge_softmax(space, inputs["edge", "logits"])}


def _relation(original: Callable[..., Any], settings: Settings) -> Callable[..., Any]:
    """Keep the index tensors of a relation with the graph that it is taken from."""

    def run(self: Any, key: Any) -> Any:
        part = original(self, key)
        if part._graph.number_of_etypes() == 1 and part is not self:
            kept = self._graph._cache.setdefault("nativefx.relations", {})
            structure = kept.get(part.canonical_etypes[0])
            if structure is None:
                structure = kept[part.canonical_etypes[0]] = Structure(part._graph)
            structure.share(part._graph)
        return part

    return run


# ---- what calls read


def _is_all(ids: Any) -> bool:
    return isinstance(ids, str) and ids == "__ALL__"


def _side(g: Any, structure: Structure) -> GraphSide:
    dgl = import_dgl()
    original = {"nid": g.dstdata.get(dgl.NID), "eid": g.edata.get(dgl.EID)}

    def index(name: str) -> Tensor:
        value = original.get(name)
        return structure[name] if value is None else value

    names = _EDGE_INDICES + _ROW_INDICES + _ORDER_INDICES
    return GraphSide(index, names, structure.sizes, structure.one_type, g.idtype)


def _fields(g: Any) -> dict[Any, Tensor]:
    """Fields of the sources, destinations and edges of a graph with one relation."""
    src, dst = g._graph.metagraph.find_edge(0)
    frames = (
        ("src", g._node_frames[src]),
        ("dst", g._node_frames[dst]),
        ("edge", g._edge_frames[0]),
    )
    return {(kind, name): frame[name] for kind, frame in frames for name in frame}


def _starts_from_zero(g: Any) -> bool:
    """Whether the rows that no message reaches start from zero, whatever the field."""
    frame = _dst_frame(g)
    kinds = [frame._default_initializer, *frame._initializers.values()]
    return all(k is None or k.__name__ == "zero_initializer" for k in kinds)


def _dst_frame(g: Any) -> Any:
    return g._node_frames[g._graph.metagraph.find_edge(0)[1]]


def _with_initial_rows(g: Any, graph: Structure, found: dict[str, Tensor]) -> dict[str, Tensor]:
    frame = _dst_frame(g)
    complete = {}
    for name, value in found.items():
        make = frame.get_initializer(name) or torch.zeros
        shape = (graph.num_dst, *value.shape[1:])
        if make is torch.zeros:
            initial = torch.zeros(shape, dtype=value.dtype, device=value.device)
        else:
            initial = make(shape, value.dtype, value.device, slice(0, graph.num_dst))
        complete[name] = initial.index_copy(0, graph["rows"], value)
    return complete
