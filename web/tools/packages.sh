#!/usr/bin/env bash
# npm's packages as package-lock.json has them, unless they are there. No package runs a script.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ node_modules/.package-lock.json -nt package-lock.json ]; then exit 0; fi
echo "npm: fetching the packages of the Cluster UI"
PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
touch node_modules/.package-lock.json
