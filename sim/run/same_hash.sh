#!/usr/bin/env bash
# The same seed gives the same trace in another process, whose memory and environment lie elsewhere:
# same_hash.sh MUSTER-SIM
set -euo pipefail
sim=$1
hash_of() { "$sim" --scenario "$1" --seed 11 --for 1m | grep -o 'hash [0-9a-f]*'; }
for scenario in all_together placement_under_fire jobs_under_fire revisions_under_fire onboarding_under_fire; do
    first=$(hash_of "$scenario")
    second=$(PADDING=$(head -c 40000 /dev/zero | tr '\0' x) MALLOC_ARENA_MAX=1 hash_of "$scenario")
    if [ "$first" != "$second" ]; then
        echo "$scenario: $first, then $second" >&2
        exit 1
    fi
    echo "$scenario: $first, twice"
done
