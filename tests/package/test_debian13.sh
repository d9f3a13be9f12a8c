#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./run test debian13: this tree in a fresh Debian 13, whose compiler and Qt are newer: the unit tests, and the
# demonstration. That Debian is made in a folder and removed again.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../../run"

#: ./run test debian13            the tree in a fresh Debian 13: ./run test unit and ./run demo there (needs root and a network; 40 minutes)

release=trixie mirror=${LHRS_DEBIAN_MIRROR:-http://deb.debian.org/debian}
place='' log=$logs/test-debian13.log

skip() { say debian13 "skipped: $1"; exit 0; }

cleanUp()
{
    [ -n "$place" ] || return 0
    ! mountpoint -q "$place/debian/dev" || umount -l "$place/debian/dev"
    ! mountpoint -q "$place/debian/proc" || umount -l "$place/debian/proc"
    rm -rf --one-file-system "$place"
}

[ $# = 0 ] || wrongUse "test debian13 takes no options, but \"$1\" was given."
[ "$(id -u)" = 0 ] || skip "it makes a Debian of its own in a folder, which only root can; sudo ./run test debian13"
isDebian || skip "debootstrap is expected to be Debian's, and this is another system"
packages 'debootstrap|command -v debootstrap' 'git|command -v git'
trap cleanUp EXIT
trap 'exit 1' INT TERM
mkdir -p "$logs" "$root/build"
place=$(mktemp -d "$root/build/debian13.XXXXXX")
debian=$place/debian
: >"$log"

step() # what command...
{
    local what=$1 since=$SECONDS
    shift
    printf '\n---- %s\n' "$what" >>"$log"
    "$@" >>"$log" 2>&1 || fail "$what: this did not succeed" "$log"
    say debian13 "$what ($((SECONDS - since)) s)"
}

# Nothing of this computer's environment goes with it.
inside() { chroot "$debian" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 bash -euc "cd /lhrs-lab; $1"; }

bootstrap()
{
    debootstrap --variant=minbase "$release" "$debian" "$mirror"
    mount -t proc proc "$debian/proc"
    mount --bind /dev "$debian/dev"
    printf '#!/bin/sh\nexit 101\n' >"$debian/usr/sbin/policy-rc.d" # packages start no services there
    chmod 755 "$debian/usr/sbin/policy-rc.d"
    mkdir "$debian/lhrs-lab"
    # The files as they are now, also those that are not committed.
    git -C "$root" ls-files -z --cached --others --exclude-standard | tar -C "$root" --null -T - --ignore-failed-read -c | tar -C "$debian/lhrs-lab" -x
}

step "a fresh Debian 13" bootstrap
step "./run test unit" inside './run test unit'
step "./run demo, without a display" inside './run demo && test -s build/demo/demo.png && test -s build/demo/demo.lhrun'
grep -hE '^(tests|[0-9]+% tests)|tests passed' "$log" | tail -n 1 >&2 || true
say debian13 "all of it succeeded; the full output is in ${log#"$root"/}"
