#!/usr/bin/env bash
# Runs every fuzzer for the given number of seconds; findings stay in build/fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
mkdir -p build/fuzz/findings
for program in build/fuzz/tests/fuzz/fuzz_*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    name=$(basename "$program")
    corpus=build/fuzz/corpus/$name
    mkdir -p "$corpus"
    echo "== $name for ${seconds} s"
    "$program" "$corpus" -max_total_time="$seconds" -print_final_stats=1 \
        -artifact_prefix=build/fuzz/findings/"$name"-
done
