#!/usr/bin/env bash
# Prints a Python 3.11 that can make virtual environments and build extensions:
# $PYTHON if set, else python3.11, else python3 if that is 3.11.
set -euo pipefail

suits() {
  "$1" - 2>/dev/null <<'PY'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(not (sys.version_info[:2] == (3, 11) and os.path.exists(header)))
PY
}

for candidate in ${PYTHON:-} python3.11 python3; do
  if command -v "$candidate" >/dev/null && suits "$candidate"; then
    command -v "$candidate"
    exit 0
  fi
done
echo "no Python 3.11 with venv and headers: apt-get install python3.11 python3.11-venv" \
  "python3.11-dev, or set PYTHON" >&2
exit 1
