#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The policy of a session that runs, changed from outside: by "reeve policy" and by bpftool on the pinned
# maps, both on the next packet.

. "${0%/*}/egress_place.sh"

# start COMMAND...: a session in the background that has begun; sets $id, by which it is known.
start() {
	reeve_exec run --egress public -- /bin/bash -c 'echo begun; eval "$1"' - "$*" >"$TEST_TMP/said" 2>&1 &
	run=$!
	wait_for 5 has_begun || fail "does not begin: $(cat "$TEST_TMP/said")"
	id=$(basename "$(sessions)")
}
stop() { kill -INT "$run"; wait "$run" || :; }

# Packets that a party has seen for an address, over a while.
rate() {
	local before
	before=$(asked "$1" packets "$2")
	sleep "$3"
	echo $(($(asked "$1" packets "$2") - before))
}

stream='stream() { exec 3<>/dev/$1/$2/7777; while :; do echo x >&3; sleep 0.01; done 2>/dev/null; }'
flows="$stream; stream tcp 1.1.1.1 & stream udp 1.0.0.1 & stream udp 8.8.8.8 &
	stream tcp 2606:4700:4700::1111 & wait"
flow_addresses='1.1.1.1 1.0.0.1 2606:4700:4700::1111'

flows_up() {
	local address
	egress_up
	start "$flows"
	for address in 8.8.8.8 $flow_addresses; do
		wait_for 3 expect_flow "$address" || fail "no flow to $address"
	done
}
expect_flow() { [ "$(rate internet "$1" 0.1)" -gt 2 ]; }

# Both measured from the moment at which the change was made.
expect_cut() {
	local address
	sleep 0.1
	for address in $flow_addresses; do expect_eq "$(rate internet "$address" 0.5)" 0 "$address"; done
	expect_lt 0 "$(rate internet 8.8.8.8 0.5)" "the flow that nobody denied"
}

cuts() {
	flows_up
	expect_ok reeve policy deny "$id" 1.1.1.0/24 1.0.0.1/32 2606:4700:4700::/48
	expect_cut
	expect_ok reeve policy reset "$id"
	for address in 1.1.1.1 1.0.0.1; do
		wait_for 5 expect_flow "$address" || test_failed "no flow to $address behind reset"
	done
	stop
}
t "a deny cuts live TCP and UDP flows within 100 ms, and no other; reset lets them go on" cuts 40

# key PREFIXLEN CGROUP ADDRESS-BYTES: a key of the map "prefixes", in hex.
key() {
	local cgroup i
	printf '%02x 0 0 0' $((64 + $1))
	for ((i = 0, cgroup = $2; i < 8; i++, cgroup >>= 8)); do printf ' %02x' $((cgroup & 255)); done
	printf ' %s\n' "$3"
}
mapped='0 0 0 0 0 0 0 0 0 0 ff ff'
by_hand() {
	local cgroup what=$1 len=$2 address=$3
	cgroup=$(json cgroup_id "$(reeve policy --json show "$id")")
	# shellcheck disable=SC2046
	bpftool map "$what" pinned "$pins/maps/prefixes" key hex $(key "$len" "$cgroup" "$address") "${@:4}"
}

# The number of the reason, little-endian in hex.
operator() {
	printf '%02x 0 0 0' "$(sed -n 's/^\tX(\([A-Z_]*\),.*/\1/p' include/reason.h | grep -nx OPERATOR | cut -d : -f 1)"
}
# shellcheck disable=SC2046
hands_cut() {
	by_hand update 120 "$mapped 1 1 1 0" value hex $(operator) || fail "bpftool does not take it"
	by_hand update 128 "$mapped 1 0 0 1" value hex $(operator)
	by_hand update 48 "26 06 47 00 47 00 0 0 0 0 0 0 0 0 0 0" value hex $(operator)
}

by_bpftool() {
	local said
	flows_up
	hands_cut
	expect_cut
	said=$(reeve policy show "$id")
	expect_has "$said" "deny   1.1.1.0/24"
	expect_has "$said" "deny   2606:4700:4700::/48"
	by_hand delete 120 "$mapped 1 1 1 0"
	wait_for 5 expect_flow 1.1.1.1 || test_failed "no flow behind bpftool's delete"
	expect_ok reeve policy reset "$id"
	expect_lacks "$(reeve policy show "$id")" deny
	stop
}
t "bpftool on the pinned map does the same, and what it put is shown and reset" by_bpftool 40

# Asks two private servers and a public one again and again; the last words of each are what counts.
asks='while :; do for a in 10.0.0.1 10.0.0.2 fd00:7::1 1.1.1.1; do for p in tcp udp; do
	/usr/local/caller ask $p $a 7777; done; done; sleep 0.05; echo round; done 2>&1'
