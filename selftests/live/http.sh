#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The daemon's interface as a client in another language meets it: curl on the unix socket, the daemon around the acted
# hall. What needs many odd clients is in selftests/unit/daemon_*.

. "${0%/*}/../test.sh"

fake=${REEVE%/reeve}/selftests/fake/daemon
json='Content-Type: application/json'
desk='{"task":{"id":"t1","title":"Chat plays"},"owner":"usr_01JAB2C3D4E5F6G7H8J9K0MNPQ","step_budget":40,
	"cap":{"money_cents":500,"minutes":30}}'

# TMPDIR may be longer than a socket's path can be.
up() {
	place=$(mktemp -d /tmp/reeve-http-XXXXXX)
	echo "$place" >"$TEST_TMP/../place"
	"${run[@]}" "$fake" "$place" "$@" 2>"$TEST_TMP/log" &
	pid=$!
	for _ in $(seq 500); do
		! ask -o /dev/null http://localhost/metrics 2>/dev/null || return 0
		sleep 0.02
	done
	fail "the daemon does not start: $(cat "$TEST_TMP/log")"
}
run=()

down() {
	kill "$pid"
	wait "$pid"
	expect_eq $? 0 "the daemon's end"
}

teardown() {
	[ ! -e "$TEST_TMP/../place" ] || rm -rf "$(cat "$TEST_TMP/../place")"
}

ask() { curl -sS -m 10 --unix-socket "$place/reeve.sock" "$@"; }
at() { ask "http://localhost/${1#/}" "${@:2}"; }
status() { at "$1" -o /dev/null -w '%{http_code}' "${@:2}"; }
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
# shellcheck disable=SC2120
make_session() { at /v1/sessions -H "$json" -d "$desk" "$@" | field session_id; }

whole_life() {
	local id request said
	up
	id=$(make_session)
	expect_has "$id" sbs_
	expect_has "$(at "/v1/sessions/$id/requests" -H "$json" -d '{"argv":["say","hello"]}')" '"state":"queued"'
	expect_has "$(at "/v1/sessions/$id/go" -X POST)" '"armed":true'
	request=$(at "/v1/sessions/$id/requests" | field request_id)
	expect_eq "$(at "/v1/requests/$request/stdout?follow=1")" hello
	expect_has "$(at "/v1/requests/$request")" '"outcome":"exited"'
	said=$(at "/v1/sessions/$id/end" -X POST)
	expect_has "$said" '"state":"ended"'
	expect_eq "$(at /v1/validate/codes.sandbox-session@1 -H "$json" -d "$said")" '{"valid":true,"errors":[]}'
	down
}
t "a session's whole life goes through curl" whole_life

heads() {
	local id etag
	up
	id=$(make_session)
	etag=$(at "/v1/sessions/$id" -I | sed -n 's/^ETag: \(.*\)\r$/\1/p')
	expect_ne "$etag" ""
	expect_eq "$(status "/v1/sessions/$id" -H "If-None-Match: $etag")" 304
	expect_eq "$(status "/v1/sessions/$id" -X PATCH -H "$json" -H "If-Match: $etag" -d '{"step_budget":3}')" 200
	expect_eq "$(status "/v1/sessions/$id" -X PATCH -H "$json" -H "If-Match: $etag" -d '{"step_budget":3}')" 412
	expect_eq "$(status "/v1/sessions/$id" -H "If-None-Match: $etag")" 200
	expect_eq "$(status /v1/sessions -X DELETE)" 405
	expect_eq "$(status /nothing)" 404
	expect_eq "$(status /v1/sessions -H 'Accept: text/html')" 406
	expect_eq "$(status /v1/sessions -d "$desk")" 415
	down
}
t "HEAD, ETag, If-Match and If-None-Match are as in RFC 9110" heads

ranges() {
	local id request
	up
	id=$(make_session)
	status "/v1/sessions/$id/go" -X POST >/dev/null
	request=$(at "/v1/sessions/$id/requests" -H "$json" -d '{"argv":["say","0123456789"]}' | field request_id)
	at "/v1/requests/$request/stdout?follow=1" >/dev/null
	expect_eq "$(at "/v1/requests/$request/stdout" -r 2-4)" 234
	expect_eq "$(at "/v1/requests/$request/stdout" -r -2)" 89
	expect_has "$(at "/v1/requests/$request/stdout" -r 8- -D -)" "Content-Range: bytes 8-9/10"
	expect_eq "$(status "/v1/requests/$request/stdout" -r 8-)" 206
	expect_eq "$(status "/v1/requests/$request/stdout" -r 10-)" 416
	expect_has "$(at "/v1/requests/$request/stdout" -r 10- -D -)" "Content-Range: bytes */10"
	expect_eq "$(at "/v1/requests/$request/stderr")" ""
	expect_has "$(at "/v1/requests/$request/stdout" -I)" "Content-Length: 10"
	down
}
t "parts of an output are what was asked for" ranges

