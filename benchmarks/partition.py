"""Dividing a graph, beside `CapabilityBasedPartitioner` of torch.fx, whole calls.

Chains with skips of pointwise operators; a share of the nodes, drawn by a fixed
rule, is not supported. The peer proposes and fuses its partitions, ours returns
the GraphModule: both cross all of their own Python. CPU seconds of this thread.
The peer is measured where it ends in reasonable time.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Mapping

import torch
import torch.fx
from measure import machine
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

import nativefx

aten = torch.ops.aten
_PEER_SIZES = (250, 500, 1_000)
_SIZES = (1_000, 10_000, 100_000)
_UNSUPPORTED = (1, 10, 50)


class Share(OperatorSupportBase):
    """Supports all but a share of the calls."""

    def __init__(self, unsupported: int) -> None:
        self.unsupported = unsupported

    def is_node_supported(
        self, submodules: Mapping[str, torch.nn.Module], node: torch.fx.Node
    ) -> bool:
        """Whether the checksum of the name is not among the unsupported ones."""
        return node.op == "call_function" and zlib.crc32(node.name.encode()) % 100 >= (
            self.unsupported
        )


def chain(count: int) -> torch.fx.GraphModule:
    """Make a chain in which every third node also reads one a few places before."""
    graph = torch.fx.Graph()
    values = [graph.placeholder("x")]
    for i in range(count):
        if i % 3 == 2:
            skipped = values[max(0, len(values) - 5)]
            values.append(graph.call_function(aten.add.Tensor, (values[-1], skipped)))
        else:
            values.append(graph.call_function(aten.relu.default, (values[-1],)))
    graph.output(values[-1])
    return torch.fx.GraphModule({}, graph)


def timed(
    divide: Callable[[torch.fx.GraphModule, Share], int], gm: torch.fx.GraphModule, support: Share
) -> tuple[float, int]:
    """Seconds of one call, and what it returned."""
    start = time.thread_time()
    parts = divide(gm, support)
    return time.thread_time() - start, parts


def peer_parts(gm: torch.fx.GraphModule, support: Share) -> int:
    """Divide with torch.fx; return how many parts there are."""
    partitioner = CapabilityBasedPartitioner(gm, support, allows_single_node_partition=True)
    parts = partitioner.propose_partitions()
    partitioner.fuse_partitions(parts)
    return len(parts)


def our_parts(gm: torch.fx.GraphModule, support: Share) -> int:
    """Divide with nativefx; return how many parts there are."""
    parts = nativefx.partition(gm, support)
    return sum(node.op == "call_module" for node in parts.graph.nodes)


def main() -> None:
    """Print the ratios, then what our time grows with."""
    print(machine())
    print(f"{'nodes':>8} {'unsupported':>12} {'torch.fx s':>11} {'ours s':>8} {'ratio':>8}  parts")
    for unsupported in _UNSUPPORTED:
        support = Share(unsupported)
        for count in _PEER_SIZES:
            gm = chain(count)
            ours, our_count = min(timed(our_parts, gm, support) for _ in range(3))
            peer, count_of_peer = timed(peer_parts, gm, support)
            print(
                f"{count:8} {unsupported:11}% {peer:11.3f} {ours:8.4f} {peer / ours:8.0f}"
                f"  {count_of_peer} and {our_count}"
            )
    for unsupported in _UNSUPPORTED:
        support = Share(unsupported)
        times = [
            min(timed(our_parts, gm, support)[0] for _ in range(2)) for gm in map(chain, _SIZES)
        ]
        slope = math.log(times[-1] / times[0]) / math.log(_SIZES[-1] / _SIZES[0])
        per_node = ", ".join(f"{1e6 * t / n:.1f}" for t, n in zip(times, _SIZES, strict=True))
        print(f"{unsupported}% unsupported: {per_node} us a node, log-log slope {slope:.2f}")


if __name__ == "__main__":
    main()
