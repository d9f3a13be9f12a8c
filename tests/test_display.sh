#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./run test display: the window on an invisible display with two monitors side by side and a small window manager; then
# on a Wayland compositor whose two screens are windows of such a display.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../run"

displayPackages=('xvfb|command -v Xvfb' 'xauth|command -v xauth' 'openbox|command -v openbox' 'xdotool|command -v xdotool'
    'x11-xserver-utils|command -v xrandr' 'weston|command -v weston' 'qt6-wayland|pkg-config --exists Qt6WaylandClient')
bin=$root/build/dev/bin
status=0

packages "${buildPackages[@]}" "${testPackages[@]}" "${displayPackages[@]}"
build dev tst_display tst_wayland
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export HOME=$home XDG_CONFIG_HOME=$home LC_ALL=C
# shellcheck disable=SC2016  # the inner shell fills them in
QT_QPA_PLATFORM=xcb xvfb-run -a -s '-screen 0 2560x720x24 -noreset' bash -c '
    xrandr --setmonitor left 1280/338x720/190+0+0 screen
    xrandr --setmonitor right 1280/338x720/190+1280+0 none
    openbox --sm-disable & manager=$!
    "$1"; status=$?
    kill $manager
    exit $status' display "$bin/tst_display" || status=1
printf '%s\n' '[shell]' 'locking=false' '[output]' 'name=X1' 'mode=1100x700' '[output]' 'name=X2' 'mode=1000x600' >"$home/weston.ini"
# shellcheck disable=SC2016
XDG_RUNTIME_DIR=$home xvfb-run -a -s '-screen 0 2560x800x24 -noreset' bash -c '
    openbox --sm-disable & manager=$!
    weston --backend=x11-backend.so --output-count=2 --use-pixman --idle-time=0 --socket=screens -c "$HOME/weston.ini" >"$HOME/weston.log" 2>&1 & compositor=$!
    until [ -S "$HOME/screens" ] || ! kill -0 $compositor; do sleep 0.1; done
    WAYLAND_DISPLAY=screens QT_QPA_PLATFORM=wayland "$1"; status=$?
    kill $compositor $manager
    [ $status = 0 ] || tail -n 5 "$HOME/weston.log" >&2
    exit $status' display "$bin/tst_wayland" || status=1
exit $status
