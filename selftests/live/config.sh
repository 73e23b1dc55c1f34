#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The operator's configuration: what it says holds for each session, and a file that is not valid lets nothing
# run.

. "${0%/*}/egress_place.sh"

file() { cat >"$TEST_TMP/$1.json"; }
with() { reeve run --egress public --config "$TEST_TMP/$1.json" -- "$inside/caller" ask "${@:2}" 2>&1; }

holds() {
	local result
	egress_up
	file rules <<<'{"deny": ["1.1.1.0/24", "2606:4700::/32"], "allow": [{"prefix": "10.0.0.1/32"},
		{"prefix": "fd00:7::1/128"}], "nat64": ["2a00:1:2:64::/96"]}'
	expect_has "$("$REEVE" check "$TEST_TMP/rules.json")" "prefixes denied: 2, allowed: 2"
	expect_has "$(with rules tcp 10.0.0.1 7777)" '"at": "10.0.0.1"'
	expect_has "$(with rules udp fd00:7::1 7777)" '"at": "fd00:7::1"'
	expect_has "$(with rules tcp 10.0.0.2 7777)" "10.0.0.2 EPERM"
	expect_has "$(with rules tcp 1.1.1.1 7777)" "1.1.1.1 EPERM"
	expect_has "$(with rules tcp 2606:4700:4700::1111 7777)" "EPERM"
	expect_has "$(with rules tcp 1.0.0.1 7777)" '"at": "1.0.0.1"'
	expect_has "$(with rules tcp 2a00:1:2:64::a00:1 7777)" "EPERM"
	expect_has "$(with rules tcp 2a00:1:2:64::101:101 7777)" "EPERM"
	expect_has "$(with rules tcp 2a00:1:2:64::808:808 7777)" '"at": "2a00:1:2:64::808:808"'
	result=$(reeve run --egress public --json --config "$TEST_TMP/rules.json" -- "$inside/caller" ask tcp 1.1.1.1 80)
	expect_has "$result" '"reason":"operator"'
	expect_eq "$(asked internet packets 1.1.1.1) $(asked private packets 10.0.0.2)" "0 0"

	# what is new is there at once, what is stale is gone
	file others <<<'{"deny": ["1.0.0.1/32"]}'
	expect_has "$(with others tcp 10.0.0.1 7777)" "10.0.0.1 EPERM"
	expect_has "$(with others tcp 1.0.0.1 7777)" "1.0.0.1 EPERM"
	expect_has "$(with others tcp 1.1.1.1 7777)" '"at": "1.1.1.1"'
	expect_has "$(with others udp 2a00:1:2:64::a00:1 7777)" '"at": "2a00:1:2:64::a00:1"'
	expect_eq "$(bpftool -j map dump pinned "$pins/maps/prefixes" | grep -o REASON_O[A-Z]* | sort | uniq -c |
		tr -s ' ')" " 1 REASON_OPERATOR"
}
t "denied prefixes are denied, allowed private servers reached, translators decoded, and no rule stays" holds 60

none() {
	egress_up
	file rules <<<'{"allow": [{"prefix": "10.0.0.1/32"}]}'
	expect_eq "$(reeve run --config "$TEST_TMP/rules.json" -- "$inside/caller" ask tcp 10.0.0.1 7777 2>/dev/null)" \
		"10.0.0.1 ENETUNREACH"
}
t "what is allowed opens nothing to a session without a network" none 30

names() {
	local map
	file names <<<'{"allow": [{"name": "mirror.example.org", "ports": [80, 443]}, {"name": ".npmjs.org",
		"ports": [80]}], "package_managers": {"names": [".npmjs.org", "index.example.net"]}}'
	reeve run --config "$TEST_TMP/names.json" -- /bin/true 2>&1
	map=$(bpftool -j map dump pinned "$pins/maps/names" | grep -o '"formatted":{"key"' | wc -l)
	expect_eq "$map" 3 "names in the map"
	expect_ok reeve run --config /dev/stdin -- /bin/true <<<'{"package_managers": {"names": []}}' 2>&1
	expect_eq "$(bpftool -j map dump pinned "$pins/maps/names")" "[]"
}
t "the names that package-managers stands for are in the kernel's map, and those of a new file in their place" names 30

