"""Compile whole modules that take graphs of DGL."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping
from typing import Any
from unittest import mock

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_flatten, tree_unflatten

from nativefx.errors import Error
from nativefx.gnn.dgl_accelerate import accelerate
from nativefx.gnn.dgl_calls import Settings, refusal
from nativefx.gnn.dgl_captures import Captures
from nativefx.gnn.dgl_graph import Relation, Schema, TracedGraph
from nativefx.gnn.dgl_import import import_dgl
from nativefx.gnn.dgl_passing import Inputs
from nativefx.gnn.dgl_program import Program, Spec, hints_for
from nativefx.gnn.dgl_refusal import Refused
from nativefx.gnn.dgl_report import CallReport, tell
from nativefx.gnn.dgl_structure import Structure

__all__ = ["CompiledModule", "compile_dgl"]

_VARIANTS = 4


def compile_dgl(
    module: Callable[..., Any],
    *,
    fallback: str = "allow",
    compile: bool = True,
    options: Mapping[str, Any] | None = None,
) -> CompiledModule:
    """Compile a module whose arguments are graphs of DGL and tensors.

    The module is traced when it is first called with graphs of such types and with
    fields of such names and dtypes, and used again for graphs of any size. It means
    what it means in DGL; fields that it sets outside of `local_scope` are set.

    Parameters
    ----------
    module
        A module, or a function.
    fallback
        ``"allow"``: a module that cannot be traced as a whole runs with `accelerate`,
        with one warning that names the line and the reason. ``"error"``: it raises
        `nativefx.Error`.
    compile
        Whether what was traced is compiled; without, it runs as plain PyTorch.
    options
        Options of ``torch.compile(backend="nativefx")``.
    """
    settings = Settings(fallback, compile, options)
    import_dgl()
    return CompiledModule(module, settings)


class CompiledModule(nn.Module):
    """A module that takes graphs of DGL, compiled; see `compile_dgl`.

    Attributes
    ----------
    module
        The module itself.
    programs
        How many programs were made: one for all sizes of graphs, unless types,
        fields or Python values of the arguments differ.
    """

    def __init__(self, module: Callable[..., Any], settings: Settings) -> None:
        super().__init__()
        self.module = module
        self._settings = settings
        self._programs: dict[Any, list[Any]] = {}

    @property
    def programs(self) -> int:  # noqa: D102
        made = [p for kept in self._programs.values() for p in kept]
        return sum(isinstance(p, _Traced) for p in made)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run on graphs and tensors."""
        call = _ModuleCall(self.module, args, kwargs)
        key = (call.key, self._settings.key, torch.is_grad_enabled())
        kept = self._programs.setdefault(key, [])
        found = next((p for p in kept if _accepts(p, call)), None)
        if found is None:
            found = self._make(call, len(kept))
            kept.append(found)
        if isinstance(found, CallReport):
            tell(found, self._settings.fallback)
            with accelerate(fallback="allow", compile=self._settings.compiles):
                return self.module(*args, **kwargs)
        tell(found.report, self._settings.fallback)
        return found.run(call)

    def _make(self, call: _ModuleCall, variants: int) -> _Traced | CallReport:
        try:
            if variants >= _VARIANTS:
                raise Refused("Python control flow depends on the numbers of nodes or edges")
            traced = _Traced(call, self._settings, call.hints())
            if not traced.program.accepts(call.sizes):
                traced = _Traced(call, self._settings, call.sizes)
            return traced
        except Error:
            raise
        except Exception as error:
            return refusal("module", (self.module,), error)


def _accepts(found: Any, call: _ModuleCall) -> bool:
    return isinstance(found, CallReport) or found.program.accepts(call.sizes)