rounds() { grep -c round "$TEST_TMP/said"; }
answers() { sed -n "$(($1 + 1)),\$p" "$TEST_TMP/said" | grep -c "\"at\": \"$2\""; }
refusals() { sed -n "$(($1 + 1)),\$p" "$TEST_TMP/said" | grep -cx "$2 $3"; }
lines() { wc -l <"$TEST_TMP/said"; }
more_rounds() { local n=$(($(rounds) + $1)); wait_for 10 eval "[ \$(rounds) -ge $n ]" || fail "it hangs"; }

allows() {
	local before
	egress_up
	start "$asks"
	more_rounds 3
	expect_eq "$(asked private packets -)" 0 "packets in the private network before"

	expect_ok reeve policy allow "$id" 10.0.0.1/32 fd00:7::1/128
	more_rounds 1
	before=$(lines)
	more_rounds 3
	expect_le 4 "$(answers "$before" 10.0.0.1)" "answers of the server that was allowed"
	expect_le 4 "$(answers "$before" fd00:7::1)" "of the other"
	expect_le 4 "$(refusals "$before" 10.0.0.2 EPERM)" "refusals of its neighbour"
	expect_eq "$(asked private packets 10.0.0.2)" 0 "packets to its neighbour"
	expect_eq "$(nft_counter denied)" 0

	expect_ok reeve policy reset "$id"
	more_rounds 1
	before=$(lines)
	more_rounds 3
	expect_eq "$(answers "$before" 10.0.0.1) $(answers "$before" fd00:7::1)" "0 0"
	expect_le 4 "$(refusals "$before" 10.0.0.1 EPERM)"
	expect_le 4 "$(answers "$before" 1.1.1.1)" "the public one"
	stop
}
t "an allowed private server is reached, its neighbour is not, and reset takes it back" allows 60

translated() {
	local before
	egress_up
	nft -f - <<<'table ip play { chain pre { type nat hook prerouting priority -100;
		ip daddr 10.0.0.1 dnat to 10.0.0.9; }; }'
	start "$asks"
	expect_ok reeve policy allow "$id" 10.0.0.1/32
	sleep 1
	expect_lt 0 "$(nft_counter denied)" "packets that the host had turned to another server"
	expect_eq "$(asked private packets 10.0.0.9) $(asked private packets 10.0.0.1)" "0 0"
	expect_ok nft delete table ip play
	stop
}
t "what is allowed is the address, and not where the host translates it to" translated 30

by_hand_allow() {
	local before
	egress_up
	start "$asks"
	by_hand update 128 "$mapped 0a 0 0 1" value hex 0 0 0 0
	more_rounds 1
	before=$(lines)
	more_rounds 3
	expect_le 4 "$(answers "$before" 10.0.0.1)"
	expect_eq "$(answers "$before" 10.0.0.2)" 0
	by_hand delete 128 "$mapped 0a 0 0 1"
	more_rounds 1
	before=$(lines)
	more_rounds 3
	expect_eq "$(answers "$before" 10.0.0.1)" 0
	stop
}
t "bpftool allows a private server as well" by_hand_allow 40

shows() {
	local said json
	egress_up
	reeve_exec run --egress public --cpu-seconds 5 --money-cents 3 --rate cpu_second=1000 -- /bin/sh -c 'echo begun; sleep 20' \
		>"$TEST_TMP/said" 2>&1 &
	run=$!
	wait_for 5 has_begun
	id=$(basename "$(sessions)")
	expect_eq "$(reeve policy deny "${id:0:12}" 1.1.1.1/32 2>&1)" ""
	expect_ok reeve policy allow "$id" 10.1.0.0/16
	expect_ok reeve policy allow "$id" 1.1.1.1/32
	said=$(reeve policy show "$id")
	echo "$said"
	expect_has "$said" "session  $id, cgroup "
	expect_has "$said" "state    open"$'\n'
	expect_has "$said" "egress   public"
	expect_has "$said" " of 5.000 s"
	expect_has "$said" " of 3.000 cents"
	expect_has "$said" "allow  10.1.0.0/16"
	expect_has "$said" "allow  1.1.1.1/32"
	json=$(reeve policy --json show "$id")
	expect_eq "$(json state "$json") $(json stopped_by "$json") $(json egress "$json")" "open null public"
	expect_has "$json" '"cap":{"cpu_ns":5000000000,"money_ucents":3000000}'
	expect_has "$json" '{"rule":"10.1.0.0/16","verdict":"allow"}'
	expect_has "$(reeve policy --json reset "$id")" '"rules":[]'
	stop
}
t "show tells the state, the egress mode, the caps and the rules, in words and as a document" shows 30

