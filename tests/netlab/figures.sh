#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Figures of a cluster on several hosts: operations per second beside Redis over the same bridge, and the recovery of
# three buckets at 1 Gb/s beside the paper's. It makes eight hosts of its own and removes them.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../../run"

#: ./run netlab figures           operations per second over a bridge beside Redis, and a recovery at 1 Gb/s beside the paper's (10 minutes)

export LHRS_NETLAB=fig:10.79.0
lab=/run/lhrs-netlab/fig bin=$root/build/optimised/bin out=$root/build/netlab
netlab=$root/tests/netlab/netlab.sh
repetitions=5 count=20000

[ $# = 0 ] || wrongUse "netlab figures takes no options, but \"$1\" was given."
packages "${buildPackages[@]}" 'redis-server|command -v redis-server' 'redis-tools|command -v redis-benchmark'
build optimised lhrs-play lhrs-node lhrs-coordinator lhrs-client lhrs-host
mkdir -p "$out"
trap '"$netlab" down' EXIT

median() { sort -n | awk '{all[NR] = $1} END {print NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2}'; }

"$netlab" up 8
# In the memory alone, as our servers; of one thread, as it is by default.
ip netns exec lhrs-fig2 redis-server --bind 10.79.0.2 --port 6379 --protected-mode no --save '' --appendonly no >"$out/redis.log" 2>&1 &
redis=$!
redisRates() # option for the number of requests under way
{
    # shellcheck disable=SC2086  # several words
    for ((i = 0; i < repetitions; ++i)); do
        ip netns exec lhrs-fig8 redis-benchmark -h 10.79.0.2 -t set,get -n $count -r 20000 -d 100 -c 1 $1 --csv 2>/dev/null
    done | awk -F'"' '$2 == "SET" || $2 == "GET" {print $2, $4}'
}
until ip netns exec lhrs-fig8 redis-cli -h 10.79.0.2 ping >/dev/null 2>&1; do
    kill -0 "$redis" 2>/dev/null || fail "redis-server does not run" "$out/redis.log"
done
say figures "Redis, then the same with k = 0, 1 and 2"
redisRates '' >"$out/redis-1.txt"
redisRates '-P 16' >"$out/redis-16.txt"
for k in 0 1 2; do
    "$bin/lhrs-play" --hosts "$lab/hosts" --set "k=$k" --set "repetitions=$repetitions" "$root/tests/netlab/figures.js" >"$out/k$k.txt" 2>&1 \
        || fail "figures.js did not succeed" "$out/k$k.txt"
done
kill "$redis"
{
    printf '%-26s %12s %12s %12s %12s\n' 'operations per second' 'Redis' 'k = 0' 'k = 1' 'k = 2'
    row() # words, word of Redis, its file, word of ours
    {
        printf '%-26s %12.0f' "$1" "$(awk -v w="$2" '$1 == w {print $2}' "$out/$3" | median)"
        for k in 0 1 2; do
            printf ' %12.0f' "$(awk -v w="$4" '/figure/ && $3 == w {print $4}' "$out/k$k.txt" | median)"
        done
        printf '\n'
    }
    row 'search, one at a time' GET redis-1.txt search
    row 'search, 16 at a time' GET redis-16.txt searches
    row 'insert, one at a time' SET redis-1.txt insert
    row 'insert, 16 at a time' SET redis-16.txt inserts
} | tee "$out/operations.txt"

"$netlab" up 8 --rate 1gbit
say figures "recovery of three buckets of 31,250 records of 100 bytes, 1 Gb/s"
"$bin/lhrs-play" --hosts "$lab/hosts" --csv "$out/recovery" --overwrite --set fields=16 --set parts=10 --set "repetitions=$repetitions" \
    "$root/scenarios/recovery_tables.js" >"$out/recovery.log" 2>&1 || fail "recovery_tables.js did not succeed" "$out/recovery.log"
/usr/bin/python3 - "$out/recovery/bucket_recovery.csv" <<'END' | tee "$out/recovery.txt"
import csv, statistics, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["failed_buckets"] == "3" and r["warm_up"] not in ("1", "true")]
times = [float(r["total_s"]) for r in rows]
print(f"three buckets: {statistics.median(times):.3f} s (median of {len(times)}, {min(times):.3f} to {max(times):.3f} s); the paper of 2004: 1.555 s")
END
say figures "all of it is in build/netlab"
