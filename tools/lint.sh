#!/usr/bin/env bash
# Everything `make lint` checks, cheapest first. With --all clang-tidy looks at every source.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}

echo "lint: formatting"
mapfile -t sources < <(git ls-files -co --exclude-standard '*.h' '*.cpp')
clang-format-19 --dry-run -Werror "${sources[@]}"

echo "lint: layers, bans, sizes"
python3 tools/tidy.py

echo "lint: the Cluster UI (biome, tsc)"
web/tools/packages.sh
(cd web && npx --no-install biome check . && npx --no-install tsc --noEmit)

echo "lint: headers that no source includes first compile alone"
cmake --preset release --log-level=WARNING
cmake --build --preset release -j "$jobs" --target all_verify_interface_header_sets lint_prerequisites

echo "lint: clang-tidy"
python3 tools/clang_tidy.py --build build/release --jobs "$jobs" "$@"
