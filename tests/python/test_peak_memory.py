"""The peak of a training step, idle memory included, against eager mode."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

STEP = """
import ctypes, gc, sys
import torch, transformers

kind, backend = sys.argv[1:]
torch.manual_seed(0)
shape = dict(hidden_size=256, num_hidden_layers=4, num_attention_heads=4, vocab_size=1000)
if kind == "llama":
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            intermediate_size=688, num_key_value_heads=4, use_cache=False, **shape
        )
    )
else:
    rates = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    model = transformers.BertForMaskedLM(
        transformers.BertConfig(intermediate_size=1024, **shape, **rates)
    )
run = model
if backend == "nativefx":
    run = torch.compile(model, backend="nativefx", options={"fallback": "error"})
tokens = torch.randint(0, 1000, (8, 256))


def step():
    run(input_ids=tokens, labels=tokens).loss.backward()
    model.zero_grad(set_to_none=True)


def status(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))


step()
step()
gc.collect()
if backend == "nativefx":
    import nativefx

    nativefx.release_memory()
ctypes.CDLL("libc.so.6").malloc_trim(0)
start = status("VmRSS")
with open("/proc/self/clear_refs", "w") as marks:
    marks.write("5")
for _ in range(3):
    step()
print("kB", status("VmHWM") - start)
"""


def peak(kind: str, backend: str) -> int:
    # `malloc` returns large blocks at once, so that resident memory is live memory.
    settings = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    ran = subprocess.run(
        [sys.executable, "-c", STEP, kind, backend],
        env={**os.environ, **settings, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr
    return int(ran.stdout.split()[-1])


# BERT's attention gradients are PyTorch's own allocations, which the pool does not see.
@pytest.mark.parametrize(("kind", "bound"), [("bert", 1.1), ("llama", 1.0)])
def test_peak_of_a_training_step_beside_eagers(kind, bound):
    assert peak(kind, "nativefx") <= bound * peak(kind, "eager")
