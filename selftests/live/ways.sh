#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every way out that is known, and what stops it. All are tried from inside a sandbox while a private network
# and an internet count what comes, with all layers in place and with layers left out:
#
#	a row names the layers each of which stops the way alone: with nothing but such a layer left the way is
#	still closed, with any other layer it is open, and it is open when exactly those of its row are left
#	out of the whole. So nothing in a row is decoration, and no attempt is one that could not succeed.
#
# What the rest of a row says is how the whole refuses: an errno of the call, or what becomes of a guest. The way
# "before-cgroup" is tried by a process that comes in from outside; the program inside has no call for it.

. "${0%/*}/ways_place.sh"

# way|with all layers|the layers that stop it, by either family
catalogue='
udp|EPERM|sendmsg packet link nft
udp-connected|EPERM|connect packet link nft
udp-elsewhere|EPERM|sendmsg packet link nft
udp-unspec|EPERM|sendmsg packet link nft
udp-mapped|EPERM|sendmsg packet link nft
udp-mapped-connected|EPERM|connect sendmsg packet link nft
udp-scope|EPERM|sendmsg packet netns
sendmmsg|EPERM|sendmsg packet link nft
tcp|EPERM|connect packet link nft
tcp-mapped|EPERM|connect packet link nft
tcp-scope|EPERM|connect packet netns
fastopen|EPERM|connect packet link nft
mptcp|EPROTONOSUPPORT|connect create packet link nft families
mptcp-public|EPROTONOSUPPORT|create families
udplite|EPROTONOSUPPORT|sendmsg create packet link nft families
udplite-connected|EPROTONOSUPPORT|create packet link nft families
udplite-public|EPROTONOSUPPORT|create packet link nft families
sctp|EPROTONOSUPPORT|create packet link nft families
sctp-public|EPROTONOSUPPORT|create packet link families
dccp|EPROTONOSUPPORT|create packet link nft families
dccp-public|EPROTONOSUPPORT|create packet link families
raw|EPROTONOSUPPORT|create packet link nft families userns caps
raw-public|EPROTONOSUPPORT|create families userns caps
ping|EPROTONOSUPPORT|create packet families netns
packet|EAFNOSUPPORT|link nft families userns caps
xdp|EAFNOSUPPORT|link nft families userns caps
ring-connect|EPERM|connect packet link nft rings
ring-send|EPERM|sendmsg packet link nft rings
ring-zero-copy|EPERM|sendmsg packet link nft rings
ring-socket|EPERM|rings
source-route|EPERM|options packet netns userns caps
record-route|EPERM|options packet link
record-route-message|EPERM|packet link
routing-header|EPERM|options packet link nft
multicast|EPERM|sendmsg packet netns
broadcast|EPERM|sendmsg packet netns
inherited|EBADF|descriptors
rights-path|ENOENT|mounts
rights-abstract|ECONNREFUSED|netns
getfd|EPERM|calls pidns userns caps
before-cgroup|ENOSYS|link nft
unix-path|ENOENT|mounts
unix-abstract|ECONNREFUSED|netns
vsock|EAFNOSUPPORT|families
rds|EAFNOSUPPORT|families
tipc|EAFNOSUPPORT|families
netlink-diag|EAFNOSUPPORT|families
netlink-generic|EAFNOSUPPORT|families
netlink-netfilter|EAFNOSUPPORT|families
netlink-change|EPERM|userns caps
user-namespace|EPERM|calls userns
network-namespace|EPERM|calls caps
mount-cgroup|EPERM|calls userns caps cgroupns
mount-bpf|EPERM|calls userns caps
mount-proc|EPERM|calls userns caps
mount-proc-nested|EPERM|calls userns mounts
cgroup-move|ENOENT|mounts userns
tun|ENOENT|device mounts userns caps
sysctl|EACCES|sysctl mounts userns caps
bind|EPERM|bind packet link nft
listen|EAGAIN|packet link nft
listen-udp|EAGAIN|nft
udp-public|ok|
tcp-public|ok|
loopback|ok|
unix-inside|ok|
netlink-route|ok|
'

# The hooks know a sandbox by its cgroup, for which they have no way of its own; the host's filters meet what goes
# through the device of its network namespace.
hooks='connect sendmsg bind create options packet device sysctl'
others='link nft families rings calls descriptors netns mounts pidns cgroupns userns caps cgroup'
layers="$hooks $others"
layers_of_rows=${layers% cgroup}

needs() {
	case " $hooks cgroupns " in *" $1 "*) echo cgroup ;; esac
	case $1 in link | nft) echo netns ;; esac
}

# but LAYER...: all others.
but() { tr ' ' '\n' <<<"$layers" | grep -vxF "$(printf '%s\n' "$@")" | paste -s -d ' '; }

# What this kernel has not, or has in no use: what the host itself cannot do either; in $lacking.
ask_host() {
	local way
	lacking=none
	for way in sctp dccp udplite rds tipc vsock xdp; do
		"$PROG/ways" has $way || lacking+=" $way $way-public $way-connected"
	done
}

# named FILE WAY...: the lines of FILE that are of one of these ways, by either family.
named() {
	awk -v names="${*:2}" '
		BEGIN { n = split(names, list, " "); for (i = 1; i <= n; i++) wanted[list[i]] = 1 }
		NF == 3 { way = $1; sub(/[46]$/, "", way) }
		NF == 3 && way in wanted' "$1"
}

