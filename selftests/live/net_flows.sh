#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a session's connections have of those before it, and of the host's own: nothing.

. "${0%/*}/dns_place.sh"

# A server that answers its first datagram as often as it is asked to, and says where that came from.
server='
import os, socket, sys, time
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(("1.1.1.1", 7000))
open("ready", "w").close()
said, peer = one.recvfrom(100)
open("heard", "w").close()
for _ in range(600):
    if os.path.exists("answer"):
        one.sendto(b"for " + said, peer)
    time.sleep(0.05)
'

asks='import socket
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(("0.0.0.0", 5555))
'

server_up() {
	up
	mkdir "$TEST_TMP/server"
	(cd "$TEST_TMP/server" && exec "$OLDPWD/$playnet" in "$net" internet python3 -c "$server") &
	echo $! >"$TEST_TMP/server.pid"
	wait_for 5 test -e "$TEST_TMP/server/ready" || fail "the server does not start"
}

server_down() {
	kill -KILL "$(cat "$TEST_TMP/server.pid")"
	wait "$(cat "$TEST_TMP/server.pid")" 2>/dev/null
	return 0
}

# session PYTHON...: the sandbox's lines, which have a socket "one" at port 5555.
session() { inside public -- /usr/bin/python3 -c "$asks$1"; }

late() {
	server_up
	session 'one.sendto(b"the first", ("1.1.1.1", 7000))' >"$TEST_TMP/said"
	expect_eq $code 0 "$(cat "$TEST_TMP/said")"
	wait_for 5 test -e "$TEST_TMP/server/heard" || fail "nothing came to the server"
	touch "$TEST_TMP/server/answer"
	session 'one.settimeout(1)
try:
    print("got", one.recv(100))
except TimeoutError:
    print("got nothing")' >"$TEST_TMP/said"
	expect_eq $code 0
	expect_has "$(cat "$TEST_TMP/said")" "got nothing"
	server_down
}

in_time() {
	server_up
	touch "$TEST_TMP/server/answer"
	session 'one.settimeout(5)
one.sendto(b"the first", ("1.1.1.1", 7000))
print("got", one.recv(100))' >"$TEST_TMP/said"
	expect_has "$(cat "$TEST_TMP/said")" "got b'for the first'"
	server_down
}

# The playground is the namespace that plays the host, whose choice a new namespace takes over.
greetings() {
	local tcp=/proc/sys/net/ipv4 hosts
	up
	hosts=$(cat $tcp/tcp_congestion_control)
	inside package-managers -- /bin/cat $tcp/tcp_congestion_control $tcp/tcp_min_tso_segs >"$TEST_TMP/said"
	expect_has "$(cat "$TEST_TMP/said")" $'reno\n16\n'
	inside public -- /bin/cat $tcp/tcp_congestion_control >"$TEST_TMP/said"
	expect_has "$(cat "$TEST_TMP/said")" "$hosts"
	expect_eq "$(cat $tcp/tcp_congestion_control)" "$hosts"
}

t "an answer comes to the session that asked" in_time 30
t "an answer that comes late does not go to the next session, though it has the same addresses" late 30
t "where names are read, TCP does not hand out a greeting in parts, whatever the host's congestion control" greetings

run_tests "$@"
