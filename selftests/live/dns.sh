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

none() {
	up
	result=$(reeve run --json --file "$PROG/dnsask" -- /bin/sh -c 'cat /etc/resolv.conf; /in/dnsask udp 8.8.8.8 www.test A; /in/dnsask connected 127.0.0.53 www.test A') || :
	expect_has "$result" '"stdout":"errno ENETUNREACH\nerrno ECONNREFUSED\n"'
	expect_has "$result" '"names":null,'
	expect_eq "$(asked)" 0
}
t "without egress there is no resolver" none

run_tests "$@"
