"""Models compiled through torch.export: values, state, dynamic sizes, structure."""

from __future__ import annotations

import copy

import pytest
import torch
from tolerances import assert_as_exact
from torch.export import Dim

import nativefx

OPTIONS = {"fallback": "error"}


class Counter(torch.nn.Module):
    """Writes to a buffer in place, and to one that is not persistent by assignment."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3))
        self.register_buffer("seen", torch.zeros(3))
        self.register_buffer("power", torch.ones(3), persistent=False)

    def forward(self, x):
        self.seen.add_(x.sum(0))
        self.power = self.power * 2
        return {"scaled": x * self.weight + self.seen, "rest": [self.power, x.shape[0]]}


class Tied(torch.nn.Module):
    """An embedding that is also the last layer; a normalisation with statistics."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(10, 4)
        self.head = torch.nn.Linear(4, 10, bias=False)
        self.head.weight = self.table.weight
        self.norm = torch.nn.BatchNorm1d(4)
        self.register_buffer("positions", torch.arange(3))

    def forward(self, tokens):
        rows = self.norm(self.table(tokens).flatten(0, 1)).view(-1, 3, 4)
        return self.head(torch.relu(rows + self.table(self.positions) * 2))


class Keywords(torch.nn.Module):
    """Takes containers, keywords, constants and None; has a region without gradients."""

    def forward(self, a, b, *, scale, mode="double", bias=None):
        with torch.no_grad():
            c = a + b["k"][0]
        if bias is not None:
            c = c + bias
        return c * scale * (2 if mode == "double" else 1), (c, None, 3)


