#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The address policy against the real thing. Every edge of every row, and its neighbour, is tried from inside
# a session in every way that a program has, in every form of the address; then once more by a process that
# sits in the session's network without being of its cgroup, so that only the filter at the device stands in
# its way. Servers answer on every address of a played private network and a played internet, and count what
# arrives: what is denied must not be seen there, what is allowed must be answered.

. "${0%/*}/egress_place.sh"

# The addresses that the sender calls public, as the servers name them, into $TEST_TMP/allowed.
allowed_list() {
	sed -n 's/^allowed //p' "$1" | sed 's/^::ffff:\([0-9.]*\)$/\1/' | sort -u >"$TEST_TMP/allowed"
	expect_le 80 "$(wc -l <"$TEST_TMP/allowed")" "public neighbours"
}

# What a party saw beyond the allowed addresses and those named.
strangers() {
	tally "$1" to | cut -d ' ' -f 1 | grep -vxF -f "$TEST_TMP/allowed" -e "$(printf '%s\n' - "${@:2}")"
}

# The allowed addresses that the internet counts fewer times than that.
missed() {
	tally internet "$1" | awk -v least="$2" 'NR == FNR { n[$1] = $2; next } n[$1] + 0 < least' \
		- "$TEST_TMP/allowed"
}

# All that the kernel counted for the session, by its result.
denials() { echo $(($(grep -o '"count":[0-9]*' <<<"$result" | cut -d : -f 2 | paste -s -d +))); }

number() { sed -n "s/.*\b$1 \([0-9]*\).*/\1/p" <<<"$closing"; }

whole_table() {
	local code=0 text counter
	egress_up
	result=$(session --json -- "$inside/sender" inside "$inside/address-policy.csv" 443) || code=$?
	text=$(json output_dir "$result")/stdout.log
	grep -v '^allowed' "$text" | head -n 40
	closing=$(tail -n 1 "$text")
	expect_eq "$code $(number wrong)" "0 0"
	expect_lt 3000 "$(number denied)"
	expect_lt 700 "$(number allowed)"

	# one count for each refusal, and nothing of it on any wire
	expect_eq "$(denials)" "$(number denied)" "denials counted by the kernel"
	allowed_list "$text"
	expect_eq "$(asked private packets -)" 0 "packets in the private network"
	expect_eq "$(strangers internet)" "" "in the internet"
	expect_eq "$(strangers host 93.184.215.2 2606:2800:21f::2)" "" "on the host's devices"
	expect_eq "$(asked internet served -)" "$(number allowed)" "served"
	expect_eq "$(missed at 6)" "" "not served by each way"
	for counter in denied to_host spoofed; do expect_eq "$(nft_counter $counter)" 0 "$counter"; done

	expect_lt "$(number median)" 1000 "median microseconds of a denied connect"
	expect_lt "$(number most)" 50000 "microseconds of 99 in 100 denied connects"
}
t "every row holds at its edges by every way from inside, at once, and its neighbours are reached" whole_table 60

# With a session that only waits: a process of the host in its network, of no session's cgroup.
stranger() { nsenter -t "$(session_pid)" --net "$@"; }

command_runs() { grep -qsx sleep "/proc/$(session_pid)/comm"; }

waiting_session() {
	egress_up
	session --json -- /bin/sleep 30 >"$TEST_TMP/result" &
	run=$!
	wait_for 5 session_runs || fail "no session"
	# the sandbox is ready when its command runs
	wait_for 5 command_runs || fail "no command"
	own_v6=$(stranger ip -o -6 address show dev eth0 scope global | sed 's/.*inet6 \([^/]*\).*/\1/')
}

session_end() {
	kill "$(session_pid)"
	wait "$run"
	result=$(cat "$TEST_TMP/result")
}

device_alone() {
	waiting_session
	stranger "$PROG/sender" outside "$table" 443 "$own_v6" >"$TEST_TMP/text"
	allowed_list "$TEST_TMP/text"
	sleep 0.2
	expect_eq "$(asked private packets -)" 0 "packets in the private network"
	expect_eq "$(strangers internet)" "" "in the internet"
	expect_eq "$(missed to 3)" "" "not reached by datagram, SYN and raw packet"
	# an IPv6 packet to a public address as v4-mapped, which no socket makes, is the table's to refuse
	expect_eq "$(nft_counter denied)" "$(grep -c '^allowed ::ffff:' "$TEST_TMP/text")" "denied"
	expect_eq "$(nft_counter to_host)" 0 "to_host"
	session_end
	expect_lt 1000 "$(denials)" "denials at the device"
	expect_has "$result" '"hook":"link"'
	expect_lacks "$result" '"hook":"connect"'
}
t "the filter at the device alone holds every row, whatever socket a packet came from" device_alone 60

forged() {
	waiting_session
	stranger "$PROG/sender" forge 8.8.8.8 1.1.1.1
	stranger "$PROG/sender" forge 2606:4700::1 2606:4700:4700::1111
	sleep 0.2
	expect_eq "$(asked internet packets 1.1.1.1)" 0
	expect_eq "$(asked internet packets 2606:4700:4700::1111)" 0
	expect_eq "$(nft_counter spoofed)" 2
	stranger "$PROG/sender" forge "$own_v6" 2606:4700:4700::1111
	wait_for 2 eval '[ "$(asked internet packets 2606:4700:4700::1111)" = 1 ]' || fail "the twin is lost"
}
t "a raw packet with a forged source leaves the host by neither family" forged 30

run_tests "$@"
