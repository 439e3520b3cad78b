"""Three models of `transformers`; `transformers_models.py` runs all of its list."""

from __future__ import annotations

import pytest
from transformers_models import models, run_model


@pytest.mark.parametrize("name", ["albert", "mistral", "ernie4_5_moe"])
def test_forward_is_eagers(name):
    outcome = run_model(models()[name])
    assert outcome.kernels > 0
    assert outcome.python_steps == 0
    assert outcome.share > 0.5
