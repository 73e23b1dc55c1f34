#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A host whose own tables drop forwarded packets that they do not know: "reeve doctor" names the table and the
# chain, and the rules that it tells to add let a session through. The tables are those that Docker, ufw,
# firewalld and the stock rules of some distributions make.

. "${0%/*}/egress_place.sh"

# look: asks doctor about the chains at "forward"; sets $told and $status.
look() {
	told=$(reeve doctor | sed -n '/^[a-z]* *forward-chains /,/ address-pools /{ / address-pools /!p }')
	status=${told%% *}
}

# drops RULES TEXT: with these rules the check is degraded, and names TEXT.
drops() {
	nft "$1" || fail "nft refuses: $1"
	look
	expect_eq "$status" degraded "$1"
	expect_has "$told" "$2"
	nft flush ruleset
}

# passes RULES: with these there is nothing to say.
passes() {
	nft "$1" || fail "nft refuses: $1"
	look
	expect_eq "$status" ok "$1"
	nft flush ruleset
}

hook='type filter hook forward priority 0;'
named() {
	drops "table ip filter { chain FORWARD { $hook policy drop; }; }" "table ip filter, chain FORWARD drops"
	drops "table ip6 filter { chain FORWARD { $hook policy drop; }; }" "table ip6 filter, chain FORWARD drops"
	drops "table ip filter { chain DOCKER-USER { return; }
		chain FORWARD { $hook policy drop
		jump DOCKER-USER
		iifname docker0 accept; }; }" "nft insert rule ip filter FORWARD iifname"
	drops "table inet firewalld { chain filter_FORWARD { $hook policy accept
		ct state established,related accept
		iifname lo accept
		reject with icmpx type admin-prohibited; }; }" "chain filter_FORWARD drops every forwarded packet"
	drops "table inet f { chain c { $hook
		counter log drop; }; }" "a rule for all"
}
t "a chain that drops what it does not know is named with its table, by policy or by a rule for all" named 15

silent() {
	passes "table ip filter { chain FORWARD { $hook policy accept
		iifname eth7 drop
		tcp dport 25 reject; }; }"
	passes "table inet f { chain in { type filter hook input priority 0; policy drop; }
		chain out { type filter hook output priority 0; policy drop; }
		chain loose { drop; }; }"
	passes "table inet reeve { chain forward { $hook policy drop; }; }"
	passes "table ip filter { chain FORWARD { $hook policy drop
		iifname \"rv*\" accept; }; }"
	passes "table ip filter { chain USER { iifgroup 0x72656576 accept; }
		chain FORWARD { $hook policy drop
		jump USER; }; }"
	drops "table ip filter { chain FORWARD { $hook policy drop
		tcp dport 29302 accept
		iifname rw0 accept; }; }" "chain FORWARD drops"
}
t "drops of some packets, at other hooks, of reeve's own table or beside a rule for sessions are not named" silent 15

# What is told to be done is done word by word.
remedied() {
	egress_up
	nft "table ip filter { chain FORWARD { $hook policy drop; }; }"
	expect_lacks "$(session --time-box 2 -- "$inside/caller" ask tcp 1.1.1.1 443 2>&1)" '"at": "1.1.1.1"'
	look
	expect_eq "$status" degraded
	grep -oE 'nft insert rule [^;]*' <<<"$told" >"$TEST_TMP/remedy"
	expect_eq "$(wc -l <"$TEST_TMP/remedy")" 2
	expect_ok sh "$TEST_TMP/remedy"
	look
	expect_eq "$status" ok
	expect_has "$(session --time-box 5 -- "$inside/caller" ask tcp 1.1.1.1 443 2>&1)" '"at": "1.1.1.1"'
	nft delete table ip filter
}
t "the rules that it tells to add let a session through" remedied 20

run_tests "$@"
