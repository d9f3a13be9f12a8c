#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The closing lines of ./run test: the time of each label and of the build, what failed, and how many test functions passed
# and failed. A program that ended before it could count its failures counts as one.
# sum_up_tests.sh PRESET LOG_OF_CTEST BUILD_SECONDS ALL_SECONDS
set -euo pipefail
# What is read here is written by programs: 12.3 is no number for printf in German, nor is i in a-z in Turkish.
export LC_ALL=C
results=$(dirname "$(readlink -f "$0")")/../build/$1/Testing/Temporary/LastTest.log

# Seconds of test time (of all processors) that the label is to stay below.
shareOf() { case $1 in unit) echo 40 ;; sim) echo 190 ;; runtime) echo 120 ;; gui) echo 80 ;; thrash) echo 60 ;; esac; }

while read -r label seconds; do
    share=$(shareOf "$label")
    printf '%-10s %7.1f s of test time%s\n' "$label" "$seconds" \
        "$(awk -v a="$seconds" -v b="${share:-0}" 'BEGIN {if (b && a > b) printf " - over its share of %d s", b}')"
done < <(sed -nE 's/^([a-z]+) *= *([0-9.]+) sec\*proc.*/\1 \2/p' "$2")
printf '%-10s %7d s\n' build "$3" 'all' "$4" # told, never a reason to fail: a busy machine is no defect
# What failed and where, once more: whoever sees the end of a long log only has to know it, too.
grep -E -A3 '^(FAIL!|XPASS)' "$results" | grep -E '^(FAIL!|XPASS|   )' || true
awk '
    /^Totals: [0-9]+ passed/ { passed += $2; failed += $4; own += $4 }
    /^Test (Passed|Failed|Timeout)/ || /^Test .*(Exception|Required|not run)/ {
        if ($2 != "Passed." && own == 0) ++failed
        own = 0
    }
    END { printf "%d passed, %d failed\n", passed, failed }' "$results"
