#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The host's own addresses are private to a session, public ones too, and also those that it is given while
# the session runs.

. "${0%/*}/egress_place.sh"

# one_denial REASON ADDRESS: asks it over TCP and UDP from inside, and nothing reaches anybody.
one_denial() {
	local protocol
	play ask host reset
	for protocol in tcp udp; do
		result=$(session --json -- "$inside/caller" ask $protocol "$2" 443)
		expect_has "$result" "\"stdout\":\"$2 EPERM\\n\""
		expect_has "$result" "\"reason\":\"$1\""
		expect_has "$result" '"hook":"connect"'
	done
	expect_eq "$(asked host served -)" 0 "$2"
}

own_addresses() {
	egress_up
	one_denial host_address 93.184.215.2
	one_denial host_address 2606:2800:21f::2
	one_denial host_address ::ffff:93.184.215.2
	one_denial host_address 93.184.215.255
	one_denial private 192.168.7.2
	one_denial private fd00:7::2
	one_denial link_local fe80::7:2
	# and the neighbour of the host's own address is the internet's
	expect_has "$(session -- "$inside/caller" ask tcp 93.184.215.1 443 2>&1)" '"at": "93.184.215.1"'
	expect_has "$(session -- "$inside/caller" ask udp 2606:2800:21f::1 443 2>&1)" '"at": "2606:2800:21f::1"'
}
t "no session reaches the host by any of its addresses, public ones and broadcasts among them" own_addresses 40

now_ms() { echo $(($(date +%s%N) / 1000000)); }
said() { grep -qsx "$1" "$TEST_TMP/said"; }

# A session reaches ADDRESS in the internet; then the host itself gets that address.
becomes_own() {
	local address=$1 prefix=$2 given run
	session -- "$inside/caller" poll "$address" 443 >"$TEST_TMP/said" 2>"$TEST_TMP/account" &
	run=$!
	wait_for 5 said reached || fail "$address is not reached: $(cat "$TEST_TMP"/{said,account})"
	given=$(now_ms)
	ip address add "$address/$prefix" dev lo
	expect_exit 0 wait $run
	expect_lt "$(($(now_ms) - given))" 1000 "milliseconds until $address is refused"
	expect_eq "$(tail -n 1 "$TEST_TMP/said")" refused
	expect_has "$(cat "$TEST_TMP/account")" "host_address"
	expect_eq "$(asked host served "$address")" 0
	ip address delete "$address/$prefix" dev lo
}

given_later() {
	egress_up
	becomes_own 1.2.3.4 32
	becomes_own 2606:4700:4700::1111 128
}
t "an address that the host gets while a session runs is refused within the same second" given_later 40

# What was the host's own is the internet's again.
given_back() {
	egress_up
	ip address add 1.2.3.4/32 dev lo
	expect_has "$(session -- "$inside/caller" ask tcp 1.2.3.4 443 2>&1)" "1.2.3.4 EPERM"
	ip address delete 1.2.3.4/32 dev lo
	expect_has "$(session -- "$inside/caller" ask tcp 1.2.3.4 443 2>&1)" '"at": "1.2.3.4"'
}
t "an address that the host no longer has is reached again" given_back 30

run_tests "$@"
