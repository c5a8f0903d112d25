#!/usr/bin/env bash
# A cluster on this machine: one server and three agents that it takes in. Ctrl-C stops all of it.
set -euo pipefail
cd "$(dirname "$0")/.."
data=${DATA:-build/data}
listen=${LISTEN:-127.0.0.1:8443}
health=${HEALTH:-127.0.0.1:8444}
agents=${AGENTS:-3}
server=https://$listen/
bin=build/bin
mkdir -p "$data"

"$bin/muster" serve --data "$data" --listen "$listen" --advertise "$listen" --health-listen "$health" &
children=($!)
stop() {
    trap - EXIT INT TERM
    kill "${children[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
}
trap stop EXIT
trap 'exit 0' INT TERM

until curl -fsS -o /dev/null "http://$health/readyz" 2>/dev/null; do
    kill -0 "${children[0]}" 2>/dev/null || exit 1  # it said why
    sleep 0.2
done

if [ "$agents" -gt 0 ]; then
    export MUSTER_SERVER=$server MUSTER_CA=$data/ca.pem MUSTER_TOKEN_FILE=$data/run-token
    # The first password is for choosing another: a random one, for whoever tries this out.
    if [ -f "$data/first-password" ]; then
        (umask 077 && head -c 12 /dev/urandom | base64 >"$data/admin-password")
        "$bin/muster" login --user admin --password-file "$data/first-password" >/dev/null &&
            "$bin/muster" password --old-file "$data/first-password" \
                --new-file "$data/admin-password" >/dev/null || true
    fi
    if "$bin/muster" login --user admin --password-file "$data/admin-password" >/dev/null; then
        "$bin/muster" keys rules add local --network 127.0.0.0/8 --name 'local-*' --zone default \
            >/dev/null 2>&1 || true  # it is there since the last run
    else
        echo "run: not logged in; accept the agents yourself: muster keys accept 'name:local-*'" >&2
    fi
    for number in $(seq "$agents"); do
        "$bin/muster-agent" run --server "$server" --ca "$data/ca.pem" \
            --data "$data/agent-$number" --name "local-$number" >"$data/agent-$number.log" 2>&1 &
        children+=($!)
    done
    cat <<END

  UI and API   $server
  user         admin, password in $data/admin-password

  $agents agents run, with their logs in $data/agent-N.log. Try, in another terminal:

    export MUSTER_SERVER=$server MUSTER_CA=$data/ca.pem MUSTER_TOKEN_FILE=$data/run-token
    $bin/muster systems
    $bin/muster top

END
fi
wait "${children[0]}"
