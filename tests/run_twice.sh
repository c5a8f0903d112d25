#!/usr/bin/env bash
# `make run`, stopped by Ctrl-C and run again, goes on with the cluster and the systems of the first
# time. Its server stops in order, and another one's answer is not taken for its own.
set -euo pipefail
cd "$(dirname "$0")/.."
home=$(mktemp -d)
runner=
cleanup() {
    if [ -n "$runner" ]; then kill "$runner" 2>/dev/null && wait "$runner" 2>/dev/null || true; fi
    rm -rf "$home"
}
trap cleanup EXIT

fail() {
    echo "run_twice: $1" >&2
    tail -n 20 "$home"/log.* "$home"/data/*.log >&2 || true
    exit 1
}
# Asks again and again for at most a minute.
until_holds() {
    for _ in $(seq 120); do
        if "${@:2}"; then return; fi
        kill -0 "$runner" 2>/dev/null || fail "it ended while waiting for: $1"
        sleep 0.5
    done
    fail "waited in vain for: $1"
}
# Below the ports of outgoing connections, apart from those of tests/harness and of the browser tests.
free_port() {
    python3 -c '
import socket, sys
for port in range(int(sys.argv[1]), 32000):
    try:
        socket.socket().bind(("127.0.0.1", port))
    except OSError:
        continue
    print(port)
    break' "$1"
}

export DATA=$home/data AGENTS=1
export LISTEN=127.0.0.1:$(free_port 31500)
export HEALTH=127.0.0.1:$(free_port 31750)
muster() {
    build/bin/muster "$@" --server "https://$LISTEN" --ca "$DATA/ca.pem" --token-file "$DATA/run-token"
}
# Of each attached system, what must be the same the next time: its number and its key.
systems() {
    muster systems list 'state:onboarded' -o json 2>/dev/null | python3 -c '
import json, sys
found = json.load(sys.stdin)
print(sorted((each["number"], each["fingerprint"], each["name"]) for each in found))'
}
one_system() {
    systems >"$home/now" 2>/dev/null && [ "$(grep -c local-1 "$home/now")" = 1 ]
}

for time in first second; do
    echo "run_twice: the $time run"
    set -m  # in a process group of its own, which hears SIGINT, as on a terminal
    env --default-signal=INT tools/run.sh >"$home/log.$time" 2>&1 &
    runner=$!
    set +m
    until_holds "an attached agent" one_system
    mv "$home/now" "$home/systems.$time"
    muster keys rules list -o json >"$home/rules.$time" || fail "the rules cannot be listed"
    sha256sum <"$DATA/ca.pem" >"$home/authority.$time"
    cp "$DATA/cluster-id" "$home/cluster.$time"
    if DATA=$home/other tools/run.sh >"$home/log.other" 2>&1; then fail "two run at one address"; fi
    grep -q "$LISTEN is in use" "$home/log.other" || fail "it is not told that the address is in use"
    kill -INT -- "-$runner"  # as Ctrl-C does
    wait "$runner" || fail "the $time run ended with an error"
    runner=
    mv "$DATA/server.log" "$home/log.server.$time"
    grep -q 'state=offline' "$home/log.server.$time" || fail "the server did not say that it goes"
    grep -q 'stopped$' "$home/log.server.$time" || fail "the server was not drained"
done

for what in systems rules authority cluster; do
    cmp -s "$home/$what.first" "$home/$what.second" || fail "the second run has other $what"
done
echo "run_twice: the second run has found all of the first"