# The rules of the text format: HELP and TYPE once and first, samples of a name together, none twice, numbers.
check_metrics() {
	awk '
	/^# HELP / { if ($3 in help) print "HELP twice: " $3; help[$3] = 1; if (NF < 4) print "empty HELP: " $3; next }
	/^# TYPE / {
		if (!($3 in help) || $3 in type) print "TYPE without HELP, or twice: " $3
		if ($4 !~ /^(counter|gauge)$/) print "type: " $4
		if (($4 == "counter") != ($3 ~ /_total$/)) print "the name does not fit its type: " $3
		type[$3] = now = $3; next
	}
	{
		line = $0
		if (line !~ /^[a-z_:][a-z0-9_:]*(\{[a-z_]+="[^"\\]*"(,[a-z_]+="[^"\\]*")*\})? [0-9]+(\.[0-9]+)?$/)
			print "no sample: " line
		name = line; sub(/[{ ].*/, "", name)
		if (name != now) print "not behind its TYPE: " line
		series = line; sub(/ [^ ]*$/, "", series)
		if (series in seen) print "twice: " series
		seen[series] = 1
	}'
}

metrics() {
	local text
	up
	at "/v1/sessions/$(make_session)/charges" -H "$json" -d '{"charge_id":"c","money_ucents":1500000}' >/dev/null
	status /nothing >/dev/null
	text=$(at /metrics)
	expect_eq "$(check_metrics <<<"$text")" ""
	expect_has "$text" $'\nreeve_money_cents_total 1.500000\n'
	expect_has "$text" $'\nreeve_sessions{state="idle"} 1\n'
	expect_has "$text" $'\nreeve_http_replies_total{method="none",status="4xx"} 1'
	expect_has "$text" $'\nreeve_events_total{type="charge"} 1\n'
	expect_has "$(at /metrics -I)" "Content-Type: text/plain; version=0.0.4; charset=utf-8"
	if command -v promtool >/dev/null; then
		expect_eq "$(promtool check metrics <<<"$text" 2>&1)" ""
	fi
	down
}
t "the metrics keep the rules of their format" metrics

doctor() {
	local i
	up
	for i in 1 2 3 4; do at /v1/doctor >"$TEST_TMP/$i" & done
	expect_eq "$(at /v1/sessions)" '{"items":[],"next":null}'
	for i in 1 2 3 4; do
		for _ in $(seq 500); do [ ! -s "$TEST_TMP/$i" ] || break; sleep 0.02; done
		expect_eq "$(cat "$TEST_TMP/$i")" '{"status":"ok","checks":[]}'
	done
	down
}
t "the examination of the host holds up nobody" doctor

modes() {
	up nogroup
	expect_eq "$(stat -c '%a %U %G' "$place/reeve.sock")" "660 root nogroup"
	expect_eq "$(stat -c %a "$place/run")" 711
	down
	expect_exit 1 test -e "$place/reeve.sock"
	touch "$place/reeve.sock"
	expect_exit 1 "$fake" "$place"
	expect_eq "$(stat -c %F "$place/reeve.sock")" "regular empty file"
	expect_exit 1 "$fake" "$place" no-such-group-here
}
t "the socket is root's and its group's, and takes the place of no file" modes

# The credentials are asked even where the mode would let everybody in.
peers() {
	up nogroup
	chmod 755 "$place" && chmod 666 "$place/reeve.sock"
	as() { setpriv --reuid 65533 "$@" curl -sS -m 10 --unix-socket "$place/reeve.sock" http://localhost/v1/sessions; }
	expect_has "$(as --regid 65533 --clear-groups)" '"code":"peer.refused"'
	expect_eq "$(as --regid 65534 --clear-groups)" '{"items":[],"next":null}'
	expect_eq "$(as --regid 65533 --groups 65532,65534)" '{"items":[],"next":null}'
	down
}
t "a peer that is neither root nor in the group is turned away" peers

# Starts it as a service manager would: a listening socket as descriptor 3, and where to say READY.
service() {
	local told
	place=$(mktemp -d /tmp/reeve-http-XXXXXX)
	echo "$place" >"$TEST_TMP/../place"
	python3 - "$place" "$fake" <<'END' >"$TEST_TMP/told" 2>"$TEST_TMP/log" &
import os, socket, sys
place, fake = sys.argv[1:]
listening = socket.socket(socket.AF_UNIX); listening.bind(place + '/given.sock'); listening.listen(8)
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); notify.bind(place + '/notify')
pid = os.fork()
if pid == 0:
    os.dup2(listening.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1', NOTIFY_SOCKET=place + '/notify', WATCHDOG_USEC='200000')
    os.execv(fake, [fake, place])
told = [notify.recv(99).decode() for _ in range(3)]
client = socket.socket(socket.AF_UNIX); client.connect(place + '/given.sock')
client.sendall(b'GET /v1/sessions HTTP/1.0\r\n\r\n')
told.append(client.recv(9999).decode().split('\r\n')[0])
os.kill(pid, 15)
while told[-1] != 'STOPPING=1':
    told.append(notify.recv(99).decode())
print(*told, 'code', os.waitpid(pid, 0)[1], os.path.exists(place + '/given.sock'))
END
	wait $!
	told=$(cat "$TEST_TMP/told")
	expect_has "$told" "READY=1 WATCHDOG=1 WATCHDOG=1 HTTP/1.1 200 OK"
	expect_has "$told" "STOPPING=1 code 0 True"
	expect_exit 1 test -e "$place/reeve.sock"
}
t "a service manager's socket is used, and it hears of the start, the life and the end" service

journal() {
	up
	down
	expect_has "$(cat "$TEST_TMP/log")" "reeve: serves $place/reeve.sock"
	run=(env "JOURNAL_STREAM=$(stat -Lc '%d:%i' "$TEST_TMP/log")")
	rm -rf "$place"
	up
	down
	expect_has "$(cat "$TEST_TMP/log")" "<5>serves $place/reeve.sock"
}
t "lines for the journal carry their level" journal

run_tests "$@"
