"""Sets of rules that the native library holds.

>>> import nativefx
>>> nativefx.rules.gelu.name
'gelu'

A set is given to `nativefx.rewrite` as a rule is. Each says in its `summary` what
it makes and whether results round differently; `all_sets` are all of them.
"""

from __future__ import annotations

from nativefx import _core
from nativefx.rewriting import RuleSet

__all__ = ["all_sets"]

all_sets = tuple(RuleSet(name, summary) for name, summary in _core.native_rule_sets())


def __getattr__(name: str) -> RuleSet:
    for rules in all_sets:
        if rules.name == name:
            return rules
    known = ", ".join(rules.name for rules in all_sets)
    raise AttributeError(f"there is no set of rules `{name}`; there are {known}")
