"""Rules whose sides are Python functions, and their application to graphs.

>>> import torch
>>> import nativefx
>>> def pattern(x, y):
...     return torch.relu(x + y)
>>> def replacement(x, y):
...     return torch.clamp(torch.add(x, y), min=0)
>>> fuse = nativefx.rule(pattern, replacement)
>>> gm = torch.fx.symbolic_trace(lambda a, b: torch.relu(a + b) * 2)
>>> nativefx.rewrite(gm, [fuse])
1
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import torch
import torch.fx
from torch.export import ExportedProgram
from torch.fx.graph_module import GraphModule
from torch.fx.subgraph_rewriter import Match as PeerMatch

from nativefx import _core, bridge
from nativefx.graph import Graph, Node
from nativefx.rewritten_module import Attributes, enter_names, fill_values, recompile_later

__all__ = ["Match", "Rule", "RuleSet", "replace_pattern", "rewrite", "rule"]

Side: TypeAlias = Callable[..., Any] | GraphModule


class Match(Mapping[str, Any]):
    """What the nodes of a pattern stand for, by their names.

    Arguments of the pattern function have their own names, calls those that
    torch.fx gave them. A value is a `Node` of the native graph, or the constant
    that an argument stands for.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def value(self, name: str) -> Any:
        """Tell the value that tracing recorded: a FakeTensor, a number, or None if there is none.

        Parameters
        ----------
        name
            Of an argument or a call of the pattern; a constant is its own value.
        """
        found = self._values[name]
        if not isinstance(found, Node):
            return found
        meta = found.meta
        return meta.get("val", meta.get("example_value"))

    def shape(self, name: str) -> torch.Size | None:
        """Tell the shape of a tensor, or None if it is not known."""
        value = self.value(name)
        return value.shape if isinstance(value, torch.Tensor) else None

    def dtype(self, name: str) -> torch.dtype | None:
        """Tell the dtype of a tensor, or None if it is not known."""
        value = self.value(name)
        return value.dtype if isinstance(value, torch.Tensor) else None


@dataclasses.dataclass(frozen=True)
class Rule:
    """An equation: its pattern becomes its replacement. Made by `rule`."""

    name: str
    pattern: GraphModule
    replacement: GraphModule
    where: Callable[[Match], bool] | None = None
    commutative: bool = True

    def _native(self, replacement: GraphModule) -> tuple[Any, ...]:
        where = self.where
        told = None if where is None else lambda values: where(Match(values))
        return (self.name, self.pattern, replacement, told, self.commutative)


@dataclasses.dataclass(frozen=True)
class RuleSet:
    """Rules that the native library holds, by name. See `nativefx.rules`."""

    name: str
    summary: str


def rule(
    pattern: Side,
    replacement: Side,
    where: Callable[[Match], bool] | None = None,
    *,
    name: str | None = None,
    commutative: bool = True,
) -> Rule:
    """Make a rule out of two functions of the same arguments.

    Parameters
    ----------
    pattern
        What to look for: a function to be traced with torch.fx, or a
        GraphModule. An argument stands for any value, constant or list, twice for
        the same one. What it returns may be used elsewhere in the graph; what it
        computes in between may not.
    replacement
        What takes its place: as many arguments, as many results.
    where
        Whether to apply the rule to a `Match`. Default: always.
    name
        Of the rule in traces. Default: that of the function.
    commutative
        Match the arguments of sums, products and the like in either order.

    Raises
    ------
    nativefx.Error
        When the rule is applied: if the pattern computes nothing
        (`empty-pattern`), or what it does not return (`dead-pattern-node`), or if
        the sides are unlike (`unlike-replacement`, `unbound-argument`).
    """
    own_name = str(getattr(pattern, "__name__", type(pattern).__name__))
    return Rule(name or own_name, _traced(pattern), _traced(replacement), where, commutative)


def _traced(side: Side) -> GraphModule:
    return side if isinstance(side, GraphModule) else torch.fx.symbolic_trace(side)


def rewrite(
    target: GraphModule | ExportedProgram | Graph,
    rules: Rule | RuleSet | Iterable[Rule | RuleSet],
    *,
    repeat: bool = False,
    trace: Callable[[str], object] | None = None,
) -> int:
    """Apply rules to a graph in place.

    Each rule is applied once from the first node to the last, then the next. A
    match takes no node that the same rule made; of two that overlap the earlier
    one counts. A rule does not apply where it would move a read of memory across a
    write to it, or make a cycle.

    Nodes that are not touched stay the same objects. A new node has the source
    line and module path of what it replaces, and a value if its neighbours have.
    Code is generated when the module is next called or asked for it.

    Parameters
    ----------
    target
        What to rewrite. A `GraphModule` may come from symbolic tracing, Dynamo,
        AOTAutograd or export.
    rules
        What to apply, in order.
    repeat
        Apply all of them again while one applies.
    trace
        Gets a line for each application: ``gelu: %mul_3 becomes %gelu``.

    Returns
    -------
    int
        How often a rule was applied.
    """
    given = [rules] if isinstance(rules, Rule | RuleSet) else list(rules)
    if isinstance(target, Graph):
        native = [r.name if isinstance(r, RuleSet) else r._native(r.replacement) for r in given]
        return _core.rewrite_graph(target, native, trace, repeat, True)
    if isinstance(target, ExportedProgram):
        applied = rewrite(target.graph_module, given, repeat=repeat, trace=trace)
        if applied:
            signature = target._graph_signature
            target._graph_signature = bridge.renamed_signature(signature, target.graph)
        return applied
    if not isinstance(target, GraphModule):
        raise TypeError(
            f"cannot rewrite `{type(target).__name__}`; give a GraphModule, an "
            "ExportedProgram or a nativefx.Graph"
        )
    return len(_rewrite_module(target, given, repeat, trace, same_values=True, matches=False))


def replace_pattern(gm: GraphModule, pattern: Side, replacement: Side) -> list[PeerMatch]:
    """Do what `torch.fx.subgraph_rewriter.replace_pattern` does, in linear time.

    Differs from it where it fails or computes something else: the module
    constants of a traced replacement come along, a replacement stands behind all
    that it needs, a match across a write to its memory is left alone, and new
    nodes have values and origins.
    """
    made = rule(pattern, replacement, commutative=False)
    found = _rewrite_module(gm, [made], False, None, same_values=False, matches=True)
    if found and isinstance(replacement, torch.nn.Module):
        gm.delete_all_unused_submodules()
    output = made.pattern.graph.output_node()
    anchor = next(n for n in output.all_input_nodes if len(n.users) == 1)
    return [PeerMatch(anchor, nodes_map) for nodes_map in found]


def _rewrite_module(
    gm: GraphModule,
    rules: Sequence[Rule | RuleSet],
    repeat: bool,
    trace: Callable[[str], object] | None,
    *,
    same_values: bool,
    matches: bool,
) -> Sequence[Any]:
    """Return the matches, or something as long if nobody wants to see them."""
    attributes = Attributes(gm)
    native = [
        r.name if isinstance(r, RuleSet) else r._native(attributes.enter(r.replacement))
        for r in rules
    ]
    applied, found, made, unknown = _core.rewrite_in_place(
        gm, native, trace, repeat, same_values, matches
    )
    if applied:
        attributes.copy_over(made)
        enter_names(gm.graph, made)
        fill_values(gm, unknown)
        recompile_later(gm)
    return found if matches else range(applied)
