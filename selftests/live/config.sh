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

# The same address in the form of a translator of the network, asked for again and again.
translated() {
	local run id said=$TEST_TMP/said
	egress_up
	file rules <<<'{"nat64": ["2a00:1:2:64::/96"]}'
	reeve_exec run --egress public --config "$TEST_TMP/rules.json" -- /bin/bash -c 'echo begun; while :; do
		for a in 5db8:d702 808:808; do /usr/local/caller ask tcp 2a00:1:2:64::$a 7777; done; sleep 0.05; done' >"$said" 2>&1 &
	run=$!
	wait_for 5 grep -q '"at": "2a00:1:2:64::808:808"' "$said" || fail "the other side is not reached: $(cat "$said")"
	wait_for 5 grep -qx "2a00:1:2:64::5db8:d702 EPERM" "$said" || test_failed "the host's own address is reached"
	id=$(basename "$(sessions)")
	expect_ok reeve policy deny "$id" 8.8.8.0/24
	wait_for 5 grep -qx "2a00:1:2:64::808:808 EPERM" "$said" || test_failed "what is denied is reached"
	kill -INT $run
	wait $run || :
	expect_lacks "$(cat "$said")" '"at": "2a00:1:2:64::5db8:d702"'
}
t "a session's rules and the host's own addresses hold behind a translator of the network as well" translated 30

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
	bad "whole top-level domain" /allow/0/name <<<'{"allow": [{"name": ".org"}]}'
	bad "whole top-level domain" /package_managers/names/0 <<<'{"package_managers": {"names": [".com"]}}'
	bad "lies in 2001:db8::/32, which is never reached" /nat64/0 <<<'{"nat64": ["2001:db8::/96"]}'
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
	expect_ok "$REEVE" check /dev/fd/7 7< <("$REEVE" check --help | sed -n '/^  {/,/^  }/p')
}
t "a file that is not valid is refused by check, doctor and run in the same words, and so is a missing one" refused 60

# Whatever stands at the path, who reads it waits for nobody.
kinds() {
	local path said code
	mkfifo "$TEST_TMP/fifo"
	for path in "$TEST_TMP/fifo" /dev/zero /dev/tty; do
		code=0
		said=$(timeout 5 "$REEVE" check "$path" 2>&1) || code=$?
		expect_eq "$code" 125 "$path: $said"
		expect_has "$said" "; next: "
	done
	expect_has "$(timeout 5 "$REEVE" check "$TEST_TMP/fifo" 2>&1)" "neither a regular file nor a pipe"
	expect_has "$("$REEVE" check "$TEST_TMP" 2>&1)" "Is a directory"
	expect_has "$(echo '{}' | "$REEVE" check /dev/stdin)" "/dev/stdin: valid"
}
t "a configuration that is no regular file is refused at once; a pipe that the caller gives is read" kinds 30

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
