#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The closing lines of ./run test: the time of each label and of the build, what failed, and how many test functions passed
# and failed. A program that ended before it could count its failures counts as one.
# sum_up_tests.sh PRESET LOG_OF_CTEST BUILD_SECONDS ALL_SECONDS
set -euo pipefail
# The input is written by programs: in German, 12.3 is not a number for printf, and in Turkish, i is not in a-z.
export LC_ALL=C
results=$(dirname "$(readlink -f "$0")")/../build/$1/Testing/Temporary/LastTest.log

# Times are reported, but are never a reason to fail: a busy machine is not a defect. The preset dev took these seconds
# of test time on two cores, three tests at a time; 1.5 times as long is worth a look.
declare -A usual=()
[ "$1" != dev ] || usual=([unit]=42 [sim]=75 [runtime]=395 [gui]=1126 [thrash]=60)

while read -r label seconds; do
    awk -v label="$label" -v seconds="$seconds" -v usual="${usual[$label]:-0}" 'BEGIN {
        isLong = usual > 0 && seconds > 1.5 * usual
        printf "%-10s %7.1f s of test time%s\n", label, seconds, isLong ? " - on two cores it usually takes " usual " s" : "" }'
done < <(sed -nE 's/^([a-z]+) *= *([0-9.]+) sec\*proc.*/\1 \2/p' "$2")
printf '%-10s %7d s\n' build "$3" 'all' "$4"
# Repeats what failed and where, for readers who see only the end of a long log.
grep -E -A3 '^(FAIL!|XPASS)' "$results" | grep -E '^(FAIL!|XPASS|   )' || true
awk '
    /^Totals: [0-9]+ passed/ { passed += $2; failed += $4; own += $4 }
    /^Test (Passed|Failed|Timeout)/ || /^Test .*(Exception|Required|not run)/ {
        if ($2 != "Passed." && own == 0) ++failed
        own = 0
    }
    END { printf "%d passed, %d failed\n", passed, failed }' "$results"
