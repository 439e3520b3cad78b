"""Message-passing operators: value and gradient, eager and compiled."""

from __future__ import annotations

import pytest
import torch

from nativefx.gnn import Edges, edge_softmax, weighted_sum
from nativefx.report import collector

ERROR = {"fallback": "error"}


def make_edges(num_nodes: int, num_edges: int, seed: int = 0) -> Edges:
    """Random edges; the last node has none, one node has a third of them."""
    generator = torch.Generator().manual_seed(seed)
    index = torch.randint(0, max(num_nodes - 1, 1), (2, num_edges), generator=generator)
    index[1, : num_edges // 3] = 0
    return Edges.from_index(index, num_nodes)


def dense_reference(edges: Edges, x: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    """Node by node, without any of the operators."""
    rows = []
    for i in range(edges.offsets.numel() - 1):
        begin, end = int(edges.offsets[i]), int(edges.offsets[i + 1])
        if begin == end:
            rows.append(torch.zeros_like(x[0]))
            continue
        alpha = torch.softmax(logits[begin:end], 0)
        messages = x[edges.src[begin:end]]
        rows.append(
            (alpha.reshape(list(alpha.shape) + [1] * (x.dim() - alpha.dim())) * messages).sum(0)
        )
    return torch.stack(rows)


def attention(edges: Edges, x: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    return weighted_sum(edges, x, edge_softmax(edges, logits))


SHAPES = [((7,), ()), ((3, 5), (3,)), ((8, 16), (8,)), ((64,), ())]


@pytest.mark.parametrize("features,heads", SHAPES)
@pytest.mark.parametrize("compiled", [False, True])
def test_value(features, heads, compiled):
    edges = make_edges(40, 300)
    x = torch.randn(40, *features, dtype=torch.float64)
    logits = torch.randn(300, *heads, dtype=torch.float64)
    function = (
        torch.compile(attention, backend="nativefx", options=ERROR) if compiled else attention
    )
    torch.testing.assert_close(
        function(edges, x, logits), dense_reference(edges, x, logits), rtol=1e-10, atol=1e-10
    )


@pytest.mark.parametrize("features,heads", SHAPES)
def test_gradient(features, heads):
    edges = make_edges(40, 300)
    compiled = torch.compile(attention, backend="nativefx", options=ERROR)
    grads = []
    for function in (dense_reference, attention, compiled):
        torch.manual_seed(1)
        x = torch.randn(40, *features, dtype=torch.float64, requires_grad=True)
        logits = torch.randn(300, *heads, dtype=torch.float64, requires_grad=True)
        function(edges, x, logits).square().sum().backward()
        grads.append((x.grad, logits.grad))
    for other in grads[1:]:
        torch.testing.assert_close(other, grads[0], rtol=1e-9, atol=1e-9)


def graph_attention(edges: Edges, x: torch.Tensor, left: torch.Tensor, right: torch.Tensor):
    scores = torch.ops.mp.from_src(left, edges.src)
    scores = scores + torch.ops.mp.from_dst(right, edges.offsets, edges.dst)
    logits = torch.nn.functional.leaky_relu(scores, 0.2)
    return torch.relu(attention(edges, x, logits) + 1)


@pytest.mark.parametrize("heads,features", [(1, 40), (3, 4), (8, 8)])
def test_attention_is_one_kernel(heads, features):
    edges = make_edges(50, 900)
    x = torch.randn(50, heads, features)
    left, right = torch.randn(50, heads), torch.randn(50, heads)
    compiled = torch.compile(graph_attention, backend="nativefx", options=ERROR)
    with collector() as graphs:
        result = compiled(edges, x, left, right)
    assert [len(graph.kernels) for graph in graphs] == [1]
    want = graph_attention(edges, x.double(), left.double(), right.double()).float()
    torch.testing.assert_close(result, want, rtol=1e-5, atol=1e-5)


def test_gradcheck():
    edges = make_edges(6, 12)
    x = torch.randn(6, 2, 3, dtype=torch.float64, requires_grad=True)
    logits = torch.randn(12, 2, dtype=torch.float64, requires_grad=True)
    compiled = torch.compile(attention, backend="nativefx", options=ERROR)
    assert torch.autograd.gradcheck(lambda a, b: compiled(edges, a, b), (x, logits))


def test_same_bits_for_any_number_of_threads():
    edges = make_edges(2000, 60_000)
    x, logits = torch.randn(2000, 4, 16), torch.randn(60_000, 4)
    compiled = torch.compile(attention, backend="nativefx", options=ERROR)
    results = []
    before = torch.get_num_threads()
    try:
        with collector() as graphs:
            for threads in (1, 2, 3):
                torch.set_num_threads(threads)
                results.append(compiled(edges, x, logits))
    finally:
        torch.set_num_threads(before)
    # Dynamo compiles anew for another number, up to a limit: eager mode comes after it.
    assert len(graphs) == 3
    assert all(graph.count("kernel") and not graph.count("python") for graph in graphs)
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


def test_no_edges_and_no_nodes():
    compiled = torch.compile(attention, backend="nativefx", options=ERROR)
    edges = Edges.from_index(torch.zeros(2, 0, dtype=torch.int64), 5)
    assert torch.equal(compiled(edges, torch.randn(5, 3), torch.randn(0)), torch.zeros(5, 3))


@pytest.mark.parametrize(
    "index,message",
    [
        (torch.zeros(3, 4, dtype=torch.int64), "shape"),
        (torch.zeros(2, 4), "int64"),
        (torch.full((2, 4), 9), "outside"),
        (torch.full((2, 4), -1), "outside"),
    ],
)
def test_bad_edge_index(index, message):
    with pytest.raises(ValueError, match=message):
        Edges.from_index(index, 5)
