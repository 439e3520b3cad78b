"""Operators that AOTAutograd takes apart by PyTorch's own decompositions.

An operator stands here if it has no row in the op table of the native side and its
parts have rows, so that it fuses with its neighbours. An operator that a plug-in
takes is outlined before this and stays whole.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["DECOMPOSED", "decompositions"]

# Names of packets; every functional overload is meant.
_NAMES = """
    _chunk_cat _safe_softmax _unsafe_masked_index _weight_norm_interface addr
    affine_grid_generator block_diag dist fft_fftshift fft_ifftshift im2col isin linalg_cross
    linspace logspace mvlgamma renorm special_log_ndtr
    alias_copy expand_copy permute_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy
    unbind_copy unfold_copy unsqueeze_copy view_copy
    pixel_shuffle pixel_unshuffle unsafe_split unsafe_split_with_sizes
    multi_margin_loss multilabel_margin_loss_forward nll_loss2d_forward nll_loss2d_backward
    native_group_norm_backward
    reflection_pad1d_backward reflection_pad2d_backward reflection_pad3d_backward
    _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d
    upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d
    upsample_nearest3d upsample_trilinear3d
"""
DECOMPOSED = tuple(_NAMES.split())


@functools.cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """Give the functions by overload, as `aot_autograd` wants them."""
    from torch._decomp import get_decompositions

    packets = [
        getattr(torch.ops.aten, name) for name in DECOMPOSED if hasattr(torch.ops.aten, name)
    ]
    return get_decompositions(packets)
