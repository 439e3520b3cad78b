#!/usr/bin/env bash
# Tests the bridge and the back end with another release of PyTorch, in an
# environment of its own: scripts/test_torch.sh 2.14.1
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?give a release of PyTorch, as in 2.14.1}
environment=build/torch-$version

if [ ! -x "$environment/bin/pytest" ]; then
  echo "    creating $environment"
  "$(scripts/find_python.sh)" -m venv "$environment"
  grep -E '^(numpy|rich|pytest|pytest-xdist|hypothesis|expecttest|transformers|torch_geometric)==' \
    requirements-dev.txt >"$environment/requirements.txt"
  "$environment/bin/python" -m pip install --quiet --progress-bar off \
    "torch==$version" -r "$environment/requirements.txt"
fi
export PYTHONPATH=$PWD/build/release/python OMP_NUM_THREADS=1
"$environment/bin/python" -c 'import torch; print("    torch", torch.__version__)'
"$environment/bin/python" -m pytest -q -n "$(nproc)" --dist worksteal \
  tests/python/test_bridge_*.py tests/python/test_backend_*.py tests/python/test_aten_*.py
