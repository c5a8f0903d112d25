#!/usr/bin/env bash
# An unmodified spacecmd against a real server with a real agent. Where its sources are is said by
# $SPACECMD (the folder with bin/spacecmd and spacecmd/); it needs python3-rpm and python3-dateutil.
set -uo pipefail
cd "$(dirname "$0")/../.."
: "${SPACECMD:?set it to the folder with bin/spacecmd}"

work=$(mktemp -d)
address=127.0.0.1:18443
health=127.0.0.1:18444
children=()
trap 'kill "${children[@]}" 2>/dev/null; wait; rm -rf "$work"' EXIT
export MUSTER_SERVER=https://$address MUSTER_CA=$work/data/ca.pem MUSTER_TOKEN_FILE=$work/token
export SSL_CERT_FILE=$work/data/ca.pem HOME=$work/home PYTHONPATH=$SPACECMD
export SYSTEM=web1 REPOSITORY=file://$work/repository WORK=$work
mkdir -p "$HOME"

until_holds() {
    for _ in $(seq 100); do
        if "$@" >"$work/last" 2>&1; then return 0; fi
        sleep 0.2
    done
    cat "$work/last" >&2
    return 1
}

# A repository with one package in two versions, as createrepo_c makes it.
make_repository() {
    mkdir -p "$work/repository"
    for version in 1.0 2.0; do
        printf 'Name: hello\nVersion: %s\nRelease: 1\nSummary: says hello\nLicense: MIT\nBuildArch: noarch\n%%description\nhello\n%%files\n' \
            "$version" >"$work/hello.spec"
        rpmbuild -bb --quiet --define "_topdir $work/rpm" --define "_rpmdir $work/repository" \
            "$work/hello.spec" >"$work/rpmbuild" 2>&1 || { cat "$work/rpmbuild"; return 1; }
    done
    createrepo_c --quiet "$work/repository"
    printf '%s' '<updates><update from="shop" status="stable" type="security" version="1"><id>SHOP-1</id>
<title>hello is safer</title><issued date="2026-10-01 00:00:00"/><updated date="2026-10-02 00:00:00"/>
<references><reference href="https://example.org/1" id="CVE-2026-1001" title="one" type="cve"/></references>
<description>It was not.</description><pkglist><collection short="shop"><name>shop</name>
<package name="hello" version="2.0" release="1" epoch="0" arch="noarch"><filename>hello-2.0-1.noarch.rpm</filename></package>
</collection></pkglist></update></updates>' >"$work/updateinfo.xml"
    modifyrepo_c "$work/updateinfo.xml" "$work/repository/repodata" >/dev/null 2>&1
}
make_repository || exit 1
# What the machine has, and a program that changes it in place of its own.
printf 'hello\t(none)\t1.0\t1\tnoarch\n' >"$work/installed"
printf '#!/bin/sh\necho "$@" >>%s/changes\ncase "$*" in *hello-2.0*) sed -i s/1.0/2.0/ %s/installed ;; esac\n' \
    "$work" "$work" >"$work/dnf"
chmod 700 "$work/dnf"
printf '#!/bin/sh\nexit 3\n' >"$work/fails.sh"
printf '#!/bin/sh\necho hello from spacecmd\n' >"$work/script.sh"
echo 'a file of the channel' >"$work/file.txt"

build/bin/muster serve --data "$work/data" --listen "$address" --health-listen "$health" \
    --content-directories "$work" \
    >"$work/log" 2>&1 &
children+=($!)
until_holds curl --silent --fail "http://$health/readyz" || { cat "$work/log"; exit 1; }
(umask 077 && echo 'correct horse stapler' >"$work/password")
build/bin/muster login --user admin --password-file "$work/data/first-password" >/dev/null &&
    build/bin/muster password --old-file "$work/data/first-password" --new-file "$work/password" ||
    exit 1
build/bin/muster keys rules add local --network 127.0.0.0/8 --zone default >/dev/null || exit 1
build/bin/muster-agent run --server "$MUSTER_SERVER" --ca "$MUSTER_CA" --data "$work/agent" \
    --name "$SYSTEM" --packages-family rpm --packages-command "/bin/cat $work/installed" \
    --packages-manager "$work/dnf" >"$work/agent.log" 2>&1 &
children+=($!)
attached() { [ "$(build/bin/muster systems list 'state:onboarded' -o json | grep -c "$SYSTEM")" -gt 0 ]; }
until_holds attached || exit 1

# The first logs in, and the others go on with the session that it keeps in a file.
spacecmd() {
    timeout 60 /usr/bin/python3 "$SPACECMD/bin/spacecmd" --nohistory -y -s "$address" -u admin \
        "$@" 2>&1 </dev/null
}
spacecmd -p 'correct horse stapler' whoami >"$work/out" || { cat "$work/out"; exit 1; }
# The newest action, for what says LAST.
last_action() { spacecmd -q schedule_list | awk '/^[0-9]+/ {print $1; exit}'; }

well=0
failed=()
# Runs $line; what it printed is in $work/out.
matches() {
    eval "set -- $line"
    spacecmd "$@" >"$work/out" && ! grep -qE '^ERROR|Traceback|Fault' "$work/out" &&
        { [ -z "$wanted" ] || grep -qE -- "$wanted" "$work/out"; }
}
while IFS=$'\t' read -r line wanted; do
    case $line in '' | '#'*) continue ;; esac
    line=${line//\$SYSTEM/$SYSTEM}; line=${line//\$REPOSITORY/$REPOSITORY}; line=${line//\$WORK/$WORK}
    wanted=${wanted//\$SYSTEM/$SYSTEM}
    if [[ $line == *LAST* ]]; then line=${line//LAST/$(last_action)}; fi
    if [[ $line == *TARGET* ]]; then
        line=${line//TARGET/$(spacecmd -q system_listmigrationtargets "$SYSTEM" | grep -o '\[[0-9,]*\]' | head -n 1)}
    fi
    if [[ $line == *FIRST_ORG* ]]; then line=${line//FIRST_ORG/\"$(spacecmd -q org_list | head -n 1)\"}; fi
    if [[ $line == WAIT* ]]; then
        line=${line#WAIT }
        until_holds matches
    else
        matches
    fi
    if [ $? -eq 0 ]; then
        well=$((well + 1))
    else
        failed+=("$line")
        echo "FAILED: $line (wanted: ${wanted:-success})"
        sed 's/^/    /' "$work/out" | head -n "${LINES_SHOWN:-6}"
    fi
done <tests/interop/spacecmd.tsv
echo "spacecmd: $well went well, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ]
