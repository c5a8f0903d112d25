#!/usr/bin/env bash
# Installs the Debian packages of tools/packages.txt and npm's of web/package-lock.json that are not
# there yet. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."

packages_of_the_ui() {
    web/tools/packages.sh
    echo "setup: npm's packages for the Cluster UI are there"
}

mapfile -t wanted < <(grep -vE '^\s*(#|$)' tools/packages.txt)
# A newer node than Debian's serves as well, and its packages would be in each other's way.
node_major=$( (node --version 2>/dev/null || true) | sed -n 's/^v\([0-9]*\)\..*/\1/p')
if [ "${node_major:-0}" -ge 18 ] && command -v npm >/dev/null; then
    mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | grep -vxE 'nodejs|npm')
fi
installed() {
    dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
        awk '$1 == "installed" {print $2}' | sort -u
}
before=$(installed)
mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort) - <<<"$before")

if [ "${#missing[@]}" -eq 0 ]; then
    echo "setup: all ${#wanted[@]} Debian packages are installed"
    packages_of_the_ui
    exit 0
fi

if ! grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then
    echo "setup: this is not Debian 12 (bookworm); the package names may differ" >&2
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup: run as root or install sudo; missing: ${missing[*]}" >&2
        exit 1
    }
    as_root=(sudo)
fi

echo "setup: installing ${#missing[@]} Debian packages: ${missing[*]}"
# The engines are started by the tests on ports of their own: their packages must not start them as
# services of this machine, now or when it boots, nor make a database cluster that nobody asked for.
# What was here before is left as it is.
engines='etcd-server|haproxy|nats-server|nginx-(common|light)|postgresql-(15|common)'
mark="# of muster's tools/setup.sh"
policy=/usr/sbin/policy-rc.d
no_cluster=/etc/postgresql-common/createcluster.d/muster.conf
put() { "${as_root[@]}" tee "$1" >/dev/null; }
disable_engines() {
    local package units=()
    for package in $(comm -13 - <(installed) <<<"$before" | grep -xE "$engines"); do
        mapfile -t -O "${#units[@]}" units < <(
            dpkg -L "$package" | sed -nE 's|^(/usr)?/lib/systemd/system/([^/@]+\.service)$|\2|p')
    done
    if [ "${#units[@]}" -eq 0 ] || ! command -v systemctl >/dev/null; then return 0; fi
    "${as_root[@]}" systemctl --quiet disable "${units[@]}" 2>/dev/null ||
        echo "setup: could not disable ${units[*]}: they may start when this machine boots" >&2
}
told=$(mktemp)
undo=()
cleanup() {
    rm -f "$told"
    if [ "${#undo[@]}" -gt 0 ]; then "${as_root[@]}" rm -f "${undo[@]}"; fi
    disable_engines
}
trap cleanup EXIT
# One that an interrupted run has left is taken for our own.
if [ ! -e "$policy" ] || grep -qsxF "$mark" "$policy"; then
    undo+=("$policy")
    printf '#!/bin/sh\n%s\nexit 101\n' "$mark" | put "$policy"
    "${as_root[@]}" chmod 755 "$policy"
fi
if ! grep -qx postgresql-common <<<"$before"; then
    undo+=("$no_cluster")
    "${as_root[@]}" mkdir -p "${no_cluster%/*}"
    printf '%s\ncreate_main_cluster = false\n' "$mark" | put "$no_cluster"
fi

# A fresh machine often updates itself just now. apt-get waits for dpkg's lock by itself, for its own
# ones it does not.
patience=300
apt() {
    until "${as_root[@]}" env LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        apt-get -q -o DPkg::Lock::Timeout="$patience" "$@" 2>&1 | tee "$told"; do
        if [ "$SECONDS" -ge "$patience" ] || ! grep -q 'Could not get lock' "$told"; then return 1; fi
        echo "setup: another program uses apt; waiting for it to end"
        sleep 5
    done
}
apt update
apt install -y --no-install-recommends "${missing[@]}"
packages_of_the_ui