# judge DIR LAYERS [WAY...]: what came out of that try, or did not, unlike the catalogue has it without these layers.
judge() {
	rows=$catalogue awk -v out="$2" -v hooks="$hooks cgroupns" -v lacking="$lacking" -v names="${*:3}" '
		function members(text, set, list, i, n) {
			n = split(text, list, " ")
			for (i = 1; i <= n; i++) set[list[i]]
		}
		function left(layer) {
			if (layer in missing) return 0
			if (layer in by_cgroup) return !("cgroup" in missing)
			return !((layer == "link" || layer == "nft") && "netns" in missing)
		}
		function is_open(layers, list, i, n) {
			n = split(layers, list, " ")
			for (i = 1; i <= n; i++) if (left(list[i])) return 0
			return 1
		}
		BEGIN {
			members(out, missing); members(hooks, by_cgroup); members(lacking, absent); members(names, wanted)
			n = split(ENVIRON["rows"], row, "\n")
			for (i = 1; i <= n; i++) if (split(row[i], part, "|") == 3) may[part[1]] = is_open(part[3])
		}
		FILENAME ~ /seen$/ { seen[$1]; next }
		NF == 3 {
			way = $1; sub(/[46]$/, "", way)
			if (names != "" && !(way in wanted)) next
			came = $2 == "-" ? $3 == "ok" : $2 in seen
			if (came != (may[way] && !(way in absent))) print $1, came ? "gets out" : "does not get out"
		}' "$1/seen" "$1/said"
}

# without LAYERS [WAY...]: tries all ways, or these, with those layers left out.
without() {
	local wrong
	attempts "$TEST_TMP/try" "$@"
	wrong=$(judge "$TEST_TMP/try" "$@")
	[ -z "$wrong" ] || test_failed "without '$1': $(paste -s -d , <<<"$wrong")"
}

rows() { sed '/^$/d' <<<"$catalogue"; }

# By a mode without any network, and by one in which no name was asked for, not even the neighbours get out.
other_modes() {
	local dir=$TEST_TMP/try
	for egress in none package-managers; do
		attempts "$dir" ""
		expect_eq "$(escaped "$dir" | paste -s -d ' ')" "loopback netlink-route unix-inside" "$egress"
		expect_eq "$(cat "$dir/seen")" "" "$egress"
	done
}

whole() {
	local way told layers lines
	ways_up
	ask_host
	without ""
	# the session's device carries nothing but what the neighbours send, and a process from outside
	expect_eq "$(named_as_seen "$TEST_TMP/try/said" "$(seen_by host | paste -s -d ' ')" | grep '[46]$' | paste -s -d ' ')" \
		"before-cgroup4 before-cgroup6 tcp-public4 tcp-public6 udp-public4 udp-public6" "on the session's device"
	while IFS='|' read -r way told layers; do
		lines=$(named "$TEST_TMP/try/said" "$way")
		expect_ne "$lines" "" "$way is not tried"
		expect_eq "$(cut -d ' ' -f 3 <<<"$lines" | sort -u)" "$told" "$way"
	done < <(rows)
	expect_eq "$(awk 'NF == 3 { sub(/[46]$/, "", $1); print $1 }' "$TEST_TMP/try/said" | sort -u)" \
		"$(rows | cut -d '|' -f 1 | sort)" "a way without a row"
	expect_eq "$(rows | cut -d '|' -f 3 | tr ' ' '\n' | grep . | sort -u)" \
		"$(tr ' ' '\n' <<<"$layers_of_rows" | sort)" "a layer without a row"
	other_modes
}
t "each way out fails with its errno and no packet of it is seen, and what a command needs works" whole 60

alone() {
	local layer
	ways_up
	ask_host
	without "$layers"
	# the hooks do not see what is not of the session's cgroup
	without "$others"
	for layer in $layers_of_rows; do
		# shellcheck disable=SC2046
		without "$(but $layer $(needs $layer))"
	done
}
t "every way is open where no layer is, and each layer alone closes those of the catalogue and no other" alone 120

# input_ways LAYERS: what a command makes of the outside's directory, when that is its input.
input_ways() {
	LEFT_OUT=" $1 " reeve run --directory "$outside" --file "$PROG/ways_out" -- /in/ways_out "/in/${outside##*/}" \
		2>"$TEST_TMP/account" | paste -s -d ' '
}

# A unix socket and a FIFO in an input directory lead nowhere by its overlay alone.
inputs() {
	mkfifo -m 0666 "$outside/fifo"
	exec 5<>"$outside/fifo"
	echo content >"$outside/file"
	expect_eq "$(input_ways "")" "stream: ECONNREFUSED datagram: ECONNREFUSED fifo: ENXIO file: ok content "
	expect_eq "$(input_ways overlay)" "stream: ok datagram: EPROTOTYPE fifo: ok file: ok content "
}

# Ways of the same layers are tried in one sandbox.
twins() {
	local set ways
	ways_up
	ask_host
	while IFS='|' read -r set ways; do
		# shellcheck disable=SC2086
		without "$set" $ways
	done < <(rows | awk -F '|' '$3 { ways[$3] = ways[$3] " " $1 } END { for (s in ways) print s "|" ways[s] }')
	inputs
}
t "each way is open in a sandbox that lacks just the layers that close it" twins 120

run_tests "$@"
rm -rf "$left_out_dir"
