# For scripts with peers: a server of their own (on $PORT and the next one), and somebody who is
# logged in. Sets $work, the settings of `muster`, and ends all $children with the script.
work=$(mktemp -d)
port=${PORT:-18443}
address=127.0.0.1:$port
health=127.0.0.1:$((port + 1))
children=()
trap 'kill "${children[@]}" 2>/dev/null; wait; rm -rf "$work"' EXIT
export MUSTER_SERVER=https://$address MUSTER_CA=$work/data/ca.pem MUSTER_TOKEN_FILE=$work/token

until_holds() {
    for _ in $(seq 100); do
        if "$@" >"$work/last" 2>&1; then return 0; fi
        sleep 0.2
    done
    cat "$work/last" >&2
    return 1
}

start_server() {
    build/bin/muster serve --data "$work/data" --listen "$address" --health-listen "$health" \
        >"$work/log" 2>&1 &
    local server=$!
    children+=($server)
    until_holds curl --silent --fail "http://$health/readyz" && kill -0 $server ||
        { cat "$work/log"; return 1; }
    (umask 077 && echo 'correct horse stapler' >"$work/password")
    build/bin/muster login --user admin --password-file "$work/data/first-password" >/dev/null &&
        build/bin/muster password --old-file "$work/data/first-password" \
            --new-file "$work/password"
}
