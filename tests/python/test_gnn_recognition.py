"""Gather, compute, scatter in plain PyTorch: values, gradients and corners, compiled."""

from __future__ import annotations

import ast
import gc
import threading
from pathlib import Path

import pytest
import torch
from gnn_models import MODELS, softmax

import nativefx
import nativefx.gnn.structure as structure
from nativefx.memory import memory_usage, release_memory

ERROR = {"fallback": "error"}
NODES, EDGES, FEATURES = 30, 200, 8


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(0)
    torch._dynamo.reset()
    yield


def make_index(nodes=NODES, edges=EDGES):
    """Random edges; two nodes have none, one has many, some are there twice."""
    index = torch.randint(0, max(nodes - 2, 1), (2, edges))
    index[1, : edges // 5] = 3 % max(nodes - 2, 1)
    index[:, edges // 2 : edges // 2 + 3] = index[:, :1]
    return index


def compiled(function, **options):
    return torch.compile(function, backend="nativefx", options=ERROR, **options)


def run(function, module, x, index, w):
    """Give the output and all gradients."""
    x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
    module.zero_grad()
    y = function(x, index, w)
    (y * torch.linspace(-1, 1, y.numel(), dtype=y.dtype).view_as(y)).sum().backward()
    leaves = [x, w, *module.parameters()]
    return [y.detach(), *(torch.zeros(()) if p.grad is None else p.grad.clone() for p in leaves)]


def check(module, x, index, w, tolerance=1e-9, **options):
    expected = run(module, module, x, index, w)
    function = compiled(module, **options)
    for got, want in zip(run(function, module, x, index, w), expected, strict=True):
        torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)
    with torch.no_grad():
        torch.testing.assert_close(
            function(x, index, w), expected[0], rtol=tolerance, atol=tolerance, equal_nan=True
        )


@pytest.mark.parametrize("name", MODELS)
def test_model(name):
    x, w = torch.randn(NODES, FEATURES).double(), torch.randn(EDGES).double()
    check(MODELS[name](FEATURES).double(), x, make_index(), w)


@pytest.mark.parametrize("name", ["weighted_sum", "maximum", "GAT"])
def test_gradcheck(name):
    module = MODELS[name](3).double()
    index = make_index(7, 12)
    function = compiled(module)
    x = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    w = torch.randn(12, dtype=torch.float64, requires_grad=True)
    inputs = (x, w) if name == "weighted_sum" else (x,)
    assert torch.autograd.gradcheck(lambda x, w=w: function(x, index, w), inputs)


@pytest.mark.parametrize("name", ["weighted_sum", "mean", "maximum", "GAT", "degree_normalised"])
@pytest.mark.parametrize("nodes,edges", [(5, 0), (1, 1), (4, 1), (3, 3), (6, 6)])
def test_small_graphs(name, nodes, edges):
    x, w = torch.randn(nodes, FEATURES).double(), torch.randn(edges).double()
    check(MODELS[name](FEATURES).double(), x, make_index(nodes, edges), w)


@pytest.mark.parametrize("name", ["weighted_sum_put", "maximum", "onto_features"])
def test_not_finite(name):
    x, w = torch.randn(NODES, FEATURES).double(), torch.randn(EDGES).double()
    x[3, 0], x[4, 1], x[5, 2] = torch.nan, torch.inf, -torch.inf
    check(MODELS[name](FEATURES).double(), x, make_index(), w)


def test_ties_share_the_gradient():
    x = torch.randint(-1, 2, (NODES, FEATURES)).double()
    check(MODELS["maximum"](FEATURES), x, make_index(), torch.randn(EDGES).double())


@pytest.mark.parametrize("shape", [(NODES,), (NODES, 2, 5)])
def test_ranks(shape):
    class Sum(torch.nn.Module):
        def forward(self, x, index, w):
            m = x.index_select(0, index[0])
            w = w.view([-1] + [1] * (x.dim() - 1))
            return torch.zeros_like(x).index_add(0, index[1], m * w)

    check(Sum(), torch.randn(shape).double(), make_index(), torch.randn(EDGES).double())


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.float32, torch.bfloat16])
def test_dtypes(dtype):
    def total(x, index):
        return x.new_zeros(x.shape).index_add_(0, index[1], x.index_select(0, index[0]))

    x, index = torch.randint(-9, 9, (NODES, FEATURES)).to(dtype), make_index()
    torch.testing.assert_close(compiled(total)(x, index), total(x, index))


