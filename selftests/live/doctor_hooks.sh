#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Each hook that is missed: for every row of the table of hooks, reeve is linked with a guard that lacks
# the row, and the check of "reeve doctor" that asks this hook must find it missing. So for the filter at
# the device. With the table whole all of them are ok.

. "${0%/*}/run_place.sh"

build=${REEVE%/*}

# hook|the check that asks it
watched='
reeve_connect4|proof
reeve_connect6|proof
reeve_sendmsg4|datagram-ipv4
reeve_sendmsg6|datagram-ipv6
reeve_recvmsg4|answer-ipv4
reeve_recvmsg6|answer-ipv6
reeve_peername4|peer-name-ipv4
reeve_peername6|peer-name-ipv6
reeve_bind4|bind-ipv4
reeve_bind6|bind-ipv6
reeve_socket|raw-socket
reeve_sockopt|socket-option
reeve_egress|packet-out
reeve_ingress|packet-in
reeve_device|device
reeve_sysctl|sysctl
reeve_meter|meter
reeve_unix_conn|unix-connect
reeve_unix_send|unix-datagram
'

hooks() { sed -nE 's/^\t\{ ?"(reeve_[a-z_0-9]+)",.*/\1/p' user/kernel/guard.c; }

# link SOURCE SED: a reeve in which that file of the kernel layer is changed.
link() {
	sed -E "$2" "user/kernel/$1" >"$TEST_TMP/changed.c"
	! cmp -s "user/kernel/$1" "$TEST_TMP/changed.c" || fail "nothing to change in $1 by $2"
	cc -std=gnu11 -D_GNU_SOURCE= -O1 -w -iquote user/kernel -I"$build/gen" \
		-c -o "$TEST_TMP/changed.o" "$TEST_TMP/changed.c" || fail "does not compile"
	cc -o "$TEST_TMP/reeve" "$build/user/cli/main.o" "$TEST_TMP/changed.o" \
		-Wl,--start-group "$build"/lib*.a -Wl,--end-group -Wl,--as-needed \
		$(pkg-config --libs libbpf libelf zlib libcjson libpcre2-8 libevent_core libseccomp \
			libnl-route-3.0 libnftables sqlite3 libmd) -lresolv || fail "cannot be linked"
}

# found REEVE CHECK: what its doctor says of the check.
found() {
	(REEVE=$1 reeve_exec doctor) | sed -nE "s/^(ok|degraded|missing) +$2 .*/\1/p"
}

rows() {
	expect_eq "$(hooks | sort)" "$(echo "$watched" | awk -F'|' 'NF { print $1 }' | sort)" "a hook without a watch"
}

whole() {
	local hook check
	while IFS='|' read -r hook check; do
		[ -z "$hook" ] || expect_ne "$(found "$REEVE" "$check")" missing "$hook"
	done <<<"$watched"
}

missed() {
	[ -z "$SANITIZED" ] || skip "the table is the same with sanitizers"
	local hook check
	while IFS='|' read -r hook check; do
		# a kernel without hooks for unix sockets has none to miss
		[ -n "$hook" ] && [ "$(found "$REEVE" "$check")" = ok ] || continue
		link guard.c "/^\t\{ ?\"$hook\",/d"
		expect_eq "$(found "$TEST_TMP/reeve" "$check")" missing "without $hook"
	done <<<"$watched"
}

unfiltered() {
	[ -z "$SANITIZED" ] || skip "the filter is the same with sanitizers"
	link guard_session.c 's/bpf_tc_attach\(&hook, &out\)/0/'
	expect_eq "$(found "$TEST_TMP/reeve" link-filter)" missing
}

t "every hook has a check that asks it" rows
t "with all hooks no check misses one" whole 60
t "each hook that is left out is found missing" missed 180
t "a device without its filter is found missing" unfiltered
run_tests "$@"