class _ModuleCall:
    """The arguments of a call, taken apart."""

    def __init__(self, module: Any, args: Any, kwargs: Any) -> None:
        self.module = module
        self.leaves, self.structure = tree_flatten((args, kwargs))
        graph_class = import_dgl().DGLGraph
        places = [i for i, x in enumerate(self.leaves) if isinstance(x, graph_class)]
        self.graph_places = set(places)
        self.graphs = [self.leaves[i] for i in places]
        self.tensors: dict[Any, Tensor] = {}
        self.index: dict[Any, Structure] = {}
        self.specs: dict[Any, Spec] = {}
        self.sizes: dict[Hashable, int] = {}
        self.schemas = [self._graph(n, g) for n, g in enumerate(self.graphs)]
        self.plain: list[Any] = []
        for place, leaf in enumerate(self.leaves):
            if isinstance(leaf, Tensor):
                self._add(("argument", place), leaf, self._kind_of(leaf))
            elif not isinstance(leaf, graph_class):
                self.plain.append((place, leaf))
        self.captures = Captures(module, [leaf for _, leaf in self.plain])
        self.key = (
            self.captures.key, tuple(self.schemas), str(self.structure), len(self.leaves),
            tuple(self.specs.items()),
        )  # fmt: skip

    def hints(self) -> dict[Hashable, int]:
        """Give sizes to trace with; a block has fewer destinations than sources."""
        return hints_for(sorted(self.sizes, key=lambda kind: "dst:" not in str(kind)))

    def _add(self, name: Any, tensor: Tensor, kind: Hashable | None) -> None:
        self.tensors[name] = tensor
        self.specs[name] = Spec.of(tensor, kind)

    def _kind_of(self, tensor: Tensor) -> Hashable | None:
        if tensor.dim() == 0:
            return None
        return next((k for k, n in self.sizes.items() if n == tensor.shape[0]), None)

    def _graph(self, number: int, g: Any) -> Schema:
        names = _frame_names(g)
        for i, name in enumerate(names):
            self.sizes[number, "nodes", name] = g._graph.num_nodes(i)
        relations = []
        for i, etype in enumerate(g.canonical_etypes):
            structure = _structure(g, etype)
            src, dst = (names[n] for n in g._graph.metagraph.find_edge(i))
            relations.append(
                Relation(etype, src, dst, structure.num_edges > 0, structure.has_empty)
            )
            self._relation(number, relations[-1], structure, g.idtype)
            for field in g._edge_frames[i]:
                kind = (number, "edges", etype)
                self._add(("edge", number, etype, field), g._edge_frames[i][field], kind)
        for i, frame in enumerate(g._node_frames):
            for field in frame:
                kind = (number, "nodes", names[i])
                self._add(("node", number, names[i], field), frame[field], kind)
        return Schema(
            number, tuple(relations), tuple(g.ntypes), tuple(g.srctypes), tuple(g.dsttypes),
            g.is_block, g.idtype,
        )  # fmt: skip

    def _relation(self, number: int, relation: Relation, index: Structure, ids: Any) -> None:
        self.index[number, relation.etype] = index
        edges, rows = (number, "edges", relation.etype), (number, "rows", relation.etype)
        self.sizes[edges], self.sizes[rows] = index.num_edges, index.num_rows
        src, dst = (number, "nodes", relation.src), (number, "nodes", relation.dst)
        kinds = {
            **dict.fromkeys(("src_index", "dst_index", "eid", "row", "order", "position"), edges),
            **dict.fromkeys(("rows", "degree", "start"), rows),
            **{"dst_degree": dst, "dst_start": dst, "nid": dst, "src_degree": src, "src_nid": src},
        }
        for name, kind in kinds.items():
            dtype = ids if name in ("nid", "eid", "src_nid") else torch.int64
            self.specs["index", number, relation.etype, name] = Spec(kind, dtype=dtype)

    def fetch(self, name: Any) -> Tensor:
        """Give an input by name."""
        if name[0] == "index":
            return self.index[name[1], name[2]][name[3]]
        return self.tensors[name]


def _frame_names(g: Any) -> list[str]:
    if not g.is_block:
        return list(g.ntypes)
    return [f"src:{t}" for t in g.srctypes] + [f"dst:{t}" for t in g.dsttypes]


def _structure(g: Any, etype: Any) -> Structure:
    if len(g.canonical_etypes) == 1:
        return Structure.of(g._graph)
    kept = g._graph._cache.setdefault("nativefx.relations", {})
    if etype not in kept:
        kept[etype] = Structure(g[etype]._graph)
    return kept[etype]


