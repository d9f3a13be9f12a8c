#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./run test package: the package is checked by lintian and systemd-analyze, then installed in a fresh Debian 12, used
# there by a user without rights, upgraded and purged. Nothing may be left.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../../run"

#: ./run test package             the package in a fresh Debian 12: installed, used, upgraded, purged (needs root and a network)

release=bookworm mirror=${LHRS_DEBIAN_MIRROR:-http://deb.debian.org/debian}
exposureMax=15 # of 100, as systemd-analyze judges a unit
place='' log=$logs/test-package.log step=$logs/test-package.step.log

skip() { say package "skipped: $1"; exit 0; }

cleanUp()
{
    [ -n "$place" ] || return 0
    ! mountpoint -q "$place/debian/proc" || umount -l "$place/debian/proc"
    rm -rf --one-file-system "$place"
}

[ $# = 0 ] || wrongUse "test package takes no options, but \"$1\" was given."
[ "$(id -u)" = 0 ] || skip "it makes a Debian of its own in a folder, which only root can; sudo ./run test package"
isDebian || skip "the package is one for Debian, and this is another system"
packages 'debootstrap|command -v debootstrap' 'lintian|command -v lintian' 'shared-mime-info|command -v update-mime-database' \
    'desktop-file-utils|command -v desktop-file-validate' 'man-db|command -v man' 'systemd-container|command -v systemd-nspawn'
"$root/gui/package/make_package.sh"
deb=$(echo "$root"/build/package/lhrs-lab_*.deb)
version=$(dpkg-deb -f "$deb" Version)
trap cleanUp EXIT
trap 'exit 1' INT TERM
place=$(mktemp -d "$root/build/package-test.XXXXXX")
chmod 755 "$place"
debian=$place/debian count=0 begin=$SECONDS
: >"$log"

note() { { printf '\n---- %s\n' "$1"; cat "$step"; } >>"$log"; }

check() # what command...
{
    local what=$1 since=$SECONDS status
    shift
    "$@" >"$step" 2>&1 || { status=$?; note "$what"; fail "$what: this did not succeed ($status)" "$step"; }
    note "$what"
    count=$((count + 1))
    say package "$what$([ $((SECONDS - since)) -lt 5 ] || printf ' (%s s)' $((SECONDS - since)))"
}

# Those of root, and of a user without rights. Nothing of this computer's environment goes with them.
inside() { chroot "$debian" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
visitor() { chroot --userspec=visitor:visitor --groups= "$debian" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/var/lib/visitor XDG_RUNTIME_DIR=/var/lib/visitor/runtime LC_ALL=C.UTF-8 bash -euc "cd; $1"; }
aptInstall() { inside apt-get install -y --no-install-recommends "$@"; }

# What apt, dpkg and systemctl keep for themselves, and what the visitor made at home, is left out.
files()
{
    find "$debian" -xdev \( -path "$debian/proc" -o -path "$debian/var/lib/dpkg" -o -path "$debian/var/lib/apt" -o -path "$debian/var/cache" \
        -o -path "$debian/var/log" -o -path "$debian/run/systemd" -o -path "$debian/var/lib/visitor" -o -path "$debian/tmp/package" \) -prune -o -printf '/%P\n' | sort
}

higherVersion() # the same package as a later version of it
{
    dpkg-deb -R "$deb" "$place/higher"
    sed -i 's/^Version: .*/&+test1/' "$place/higher/DEBIAN/control"
    dpkg-deb --root-owner-group -Zgzip -z1 -b "$place/higher" "$debian/tmp/package/higher.deb"
    rm -rf "$place/higher"
}

# The units under a systemd that has booted, in a copy of that Debian: a file is made with keys handed over as credentials, an
# upgrade leaves it alone, and the removal ends it.
unitsRun()
{
    local copy=$place/booted
    cp -a --one-file-system --reflink=auto "$debian" "$copy" # not what is mounted there
    rm -f "$copy/usr/sbin/policy-rc.d"
    cp "$deb" "$copy/opt/again.deb"
    cat >"$copy/opt/try" <<'END'
#!/bin/bash
exec >/opt/report 2>&1
set -ex
units=(lhrs-coordinator lhrs-node@data-{1,2} lhrs-node@parity-1)
mains() { systemctl show -P MainPID "${units[@]}"; }
lhrs-coordinator --make-keys /etc/lhrs-lab/keys
systemctl start "${units[@]}"
for attempt in {1..60}; do
    if lhrs-play --connect 127.0.0.1:4711 --key-file /etc/lhrs-lab/keys/operator.key --audit all; then break; fi
    [ "$attempt" != 60 ]
    sleep 0.5
done
before=$(mains)
for main in $before; do
    grep -E '^CapBnd:[[:space:]]0+$' "/proc/$main/status"
    grep -E '^Seccomp:[[:space:]]2$' "/proc/$main/status"
    [ "$(stat -c %u "/proc/$main")" -ge 61184 ] # a dynamic user
done
dpkg -i /opt/again.deb
[ "$(mains)" = "$before" ]
dpkg --purge lhrs-lab
for main in $before; do [ ! -e "/proc/$main" ]; done
: all is well
END
    chmod 755 "$copy/opt/try"
    cat >"$copy/etc/systemd/system/try.service" <<'END'
[Service]
Type=oneshot
ExecStart=/opt/try
ExecStopPost=/bin/systemctl poweroff --force
[Install]
WantedBy=multi-user.target
END
    chroot "$copy" systemctl enable try.service
    timeout 180 systemd-nspawn --quiet --register=no --keep-unit --private-network --directory "$copy" --boot </dev/null || true
    [ -e "$copy/opt/report" ] || return 77
    cat "$copy/opt/report"
    tail -n 1 "$copy/opt/report" | grep -q 'all is well'
}

# ---- what can be said without installing it

check "lintian finds no error and no warning" lintian --allow-root --fail-on error,warning --info "$deb"
mkdir "$place/tree"
check "it can be unpacked" dpkg-deb -x "$deb" "$place/tree"
check "the desktop understands its entries" desktop-file-validate "$place"/tree/usr/share/applications/*.desktop
mkdir -p "$place/mime/packages"
cp "$place"/tree/usr/share/mime/packages/*.xml "$place/mime/packages"
check "its file type is well formed" update-mime-database "$place/mime"
noComplaint() # page
{
    local said
    said=$(man --warnings --local-file "$1" 2>&1 >/dev/null)
    [ -z "$said" ] || { printf '%s\n' "$said"; return 1; }
}
for page in "$place"/tree/usr/share/man/man1/*.gz; do
    check "man shows $(basename "$page" .1.gz)" noComplaint "$page"
done
noBuildPath() { ! grep -rlF -- "$root/" "$place/tree"; }
check "no path of this computer is in it" noBuildPath
rm -rf "$place/tree" "$place/mime"

# ---- in a fresh Debian

check "debootstrap makes a Debian ($release)" debootstrap --variant=minbase "$release" "$debian" "$mirror"
mount -t proc proc "$debian/proc"
cp /etc/resolv.conf "$debian/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' >"$debian/usr/sbin/policy-rc.d" # no daemon starts in there
chmod 755 "$debian/usr/sbin/policy-rc.d"
mkdir "$debian/tmp/package"
cp "$deb" "$debian/tmp/package/lower.deb"
inside useradd --create-home --home-dir /var/lib/visitor --shell /bin/bash visitor
visitor 'mkdir -m 700 runtime'
check "apt reads its lists" inside apt-get update
check "what it depends on and recommends is in Debian" inside apt-get satisfy -y --no-install-recommends \
    "$(dpkg-deb -f "$deb" Depends), $(dpkg-deb -f "$deb" Recommends), systemd-sysv, dbus"
files >"$place/before"
check "apt installs it" aptInstall /tmp/package/lower.deb

for program in gui play node coordinator client host sim report demo; do
    # lhrs-host says the name of the whole.
    check "lhrs-$program tells its version" visitor "lhrs-$program --version | grep -E '^lhrs(-$program)? $version\$'"
    check "lhrs-$program has a page and a completion" test -s "$debian/usr/share/man/man1/lhrs-$program.1.gz" \
        -a -s "$debian/usr/share/bash-completion/completions/lhrs-$program"
done
# shellcheck disable=SC2016  # the words of COMP_WORDS are those of the inner shell
check "bash completes an option" visitor '. /usr/share/bash-completion/completions/lhrs-node
    COMP_WORDS=(lhrs-node --ro) COMP_CWORD=1; _lhrs_node; [ "${COMPREPLY[*]}" = --role ]
    COMP_WORDS=(lhrs-node --role p) COMP_CWORD=2; _lhrs_node; [ "${COMPREPLY[*]}" = parity ]'
check "lhrs-demo makes a picture without a display" visitor 'lhrs-demo && test -s lhrs-demo.png'
check "a shipped scenario is played on a simulated cluster" visitor 'lhrs-play --sim /usr/share/lhrs-lab/scenarios/grow.js'
check "and one on a real cluster" visitor 'lhrs-play --local /usr/share/lhrs-lab/scenarios/stale_image.js'
check "a scenario finds the published tables" visitor 'lhrs-play --sim --set repetitions=1 --set records=1000 --set "counts=100" --set fields=16 /usr/share/lhrs-lab/scenarios/record_recovery.js'
check "the window finds the scenarios" visitor 'mkdir cards; QT_QPA_PLATFORM=offscreen lhrs-gui --card-pictures cards --play /usr/share/lhrs-lab/scenarios/grow.js && test -s cards/grow_light.png'
check "Python has the module, and it the programs" visitor 'python3 - <<END
import lhrs_lab
from lhrs_lab import Lab
assert lhrs_lab.__version__ == "'"$version"'", lhrs_lab.__version__
assert lhrs_lab.__file__.startswith("/usr/lib/python3/dist-packages/"), lhrs_lab.__file__
with Lab.start(m=2, k=1, b=20, spares={"data": 4, "parity": 3}) as lab:
    alice = lab.client("alice")
    alice.run("insert", count=30)
    lab.kill(lab.data(0))
    lab.wait_for("RecoveryFinished")
    assert alice.verify().wrong == 0
    assert lab.paper("search")
END'
check "its file type is registered" grep -q 'application/x-lhrun:\*.lhrun' "$debian/usr/share/mime/globs"
check "systemd understands the units" inside systemd-analyze verify --man=no lhrs-coordinator.service lhrs-node@data-1.service
for unit in lhrs-coordinator.service lhrs-node@.service; do
    check "$unit is exposed by less than $exposureMax of 100" inside systemd-analyze security --offline=true --threshold=$exposureMax --no-pager "/lib/systemd/system/$unit"
done
notEnabled() { [ -z "$(find "$debian/etc/systemd" -name 'lhrs-*')" ]; }
check "no unit is enabled" notEnabled

if command -v systemd-nspawn >/dev/null; then
    status=0
    unitsRun >"$step" 2>&1 || status=$?
    note "units"
    case $status in
        0) count=$((count + 1)); say package "the units run under systemd, go on through an upgrade, and end with the removal" ;;
        77) say package "not checked: the units under systemd, because systemd-nspawn boots nothing here" ;;
        *) fail "the units do not run under systemd as they should" "$step" ;;
    esac
    rm -rf --one-file-system "$place/booted"
fi

check "a higher version is made" higherVersion
printf '\n# changed here\n' >>"$debian/etc/lhrs-lab/cluster.env"
check "it is upgraded" aptInstall /tmp/package/higher.deb
check "what was changed in its configuration is kept" grep -q 'changed here' "$debian/etc/lhrs-lab/cluster.env"
check "it works after that" visitor 'lhrs-play --sim /usr/share/lhrs-lab/scenarios/stale_image.js'
check "a person enables a unit" inside systemctl enable lhrs-node@data-1
check "it is purged" inside apt-get purge -y lhrs-lab
files >"$place/after"
check "nothing is left of it" diff "$place/before" "$place/after"
say package "$count checks passed in $(((SECONDS - begin) / 60)) min $(((SECONDS - begin) % 60)) s; the whole output is in ${log#"$root"/}"
