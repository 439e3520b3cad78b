"""The demo, by subject; `stages` is its course."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Measuring and comparing are the same here as in benchmarks and tests.
for _folder in ("benchmarks", "tests/python"):
    sys.path.insert(0, str(ROOT / _folder))

# The model's weights come with a package; nothing is looked up on a network.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