class _Traced:
    """A program of a module, and how its outputs become those of the module."""

    def __init__(
        self, call: _ModuleCall, settings: Settings, hints: Mapping[Hashable, int]
    ) -> None:
        self._spec: Any = None
        self._leaves: list[Any] = []
        self.program = Program(
            lambda inputs: self._body(call, inputs), call.specs, call.captures.tensors, hints,
            settings.compiler(),
        )  # fmt: skip
        if Captures(call.module, [x for _, x in call.plain]).key != call.captures.key:
            raise Refused("the module stores values while it runs")
        name = type(call.module).__name__ if isinstance(call.module, nn.Module) else "function"
        self.report = CallReport("module", name, True, operators=self.program.operators)

    def _body(self, call: _ModuleCall, inputs: Inputs) -> dict[Any, Tensor]:
        tensors: Any = _Named(inputs, call.specs)
        graphs = [TracedGraph(schema, tensors) for schema in call.schemas]
        before = [_fields(g) for g in graphs]
        rest = iter(graphs)
        leaves = [
            inputs["argument", i] if isinstance(x, Tensor)
            else next(rest) if i in call.graph_places else x
            for i, x in enumerate(call.leaves)
        ]  # fmt: skip
        args, kwargs = tree_unflatten(leaves, call.structure)
        with _graph_functions():
            out = call.module(*args, **kwargs)
        self._leaves, self._spec = tree_flatten(out)
        found: dict[Any, Tensor] = {}
        for i, leaf in enumerate(self._leaves):
            if isinstance(leaf, TracedGraph):
                raise Refused("a graph is returned")
            if isinstance(leaf, torch.SymInt):
                raise Refused("a number of nodes or edges is returned")
            if isinstance(leaf, Tensor):
                found["out", i] = leaf
                self._leaves[i] = None
        for graph, fields in zip(graphs, before, strict=True):
            found.update(_changed(graph, fields))
        return found

    def run(self, call: _ModuleCall) -> Any:
        """Run on the arguments of a call."""
        found = self.program(call.fetch, call.captures.tensors)
        leaves = list(self._leaves)
        for name, value in found.items():
            if name[0] == "out":
                leaves[name[1]] = value
            else:
                _set_field(call.graphs[name[1]], name, value)
        return tree_unflatten(leaves, self._spec)


class _Named(Mapping[Any, Tensor]):
    """Inputs as a mapping: only what is read becomes an input of the program."""

    def __init__(self, inputs: Inputs, names: Mapping[Any, Any]) -> None:
        self._inputs = inputs
        self._names = names

    def __getitem__(self, name: Any) -> Tensor:
        return self._inputs[name]

    def __iter__(self) -> Any:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _fields(graph: TracedGraph) -> dict[Any, Any]:
    number = graph.schema.number
    known = {}
    for kind, frames in (("node", graph.frames), ("edge", graph.edge_frames)):
        for name, frame in frames.items():
            for field, value in frame.fields.items():
                known[kind, number, name, field] = value
    return known


def _changed(graph: TracedGraph, before: Mapping[Any, Any]) -> dict[Any, Tensor]:
    after = _fields(graph)
    if before.keys() - after.keys():
        raise Refused("a field of the graph is removed")
    return {n: x for n, x in after.items() if before.get(n) is not x}


def _set_field(g: Any, name: Any, value: Tensor) -> None:
    kind, _, frame, field = name
    if kind == "edge":
        g._edge_frames[g.canonical_etypes.index(frame)][field] = value
    else:
        g._node_frames[_frame_names(g).index(frame)][field] = value


def _graph_functions() -> Any:
    """Let `edge_softmax` of DGL take traced graphs."""
    softmax: Any = sys.modules["dgl.ops.edge_softmax"]

    def run(index: Any, logits: Any, eids: Any = "__ALL__", norm_by: str = "dst") -> Any:
        if not isinstance(eids, str):
            raise Refused("`edge_softmax` on part of the edges is not known")
        return index.graph.softmax(logits, norm_by)

    return mock.patch.object(softmax, "edge_softmax_internal", run)
