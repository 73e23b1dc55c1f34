#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Names as a sandbox sees them: real clients in "reeve run", a name server in the private network of the
# playground (prog/playdns.c), which the host asks and the sandbox cannot reach.

. "${0%/*}/dns_place.sh"

public() {
	up
	in_public 'getent ahostsv4 www.test; getent ahostsv6 www.test; getent ahosts chain.test'
	expect_eq $code 0
	expect_has "$said" "93.184.215.1 "
	expect_has "$said" "2606:2800:21f::1 "
	in_public 'curl -sS -m 5 http://www.test/; curl -sS -m 5 -6 http://[2606:2800:21f::1]/'
	expect_has "$said" '"at": "93.184.215.1"'
	expect_has "$said" '"at": "2606:2800:21f::1"'
}
t "with public egress, libc and curl find names and reach them" public 40

no_such() {
	up
	in_public 'getent ahosts nx.test; echo $?; getent ahosts nodata.test; echo $?; curl -m 5 http://nx.test/; echo $?'
	expect_eq "$(tr '\n' ' ' <<<"$said")" "2 2 6 "
	expect_eq "$(asked nx.test)" 4 "questions for a name that is not there: A and AAAA, each once a client"
}
t "a name that is not there, and one without data, fail at once and for good" no_such 30

allowed() {
	up
	in_registries "ask udp 127.0.0.53 www.$registry A; ask udp ::1 wWw.$registry AAAA; ask udp 127.0.0.53 www.test A
		ask udp 127.0.0.53 secret.of.the.company.test A; ask udp 127.0.0.53 evil$registry A; ask tcp 127.0.0.53 $registry.test A"
	expect_eq "$(grep -c 'rcode 0 count 1' <<<"$said")" 2
	expect_eq "$(grep -c 'rcode 3 count 0' <<<"$said")" 4
	expect_eq "$(asked)" 2 "all that the upstream was asked"
	result=$(reeve run --json --egress package-managers --file "$PROG/dnsask" -- /in/dnsask udp 127.0.0.53 a.test A)
	expect_has "$result" '{"reason":"name","text":"the server'"'"'s name is not allowed","count":1,'
	expect_has "$result" '"names_denied":1,'
	expect_has "$result" '"name":"a.test","reason":"name","address":null}'
	expect_eq "$(asked)" 2 "all that the upstream was asked"
}
t "with package-managers, names of the registries are found; others do not exist and are asked nowhere" allowed 30

turned() {
	local way server
	up
	in_registries "for server in 8.8.8.8 10.0.0.53 169.254.169.254 2001:4860:4860::8888 fd00:7::1 ::ffff:8.8.8.8 127.0.0.53 ::1; do
		for way in udp connected tcp; do echo \$way \$server \$(ask \$way \$server www.$registry A); done; done"
	for server in 8.8.8.8 10.0.0.53 169.254.169.254 2001:4860:4860::8888 fd00:7::1 ::ffff:8.8.8.8 127.0.0.53 ::1; do
		expect_has "$said" "udp $server rcode 0 count 1 tc 0 from $server peer -"
		expect_has "$said" "connected $server rcode 0 count 1 tc 0 from $server peer $server"
		expect_has "$said" "tcp $server rcode 0 count 1 tc 0 from - peer $server"
	done
	expect_eq "$(asked)" 24
	expect_eq "$("$playnet" ask "$net" internet packets 8.8.8.8)" 0
}
t "whatever name server a program asks, the session's own answers in its name" turned 30

encrypted() {
	up
	in_registries "ask tcp 1.1.1.1:853 www.$registry A; ask udp 1.1.1.1:853 www.$registry A; ask connected 1.1.1.1:853 www.$registry A"
	expect_eq "$(grep -c 'errno EPERM' <<<"$said")" 3
	expect_has "$(cat "$TEST_TMP/account")" "encrypted or foreign DNS"
}
t "DNS on the port of its encrypted forms is denied with its reason" encrypted

rebinding() {
	up
	result=$(reeve run --json --egress package-managers --file "$PROG/dnsask" -- /bin/sh -c "for i in 1 2 3; do /in/dnsask udp 127.0.0.53 rebind.$registry A; done")
	expect_has "$result" "count 1 tc 0 from 127.0.0.53 peer - ttl 60 93.184.215.1\\nrcode 0 count 0 tc 0 from 127.0.0.53 peer -\\nrcode 0 count 0 tc"
	expect_has "$result" "\"name\":\"rebind.$registry\",\"reason\":\"private\",\"address\":\"10.0.0.1\"}"
	expect_has "$result" '"addresses_denied":2,'
	in_registries "for i in 1 2 3 4 5 6 7 8 9 10; do ask udp 127.0.0.53 rebind.a.$registry A; done
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do ask udp 127.0.0.53 rebind.b.$registry AAAA; done"
	expect_eq "$(grep -c 'rcode 0 count 1' <<<"$said")" 2 "the first look-up of each"
	expect_eq "$(grep -c 'rcode 0 count 0' <<<"$said")" 21 "each of those behind it"
	in_registries "ask udp 127.0.0.53 mixed.$registry A; ask udp 127.0.0.53 mixed.$registry AAAA"
	expect_has "$said" "count 1 tc 0 from 127.0.0.53 peer - ttl 60 93.184.215.1"
	expect_has "$said" "count 1 tc 0 from 127.0.0.53 peer - ttl 60 2606:2800:21f::1"
}
t "a name that leads into a private network, or into the host, then or at once, in any embedding, leads nowhere" rebinding

