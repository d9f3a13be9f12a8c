#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./run netlab: a laboratory of several hosts on this computer. Each host has a network, a host name and a /tmp of its
# own and an sshd; a bridge joins them. Everything of it is named lhrs-lab*, so that `down` finds it also after a crash.
# A second laboratory beside it (the tests have one) has a word and a subnet of its own: LHRS_NETLAB=tst:10.78.0.
# shellcheck source=run
. "$(dirname "$(readlink -f "$0")")/../../run"

#: ./run netlab up N [--rate R] [--loss P]  N hosts lab1 to labN on this computer (needs root), R as in 1gbit, P percent lost
#: ./run netlab down              removes them and all that runs on them
#: ./run netlab list              the hosts, their addresses and how many processes they have

which=${LHRS_NETLAB:-lab:10.77.0} most=100
[[ $which =~ ^[a-z]{1,6}:[0-9]+\.[0-9]+\.[0-9]+$ ]] || wrongUse "LHRS_NETLAB is a word and a subnet, as in lab:10.77.0, not \"$which\"."
word=${which%%:*} subnet=${which#*:}
lab=/run/lhrs-netlab/$word bridge=lhrs-${word}0
netlabPackages=('iproute2|command -v ip' 'nftables|command -v nft' 'openssh-server|command -v sshd' 'openssh-client|command -v ssh')

hosts() { ip netns list 2>/dev/null | sed -n "s/^lhrs-\\(${word}[0-9]\\{1,\\}\\)\\( .*\\)\\{0,1\\}\$/\\1/p" | sort -V; }

pids() { ip netns pids "lhrs-$1" 2>/dev/null || true; } # host

down()
{
    local host
    for host in $(hosts); do
        # What one of them has started meanwhile is found the next time round.
        while [ -n "$(pids "$host")" ]; do
            # shellcheck disable=SC2046  # several words
            kill -9 $(pids "$host") 2>/dev/null || true
        done
        ip link del "lhrs-$host" 2>/dev/null || true # with the namespace alone it would be gone a little later
        ip netns del "lhrs-$host"
    done
    ip link del "$bridge" 2>/dev/null || true
    rm -rf "$lab"
}

# An sshd in namespaces of its own, for whoever has the laboratory's key.
startHost() # number
{
    local host=$word$1 outer=lhrs-$word$1 address=$subnet.$1
    ip netns add "lhrs-$host"
    ip link add "$outer" type veth peer name eth0 netns "lhrs-$host"
    ip link set "$outer" master "$bridge" up
    ip -n "lhrs-$host" addr add "$address/24" dev eth0
    ip -n "lhrs-$host" link set eth0 up
    ip -n "lhrs-$host" link set lo up
    if [ -n "$rate" ]; then
        # Both ways: what the host sends, and what it is sent.
        tc -n "lhrs-$host" qdisc add dev eth0 root tbf rate "$rate" burst 256kb latency 50ms
        tc qdisc add dev "$outer" root tbf rate "$rate" burst 256kb latency 50ms
    fi
    if [ -n "$loss" ]; then
        ip netns exec "lhrs-$host" nft -f - <<END
table inet lhrs {
    chain lossy {
        type filter hook input priority 0
        iif "eth0" meta l4proto udp numgen random mod 10000 < $loss drop
    }
}
END
    fi
    cat >"$lab/$host.sshd" <<END
ListenAddress $address
HostKey $lab/host_key
AuthorizedKeysFile $lab/key.pub
PidFile none
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PrintMotd no
MaxStartups 100
END
    printf '%s %s\n' "$address" "$(cut -d' ' -f1,2 "$lab/host_key.pub")" >>"$lab/known_hosts"
    printf 'Host %s\n    HostName %s\n' "$host" "$address" >>"$lab/ssh_config"
    printf '%s config=%s/ssh_config\n' "$host" "$lab" >>"$lab/hosts"
    # shellcheck disable=SC2016  # $1 and $2 are those of the inner shell
    ip netns exec "lhrs-$host" unshare --mount --uts sh -euc 'mount --make-rprivate / && mount -t tmpfs -o mode=1777 tmpfs /tmp && hostname "$1" && exec "$(command -v sshd)" -f "$2"' \
        sh "$host" "$lab/$host.sshd" </dev/null
}

up() # N [--rate R] [--loss P]
{
    local count=${1:-} rate='' loss='' host begin=$SECONDS
    [[ $count =~ ^[1-9][0-9]*$ ]] && ((count <= most)) || wrongUse "netlab up needs a number of hosts, 1 to $most: ./run netlab up 8."
    shift
    while [ $# != 0 ]; do
        case $1 in
            --rate) [[ ${2:-} =~ ^[0-9]+[kmg]?bit$ ]] || wrongUse "--rate is for instance 1gbit or 100mbit, not \"${2:-}\"."; rate=$2 ;;
            --loss)
                [[ ${2:-} =~ ^[0-9]{1,2}(\.[0-9]{1,2})?$ ]] || wrongUse "--loss is a percentage of datagrams, 0 to 99.99, not \"${2:-}\"."
                loss=$(awk -v percent="$2" 'BEGIN {print int(percent * 100 + 0.5)}')
                ;;
            *) wrongUse "netlab up takes --rate R and --loss P, not \"$1\"." ;;
        esac
        shift 2
    done
    [ -z "$(hosts)" ] || { say netlab "removing the former hosts"; down; }
    trap 'say error "the hosts could not be made; what had been made is removed"; down' ERR
    set -E
    mkdir -p "$logs" /run/sshd
    (umask 077 && mkdir -p "$lab")
    ssh-keygen -q -t ed25519 -N '' -C lhrs-netlab -f "$lab/key"
    ssh-keygen -q -t ed25519 -N '' -C lhrs-netlab -f "$lab/host_key"
    printf '# The hosts of ./run netlab; for lhrs-play --hosts.\n' >"$lab/hosts"
    ip link add "$bridge" type bridge || fail "this computer allows no hosts in network namespaces (in a container, it wants --privileged)"
    ip addr add "$subnet.254/24" dev "$bridge"
    ip link set "$bridge" up
    for ((host = 1; host <= count; ++host)); do
        startHost "$host"
    done
    printf 'Host *\n    User root\n    IdentityFile %s/key\n    IdentitiesOnly yes\n    UserKnownHostsFile %s/known_hosts\n    StrictHostKeyChecking yes\n' \
        "$lab" "$lab" >>"$lab/ssh_config"
    trap - ERR
    say netlab "$count hosts in $((SECONDS - begin)) s: ${word}1 to $word$count, $subnet.1 to $subnet.$count; this computer is $subnet.254"
    say netlab "a cluster on them: ./run play FILE --hosts $lab/hosts; a shell: ssh -F $lab/ssh_config ${word}1; away with them: ./run netlab down"
}

list()
{
    local host
    for host in $(hosts); do
        printf '%s  %s  %s processes\n' "$host" "$subnet.${host#"$word"}" "$(pids "$host" | wc -l)"
    done
}

verb=${1:-}
[ "$verb" != figures ] || exec "$root/tests/netlab/figures.sh" "${@:2}"
[ $# = 0 ] || shift
[[ $verb =~ ^(up|down|list)$ ]] || wrongUse "netlab has up N, down, list and figures, not \"$verb\"."
[ "$verb" = up ] || [ $# = 0 ] || wrongUse "netlab $verb takes no options, but \"$1\" was given."
[ "$(id -u)" = 0 ] || fail "netlab makes hosts of namespaces, and only root may; start it with sudo ./run netlab $verb"
packages "${netlabPackages[@]}"
"$verb" "$@"
