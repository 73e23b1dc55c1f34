#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How it feels to be refused: at once, with the errno of the reason, in words that the unmodified client has for
# it; and in the result, by reason.

. "${0%/*}/egress_place.sh"

# A denied call takes microseconds; a client that waits for an answer waits for seconds.
client_ms=3000

# timed EGRESS ERRNO ADDRESS...
timed() {
	local said best at
	# shellcheck disable=SC2016
	said=$(reeve run --egress "$1" -- /bin/sh -c 'for at; do /usr/local/caller time $at 443; done' - "${@:3}" \
		2>/dev/null)
	expect_eq "$(cut -d ' ' -f 1-4 <<<"$said")" \
		"$(for at in "${@:3}"; do printf '%s %s %s best\n' tcp "$at" "$2" udp "$at" "$2"; done)" "$1"
	for best in $(cut -d ' ' -f 5 <<<"$said"); do expect_lt "$best" 1000000 "nanoseconds, $1"; done
}

quick() {
	egress_up
	timed none ENETUNREACH 1.1.1.1 2606:4700:4700::1111
	timed public EPERM 10.0.0.1 169.254.169.254 fd00:ec2::254 ::ffff:192.168.7.1 93.184.215.2
	timed package-managers EPERM 10.0.0.1 fd00:7::1 1.1.1.1 2606:4700:4700::1111
	expect_eq "$(asked private packets -)" 0
}
t "a denied connect and a denied datagram return in less than 1 ms, with the errno of the reason" quick 30

# refused WORDS COMMAND...: by both modes, for a private address and for one that is allowed in "public" alone.
refused() {
	local words=$1 egress url began code said
	command -v "$2" >/dev/null || skip "there is no $2"
	egress_up
	for egress in public package-managers; do
		for url in http://10.0.0.1/ http://[fd00:7::1]/ http://1.1.1.1/; do
			[ "$egress $url" != "public http://1.1.1.1/" ] || continue
			began=$(date +%s%N) code=0
			said=$(reeve run --egress "$egress" -- "${@:2}" "$url" 2>"$TEST_TMP/said") ||
				code=$?
			expect_lt $((($(date +%s%N) - began) / 1000000)) $client_ms "milliseconds, $egress, $url"
			expect_ne $code 0 "$egress, $url"
			expect_eq "$said" ""
			expect_has "$(cat "$TEST_TMP/said")" "$words"
		done
	done
	expect_eq "$(asked private packets -) $(asked internet packets -)" "0 0"
	expect_has "$(session -- "${@:2}" http://1.1.1.1/ 2>&1)" '"at": "1.1.1.1"'
}

curl_refused() { refused "Failed to connect to" curl -sS -m 20; }
t "curl is refused at once, with a message, by each mode that has a network" curl_refused 60

fetch='fetch(process.argv[1]).then(r => r.text()).then(console.log)
	.catch(e => { console.error(e.cause ? e.cause.message : e.message); process.exit(1) })'
node_refused() { refused "connect EPERM" node -e "$fetch"; }
t "Node is refused at once, with a message, by each mode that has a network" node_refused 60

# Of the result: a line "REASON COUNT" for each reason, "HOOK ADDRESS PORT PROTOCOL COMMAND" for each denial.
listing() {
	sed 's/.*"denials":\[//; s/,"names":.*//' | tr '{' '\n' | sed -nE '
		s/^"reason":"([a-z_]*)".*"count":([0-9]*),.*/\1 \2/p
		s/.*"hook":"([a-z_]*)".*"comm":"([a-z]*)".*"address":"([^"]*)".*"port":([0-9]*),"protocol":([0-9]*).*/\1 \3 \4 \5 \2/p'
}

listed() {
	egress_up
	session --json -- /bin/bash -c 'for i in 1 2 3 4 5 6 7; do : 3<>/dev/tcp/10.0.0.$i/$((80 + i)); done
		: 3<>/dev/udp/169.254.169.254/80; : 3<>/dev/tcp/fd00:ec2::254/80' >"$TEST_TMP/result" || :
	expect_eq "$(listing <"$TEST_TMP/result")" "$(cat <<-END
		private 8
		connect 10.0.0.1 81 6 bash
		connect 10.0.0.2 82 6 bash
		connect 10.0.0.3 83 6 bash
		connect 10.0.0.4 84 6 bash
		connect 10.0.0.5 85 6 bash
		link_local 1
		connect 169.254.169.254 80 17 bash
	END
	)"
}
t "the result lists denials by reason, the first five of each in full, and counts all" listed 20

run_tests "$@"
