#!/usr/bin/env bash
# Peers that are no Debian packages, against a real server: is the API's document valid, does the API
# do what it says, and do expressions mean whom they mean to Salt? They come from PyPI into
# build/interop and build/salt; nothing else needs them.
set -euo pipefail
cd "$(dirname "$0")/.."

peers=build/interop
data=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$data"' EXIT
address=127.0.0.1:18443
health=127.0.0.1:18444

if [ ! -x "$peers/bin/schemathesis" ]; then
    echo "interop: fetching the peers from PyPI"
    python3 -m venv "$peers"
    "$peers/bin/pip" --quiet install 'openapi-spec-validator>=0.7' 'schemathesis>=4'
fi

echo "interop: starting a server"
build/bin/muster serve --data "$data/muster" --listen "$address" --health-listen "$health" \
    > "$data/log" 2>&1 &
server=$!
until curl --silent --fail "http://$health/readyz" > /dev/null; do
    kill -0 "$server" 2>/dev/null || { cat "$data/log"; exit 1; }
    sleep 0.2
done
export MUSTER_SERVER="https://$address" MUSTER_CA="$data/muster/ca.pem" MUSTER_TOKEN_FILE="$data/token"
build/bin/muster login --user admin --password-file "$data/muster/first-password"
(umask 077 && echo 'correct horse stapler' > "$data/password")
build/bin/muster password --old-file "$data/muster/first-password" --new-file "$data/password"
curl --silent --fail --cacert "$data/muster/ca.pem" "https://$address/openapi.json" \
    > "$data/openapi.json"

echo "interop: is the document valid?"
"$peers/bin/openapi-spec-validator" "$data/openapi.json"

# Without what would end the asker's own login, and streams, which do not end.
echo "interop: does the API keep to it?"
SSL_CERT_FILE="$data/muster/ca.pem" "$peers/bin/schemathesis" \
    --config-file tools/schemathesis.toml run "$data/openapi.json" \
    --url "https://$address" --tls-verify="$data/muster/ca.pem" \
    --header "Authorization: Bearer $(cat "$data/token")" \
    --exclude-path-regex '/(logout|password|disable|events|output)$|/(sessions|tokens)/' \
    --max-examples "${EXAMPLES:-20}" --no-color > "$data/schemathesis" 2>&1 \
    || { cut -c1-400 "$data/schemathesis"; exit 1; }
tail -n 20 "$data/schemathesis" | cut -c1-400

kill "$server"
wait "$server" 2>/dev/null || true
echo "interop: are systems without an agent visited over SSH?"
tests/interop/ssh_run.sh

# The answers that were recorded are still Salt's, and to other expressions it says what we say.
echo "interop: does the compound matcher mean whom Salt means?"
read -r _ version seed count < tests/golden/compound_salt.tsv
tests/golden/ask_salt.sh "$seed" "$count" > "$data/recorded.tsv"
diff tests/golden/compound_salt.tsv "$data/recorded.tsv" \
    || { echo "interop: Salt $version was recorded otherwise; see tests/golden/ask_salt.sh"; exit 1; }
fresh=${SEED:-$(date +%s)}
echo "interop: repeat with SEED=$fresh"
tests/golden/ask_salt.sh "$fresh" 20000 > "$data/salt.tsv"
cmake --build --preset release --target golden_test
MUSTER_GOLDEN_SALT="$data/salt.tsv" build/release/tests/golden_test --test-case='*Salt*'

# Sources of spacecmd cannot be had from PyPI; who has them says where.
if [ -n "${SPACECMD:-}" ]; then
    echo "interop: does an unmodified spacecmd get along?"
    tests/interop/spacecmd.sh
fi