@pytest.mark.parametrize("decomposed", [False, True])
def test_buffers_are_written_and_sizes_vary(decomposed):
    model = Counter()
    eager = copy.deepcopy(model)
    example = (torch.randn(4, 3),)
    program = torch.export.export(model, example, dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    if decomposed:
        program = program.run_decompositions()
    compiled = nativefx.compile_exported(program, options=OPTIONS)
    for rows in (2, 5, 3):
        x = torch.randn(rows, 3)
        found = compiled(x)
        with torch.no_grad():
            expected = eager(x)
        assert_as_exact(found["scaled"], expected["scaled"])
        assert_as_exact(found["rest"][0], expected["rest"][0])
        assert found["rest"][1] == rows
        assert_as_exact(compiled.constants["b_seen"], eager.seen)
        assert_as_exact(compiled.constants["b_power"], eager.power)


@pytest.mark.parametrize("training", [False, True])
def test_tied_weights_and_statistics(training):
    model = Tied().train(training)
    eager = copy.deepcopy(model)
    tokens = torch.randint(0, 10, (5, 3))
    compiled = nativefx.compile_exported(model, (tokens,), options=OPTIONS)
    for _ in range(2):
        with torch.no_grad():
            assert_as_exact(compiled(tokens), eager(tokens))
    assert_as_exact(model.norm.running_mean, eager.norm.running_mean)
    assert compiled.constants["p_table_weight"] is model.table.weight
    assert "p_head_weight" not in compiled.constants


def test_what_depends_on_weights_alone_is_computed_once():
    model = Tied().eval()
    compiled = nativefx.compile_exported(model, (torch.zeros(5, 3, dtype=torch.long),))
    folded = model.table(model.positions) * 2
    assert any(
        value.shape == folded.shape and torch.equal(value, folded)
        for value in compiled.constants.values()
    )
    assert "b_positions" not in compiled.constants


def test_a_weight_that_is_written_is_not_folded():
    class Written(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("state", torch.ones(3))

        def forward(self, x):
            half = self.state.view(3)[:2]
            twice = self.state * 2
            half.add_(x)
            return twice + self.state

    model = Written()
    eager = copy.deepcopy(model)
    compiled = nativefx.compile_exported(model, (torch.ones(2),), options=OPTIONS)
    for _ in range(3):
        assert_as_exact(compiled(torch.ones(2)), eager(torch.ones(2)))


def test_structure_of_inputs_and_outputs():
    args = (torch.randn(3), {"k": [torch.randn(3)]})
    kwargs = {"scale": torch.tensor(2.0), "mode": "double"}
    compiled = nativefx.compile_exported(Keywords(), args, example_kwargs=kwargs, options=OPTIONS)
    found, rest = compiled(*args, mode="double", scale=torch.tensor(3.0))
    expected = Keywords()(*args, mode="double", scale=torch.tensor(3.0))
    assert_as_exact(found, expected[0])
    assert_as_exact(rest[0], expected[1][0])
    assert rest[1:] == (None, 3)
    with pytest.raises(nativefx.Error, match=r"kwargs\['mode'\]` is 'single'"):
        compiled(*args, scale=torch.tensor(1.0), mode="single")
    with pytest.raises(TypeError, match="keyword arguments of this program: `scale`, `mode`"):
        compiled(*args, scale=torch.tensor(1.0))
    with pytest.raises(TypeError, match="arguments are"):
        compiled(args[0], {"other": [args[0]]}, **kwargs)


def test_inputs_that_are_written():
    class Writing(torch.nn.Module):
        def forward(self, x):
            x.add_(1)
            return x * 2

    for decomposed in (False, True):
        program = torch.export.export(Writing(), (torch.zeros(3),))
        if decomposed:
            program = program.run_decompositions()
        x = torch.zeros(3)
        assert_as_exact(nativefx.compile_exported(program)(x), torch.full((3,), 2.0))
        assert_as_exact(x, torch.ones(3))


def pair(x, y):
    return x[1:] + y


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([torch.zeros(4)], "1 inputs for 2"),
        ([torch.zeros(4), torch.zeros(4)], "is float32[4], not float32[s"),
        ([torch.zeros(4), 3], "is 3, not float32["),
        ([torch.zeros(4), torch.zeros(3, dtype=torch.float64)], "float64[3]"),
        ([torch.zeros(4, 1), torch.zeros(3)], "float32[4, 1]"),
        ([torch.zeros(40), torch.zeros(39)], "2 to 8 was exported"),
    ],
)
def test_wrong_inputs_are_named(inputs, message):
    rows = Dim("rows", min=2, max=8)
    compiled = nativefx.compile_exported(
        Function(pair),
        (torch.zeros(4), torch.zeros(3)),
        dynamic_shapes={"args": ({0: rows + 1}, {0: rows})},
        options=OPTIONS,
    )
    x, y = torch.randn(8), torch.randn(7)
    assert_as_exact(compiled(x, y), pair(x, y))
    with pytest.raises(nativefx.Error) as caught:
        compiled(*inputs)
    assert caught.value.code == "wrong-input"
    assert message in str(caught.value)


def test_whole_numbers_may_vary():
    compiled = nativefx.compile_exported(
        Function(lambda x, n: x * n + n),
        (torch.ones(2), 5),
        dynamic_shapes={"args": (None, Dim.DYNAMIC)},
        options=OPTIONS,
    )
    assert_as_exact(compiled(torch.ones(2), 7), torch.full((2,), 14.0))
    with pytest.raises(nativefx.Error, match="is 'x'"):
        compiled(torch.ones(2), "x")


def test_a_dispatch_mode_sees_every_operator():
    from torch.utils._python_dispatch import TorchDispatchMode

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            names.append(str(func))
            return func(*args, **(kwargs or {}))

    names = []
    compiled = nativefx.compile_exported(Function(lambda x: (x * 2).tanh()), (torch.ones(2),))
    x = torch.ones(2)
    with Seen():
        found = compiled(x)
    assert names == ["aten.mul.Tensor", "aten.tanh.default"]
    assert_as_exact(found, (x * 2).tanh())


def test_devices_that_are_not_compiled_for_are_refused():
    with pytest.raises(nativefx.Error) as caught:
        nativefx.compile_exported(Function(torch.relu), (torch.ones(2, device="meta"),))
    assert caught.value.code == "unsupported-export"
