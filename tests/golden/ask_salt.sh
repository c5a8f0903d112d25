#!/usr/bin/env bash
# What Salt's own matchers say to the cases of the compound matcher and to random expressions. Salt
# comes from PyPI into build/salt, with only what its matchers need. To record it anew:
#
#   tests/golden/ask_salt.sh 20261116 3000 > tests/golden/compound_salt.tsv
set -euo pipefail
cd "$(dirname "$0")/../.."

salt=${SALT:-build/salt}
version=3008.5
there=$("$salt/bin/python" -c 'import importlib.metadata as m; print(m.version("salt"))' 2>/dev/null || true)
if [ "$there" != "$version" ]; then
    echo "golden: fetching Salt $version from PyPI" >&2
    python3 -m venv "$salt"
    "$salt/bin/pip" --quiet install distro jinja2 looseversion msgpack packaging pyyaml pyzmq tornado >&2
    "$salt/bin/pip" --quiet install --no-deps "salt==$version" >&2
fi
"$salt/bin/python" -W ignore tests/golden/compound_reference.py src/core/targeting/compound.cases "$@"
