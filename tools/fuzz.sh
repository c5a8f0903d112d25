#!/usr/bin/env bash
# Runs every fuzzer for the given number of seconds, with the words of its dictionary; findings stay
# in build/fuzz/findings. Every fuzzer that tests/fuzz declares must be there.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
mkdir -p build/fuzz/findings
names=$(sed -n 's/^muster_fuzzer(\([a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)
[ -n "$names" ] || { echo "tests/fuzz declares no fuzzer" >&2; exit 1; }
for name in $names; do
    program=build/fuzz/tests/fuzz/fuzz_$name
    [ -x "$program" ] || { echo "fuzz_$name was not built: make fuzz builds it" >&2; exit 1; }
done
for name in $names; do
    program=build/fuzz/tests/fuzz/fuzz_$name
    corpus=build/fuzz/corpus/fuzz_$name
    mkdir -p "$corpus"
    words=()
    dictionary=tests/fuzz/dictionaries/$name.dict
    [ ! -f "$dictionary" ] || words=("-dict=$dictionary")
    echo "== fuzz_$name for ${seconds} s"
    "$program" "$corpus" -max_total_time="$seconds" -print_final_stats=1 "${words[@]}" \
        -artifact_prefix=build/fuzz/findings/fuzz_"$name"-
done
