#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Package managers' egress as a whole: a real client in "reeve run", the session's resolver, the addresses that
# it opens, and the filter that reads the server's name; a TLS server of the played internet behind it all.

. "${0%/*}/dns_place.sh"

# One server for every name, at the address that the played name server gives for each.
serve() {
	(cd "$TEST_TMP" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=any \
		-days 2 -keyout key -out cert 2>/dev/null && echo parcel >parcel) || fail "no certificate"
	"$playnet" in "$net" internet nft 'add table ip t; add chain ip t p { type nat hook prerouting priority -100; };
		add rule ip t p tcp dport 443 redirect to :7443'
	(cd "$TEST_TMP" && exec "$OLDPWD/$playnet" in "$net" internet \
		openssl s_server -accept 7443 -cert cert -key key -WWW -quiet </dev/null >server.log 2>&1) &
	server=$!
	for _ in $(seq 100); do
		"$playnet" in "$net" internet ss -Hltn sport = 7443 | grep -q . && return
		sleep 0.05
	done
	fail "the server does not start: $(cat "$TEST_TMP/server.log")"
}

fetch() {
	up && serve
	result=$(reeve run --json --egress package-managers -- /bin/bash -c "
		curl -sSk -m 10 $tls/www.$registry/parcel; echo allowed \$?
		curl -sSk -m 10 --resolve evil.test:443:93.184.215.1 https://evil.test/parcel; echo other \$?
		curl -sSk -m 10 https://93.184.215.1/parcel; echo nameless \$?
		curl -sSk -m 10 https://1.1.1.1/parcel; echo unknown \$?
		curl -sSk -m 10 ${tls/s:/:}/www.$registry/parcel; echo plain \$?
		curl -sSk -m 10 https://www.test/parcel; echo unheard \$?
		exec 3<>/dev/udp/93.184.215.1/443 && echo x >&3; echo udp \$?" </dev/null)
	said=$result
	kill $server
	expect_has "$said" 'parcel\nallowed 0\n'
	expect_has "$said" 'other 35\n'
	expect_has "$said" 'nameless 35\n'
	expect_has "$said" 'unknown 7\n'
	expect_has "$said" 'plain 7\n'
	expect_has "$said" 'unheard 6\n'
	expect_has "$said" 'udp 1\n'
	for reason in name name_hidden address_unknown port; do
		expect_has "$result" "\"reason\":\"$reason\""
	done
	expect_eq "$("$playnet" ask "$net" internet packets 1.1.1.1)" 0
}
t "a registry's name is reached by TLS; another name, none, another address, port or protocol is not" fetch 90

run_tests "$@"