truncated() {
	up
	in_registries "ask udp 127.0.0.53 many.$registry A; ask tcp 127.0.0.53 many.$registry A; ask tcp 127.0.0.53 many.$registry AAAA"
	expect_has "$said" "rcode 0 count 0 tc 1"
	expect_eq "$(grep -c 'rcode 0 count 200 tc 0' <<<"$said")" 2
	in_public 'getent ahostsv4 many.test | grep -c STREAM'
	expect_eq "$said" 200
}
t "an answer that is too long for a datagram comes whole over TCP" truncated

ms() { date +%s%3N; }

dead() {
	local began
	up 127.0.0.99
	began=$(ms)
	in_registries "ask udp 127.0.0.53 www.$registry A; ask udp 127.0.0.53 www.test A"
	expect_lt $(($(ms) - began)) 2000 "ms until nobody listens"
	expect_eq "$(cut -c 1-7 <<<"$said" | tr '\n' ' ')" "rcode 2 rcode 3 "
	expect_has "$(cat "$TEST_TMP/account")" "reeve:   names: 1 of 2 questions failed: no name server of the host"
	umount "$conf"
	printf 'nameserver %s\n' 127.0.0.99 $upstream >"$net/resolv.conf"
	mount --bind "$net/resolv.conf" "$conf"
	in_registries "ask udp 127.0.0.53 www.$registry A; ask udp 127.0.0.53 refused.$registry A; ask udp 127.0.0.53 half.$registry A"
	expect_eq "$(cut -c 1-7 <<<"$said" | tr '\n' ' ')" "rcode 0 rcode 2 rcode 2 "
	began=$(ms)
	in_registries "ask udp 127.0.0.53 dead.$registry A"
	expect_eq "$(cut -c 1-7 <<<"$said")" "rcode 2"
	expect_le $(($(ms) - began)) 5800 "ms until the silence of all is told"
}
t "an upstream that is dead is a failure, told in time, and never a refusal; the next one is asked" dead 30

odd() {
	up
	in_registries "ask udp 127.0.0.53 wrong.$registry A; ask udp 127.0.0.53 plain.$registry A; ask udp 127.0.0.53 chain.$registry A
		ask udp 127.0.0.53 cut.$registry A; ask udp 127.0.0.53 loop.$registry A; ask udp 127.0.0.53 silent.$registry A
		ask udp 127.0.0.53 ttl0.$registry A; ask udp 127.0.0.53 ttlmax.$registry A; ask udp 127.0.0.53 www.$registry 65"
	expect_eq "$(cut -d ' ' -f 1-4,11- <<<"$said")" "rcode 0 count 1 ttl 60 93.184.215.1
rcode 0 count 1 ttl 60 93.184.215.1
rcode 0 count 1 ttl 5 93.184.215.1
rcode 0 count 1 ttl 60 93.184.215.1
rcode 2 count 0
rcode 2 count 0
rcode 0 count 1 ttl 1 93.184.215.1
rcode 0 count 1 ttl 3600 93.184.215.1
rcode 0 count 0"
	expect_eq "$(asked end.cdn.test)" 1
	expect_eq "$(asked www.$registry)" 0 "a type that is not asked for"
}
t "forged, cut, short-lived and roundabout replies come to the right answer" odd 30

none() {
	up
	result=$(reeve run --json --file "$PROG/dnsask" -- /bin/sh -c 'cat /etc/resolv.conf; /in/dnsask udp 8.8.8.8 www.test A; /in/dnsask connected 127.0.0.53 www.test A') || :
	expect_has "$result" '"stdout":"errno ENETUNREACH\nerrno ECONNREFUSED\n"'
	expect_has "$result" '"names":null,'
	expect_eq "$(asked)" 0
}
t "without egress there is no resolver" none

musl() {
	local compiler
	compiler=$(command -v musl-gcc) || skip "musl-gcc is not installed"
	up
	"$compiler" -static -o "$TEST_TMP/lookup" "${0%/*}/musl/lookup.c" || fail "does not compile"
	result=$(reeve run --egress package-managers --file "$TEST_TMP/lookup" -- /in/lookup www.$registry chain.$registry nodata.$registry nx.$registry www.test cut.$registry)
	# no data has a number of its own since musl 1.2.4
	expect_eq "${result/ -5/ -2}" "www.$registry 93.184.215.1 2606:2800:21f::1
chain.$registry 93.184.215.1 2606:2800:21f::1
nodata.$registry -2
nx.$registry -2
www.test -2
cut.$registry 93.184.215.1 2606:2800:21f::1"
}
t "musl's resolver finds the same" musl

starving() {
	local flood began
	up
	reeve run --json --egress package-managers --file "$PROG/dnsask" -- /in/dnsask flood 127.0.0.53 www.$registry 4 >"$TEST_TMP/flood" &
	flood=$!
	wait_for 5 eval '[ "$(asked)" -ge 400 ]' || fail "no flood"
	began=$(ms)
	in_registries "for i in 1 2 3 4 5 6 7 8 9 10; do ask udp 127.0.0.53 other$i.$registry A; done"
	expect_eq "$(grep -c 'rcode 0 count 1' <<<"$said")" 10
	expect_lt $(($(ms) - began)) 2500 "ms for ten questions beside a flood"
	wait $flood
	cat "$TEST_TMP/flood"
	expect_lt 10000 "$(json limited "$(cat "$TEST_TMP/flood")")"
	# 400 at once, and 200 a second
	expect_le "$(asked www.$registry)" $((400 + 200 * 7))
}
t "a flood of questions is dropped and counted, and another session does not feel it" starving 40

run_tests "$@"