# bad TEXT POINTER: check, doctor and a run say the same of what is on stdin, and nothing is made.
bad() {
	local said code=0
	file bad
	said=$("$REEVE" check "$TEST_TMP/bad.json" 2>&1) || code=$?
	expect_eq "$code" 125 "$said"
	expect_has "$said" "reeve: $2: $TEST_TMP/bad.json: "
	expect_has "$said" "$1"
	expect_has "$said" "; next: "
	code=0
	said=$(reeve run --config "$TEST_TMP/bad.json" -- /bin/true 2>&1) || code=$?
	expect_eq "$code" 125 "$said"
	expect_has "$said" "$1"
	[ ! -e "$TEST_TMP/run" ] && [ ! -e "$pins" ] || fail "a refused run made something"
	said=$("$REEVE" check --json "$TEST_TMP/bad.json" 2>/dev/null)
	expect_eq "$(json code "$said") $(json pointer "$said")" "config.invalid $2"
}

refused() {
	local said code=0
	bad "has bits set behind its length" /deny/0 <<<'{"deny": ["10.1.2.3/24"]}'
	bad "is denied and allowed at once" /allow/0/prefix \
		<<<'{"deny": ["10.1.2.0/24"], "allow": [{"prefix": "10.1.2.0/24"}]}'
	bad "never allowed" /allow/1/prefix \
		<<<'{"allow": [{"prefix": "10.0.0.0/24"}, {"prefix": "0.0.0.0/0"}]}'
	bad 'the key "allowed" is not known; allowed are deny, allow, package_managers, nat64' / \
		<<<'{"allowed": []}'
	bad "the value is 22" /allow/0/ports/0 <<<'{"allow": [{"name": "a.example.org", "ports": [22]}]}'
	bad "" / <<<'{"deny": ['
	bad "" / </dev/null
	said=$(reeve doctor --config "$TEST_TMP/bad.json" --json) || code=$?
	expect_eq $code 125
	expect_has "$said" '"name":"configuration","promise":"egress","status":"missing"'
	code=0
	said=$(reeve run --config "$TEST_TMP/absent.json" -- /bin/true 2>&1) || code=$?
	expect_eq $code 125 "$said"
	expect_has "$said" "cannot be read: No such file"
	expect_ok "$REEVE" check
}
t "a file that is not valid is refused by check, doctor and run in the same words, and so is a missing one" refused 60

others_live() {
	local run id said code=0
	file one <<<'{"deny": ["1.1.1.1/32", "1.0.0.1/32"]}'
	file same <<<'{"nat64": [], "deny": [ "1.0.0.1/32" , "1.1.1.1/32"]}'
	file two <<<'{"deny": ["1.1.1.1/32"]}'
	reeve_exec run --config "$TEST_TMP/one.json" -- /bin/sh -c 'echo begun; sleep 15' >/dev/null 2>&1 &
	run=$!
	wait_for 5 has_begun || fail "does not begin"
	said=$(reeve run --config "$TEST_TMP/two.json" -- /bin/true 2>&1) || code=$?
	expect_eq $code 125 "$said"
	expect_has "$said" "1 live sessions run under another configuration than $TEST_TMP/two.json"
	expect_ok reeve run --config "$TEST_TMP/same.json" -- /bin/true
	expect_exit 125 reeve run -- /bin/true
	kill -INT $run
	wait $run || :
	expect_ok reeve run --config "$TEST_TMP/two.json" -- /bin/true
	expect_ok reeve run -- /bin/true
}
t "while sessions live, a run under other rules is refused, and one whose file says the same is not" others_live 30

own_address() {
	egress_up
	file rules <<<'{"deny": ["1.0.0.1/32"]}'
	reeve_exec run --egress public --config "$TEST_TMP/rules.json" -- /bin/bash -c \
		'echo begun; while :; do /usr/local/caller ask udp 1.0.0.1 7777; sleep 0.05; done' >"$TEST_TMP/said" 2>&1 &
	run=$!
	wait_for 5 has_begun || fail "does not begin"
	ip address add 1.0.0.1/32 dev lo
	wait_for 5 eval 'rule_is HOST_ADDRESS' || test_failed "not known as the host's"
	ip address delete 1.0.0.1/32 dev lo
	wait_for 5 eval 'rule_is OPERATOR' || test_failed "the operator's rule does not come back"
	sleep 0.3
	expect_lacks "$(cat "$TEST_TMP/said")" '"at"'
	kill -INT $run
	wait $run || :
}
rule_is() {
	bpftool -j map lookup pinned "$pins/maps/prefixes" key hex c0 0 0 0 0 0 0 0 0 0 0 0 \
		0 0 0 0 0 0 0 0 0 0 ff ff 1 0 0 1 | grep -q "REASON_$1"
}
t "a denied address that becomes the host's own for a while is denied before, then and after" own_address 30

run_tests "$@"
