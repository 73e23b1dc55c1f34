#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make demo: real requests under the kernel policy, in network namespaces that play a host, a private
# network and an internet. The machine's own network is never touched. Says what it runs and shows what
# came of it; ends with an error when a request did not end as it must.

set -eu
cd "$(dirname "$0")/.."
REEVE=$PWD/build/reeve
export PROG=$PWD/build/prog

if [ "${1-}" != inside ]; then
	[ "$(id -u)" = 0 ] || { echo "make demo needs root: it makes namespaces and loads BPF programs" >&2; exit 1; }
	exec unshare --mount --net "$0" inside
fi
if [ "${2-}" != played ]; then
	mount -t bpf bpf /sys/fs/bpf
	export PLAYNET_PORTS='80 7777'
	exec selftests/playnet run "$0" inside played
fi

place=$(mktemp -d /tmp/reeve-demo-XXXXXX)
where=(--parent "reeve-demo-$$.slice" --run-dir "$place/run" --output-root "$place/out")
dns=
clear_away() {
	[ -z "$dns" ] || kill "$dns"
	"$REEVE" gc --all "${where[@]:0:4}"
	rm -rf "$place"
}
trap clear_away EXIT

# A command line as a person would type it.
quoted() {
	local word line=
	for word; do
		case $word in
		*[!-a-zA-Z0-9_.:/=,]*) word="'$word'" ;;
		esac
		line+="$word "
	done
	echo "${line% }"
}

step=0
# Shows a command, runs it, and holds it to the exit code that it must have.
show() {
	local want=$1 why=$2 code=0
	shift 2
	step=$((step + 1))
	printf '\n%d. %s\n   $ reeve %s\n' "$step" "$why" "$(quoted "$@")"
	"$REEVE" "$1" "${where[@]}" "${@:2}" </dev/null 2>&1 | sed 's/^/   /' || true
	code=${PIPESTATUS[0]}
	[ "$code" = "$want" ] || { echo "   exit code $code, and it must be $want" >&2; exit 1; }
	printf '   -> exit code %s\n' "$code"
}

# What the sandbox runs, where it is not curl: bash alone.
talk='exec 3<>/dev/tcp/$1/7777 || exit 1; echo hello >&3; head -n 1 <&3'

# A name server in the private network, which the host asks; to every name its answer is the same
# server of the internet.
names_up() {
	selftests/playnet in "$PLAYNET" private "$PROG/playdns" serve "$place/dns.sock" 10.0.0.53 53 &
	dns=$!
	for _ in $(seq 500); do [ ! -S "$place/dns.sock" ] || break; sleep 0.01; done
	echo 'nameserver 10.0.0.53' >"$place/resolv.conf"
	mount --bind "$place/resolv.conf" "$(realpath /etc/resolv.conf)"
	echo '{"allow": [{"name": ".example.org", "ports": [80]}]}' >"$place/config.json"
}
names_up

echo 'A host (93.184.215.2, 192.168.7.2) between a private network (10.0.0.1, 169.254.169.254)'
echo 'and an internet (1.1.1.1, 2606:4700:4700::1111), all of them namespaces of this demo.'

show 0 'A public server is reached' run --egress public -- bash -c "$talk" bash 1.1.1.1
show 0 'So is one over IPv6' run --egress public -- bash -c "$talk" bash 2606:4700:4700::1111
show 1 'The metadata address is refused, at once and with its reason' \
	run --egress public -- bash -c "$talk" bash 169.254.169.254
show 1 'So is the private network' run --egress public -- bash -c "$talk" bash 10.0.0.1
show 1 "So is the host's own public address" run --egress public -- bash -c "$talk" bash 93.184.215.2
registries=(run --egress package-managers --config "$place/config.json" -- curl -sS)
show 0 'The mode package-managers reaches a registry of the operator by its name' \
	"${registries[@]}" http://registry.example.org/
show 6 'For it no other name is there' "${registries[@]}" http://www.example.com/
show 7 'And no address that none of the names has' "${registries[@]}" http://1.1.1.1/
show 123 'A command that spins is stopped by the kernel at its cap, and the account is shown' \
	run --cpu-seconds 0.5 --money-cents 100 --rate cpu_second=2000000 -- sh -c 'while :; do :; done'
show 0 'The same as one document' run --json --cpu-seconds 2 -- sh -c 'echo done'

printf '\nWhat the private network saw of all this: '
selftests/playnet ask "$PLAYNET" private packets 10.0.0.1
printf 'What the metadata address saw: '
selftests/playnet ask "$PLAYNET" private packets 169.254.169.254
