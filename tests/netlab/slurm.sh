#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# slurm.sh up|down: a Slurm of its own on the hosts of ./run netlab: munged, slurmctld on the first host, slurmd on each.
# What runs here reaches it with SLURM_CONF=/run/lhrs-netlab/lab/slurm/slurm.conf. `./run netlab down` ends it, too.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../../run"

which=${LHRS_NETLAB:-lab:10.77.0}
word=${which%%:*} subnet=${which#*:}
lab=/run/lhrs-netlab/$word home=$lab/slurm
export SLURM_CONF=$home/slurm.conf
most=30 # s until all nodes are idle

down()
{
    local name
    for name in slurmd slurmctld munged; do
        pkill -9 -f "^[^ ]*$name .*$home/" 2>/dev/null || true
    done
    rm -rf "$home"
}

up()
{
    local count host begin=$SECONDS
    count=$(find "$lab" -name "$word*.sshd" 2>/dev/null | wc -l)
    [ "$count" != 0 ] || fail "there are no hosts; ./run netlab up 4 makes some"
    packages 'slurmctld|command -v slurmctld' 'slurmd|command -v slurmd' 'slurm-client|command -v srun' 'munge|command -v munged'
    down
    mkdir -p "$home/state" /run/munge
    # munged wants a folder for its socket that everybody may enter.
    chmod 711 /run/lhrs-netlab "$lab" "$home"
    head -c 1024 /dev/urandom >"$home/munge.key"
    chmod 400 "$home/munge.key"
    munged --force --key-file "$home/munge.key" --socket "$home/munge.socket" --pid-file "$home/munge.pid" \
        --log-file "$home/munge.log" --seed-file "$home/munge.seed" >"$home/munged.said" 2>&1 || fail "munged does not start" "$home/munged.said"
    cat >"$SLURM_CONF" <<END
ClusterName=$word
SlurmctldHost=${word}1($subnet.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$home/munge.socket
SlurmctldPidFile=$home/slurmctld.pid
SlurmctldLogFile=$home/slurmctld.log
SlurmdPidFile=$home/%n.pid
SlurmdLogFile=$home/%n.log
SlurmdSpoolDir=$home/%n
StateSaveLocation=$home/state
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/linear
ReturnToService=2
NodeName=${word}[1-$count] NodeAddr=$subnet.[1-$count] CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    # Nothing here uses control groups, but slurmd wants to know which kind it does not use.
    printf 'CgroupPlugin=cgroup/v1\n' >"$home/cgroup.conf"
    ip netns exec "lhrs-${word}1" unshare --uts sh -c 'hostname "$1"; exec slurmctld -f "$2"' sh "${word}1" "$SLURM_CONF" \
        || fail "slurmctld does not start" "$home/slurmctld.log"
    for ((host = 1; host <= count; ++host)); do
        mkdir "$home/$word$host"
        # A /tmp of its own, as the sshd of that host has.
        ip netns exec "lhrs-$word$host" unshare --uts --mount sh -euc \
            'mount --make-rprivate / && mount -t tmpfs -o mode=1777 tmpfs /tmp && hostname "$1" && exec slurmd -N "$1" -f "$2"' \
            sh "$word$host" "$SLURM_CONF" || fail "slurmd does not start" "$home/$word$host.log"
    done
    while [ "$(sinfo -h -t idle -o %D 2>/dev/null)" != "$count" ]; do
        ((SECONDS - begin < most)) || fail "the nodes are not idle after $most s" "$home/slurmctld.log"
        sleep 0.2
    done
    say slurm "$count nodes in $((SECONDS - begin)) s; export SLURM_CONF=$SLURM_CONF"
}

verb=${1:-}
[[ $verb =~ ^(up|down)$ ]] || wrongUse "slurm.sh has up and down, not \"$verb\"."
[ "$(id -u)" = 0 ] || fail "only root may start a Slurm for several hosts"
"$verb"
