#!/usr/bin/env bash
# Makes .venv, or completes the one that is there, with requirements-dev.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -x .venv/bin/python ]; then
  python=$(scripts/find_python.sh)
  echo "    creating .venv with $python"
  "$python" -m venv .venv
fi
.venv/bin/python -m pip install --quiet --progress-bar off -r requirements-dev.txt
echo "    $(.venv/bin/python --version), torch $(.venv/bin/python -c \
  'import importlib.metadata as m; print(m.version("torch"))')"

# The environment sees the release build as an installed distribution (see
# cmake/PythonModule.cmake), so an incremental build needs no reinstallation.
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$PWD/build/release/python" >"$site/nativefx_build.pth"
