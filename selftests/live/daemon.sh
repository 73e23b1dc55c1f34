#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The whole of it: the daemon with the kernel behind it, driven by the commands, by curl and by Node.

. "${0%/*}/run_place.sh"

owner=usr_01JAB2C3D4E5F6G7H8J9K0MNPQ

# TMPDIR may be longer than a socket's path can be.
up() {
	[ -e "$TEST_TMP/place" ] || mktemp -d /tmp/reeve-daemon-XXXXXX >"$TEST_TMP/place"
	socket=$(cat "$TEST_TMP/place")/reeve.sock
	reeve_exec daemon --socket "$socket" --state-dir "$TEST_TMP/state" 2>>"$TEST_TMP/log" &
	daemon=$!
	echo $daemon >"$TEST_TMP/daemon.pid"
	wait_for 10 listed || fail "the daemon does not start: $(cat "$TEST_TMP/log")"
}
listed() { ask session list >/dev/null 2>&1; }

down() {
	kill "$daemon"
	wait "$daemon"
	expect_eq $? 0 "the daemon's end"
}

# Its place in the command line is behind the words of the command.
ask() { "$REEVE" "$1" "$2" --socket "$socket" "${@:3}"; }

create() {
	ask session create --owner $owner --task t1 --title 'Chat plays' --money-cents 100 --minutes 5 \
		--step-budget 10 --egress none "$@"
}
# For a command: waits until the test says go.
wait_go='until [ -e go ]; do sleep 0.02; done'
go() { touch "$TEST_TMP/state/sessions/$1/work"/go; }
finished() { [ "$(json state "$(ask request show --json "$1")")" = finished ]; }
runs() { [ "$(json state "$(ask request show --json "$1")")" = running ]; }
spent() { json cpu_ns "$(ask session desk --json "$1")"; }

eval "place_$(declare -f teardown)"
teardown() {
	[ ! -e "$TEST_TMP/daemon.pid" ] || kill -KILL "$(cat "$TEST_TMP/daemon.pid")" 2>/dev/null
	[ ! -e "$TEST_TMP/place" ] || rm -rf "$(cat "$TEST_TMP/place")"
	place_teardown
}

life() {
	local id request again
	up
	expect_exit 125 reeve gc --all 2>"$TEST_TMP/said"
	expect_has "$(cat "$TEST_TMP/said")" "a daemon serves the sessions"
	id=$(create --rate cpu_second=1000000)
	request=$(ask request submit "$id" -- sh -c 'echo hello; echo hello >>kept; cat kept')
	again=$(ask request submit "$id" -- sh -c 'cat kept; exit 3')
	expect_eq "$(json state "$(ask request show --json "$request")")" queued
	ask session go "$id" >/dev/null
	expect_eq "$(ask request output -f "$request")" $'hello\nhello'
	expect_eq "$(ask request output -f "$again")" hello
	wait_for 5 finished "$again"
	expect_eq "$(json exit_code "$(ask request show --json "$again")")" 3
	expect_lt 0 "$(spent "$id")"
	ask session wipe "$id" >/dev/null
	ask session go "$id" >/dev/null
	request=$(ask request submit "$id" -- sh -c 'ls -A; echo nothing')
	expect_eq "$(ask request output -f "$request")" nothing "what a wipe leaves of the workspace"
	ask session end "$id" >/dev/null
	expect_eq "$(json state "$(ask session show --json "$id")")" ended
	expect_eq "$(sessions)" ""
	down
}

