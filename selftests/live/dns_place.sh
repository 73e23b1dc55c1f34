# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The playground with a name server in its private network (prog/playdns.c), which the host asks and a sandbox
# cannot reach; and sandboxes that ask.

. "${0%/*}/run_place.sh"

playnet=${0%/*}/../playnet
upstream=10.0.0.53
registry=npmjs.org
tls=https:/ # before a slash and a name
conf=$(realpath /etc/resolv.conf)

# up [SERVER...]: the playground, with these as the host's name servers.
up() {
	local server
	net=$TEST_TMP/net
	PLAYNET_PORTS='80 443 7777' "$playnet" up "$net" || fail "no playground"
	"$playnet" in "$net" private "$PROG/playdns" serve "$net/dns.sock" $upstream 53 &
	echo $! >"$net/dns.pid"
	wait_for 5 test -S "$net/dns.sock" || fail "the name server does not start"
	for server in "${@:-$upstream}"; do echo "nameserver $server"; done >"$net/resolv.conf"
	mount --bind "$net/resolv.conf" "$conf" || fail "no resolv.conf"
}

asked() { "$PROG/playdns" ask "$net/dns.sock" "${1:--}"; }

# A shell's COMMAND in a sandbox of that mode; sets $said and $code.
inside() {
	code=0
	said=$(reeve run --egress "$@" 2>"$TEST_TMP/account") || code=$?
	echo "$said"
	cat "$TEST_TMP/account"
}
in_public() { inside public -- /bin/sh -c "$1"; }
in_registries() {
	inside package-managers --file "$PROG/dnsask" -- /bin/sh -c "ask() { /in/dnsask \"\$@\"; }; $1"
}

eval "place_$(declare -f teardown)"
teardown() {
	place_teardown
	umount "$conf" 2>/dev/null
	[ ! -s "$TEST_TMP/net/dns.pid" ] || kill -KILL "$(cat "$TEST_TMP/net/dns.pid")" 2>/dev/null
	"$playnet" down "$TEST_TMP/net"
	nft delete table inet reeve 2>/dev/null
	return 0
}
