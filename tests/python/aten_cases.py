"""Calls of operators, as cases for the tests of native calls."""

from __future__ import annotations

from typing import Any

import torch

aten = torch.ops.aten
Case = tuple[Any, tuple[Any, ...], dict[str, Any]]


def rand(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Return the same normal values for the same shape."""
    generator = torch.Generator().manual_seed(sum(shape) + 17)
    return torch.randn(shape, generator=generator).to(dtype)


def ints(*values: int) -> torch.Tensor:
    return torch.tensor(values)


X, Y, SQUARE = rand(4, 6), rand(4, 6), rand(6, 6)
IMAGE, FILTERS = rand(2, 3, 8, 8), rand(5, 3, 3, 3)
HEADS = rand(2, 2, 5, 8)

# Through the dispatcher.
DISPATCHED: list[Case] = [
    (aten.mm.default, (X, SQUARE), {}),
    (aten.bmm.default, (rand(2, 3, 4), rand(2, 4, 5)), {}),
    (aten.mul.Tensor, (X, Y), {}),
    (aten.div.Tensor_mode, (X, Y), {"rounding_mode": None}),
    (aten.relu.default, (X,), {}),
    (aten.silu.default, (X,), {}),
    (aten.tanh.default, (rand(3, dtype=torch.bfloat16),), {}),
    (aten.sum.default, (X,), {}),
    (aten.sum.dim_IntList, (X, [1], True), {}),
    (aten.sum.dim_IntList, (X, None), {"dtype": torch.float64}),
    (aten.mean.dim, (X, [0]), {}),
    (aten.any.dim, (X > 0, 1), {}),
    (aten.argmax.default, (X, -1), {}),
    (aten.max.dim, (X, 1), {}),
    (aten.var_mean.correction, (X, [1]), {"correction": None}),
    (aten.cumsum.default, (X, 0), {}),
    (aten.sort.default, (X, 1, True), {}),
    (aten.sort.stable, (X,), {"stable": True, "dim": 0}),
    (aten.topk.default, (X, 3), {}),
    (aten._softmax.default, (X, -1, False), {}),
    (aten._log_softmax.default, (X, -1, False), {}),
    (aten.native_layer_norm.default, (X, [6], rand(6), None, 1e-5), {}),
    (aten.native_group_norm.default, (IMAGE, None, None, 2, 3, 64, 3, 1e-5), {}),
    (
        aten.native_batch_norm.default,
        (IMAGE, rand(3), rand(3), None, None, True, 0.1, 1e-5),
        {},
    ),
    (
        aten._native_batch_norm_legit_no_training.default,
        (IMAGE, rand(3), None, torch.zeros(3), torch.ones(3), 0.1, 1e-5),
        {},
    ),
    (aten.cat.default, ([X, Y, X],), {}),
    (aten.cat.default, ([X, Y], 1), {}),
    (aten.stack.default, ([X, Y],), {}),
    (aten.split.Tensor, (X, 2), {}),
    (aten.split_with_sizes.default, (X, [1, 3]), {}),
    (aten.unbind.int, (X,), {}),
    (aten.index.Tensor, (X, [None, ints(1, 3)]), {}),
    (aten.index.Tensor, (X, [ints(0, 2), ints(5, 1)]), {}),
    (aten.index_put.default, (X, [ints(1, 3)], rand(6), True), {}),
    (aten.index_select.default, (X, 1, ints(4, 0)), {}),
    (aten.gather.default, (X, 0, torch.zeros(2, 6, dtype=torch.int64)), {}),
    (aten.scatter_add.default, (X, 0, torch.ones(2, 6, dtype=torch.int64), Y), {}),
    (aten.nonzero.default, (X > 0,), {}),
    (aten.masked_select.default, (X, X > 0), {}),
    (aten.where.self, (X > 0, X, Y), {}),
    (aten.embedding.default, (X, ints(3, 0, 3)), {}),
    (
        aten.convolution.default,
        (IMAGE, FILTERS, rand(5), [1, 1], [1, 1], [1, 1], False, [0, 0], 1),
        {},
    ),
    (
        aten.convolution_backward.default,
        (
            *(rand(2, 5, 8, 8), IMAGE, FILTERS, [5], [1, 1], [1, 1], [1, 1], False, [0, 0], 1),
            [False, True, False],
        ),
        {},
    ),
    (aten.max_pool2d_with_indices.default, (IMAGE, 2), {}),
    (aten.max_pool2d_with_indices.default, (IMAGE, [3, 2], [1, 2]), {"ceil_mode": True}),
    (aten.avg_pool2d.default, (IMAGE, [2, 2]), {"divisor_override": 3}),
    (aten.upsample_bilinear2d.default, (IMAGE, [5, 9], False), {}),
    (aten.upsample_nearest2d.vec, (IMAGE, None, [2.0, 1.5]), {}),
    (
        aten._scaled_dot_product_flash_attention_for_cpu.default,
        (HEADS, HEADS, HEADS, 0.0, True),
        {"scale": 0.3},
    ),
    (
        aten._scaled_dot_product_flash_attention_for_cpu.default,
        (HEADS, HEADS, HEADS),
        {"attn_mask": rand(5, 5)},
    ),
    (aten.view.default, (X, [2, -1]), {}),
    (aten.permute.default, (IMAGE, [0, 2, 3, 1]), {}),
    (aten.expand.default, (rand(1, 6), [4, -1]), {}),
    (aten.slice.Tensor, (X, 1, 1, 9223372036854775807, 2), {}),
    (aten.as_strided.default, (X, [2, 3], [1, 2], 1), {}),
    (aten.clone.default, (IMAGE,), {"memory_format": torch.channels_last}),
    (aten.clone.default, (IMAGE.to(memory_format=torch.channels_last),), {}),
    (aten.contiguous.default, (X.t(),), {}),
    (aten._to_copy.default, (X,), {"dtype": torch.float16}),
    (aten.zeros.default, ([2, 3],), {"dtype": torch.int32, "device": torch.device("cpu")}),
    (aten.ones.default, ([2],), {"layout": torch.strided, "pin_memory": False}),
    (aten.empty_like.default, (torch.zeros(0, 3),), {"dtype": torch.bool}),
    (aten.new_zeros.default, (X, [2, 2]), {"dtype": torch.complex64}),
    (aten.eye.default, (3,), {}),
    (aten.randn.default, ([3, 3],), {}),
    (aten.bernoulli.p, (X, 0.4), {}),
    (aten.native_dropout.default, (X, 0.5, True), {}),
    (aten.randperm.default, (9,), {}),
    (aten.linalg_inv_ex.default, (SQUARE,), {}),
    (aten.fft_rfft.default, (X,), {"norm": None}),
    (aten.equal.default, (X, X.clone()), {}),
    (aten.is_same_size.default, (X, Y), {}),
    (aten.size.int, (X, 1), {}),
    (
        aten.lstm.input,
        (
            *(rand(5, 1, 6), [rand(1, 1, 4), rand(1, 1, 4)]),
            *([rand(16, 6), rand(16, 4), rand(16), rand(16)], True, 1, 0.0, False, False, False),
        ),
        {},
    ),
    (aten.clamp.Tensor, (X, None, Y), {}),
    (aten._foreach_exp.default, ([X, Y],), {}),
]

# Through C functions, because of a `Scalar` or a `str`.
SHIMMED: list[Case] = [
    (aten.add.Tensor, (X, Y), {}),
    (aten.add.Tensor, (X, Y), {"alpha": 2}),
    (aten.add.Tensor, (X, ints(1, 2, 3, 4, 5, 6)), {"alpha": 0.25}),
    (aten.add.Scalar, (X, 2, 3), {}),
    (aten.sub.Tensor, (X, Y), {"alpha": 0.5}),
    (aten.mul.Scalar, (X, 3), {}),
    (aten.mul.Scalar, (X, 0.1), {}),
    (aten.mul.Scalar, (ints(1, 2), 2.0), {}),
    (aten.pow.Tensor_Scalar, (X, 2), {}),
    (aten.pow.Scalar, (2, X), {}),
    (aten.addmm.default, (rand(6), X, SQUARE), {}),
    (aten.addmm.default, (rand(6), X, SQUARE), {"beta": 2, "alpha": 0.5}),
    (aten.addmm.default, (rand(6), torch.zeros(4, 0), torch.zeros(0, 6)), {}),
    (aten.baddbmm.default, (rand(2, 1, 5), rand(2, 3, 4), rand(2, 4, 5)), {"beta": 0}),
    (aten.scatter.value, (X, 0, torch.ones(2, 6, dtype=torch.int64), 7), {}),
    (aten.full.default, ([2, 3], 7), {}),
    (aten.full.default, ([2, 3], True), {}),
    (aten.full.default, ([], 0.1), {}),
    (aten.full.default, ([2], -1), {"dtype": torch.float64}),
    (
        aten.scatter_reduce.two,
        (X, 0, torch.ones(2, 6, dtype=torch.int64), Y, "amax"),
        {"include_self": False},
    ),
    (aten.index_reduce.default, (X, 0, ints(1, 1), rand(2, 6), "mean"), {}),
    (aten.pad.default, (IMAGE, [1, 2, 1, 1], "reflect"), {}),
    (aten.pad.default, (IMAGE, [1, 2]), {"value": 0.5}),
    (aten.searchsorted.Tensor, (X.sort().values, Y), {"side": "right"}),
    (aten.searchsorted.Scalar, (X[0].sort().values, 0.25), {"out_int32": True}),
]

CASES = DISPATCHED + SHIMMED


IN_PLACE: list[Case] = [
    (aten.relu_.default, (), {}),
    (aten.mul_.Tensor, (Y,), {}),
    (aten.copy_.default, (rand(6),), {}),
    (aten.fill_.Scalar, (3,), {}),
    (aten.zero_.default, (), {}),
    (aten.bernoulli_.float, (0.5,), {}),
    (aten.index_put_.default, ([ints(1)], rand(6)), {}),
    (aten.unsqueeze_.default, (0,), {}),
]


OUT: list[Case] = [
    (aten.mm.out, (X, SQUARE), {}),
    (aten.addmm.out, (rand(6), X, SQUARE), {"alpha": 0.5}),
    (aten.mul.out, (X, Y), {}),
]


FAILING: list[tuple[Any, tuple[Any, ...], str]] = [
    (aten.mm.default, (X, Y), "mat1 and mat2 shapes cannot be multiplied"),
    (aten.addmm.default, (X, X, Y), "mat1 and mat2 shapes cannot be multiplied"),
    (aten.cat.default, ([X, rand(3)],), "same number of dimensions"),
    (aten.index.Tensor, (X, [ints(99)]), "out of bounds"),
    (aten.view.default, (X, [5, 5]), "invalid for input of size"),
    (aten.pad.default, (X, [1, 2], "sideways"), "sideways"),
]


def case_name(case: Any) -> str:
    return str(case[0]).removeprefix("aten.")


def assert_same(ours: Any, eager: Any) -> None:
    """Compare results to the bit, with types, sizes and strides."""
    if isinstance(eager, (tuple, list)):
        assert len(ours) == len(eager)
        for one, other in zip(ours, eager, strict=True):
            assert_same(one, other)
    elif isinstance(eager, torch.Tensor):
        assert ours.dtype == eager.dtype
        assert ours.shape == eager.shape
        assert ours.stride() == eager.stride()
        assert ours.storage_offset() == eager.storage_offset()
        flat, expected = ours.contiguous().flatten(), eager.contiguous().flatten()
        assert torch.equal(flat.view(torch.uint8), expected.view(torch.uint8))
    else:
        assert type(ours) is type(eager)
        assert ours == eager
