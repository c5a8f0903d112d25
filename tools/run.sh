#!/usr/bin/env bash
# A cluster on this machine: one server and three agents that it takes in. Ctrl-C stops all of it, a
# second one at once. Other values of DATA, LISTEN, HEALTH and AGENTS run another cluster beside it;
# ADVERTISE is where agents of other machines find the server.
set -euo pipefail
cd "$(dirname "$0")/.."
data=${DATA:-build/data}
listen=${LISTEN:-127.0.0.1:8443}
health=${HEALTH:-127.0.0.1:8444}
agents=${AGENTS:-3}
bin=build/bin
log=$data/server.log
first=$data/first-password
password=$data/admin-password
# What the caller's own commands go by is not meant for these. An agent would even take the token of
# a person for its own.
unset MUSTER_SERVER MUSTER_CA MUSTER_TOKEN_FILE MUSTER_EDIT

# Who listens at every address is found at loopback from here.
case $listen in
    0.0.0.0:*) near=127.0.0.1:${listen##*:} ;;
    \[::]:*) near="[::1]:${listen##*:}" ;;
    *) near=$listen ;;
esac
host=${near%:*}
host=${host#[}
host=${host%]}
server=https://$near/

say() { echo "run: $1" >&2; }
muster() { "$bin/muster" "$@" --server "$server" --ca "$data/ca.pem" --token-file "$data/run-token"; }

# The health port of another server would answer in place of this one's.
in_use() {
    python3 -c '
import errno, socket, sys
host, _, port = sys.argv[1].rpartition(":")
family = socket.AF_INET6 if ":" in host else socket.AF_INET
try:
    socket.create_server((host.strip("[]"), int(port)), family=family).close()
except OSError as failure:
    sys.exit(failure.errno != errno.EADDRINUSE)
except ValueError:
    pass  # the server says what is wrong with it
sys.exit(1)' "$1"
}
for address in "$listen" "$health"; do
    if in_use "$address"; then
        say "$address is in use by another program, perhaps by another \`make run\`"
        say "end that, or take other addresses and another directory, such as:"
        say "  DATA=build/data-2 LISTEN=127.0.0.1:9443 HEALTH=127.0.0.1:9444 make run"
        exit 1
    fi
done
[ -x "$bin/muster" ] || { say "$bin/muster is not there; \`make build\` builds it"; exit 1; }
mkdir -p "$data"

children=()
# In a session of its own, so that Ctrl-C reaches it through `stop` alone: a second signal would end
# the server at once. If this script is killed, it is asked to end all the same.
start() {
    setsid setpriv --pdeathsig TERM "${@:2}" >>"$1" 2>&1 </dev/null &
    children+=($!)
}
signal_all() { kill "${children[@]}" 2>/dev/null || true; }
# Waits until it is gone, whatever signals come meanwhile, and passes on how it ended.
await() {
    local code=0
    wait "$1" || code=$?
    while kill -0 "$1" 2>/dev/null; do
        code=0
        wait "$1" || code=$?
    done
    return "$code"
}
stop() {
    local code=$?
    trap - EXIT
    trap signal_all INT TERM HUP
    if kill -0 "${children[0]}" 2>/dev/null; then say "stopping"; else unset 'children[0]'; fi
    signal_all
    for child in "${!children[@]}"; do
        await "${children[$child]}" && continue
        if [ "$child" = 0 ]; then code=1 && say "the server did not stop in order; see $log"; fi
    done
    exit "$code"
}
server_ended() {
    say "the server has ended; $log says why:"
    tail -n 3 "$log" >&2
    exit 1
}

start "$log" "$bin/muster" serve --data "$data" --listen "$listen" --advertise "${ADVERTISE:-$near}" \
    --health-listen "$health" --log-format text
trap stop EXIT
trap 'exit 0' INT TERM HUP

tries=0
until curl -fs --noproxy '*' -o /dev/null "http://$health/readyz"; do
    kill -0 "${children[0]}" 2>/dev/null || server_ended
    tries=$((tries + 1))
    if [ $((tries % 50)) = 0 ]; then say "the server is not ready yet; see $log"; fi
    sleep 0.2
done
kill -0 "${children[0]}" 2>/dev/null || server_ended  # it was another's answer

# The first password is for choosing another: a random one, for whoever tries this out. That one is
# on disk before the server hears of it, and is kept from then on, so a run that was ended between
# the two is gone on with.
log_in() { muster login --user admin --password-file "$1" >/dev/null; }
if [ -f "$first" ]; then
    if [ ! -s "$password" ]; then
        (umask 077 && head -c 12 /dev/urandom | base64 >"$password.new")
        mv "$password.new" "$password"
    fi
    if log_in "$first" 2>/dev/null; then
        muster password --old-file "$first" --new-file "$password" >/dev/null || true
    fi
fi
logged_in=
if [ -s "$password" ] && log_in "$password"; then
    logged_in=1
    rm -f "$first"  # spent
    user="admin, password in $password"
else
    kill -0 "${children[0]}" 2>/dev/null || server_ended
    if [ -f "$first" ]; then
        say "the first password is not changed yet; run again, or change it yourself"
        user="admin, password in $first"
    else
        say "not logged in. Write the password of admin into $password and run again, or"
        say "accept agents that wait yourself, or give this cluster up and begin anew: rm -r $data"
        user="admin, with the password that was chosen"
    fi
fi

told_agents=
if [ "$agents" -gt 0 ]; then
    told_agents=", and $data/agent-N.log of $agents agents"
    # They come from where they go to: this machine.
    rule=local networks=(--network 127.0.0.0/8 --network ::1/128)
    case $host in
        127.* | ::1) ;;
        *:*) rule=local-${host//:/-} networks=(--network "$host/128") ;;
        *) rule=local-${host//./-} networks=(--network "$host/32") ;;
    esac
    if [ -n "$logged_in" ] && ! muster keys rules list | grep "^$rule " >/dev/null; then
        muster keys rules add "$rule" "${networks[@]}" --name 'local-*' --zone default >/dev/null ||
            say "accept the agents yourself: $bin/muster keys accept 'name:local-*'"
    fi
    for number in $(seq "$agents"); do
        start "$data/agent-$number.log" "$bin/muster-agent" run --server "$server" \
            --ca "$data/ca.pem" --data "$data/agent-$number" --name "local-$number" --log-format text
    done
fi
cat <<END

  UI and API   $server
  user         $user
  logs         $log${told_agents}

  Ctrl-C stops it. Try, in another terminal and this directory:

    export MUSTER_SERVER=$server MUSTER_CA=$data/ca.pem MUSTER_TOKEN_FILE=$data/run-token
    $bin/muster systems
    $bin/muster top

END
wait "${children[0]}" || true
server_ended
