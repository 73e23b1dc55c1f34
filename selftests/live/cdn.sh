#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A name with many addresses, a few in each answer and for a short time, as content networks have them: what
# the resolver answers can be reached, as long as it is said to be good, and what is open stays bounded.

. "${0%/*}/dns_place.sh"

addresses_max=$(sed -n 's/^#define REEVE_DNS_ADDRESSES_MAX \([0-9]*\)$/\1/p' include/limits.h)

# open_now: addresses in the kernel's map; one element more is a session's own mark.
open_now() { bpftool map dump pinned "$pins/maps/addresses" | grep -c '"key"'; }

# client ARGUMENT...: prog/cdn in a sandbox, which ends when the map was looked at.
client() {
	local run
	reeve_exec run --json --egress package-managers --file "$PROG/cdn" -- /bin/sh -c \
		"/in/cdn $*; echo begun; $wait_go" >"$TEST_TMP/said" 2>&1 &
	run=$!
	wait_for 30 has_begun || fail "does not end: $(cat "$TEST_TMP"/out/*/stdout.log)"
	left=$(open_now)
	touch "$(dirname "$TEST_TMP"/out/*/stdout.log)/go"
	wait $run
	said=$(cat "$TEST_TMP"/out/*/stdout.log)
	cat "$TEST_TMP/said"
}

rotates() {
	up
	client rotate.$registry 1000 8
	expect_eq "$(tail -n 2 <<<"$said" | head -n 1)" "connects 1000 failed 0 addresses 200"
	expect_has "$(cat "$TEST_TMP/said")" '"denials":[],'
	expect_le "$left" 201
	expect_eq "$(asked rotate.$registry)" 500
}
t "of 1,000 connects to 200 addresses that come and go none is denied" rotates 60

bounded() {
	up
	client wide.$registry 1600 2 www.$registry
	expect_eq "$(tail -n 2 <<<"$said" | head -n 1)" "connects 1600 failed 0 addresses 1001"
	expect_has "$(cat "$TEST_TMP/said")" '"denials":[],'
	expect_le "$left" $((addresses_max + 1))
}
t "of 1,000 addresses so many stay open as may, and among them one that is answered again and again" bounded 60

run_tests "$@"
