#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a session's network is good for and what not: which sockets there are, what answers, what can be
# bound, and who comes in.

. "${0%/*}/egress_place.sh"

# kind ERRNO NAME...: in what "caller sockets" said.
kind() {
	local name
	for name in "${@:2}"; do grep -qx "$name $1" "$TEST_TMP/said" || test_failed "$name is not $1"; done
}

check_kinds() {
	kind ok tcp tcp6 udp udp6 unix unix-seqpacket route
	kind EPROTONOSUPPORT mptcp mptcp6 udplite sctp sctp-stream dccp ping ping6 raw raw-icmp raw6
	kind EAFNOSUPPORT packet packet-dgram vsock vsock-dgram netfilter sock-diag uevent generic audit alg \
		key bluetooth can tipc rds xdp smc qipcrtr x25 appletalk
	expect_eq "$(wc -l <"$TEST_TMP/said")" 38
}

kinds() {
	egress_up
	session -- "$inside/caller" sockets >"$TEST_TMP/said"
	check_kinds
	reeve run -- "$inside/caller" sockets >"$TEST_TMP/said"
	check_kinds
}
t "of all kinds of sockets there are TCP, UDP, unix and routing information, in each egress mode" kinds 30

reaches() {
	local protocol address
	egress_up
	for protocol in tcp udp; do
		for address in 1.1.1.1 2606:4700:4700::1111 64:ff9b::101:101; do
			expect_has "$(session -- "$inside/caller" ask $protocol $address 7777 2>&1)" \
				"\"protocol\": \"$protocol\", \"at\": \"$address\", \"port\": 7777"
		done
	done
	expect_has "$(session -- "$inside/caller" ask udp ::ffff:1.1.1.1 7777 2>&1)" '"at": "1.1.1.1"'
	expect_eq "$(asked internet served -)" 7
}
t "a public server answers over UDP and TCP, by IPv4, IPv6 and both embedded" reaches 40

no_egress() {
	local address
	egress_up
	for address in 1.1.1.1 2606:4700:4700::1111 64:ff9b::101:101 ::ffff:1.1.1.1; do
		expect_eq "$(reeve run -- "$inside/caller" ask tcp $address 443 2>/dev/null)" "$address ENETUNREACH"
		expect_eq "$(reeve run -- "$inside/caller" ask udp $address 443 2>/dev/null)" "$address ENETUNREACH"
	done
	expect_eq "$(reeve run -- "$inside/caller" ask udp 10.0.0.1 443 2>/dev/null)" "10.0.0.1 EPERM"
	expect_eq "$(asked internet packets -) $(asked private packets -)" "0 0"
}
t "without egress a public address is a network that cannot be reached, and a private one is refused" no_egress 30

loopback() {
	local lines
	egress_up
	lines=$(session -- "$inside/caller" loopback)
	echo "$lines"
	expect_eq "$(grep -c ' ok$' <<<"$lines") $(wc -l <<<"$lines")" "12 12"
	lines=$(reeve run -- "$inside/caller" loopback)
	expect_eq "$(grep -c ' ok$' <<<"$lines") $(wc -l <<<"$lines")" "12 12"
}
t "a server and its client inside reach each other by loopback, by both families and protocols" loopback 30

# bound ADDRESS VERDICT
bound() { expect_eq "$(session -- "$inside/caller" bind "$1" 2>/dev/null)" $'tcp '"$2"$'\nudp '"$2"; }

binds() {
	egress_up
	bound 10.213.0.2 EPERM
	bound fd72:6565:7665::2 EPERM
	bound 8.8.8.8 EPERM
	bound 2606:4700::1 EPERM
	bound ::ffff:10.213.0.2 EPERM
	bound 0.0.0.0 ok
	bound :: ok
	bound 127.0.0.1 ok
	bound ::1 ok
}
t "a server may be bound to loopback and to any address, not to the sandbox's own or another's" binds 40

# knock FROM...: TCP and UDP to the sandbox, by a process that FROM runs elsewhere.
knock() {
	local address protocol
	for address in "$v4" "$v6"; do
		for protocol in tcp udp; do
			"$@" timeout 1 "$PROG/caller" ask $protocol "$address" 8000 &
			knocks+=($!)
		done
	done
}

guests() {
	local run v4 v6 addresses knocks=()
	egress_up
	play in internet ip route add 10.213.0.0/16 via 93.184.215.2
	play in internet ip route add fd72:6565:7665::/64 via 2606:2800:21f::2
	session -- "$inside/caller" listen 8000 4 >"$TEST_TMP/said" 2>&1 &
	run=$!
	wait_for 5 grep -qsx listening "$TEST_TMP/said" || fail "no server: $(cat "$TEST_TMP/said")"
	addresses=$(nsenter -t "$(session_pid)" --net ip -o address show dev eth0)
	v4=$(sed -n 's/.*inet \([^/]*\).*/\1/p' <<<"$addresses")
	v6=$(sed -n 's/.*inet6 \(fd[^/]*\).*/\1/p' <<<"$addresses")
	knock env
	knock play in internet
	wait "${knocks[@]}"
	expect_le 8 "$(nft_counter inbound)" "packets on their way in"
	wait $run
	expect_has "$(cat "$TEST_TMP/said")" "came 0"
}
t "nobody comes in from outside, neither from the host nor through it, though a server listens" guests 40

run_tests "$@"
