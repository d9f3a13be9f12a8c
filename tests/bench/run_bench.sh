#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./run bench: builds the measured programs, and compares the store with its peers (bench.py), or measures the window
# (bench_window).
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../../run"

#: ./run bench [--quick] [--only NAME]  the store beside Redis, ISA-L, gf-complete and plain TCP: each target met or missed
#: ./run bench window [--quick]   the budgets of the window on this machine: ingest, frames, beside a cluster, event to pixel, seek, memory, idle

# redis-tools contains the server's file without the service that the package redis-server starts; peers.py runs it.
benchPackages=('libbenchmark-dev|header benchmark/benchmark.h' 'libisal-dev|header isa-l.h' 'redis-tools|command -v redis-benchmark' 'iperf3|command -v iperf3')
preset=$root/build/optimised

case ${1:-} in
    '' | -*) ;;
    window)
        packages "${buildPackages[@]}"
        build optimised bench_window
        exec "$preset/bin/bench_window" "${@:2}"
        ;;
    *) wrongUse "bench takes --quick and --only NAME, or window, not \"$1\"." ;;
esac
packages "${buildPackages[@]}" "${testPackages[@]}" "${benchPackages[@]}"
# The build may have been configured before they were installed.
ninja -C "$preset" -t query bench_kernels >/dev/null 2>&1 || rm -f "$preset/configured"
build optimised lhrs-play lhrs-node lhrs-coordinator lhrs-client lhrs-sim lhrs-gui bench_kernels bench_redis lhrs-flood
exec /usr/bin/python3 "$root/tests/bench/bench.py" "$@"
