#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./run test mutants: switches each known mistake on in turn. The simulator must detect it, and prints after how many
# seeds; or the test that tests/mutants.txt names must detect it.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../run"

list=$root/tests/mutants.txt
bin=$root/build/mutants/bin
log=$logs/mutants.log
status=0
held=0

packages "${buildPackages[@]}" "${testPackages[@]}"
# "mutant program [function]", a line for each mutant that the seeds need not detect
others() { awk '/^[A-Z]/ {sub(":", "", $1); mutant = $1} /^ / && $1 != "seeds" {print mutant, $1, $2}' "$list"; }
readarray -t programs < <(others | awk '{print $2}' | sort -u)
build mutants tst_simulation "${programs[@]}"
"$bin/tst_simulation" everyMutantIsCaught aFailingCaseIsMadeSmall >"$log" 2>&1 || status=1
sed -nE 's/^QINFO.*\((.*)\) (caught after [0-9]+ seeds).*/\1 \2/p; /^FAIL!/p' "$log"
while read -r mutant program function; do
    if ! "$bin/$program" ${function:+"$function"} >>"$log" 2>&1; then
        printf 'FAIL!  : %s %s does not pass without a mutant\n' "$program" "$function"
        status=1
    elif (LHRS_MUTANT=$mutant "$bin/$program" ${function:+"$function"}; exit $?) >>"$log" 2>&1; then # its own check may end it
        printf 'FAIL!  : %s is not caught by %s %s\n' "$mutant" "$program" "$function"
        status=1
    else
        printf '%s caught by %s %s\n' "$mutant" "$program" "$function"
        held=$((held + 1))
    fi
done < <(others)
sed -nE 's/^Totals: ([0-9]+ passed, [0-9]+ failed).*/\1/p' "$log" | head -1
printf '%s caught by tests of their own\n' "$held"
exit $status
