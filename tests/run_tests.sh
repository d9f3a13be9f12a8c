#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./run test: builds what is needed, and runs all tests, those of a label or a program, or one of the longer runs.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../run"

#: ./run test                     build everything and run all tests: about 25 minutes on a bare machine with two quiet cores
#: ./run test unit|sim|runtime|gui|thrash  the tests of one label
#: ./run test NAME                the program tests/*/tst_NAME.cpp; also python_alone, _client, _simulated, _csv, _results and _recording (tests/python)
#: ./run test sim --seeds A..B    other seeds for the simulator; also --seed S, --case FILE, --mutant NAME
#: ./run test thrash --seed S --minutes T  real processes that are killed, paused and cut off, for longer or with another seed
#: ./run test fuzz NAME --minutes T  mutated inputs for one reader of bytes; without NAME: lists the readers
#: ./run test fuzz window [--seeds A..B] [--acts N]  random actions in the window, under the sanitizers
#: ./run test thrash --beyond-k   groups lose one member more than they survive, on purpose
#: ./run test soak --hours H      one cluster that is thrashed for hours: no resource may keep growing
#: ./run test asan                unit tests and simulator with the sanitizers of addresses and undefined behaviour
#: ./run test tsan                tests of processes and threads, and the thrasher, with the thread sanitizer
#: ./run test display             the window on an X server and a Wayland compositor of its own: window manager, second screen, drag and drop
#: ./run test mutants             every known mistake, switched on in turn, must be caught

runTests() # preset targets [ctest options...]
{
    local preset=$1 targets begin=$SECONDS built status=0 log=$logs/test-$1.log
    read -ra targets <<<"$2"
    shift 2
    build "$preset" "${targets[@]}"
    built=$((SECONDS - begin))
    (cd "$root" && ctest --preset "$preset" "$@") 2>&1 | tee "$log" || status=1
    "$root/tests/sum_up_tests.sh" "$preset" "$log" "$built" "$SECONDS"
    return $status
}

isProgram() # name
{
    [[ $1 =~ ^[a-z0-9_]+$ ]] || return 1
    compgen -G "$root/tests/*/tst_$1.cpp" >/dev/null || grep -q "^lhrs_python_test($1 " "$root/tests/CMakeLists.txt"
}

what=${1:-}
[ $# = 0 ] || shift
case $what in
    sim)
        for option in "$@"; do
            [[ $option != --* || $option =~ ^--(seeds?|case|mutant|messages|quick|trace)$ ]] \
                || wrongUse "test sim takes --seed S, --seeds A..B, --case FILE and --mutant NAME, not \"$option\"."
        done
        ;;
    thrash | fuzz) ;; # their programs report what is wrong
    soak) [[ ${1:-} = --hours && -n ${2:-} ]] || wrongUse "test soak needs a time: ./run test soak --hours 24." ;;
    wayland) wrongUse "tst_wayland needs a display of its own: ./run test display." ;;
    *)
        [[ $what =~ ^(|unit|runtime|gui|asan|tsan|mutants|display|package|debian13)$ ]] || isProgram "$what" || wrongUse "tests/ has no label and no program \"$what\"."
        [ $# = 0 ] || wrongUse "test $what takes no options, but \"$1\" was given."
        ;;
esac
case $what:${1:-} in
    mutants:) exec "$root/tests/catch_mutants.sh" ;;
    package:) exec "$root/tests/package/test_package.sh" ;;
    debian13:) exec "$root/tests/package/test_debian13.sh" ;;
    display:) exec "$root/tests/test_display.sh" ;;
    fuzz:window) exec "$root/tests/fuzz_window.sh" "${@:2}" ;;
esac

packages "${buildPackages[@]}" "${testPackages[@]}"
case $what:$# in
    :0) runTests dev '' ;;
    unit:0 | sim:0 | runtime:0 | gui:0 | thrash:0) runTests dev "tests_$what" -L "^$what\$" ;;
    # A sanitizer takes ten times as long; only ctest's time limit for a program applies.
    asan:0) QTEST_FUNCTION_TIMEOUT=3600000 runTests asan 'tests_unit tests_sim' -L '^(unit|sim)$' ;;
    tsan:0) QTEST_FUNCTION_TIMEOUT=3600000 runTests tsan 'tests_runtime tests_thrash' -L '^(runtime|thrash)$' -j 1 ;;
    sim:*)
        preset=dev
        [[ " $* " != *' --mutant '* ]] || preset=mutants
        build "$preset" tst_simulation
        exec "$root/build/$preset/bin/tst_simulation" "$@"
        ;;
    thrash:* | soak:*)
        build dev lhrs-thrash
        [ "$what" = thrash ] || set -- --soak "$@"
        exec "$root/build/dev/bin/lhrs-thrash" "$@"
        ;;
    fuzz:*)
        build dev lhrs-fuzz
        cd "$logs" # an input that ends the process is saved there
        exec "$root/build/dev/bin/lhrs-fuzz" "$@"
        ;;
    *) runTests dev "tst_$what" -R "^$what\$" ;;
esac
