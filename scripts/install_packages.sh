#!/usr/bin/env bash
# Installs the Debian packages of apt-packages.txt that are missing, and Python 3.11
# where there is none. Does nothing, without root, when everything is there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

has_package() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

has_python() {
  "$here/find_python.sh" >/dev/null 2>&1
}

if ! command -v dpkg-query >/dev/null; then
  echo "    not a Debian system: install the equivalents of scripts/apt-packages.txt yourself"
  exit 0
fi

missing=()
while read -r package; do
  has_package "$package" || missing+=("$package")
done <"$here/apt-packages.txt"
has_python || missing+=(python3.11 python3.11-venv python3.11-dev)

if [ ${#missing[@]} -eq 0 ]; then
  echo "    all present"
  exit 0
fi
echo "    installing: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq -y --no-install-recommends "${missing[@]}"
