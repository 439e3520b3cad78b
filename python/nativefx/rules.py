"""Sets of rules that the native library holds.

>>> import nativefx
>>> nativefx.rules.gelu.name
'gelu'

A set is given to `nativefx.rewrite` as a rule is. Each says in its `summary` what
it makes and whether results round differently; `all_sets` are all of them.

Importing this module makes the op `nativefx::rotary_embedding` known to PyTorch.
"""

from __future__ import annotations

import torch

from nativefx import _core
from nativefx.rewriting import RuleSet

__all__ = ["all_sets"]

all_sets = tuple(RuleSet(name, summary) for name, summary in _core.native_rule_sets())

_library = torch.library.Library("nativefx", "FRAGMENT")
_library.define("rotary_embedding(Tensor x, Tensor cos, Tensor sin) -> Tensor")


@torch.library.impl(_library, "rotary_embedding", "CompositeImplicitAutograd")
def _rotary_embedding(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], -1)
    return x * cos + turned * sin


def __getattr__(name: str) -> RuleSet:
    for rules in all_sets:
        if rules.name == name:
            return rules
    known = ", ".join(rules.name for rules in all_sets)
    raise AttributeError(f"there is no set of rules `{name}`; there are {known}")