# refused TEXT ARGUMENT...: reeve policy says no, with these words and in a document, and changes nothing.
refused() {
	local text=$1 said code=0
	shift
	said=$(reeve policy "$@" 2>&1) || code=$?
	expect_eq $code 125 "$*: $said"
	expect_has "$said" "$text"
	expect_has "$said" "; next: "
	said=$(reeve policy --json "$@" 2>/dev/null)
	expect_has "$said" '"code":"usage"'
}

rules_refused() {
	egress_up
	start 'sleep 20'
	refused "has no length" allow "$id" 10.0.0.1
	refused "write 10.0.0.0/24 for the range, or 10.0.0.1/32" deny "$id" 10.0.0.1/24
	refused "cloud metadata" allow "$id" 169.254.169.254/32
	refused "never allowed" allow "$id" 0.0.0.0/0
	refused "never allowed" allow "$id" 127.0.0.0/8
	refused "metadata" allow "$id" fd00::/8
	refused "multicast" allow "$id" 224.0.0.1/32
	refused "write the IPv4 prefix" allow "$id" ::ffff:10.0.0.1/128
	refused "own loopback" deny "$id" 127.0.0.1/32
	refused "names are judged under package-managers" allow "$id" .example.org
	refused "a name is denied at all its ports" deny "$id" host.example.org:80
	refused "no name of a host" allow "$id" "two words"
	refused "has a star" allow "$id" '*.example.org'
	refused "another port" allow "$id" host.example.org:22
	refused "the rules are missing" allow "$id"
	refused "take no rules" reset "$id" 10.0.0.0/8
	refused "none of show" open "$id"
	refused "the session is missing" reset
	refused "cloud metadata" allow "$id" 10.0.0.1/32 169.254.0.0/16
	expect_has "$(reeve policy show "$id")" "none of its own"
	stop
}
t "a rule that has two readings, or that may not hold, is refused with the right form" rules_refused 40

sessions_refused() {
	local one two
	refused "no session lives" show sbs_
	reeve_exec run -- /bin/sleep 20 >"$TEST_TMP/one" 2>&1 &
	one=$!
	wait_for 5 eval '[ "$(sessions | wc -l)" = 1 ]'
	id=$(basename "$(sessions)")
	wait_for 5 reeve policy show "$id" >/dev/null
	refused "no live session begins with \"sbs_X\"; live: $id" show sbs_X
	refused "has no network" allow "$id" 10.0.0.1/32
	expect_ok reeve policy deny "$id" 10.0.0.1/32
	reeve_exec run -- /bin/sleep 20 >"$TEST_TMP/two" 2>&1 &
	two=$!
	wait_for 5 eval '[ "$(sessions | wc -l)" = 2 ]'
	wait_for 5 eval 'reeve policy show sbs_ 2>&1 | grep -q "2 live sessions begin with"' || fail "not ambiguous"
	refused "2 live sessions begin with" show sbs_
	expect_has "$(reeve policy show "$id")" "$id"
	kill -INT $one $two
	wait
	refused "no live session begins with" show "$id"
}
t "a session that is not there, or not clear, is refused and those that live are named" sessions_refused 40

lists() {
	local one two said
	reeve run -- /bin/true 2>/dev/null
	expect_eq "$(reeve policy show 2>&1)" "reeve: no session lives"
	reeve_exec run -- /bin/sleep 20 >/dev/null 2>&1 &
	one=$!
	reeve_exec run --cpu-seconds 5 -- /bin/sleep 20 >/dev/null 2>&1 &
	two=$!
	wait_for 5 eval '[ "$(reeve policy show 2>/dev/null | grep -c "  open  ")" = 2 ]' || fail "not two: $(reeve policy show 2>&1)"
	said=$(reeve policy show)
	expect_eq "$(cut -d " " -f 1 <<<"$said" | sort)" "$(sessions | xargs -n 1 basename | sort)"
	expect_has "$said" "  open    egress none, cpu 0.0"
	expect_has "$said" " s, ends in "
	said=$(reeve policy --json show)
	expect_eq "$(grep -c '^{"session_id":"sbs_.*"rules":\[\]}$' <<<"$said")" 2
	kill -INT $one $two
	wait
}
t "show without a session lists those that live, in words or as a document each" lists 30

leaves() {
	local owners
	egress_up
	start 'sleep 20'
	expect_ok reeve policy allow "$id" 10.0.0.1/32
	expect_ok reeve policy deny "$id" 1.1.1.0/24
	stop
	owners=$(bpftool -j map dump pinned "$pins/maps/prefixes" | tr '{' '\n' |
		sed -n 's/.*"cgroup":\([0-9]*\).*/\1/p' | sort -u)
	expect_eq "$owners" 0 "owners of prefixes"
}
t "a session's own rules go with it" leaves 30

run_tests "$@"
