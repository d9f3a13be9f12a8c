#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./run package: an optimised build for other computers, and the Debian package of it.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../../run"

#: ./run package                  build/package/lhrs-lab_VERSION_amd64.deb, which other computers install without a compiler

[ $# = 0 ] || wrongUse "package takes no options, but \"$1\" was given."
packages "${buildPackages[@]}" 'dpkg-dev|command -v dpkg-shlibdeps' 'file|command -v file' 'python3|command -v python3'
begin=$SECONDS log=$logs/cpack.log out=$root/build/package
build package
rm -f "$out"/lhrs-lab_*.deb
# With the time of the commit the same tree gives the same bytes.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
(umask 022 && cd "$out" && cpack -G DEB) >"$log" 2>&1 || fail "cpack did not succeed" "$log"
made=("$out"/lhrs-lab_*.deb)
[ -e "${made[0]}" ] || fail "cpack made no package" "$log"
say package "${made[0]#"$root"/}, $(($(stat -c %s "${made[0]}") / 1048576)) MiB, in $((SECONDS - begin)) s"
say package "on the other computer: sudo apt install ./$(basename "${made[0]}"), then lhrs-demo"