# A reader of the output that is cut off sees the rest from where it was.
killed() {
	local id request pid before
	up
	id=$(create)
	ask session go "$id" >/dev/null
	request=$(ask request submit "$id" -- sh -c "echo begun; i=0; while [ \$i -lt 50000 ]; do i=\$((i + 1)); done; $wait_go; echo ended")
	wait_for 10 has_begun || fail "it does not begin"
	pid=$(cat "$cgroups/$parent/$id/$request/cgroup.procs" | tail -n 1)
	kill -KILL "$daemon"
	wait "$daemon" 2>/dev/null
	expect_ok kill -0 "$pid"
	up
	expect_ok runs "$request"
	expect_ok kill -0 "$pid"
	before=$(spent "$id")
	go "$id"
	expect_eq "$(ask request output -f "$request")" $'begun\nended'
	wait_for 5 finished "$request"
	expect_eq "$(json outcome "$(ask request show --json "$request")")" exited
	expect_le "$before" "$(spent "$id")"
	expect_le $(($(stat_us "$cgroups/$parent/$id") * 1000 - 1000)) "$(spent "$id")" "against cpu.stat"
	expect_le "$(spent "$id")" $(($(stat_us "$cgroups/$parent/$id") * 1000 + 1000)) "against cpu.stat"
	ask session end "$id" >/dev/null
	down
}

# The end of a request that ends while no daemon is there is in the ledger all the same.
ended_alone() {
	local id request
	up
	id=$(create)
	ask session go "$id" >/dev/null
	request=$(ask request submit "$id" -- sh -c "echo begun; $wait_go; exit 7")
	wait_for 10 has_begun || fail "it does not begin"
	kill -KILL "$daemon"
	wait "$daemon" 2>/dev/null
	go "$id"
	wait_for 10 session_empty "$cgroups/$parent/$id" || fail "it does not end"
	up
	wait_for 5 finished "$request"
	expect_eq "$(json exit_code "$(ask request show --json "$request")")" 7
	expect_eq "$(json steps "$(ask session show --json "$id")")" 1
	ask session end "$id" >/dev/null
	down
}

capped() {
	local id request code=0
	up
	id=$(create --rate cpu_second=100000000 --money-cents 50)
	ask session go "$id" >/dev/null
	request=$(ask request submit "$id" -- sh -c 'while :; do :; done')
	wait_for 15 finished "$request" || fail "it is not stopped"
	expect_eq "$(json outcome "$(ask request show --json "$request")")" capped
	expect_le 50 "$(json money_cents "$(ask session show --json "$id" | sed 's/.*"spend"//')")"
	ask request submit "$id" -- true 2>"$TEST_TMP/said" || code=$?
	expect_eq $code 123
	expect_has "$(cat "$TEST_TMP/said")" "cap"
	ask session change "$id" --money-cents 500 --minutes 5 >/dev/null
	ask session resume "$id" >/dev/null
	request=$(ask request submit "$id" -- sh -c 'echo more')
	expect_eq "$(ask request output -f "$request")" more
	ask session end "$id" >/dev/null
	down
}

paused() {
	local id request pid
	up
	id=$(create)
	ask session go "$id" >/dev/null
	request=$(ask request submit "$id" -- sh -c "echo begun; $wait_go; echo ended")
	wait_for 10 has_begun || fail "it does not begin"
	pid=$(tail -n 1 "$cgroups/$parent/$id/$request/cgroup.procs")
	ask session pause "$id" >/dev/null
	expect_has "$(cat "$cgroups/$parent/$id/$request/cgroup.events")" "frozen 1"
	go "$id"
	expect_eq "$(json state "$(ask request show --json "$request")")" frozen
	ask session resume "$id" >/dev/null
	expect_eq "$(ask request output -f "$request")" $'begun\nended'
	ask session end "$id" >/dev/null
	down
}

by_node() {
	command -v node >/dev/null || skip "Node is not installed"
	up
	expect_eq "$(node "${0%/*}/daemon/life.js" "$socket" 2>&1)" "ended 42 5"
	down
}

t "a session lives from create to end: queue, workspace, account, wipe, nothing left" life 40
t "a request goes on when the daemon is killed, and the next daemon follows it to its end" killed 40
t "a request that ends while there is no daemon has its end and its account" ended_alone 40
t "at the cap the kernel stops the request, the queue closes, and a higher cap opens it again" capped 40
t "a pause freezes the processes, and resume goes on with the same ones" paused 40
t "a client in Node drives a session by HTTP, its events included" by_node 40

run_tests "$@"
