"""The export-first path against torch.compile with Inductor, on a BERT type.

    python benchmarks/exported.py [--layers 12] [--no-peer]

Prints CPU seconds of the whole way from a module to the first result, and of saving
and loading the program. Each compiler runs in a process of its own, without caches.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import torch


def model_and_input(layers: int) -> tuple[torch.nn.Module, torch.Tensor]:
    """Make a BERT type with random weights, and two sentences of 64 tokens."""
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    model = BertModel(BertConfig(num_hidden_layers=layers, attn_implementation="sdpa")).eval()
    return model, torch.randint(0, 30000, (2, 64))


def cpu_seconds() -> float:
    """CPU time of this process and of those it has waited for."""
    mine = os.times()
    return mine.user + mine.system + mine.children_user + mine.children_system


def run_peer(layers: int) -> dict[str, float]:
    """torch.compile with Inductor up to the first result."""
    model, tokens = model_and_input(layers)
    start = cpu_seconds()
    with torch.no_grad():
        torch.compile(model)(tokens)
    return {"total": cpu_seconds() - start}


def run_ours(layers: int) -> dict[str, float]:
    """Export, compile, save and load."""
    model, tokens = model_and_input(layers)
    import nativefx
    from nativefx.exported import compile_exported

    start = cpu_seconds()
    program = torch.export.export(model, (tokens,), strict=False)
    exported = cpu_seconds()
    compiled = compile_exported(program)
    expected = compiled(tokens)[0]
    done = cpu_seconds()
    found = {"export": exported - start, "compile": done - exported, "total": done - start}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bert.nfp")
        compiled.save(path)
        for name, check in (("load, weights unchecked", False), ("load", True)):
            times = []
            for _ in range(5):
                start_cpu, start_wall = time.process_time(), time.perf_counter()
                loaded = nativefx.load_compiled(path, check_weights=check, options={"cache": ""})
                times.append((time.process_time() - start_cpu, time.perf_counter() - start_wall))
            found[name], found[name + " (wall)"] = map(min, zip(*times, strict=True))
        assert torch.equal(loaded(tokens)[0], expected)
    return found


def measure(what: str, layers: int) -> dict[str, float]:
    """Run one of the two in a fresh process with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "NATIVEFX_CACHE_DIR": folder,
            "TORCHINDUCTOR_CACHE_DIR": folder,
            "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, __file__, "--layers", str(layers), "--run", what]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Print both ways, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--run", choices=("ours", "peer"))
    arguments = parser.parse_args()
    if arguments.run:
        runner = run_ours if arguments.run == "ours" else run_peer
        print(json.dumps(runner(arguments.layers)))
        return
    ours = measure("ours", arguments.layers)
    for name, seconds in ours.items():
        print(f"ours, {name:32} {seconds:8.3f} s")
    if arguments.no_peer:
        return
    peer = measure("peer", arguments.layers)
    print(f"Inductor, total {'':22} {peer['total']:8.3f} s")
    print(f"ratio {'':32} 1/{peer['total'] / ours['total']:.1f}")


if __name__ == "__main__":
    main()
