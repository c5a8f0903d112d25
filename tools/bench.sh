#!/usr/bin/env bash
# Runs every benchmark program one after the other; each starts the engines it needs by itself. At
# the end stands which goals were met. `tools/bench.sh --strict [NAME...]` fails when one was not;
# names, as planner, choose programs.
set -euo pipefail
cd "$(dirname "$0")/.."
strict=
if [ "${1:-}" = --strict ]; then
    strict=1
    shift
fi
programs=(build/release/bench/bench_*)
if [ $# -gt 0 ]; then programs=("${@/#/build/release/bench/bench_}"); fi

told=$(mktemp)
output=$(mktemp)
trap 'rm -f "$told" "$output"' EXIT
failed=()
for program in "${programs[@]}"; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=$(basename "$program")
    echo "== $name"
    # One that cannot run does not keep the others from it.
    "$program" | tee "$output" || failed+=("$name")
    sed -n "s/^goal: /${name#bench_}: /p" "$output" >>"$told"
done

echo
echo "== goals"
awk -F ': ' '
    { verdict = $NF; figure = $(NF - 1); name = $1
      for (i = 2; i < NF - 1; ++i) name = name ": " $i
      printf "  %-7s %-72s %s\n", verdict, name, figure
      ++count[verdict] }
    END { printf "%d met, %d missed\n", count["met"], count["MISSED"] }' "$told"
if [ ${#failed[@]} -gt 0 ]; then
    echo "could not run: ${failed[*]}" >&2
    exit 1
fi
if [ -n "$strict" ] && grep -q ': MISSED$' "$told"; then exit 1; fi
