#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./run paper: plays the experiments of the papers, puts their tables together in build/paper, and writes the report.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../run"

#: ./run paper [--full] [--only NAME]  the published experiments repeated: tables, charts and a report in build/paper; --full: more repetitions

# scenario | repetitions in the short run | further parameters
experiments=('recovery_tables|2' 'parity_tables|2' 'record_recovery|1' 'search_times|1' 'file_creation|2' 'network_speed|2' 'recovery_ways|2|parts=recovery')
bin=$root/build/optimised/bin
out=$root/build/paper
only=''
isFull=false

while [ $# -gt 0 ]; do
    case $1 in
        --full) isFull=true ;;
        --only) [ -n "${2:-}" ] || wrongUse "paper --only needs the name of an experiment, as in --only search_times."; only=${2%.js}; shift ;;
        *) wrongUse "paper takes --full and --only NAME, not \"$1\"." ;;
    esac
    shift
done
[ -z "$only" ] || printf '%s\n' "${experiments[@]%%|*}" | grep -qx -- "$only" \
    || wrongUse "paper has no experiment \"$only\"; it has $(printf '%s, ' "${experiments[@]%%|*}" | sed 's/, $//')."

packages "${buildPackages[@]}"
build optimised lhrs-play lhrs-node lhrs-coordinator lhrs-client lhrs-sim lhrs-report
commit=$(git -C "$root" describe --always --dirty 2>/dev/null || true)
if [ -z "$only" ] && [ -d "$out" ]; then # measured figures are not thrown away
    rm -rf "$out.before"
    mv "$out" "$out.before"
    say paper "the figures of the last time are in build/paper.before now"
fi
mkdir -p "$out/log"
for entry in "${experiments[@]}"; do
    IFS='|' read -r name repetitions rest <<<"$entry"
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    ! $isFull || repetitions=5
    settings=(--set "repetitions=$repetitions")
    [ -z "$rest" ] || settings+=(--set "$rest")
    begin=$SECONDS
    say paper "$name, $repetitions repetitions"
    "$bin/lhrs-play" --csv "$out/runs/$name" --overwrite "${settings[@]}" "$root/scenarios/$name.js" >"$out/log/$name.log" 2>&1 \
        || fail "$name.js did not succeed" "$out/log/$name.log"
    say paper "$name took $((SECONDS - begin)) s"
done
"$bin/lhrs-play" --merge "$out"/runs/* --csv "$out" --overwrite >"$out/log/merge.log" || fail "lhrs-play did not put the tables together; its last words are above"
"$bin/lhrs-report" "$out" --paper "$root/scenarios/paper" --commit "$commit"
say paper "the report is build/paper/report.html; the whole took $((SECONDS / 60)) min $((SECONDS % 60)) s"