def test_index_of_int32():
    def total(x, src, dst):
        return torch.zeros_like(x).index_add_(0, dst, x.index_select(0, src))

    x, (src, dst) = torch.randn(NODES, FEATURES), make_index().int()
    torch.testing.assert_close(compiled(total)(x, src, dst), total(x, src, dst))


def test_negative_indices_count_from_the_end():
    def total(x, src, dst):
        return torch.zeros_like(x).index_put((dst,), x[src], accumulate=True)

    x, (src, dst) = torch.randn(NODES, FEATURES), make_index() - NODES
    torch.testing.assert_close(compiled(total)(x, src, dst), total(x, src, dst))


@pytest.mark.parametrize("bad", [NODES, -1])
@pytest.mark.parametrize("row", [0, 1])
def test_bad_index_raises(bad, row):
    model = MODELS["weighted_sum"](FEATURES)
    index = make_index()
    function = compiled(model)
    x, w = torch.randn(NODES, FEATURES), torch.randn(EDGES)
    function(x, index, w)
    index[row, 7] = bad
    with pytest.raises((IndexError, RuntimeError), match="index"):
        model(x, index, w)
    with pytest.raises((IndexError, RuntimeError), match="out of bounds"):
        function(x, index, w)


def test_change_of_the_index_in_place_is_noticed():
    model = MODELS["weighted_sum"](FEATURES)
    function = compiled(model)
    x, w, index = torch.randn(NODES, FEATURES), torch.randn(EDGES), make_index()
    for _ in range(3):
        torch.testing.assert_close(function(x, index, w), model(x, index, w))
        index[0].add_(1).remainder_(NODES)
        index[1].copy_(index[1].flip(0))


def test_sorted_once_for_a_graph_and_released_with_it():
    structure.structures.clear()
    function = compiled(MODELS["weighted_sum"](FEATURES))
    x, w, index = torch.randn(NODES, FEATURES), torch.randn(EDGES), make_index()
    function(x, index, w)
    known = len(structure.structures)
    assert known > 0
    for _ in range(3):
        function(x, index, w)
    assert len(structure.structures) == known
    del index
    gc.collect()
    function(x, make_index(), w)
    assert len(structure.structures) == known


def test_threads_share_the_cache():
    cache = structure.StructureCache(limit=4)
    tensors = [torch.arange(i + 1) for i in range(16)]
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(200):
                for tensor in tensors:
                    assert cache.get(("length",), [tensor], lambda t=tensor: len(t)) == len(tensor)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(cache) <= 4


def test_new_sizes_do_not_recompile():
    counter = torch._dynamo.testing.CompileCounterWithBackend("nativefx")
    module = MODELS["GAT"](FEATURES)
    function = torch.compile(module, backend=counter, dynamic=True)
    for nodes, edges in [(30, 200), (50, 90), (17, 400), (200, 1000)]:
        x = torch.randn(nodes, FEATURES, requires_grad=True)
        index, w = make_index(nodes, edges), torch.randn(edges)
        torch.testing.assert_close(function(x, index, w), module(x, index, w))
        function(x, index, w).sum().backward()
    assert counter.frame_count == 1


