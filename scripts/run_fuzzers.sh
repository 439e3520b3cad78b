#!/usr/bin/env bash
# Runs every fuzz target for the given number of seconds, starting from its seeds in
# tests/fuzz/corpus/<target> and keeping what it finds in build/fuzz/corpus/<target>.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}

for program in build/fuzz/fuzz/*; do
  name=$(basename "$program")
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  folders=("$corpus")
  if [ -d "tests/fuzz/corpus/$name" ]; then
    folders+=("tests/fuzz/corpus/$name")
  fi
  echo "==> fuzzing $name for $seconds s"
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" "${folders[@]}"
done
