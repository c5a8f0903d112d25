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
mapfile -t missing < <(
    comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
        <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
            awk '$1 == "installed" {print $2}' | sort -u))

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
# services of this machine, nor make a database cluster that nobody asked for.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod 755 "$policy"
    trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
packages_of_the_ui
