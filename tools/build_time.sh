#!/usr/bin/env bash
# How long a build takes: all of it in a clean clone of the last commit with an empty ccache, then what
# one changed source and one changed header of the core cost. The set-up (Debian's and npm's packages)
# is told apart. Wants an idle machine and a quarter of an hour. `--strict` fails when a goal is missed.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
export CCACHE_DIR=$clone/ccache
git clone -q . "$clone/muster"
cd "$clone/muster"

missed=
# told NAME LIMIT COMMAND...: its seconds, by the clock and of CPU, held against the limit if it has one.
told() {
    local name=$1 limit=$2
    shift 2
    local times
    times=$( { TIMEFORMAT='%R %U %S'; time "$@" >"$clone/log" 2>&1; } 2>&1) || {
        tail -n 30 "$clone/log" >&2
        echo "build_time: $name failed" >&2
        exit 1
    }
    read -r real user system <<<"$times"
    printf '%s: %s s (CPU %s s)\n' "$name" "$real" "$(awk "BEGIN { print $user + $system }")"
    [ -n "$limit" ] || return 0
    local verdict=met
    awk "BEGIN { exit !($real >= $limit) }" && verdict=MISSED && missed=1
    printf 'goal: %s in less than %s s: %s s: %s\n' "$name" "$limit" "$real" "$verdict"
}
build() { cmake --build --preset release -j "$jobs" --target programs; }
clean_build() {
    cmake --preset release --log-level=WARNING
    build
}
after_a_change_of() {
    echo "// changed" >>"$1"
    build
}

told "set-up" "" make setup
told "clean build" 600 clean_build
told "build after a change of core/placement/planner.cpp" 20 after_a_change_of src/core/placement/planner.cpp
told "build after a change of core/kv/store.cpp" 20 after_a_change_of src/core/kv/store.cpp
told "build after a change of core/placement/slot_table.h" 20 after_a_change_of src/core/placement/slot_table.h
if [ "${1:-}" = --strict ] && [ -n "$missed" ]; then exit 1; fi
