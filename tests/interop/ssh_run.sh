#!/usr/bin/env bash
# Visits over SSH (deploy/ssh/muster-ssh-run) with a real sshd: a system that has no agent is brought
# one, does what waits for it, and is left alone again; with and without a tunnel. The sshd is
# Debian's, unpacked into build/interop and not installed: it would serve this machine.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/interop/server.sh

host=postgres # somebody with a shell who is not root; comes with the database
sshd=$(command -v sshd || true)
if [ -z "$sshd" ]; then
    mkdir -p build/interop
    (cd build/interop && apt-get download -q openssh-server libwrap0 >/dev/null 2>&1 &&
        for each in openssh-server_*.deb libwrap0_*.deb; do dpkg-deb -x "$each" sshd; done)
    cp -r build/interop/sshd/usr/lib "$work/lib"
    export LD_LIBRARY_PATH=$work/lib/$(uname -m)-linux-gnu
    sshd=$PWD/build/interop/sshd/usr/sbin/sshd
fi

start_server || exit 1
build/bin/muster keys rules add local --network 127.0.0.0/8 --zone default >/dev/null || exit 1

ssh-keygen -q -t ed25519 -N '' -f "$work/visitor"
mkdir "$work/host"
cp "$sshd" "$work/sshd"
cp "$work/visitor.pub" "$work/host/authorized_keys"
ssh-keygen -q -t ed25519 -N '' -f "$work/host/key"
cat >"$work/host/config" <<EOF
Port 18422
ListenAddress 127.0.0.1
HostKey $work/host/key
AuthorizedKeysFile $work/host/authorized_keys
StrictModes no
PidFile none
UsePAM no
EOF
chmod 711 "$work"
chown -R $host: "$work/host"
runuser -u $host -- "$work/sshd" -D -e -f "$work/host/config" 2>"$work/sshd.log" &
children+=($!)
until_holds ssh-keyscan -p 18422 127.0.0.1 || { cat "$work/sshd.log"; exit 1; }

visit() {
    deploy/ssh/muster-ssh-run --server "$MUSTER_SERVER" --ca "$MUSTER_CA" --agent build/bin/muster-agent \
        --data "$work/host/agent" --exit-when-idle 5s --ssh-option Port=18422 --ssh-option IdentityFile="$work/visitor" \
        --ssh-option StrictHostKeyChecking=no --ssh-option UserKnownHostsFile="$work/known" "$@"
}
must() {
    "$@" >"$work/said" 2>&1 || { cat "$work/said" "$work/sshd.log"; echo "FAILED: $*" >&2; exit 1; }
}
told() { build/bin/muster systems list "$1" -o json; }
has_contact() { told "fact.contact:$1" | grep -q '"state": *"'; }

echo "visit: brings an agent, which makes itself known"
must visit $host@127.0.0.1
must has_contact ssh-push
system=$(told 'fact.contact:ssh-push' | grep -o '"name": *"[^"]*"' | head -n 1 | cut -d '"' -f 4)

echo "visit: does what waits for it, through a tunnel"
must build/bin/muster run "name:$system" --yes --async --on-return -- touch "$work/host/done"
[ ! -e "$work/host/done" ] || { echo "FAILED: ran without a visit" >&2; exit 1; }
must visit --tunnel $host@127.0.0.1
[ -e "$work/host/done" ] || { cat "$work/said"; build/bin/muster jobs; echo "FAILED: not done" >&2; exit 1; }
must has_contact ssh-push-tunnel
pgrep -u $host -f "$work/host/agent" >/dev/null && { echo "FAILED: an agent stayed" >&2; exit 1; }

echo "visit: a tunnel leads to the cluster and nowhere else"
visit --exit-when-idle 15s --tunnel $host@127.0.0.1 >"$work/said" 2>&1 &
visiting=$!
tunnel() { ss -ltnH | awk '{print $4}' | grep -E '^127\.0\.0\.1:[23][0-9]{4}$' | grep -v ":18"; }
until_holds tunnel || exit 1
through=$(tunnel | head -n 1)
curl --silent --insecure --max-time 5 --socks5 "$through" "https://$address/system/status?fp=x" >/dev/null ||
    { echo "FAILED: the cluster cannot be reached through $through" >&2; exit 1; }
curl --silent --max-time 5 --socks5 "$through" "http://$health/healthz" >/dev/null &&
    { echo "FAILED: a tunnel leads elsewhere" >&2; exit 1; }
wait $visiting || { cat "$work/said"; exit 1; }

echo "visit: who reaches no node is told so"
MUSTER_SERVER=https://127.0.0.1:9 visit $host@127.0.0.1 >"$work/said" 2>&1 &&
    { cat "$work/said"; echo "FAILED: told as visited" >&2; exit 1; }
grep -q 'no node reached' "$work/said" || { cat "$work/said"; exit 1; }

echo "visit: a host that does not answer is told, and the others are visited"
visit $host@127.0.0.1 nobody@127.0.0.1 >"$work/said" 2>&1
code=$?
[ $code = 1 ] && grep -q 'nobody@127.0.0.1: run failed' "$work/said" &&
    grep -q "$host@127.0.0.1: run finished" "$work/said" ||
    { cat "$work/said"; echo "FAILED: exit code $code" >&2; exit 1; }
echo "visit: all well"
