# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A place for "reeve run --egress public" between a played private network and a played internet. Public
# egress takes no input files, so the programs that run inside stand in /usr/local, which the image "host"
# shows: behind a mount of the test's own, seen by nobody else.

. "${0%/*}/run_place.sh"

inside=/usr/local
table=selftests/address-policy.csv

play() { selftests/playnet "$1" "$TEST_TMP/../play" "${@:2}"; }
# asked PARTY packets|served ADDRESS: how many came.
asked() { play ask "$@"; }
# tally PARTY to|at: each address that a party saw packets for, or served at, and how often.
tally() {
	play ask "$1" json | tr '{' '\n' | awk -F '"' -v key="$2" '
		$2 == key { sub(/[^0-9]*/, "", $9); n[$4] += $9 + 0 }
		END { for (address in n) print address, n[address] }'
}

egress_up() {
	play up || fail "no playground"
	mount -t tmpfs egress "$inside"
	cp "$PROG/sender" "$PROG/caller" "$table" "$inside"
}

# session COMMAND...: a whole run; its output, its last words behind it in $account.
session() { reeve run --egress public "$@"; }

eval "place_$(declare -f teardown)"
teardown() {
	place_teardown
	play down
	! mountpoint -q "$inside" || umount "$inside"
	! nft list table inet reeve >/dev/null 2>&1 || fail "the table inet reeve is left"
}

# The pid, as the host sees it, of a process of the one session that runs.
session_pid() { cat "$cgroups/$parent"/sbs_*/req_*/cgroup.procs 2>/dev/null | tail -n 1; }
session_runs() { [ -n "$(session_pid)" ]; }

# nft_counter NAME: the packets that a counter of the table has seen.
nft_counter() { nft list counter inet reeve "$1" | sed -n 's/.*packets \([0-9]*\).*/\1/p'; }
