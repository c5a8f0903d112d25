#!/usr/bin/env bash
# Runs every benchmark program one after the other; each starts the engines it needs by itself.
set -euo pipefail
cd "$(dirname "$0")/.."
for program in build/release/bench/bench_*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    echo "== $(basename "$program")"
    "$program"
done