def test_random_masks_are_kept():
    class Dropped(torch.nn.Module):
        def forward(self, x, index, w):
            m = torch.nn.functional.dropout(x.index_select(0, index[0]), 0.5)
            return torch.zeros_like(x).index_add(0, index[1], m)

    x, index = torch.randn(NODES, FEATURES, requires_grad=True), make_index()
    y = compiled(Dropped())(x, index, None)
    (grad,) = torch.autograd.grad(y.sum(), x)
    # A dropped message gives nothing forward and nothing backward: sums agree.
    torch.testing.assert_close((grad * x).sum(), y.sum())


def test_what_cannot_be_traced_above_autograd_is_compiled_as_it_is():
    # With dynamic=True the momentum, a Python float, is an input that is read.
    norm = torch.nn.BatchNorm1d(3)

    def function(x, index):
        return torch.zeros_like(x).index_add(0, index, norm(x)[index])

    x, index = torch.randn(6, 3), torch.tensor([0, 1, 1, 2, 5, 0])
    compiled = torch.compile(
        function, backend="nativefx", dynamic=True, options={"fallback": "error"}
    )
    with pytest.warns(UserWarning, match="pre-dispatch-trace"):
        result = compiled(x, index)
    torch.testing.assert_close(result, function(x, index))


def test_softmax_sums_to_one():
    index = make_index()
    alpha = compiled(softmax)(torch.randn(EDGES, 3), index[1], NODES)
    total = torch.zeros(NODES, 3).index_add(0, index[1], alpha)
    torch.testing.assert_close(total[index[1].unique()], torch.ones(len(index[1].unique()), 3))


def test_write_to_what_others_see_stays():
    def seen(x, index, w):
        out = torch.zeros_like(x)
        view = out[1:]
        out.index_add_(0, index[1], x[index[0]])
        return view + 1

    x, index = torch.randn(NODES, FEATURES), make_index()
    torch.testing.assert_close(compiled(seen)(x, index, None), seen(x, index, None))


def test_layers_are_not_known_by_name():
    """Recognition may know operators of PyTorch, but no layer of any library."""
    root = Path(nativefx.__file__).resolve().parents[2]
    sources = [*root.glob("src/**/*.cpp"), *root.glob("src/**/*.h")]
    sources += root.glob("python/nativefx/**/*.py")
    assert len(sources) > 100
    names = ("GCNConv", "GATConv", "GATv2", "SAGEConv", "GINConv", "EdgeConv", "RGCN")
    for path in sources:
        text = path.read_text()
        assert not any(name in text for name in names), path
    assert ast.parse("GATConv")  # the names are names


class Saved:
    """Bytes that autograd keeps for backward, without inputs and parameters."""

    def __init__(self, known):
        self.known = {t.untyped_storage()._cdata for t in known}
        self.bytes: dict[int, int] = {}

    def pack(self, tensor):
        storage = tensor.untyped_storage()
        if storage._cdata not in self.known:
            self.bytes[storage._cdata] = storage.nbytes()
        return tensor


# An MLP on edges whose second layer is no function of either end alone is stored.
ON_NODES_ONLY = [name for name in MODELS if name != "EdgeConv"]


@pytest.mark.parametrize("name", ON_NODES_ONLY)
def test_nothing_of_edges_times_features_is_stored(name):
    """Neither for backward nor in the memory that the plans keep between calls."""
    nodes, edges, features = 20, 20_000, 32
    index, w = make_index(nodes, edges), torch.randn(edges)
    x = torch.randn(nodes, features, requires_grad=True)
    module = MODELS[name](features)
    function = compiled(module)
    function(x, index, w).sum().backward()
    saved = Saved([x, index, w, *module.parameters()])
    gc.collect()
    release_memory()
    with torch.autograd.graph.saved_tensors_hooks(saved.pack, lambda tensor: tensor):
        y = function(x, index, w)
    y.sum().backward()
    assert sum(saved.bytes.values()) < 2 * edges * 4  # at most a number an edge
    del y
    assert memory_usage().peak < 0.5 * edges * features * 4
