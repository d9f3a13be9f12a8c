#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./run test fuzz window [--seeds A..B] [--acts N]: tst_window_fuzz does anything, in any order, to the window, with the
# sanitizers of addresses and undefined behaviour.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../run"

seeds=1..20
acts=500
while [ $# -gt 0 ]; do
    case $1 in
        --seeds) [[ ${2:-} =~ ^[0-9]+(\.\.[0-9]+)?$ ]] || wrongUse "fuzz window --seeds wants one number or a range, as in --seeds 1..100."; seeds=$2 ;;
        --acts) [[ ${2:-} =~ ^[0-9]+$ ]] || wrongUse "fuzz window --acts wants a number, as in --acts 500."; acts=$2 ;;
        *) wrongUse "fuzz window takes --seeds A..B and --acts N, not \"$1\"." ;;
    esac
    shift 2
done
packages "${buildPackages[@]}" "${testPackages[@]}"
build asan-window tst_window_fuzz
LHRS_FUZZ_SEEDS=$seeds LHRS_FUZZ_ACTS=$acts QT_QPA_PLATFORM=offscreen \
    exec "$root/build/asan-window/bin/tst_window_fuzz" whateverIsDoneThePictureIsTheShownInstant
