#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The cap and the time box while reeve itself is stopped: from the first byte of the command on nobody in
# user space can do anything, and everything must die all the same. Then reeve goes on and tells it right:
# capped, and the CPU time that the kernel's own account shows.

. "${0%/*}/run_place.sh"

# begin OPTION... SHAPE: starts burn under reeve, and stops reeve when burn is about to run.
begin() {
	local shape=${*: -1}
	reeve_exec run --json --file "$PROG/burn" "${@:1:$#-1}" -- \
		/bin/sh -c "echo begun; exec /in/burn $shape" >"$TEST_TMP/json" 2>"$TEST_TMP/stderr" &
	reeve_pid=$!
	wait_for 5 has_begun || fail "the command did not begin: $(cat "$TEST_TMP/stderr")"
	kill -STOP $reeve_pid
	session=$(sessions)
}

# Goes on; sets $code and $result.
finish() {
	[ "$(awk '{ print $3 }' /proc/$reeve_pid/stat)" = T ] || fail "reeve was not stopped"
	kill -CONT $reeve_pid
	code=0
	wait $reeve_pid || code=$?
	result=$(cat "$TEST_TMP/json")
	echo "$result"
}

capped() {
	local spent
	begin --cpu-seconds 0.3 "$1"
	wait_for 10 session_empty "$session" || fail "processes live: $(cat "$session"/*/cgroup.procs)"
	sleep 0.05
	spent=$(stat_us "$session")
	finish
	expect_eq "$code" 123
	expect_eq "$(json outcome "$result") $(json reached "$result")" "capped cap_cpu"
	expect_le $((spent - 100)) $(($(json cpu_ns "$result") / 1000))
	expect_le $(($(json cpu_ns "$result") / 1000)) $((spent + 100))
	expect_le 300000 "$spent"
	expect_le "$spent" 600000
}
spinner() { capped "spin 0"; }
threads() { capped "threads 8 0"; }
processes_8() { capped "processes 8 0"; }
processes_32() { capped "processes 32 0"; }
chains_1ms() { capped "chains 8 1000 0"; }
bomb() { capped "bomb 200 10000"; }
t "reeve stopped: the cap kills a spinner" spinner
t "reeve stopped: the cap kills eight threads" threads
t "reeve stopped: the cap kills eight processes" processes_8
t "reeve stopped: the cap kills thirty-two processes" processes_32
t "reeve stopped: the cap kills chains of processes of 1 ms" chains_1ms
t "reeve stopped: the cap kills a bomb of processes of 0.2 ms" bomb

# The kernel's deadline is behind user space's TERM and KILL by the grace and half a second.
box() {
	local began=$(($(date +%s%N) / 1000000)) lived
	begin --time-box 0.5s "processes 2 0"
	wait_for 12 session_empty "$session" || fail "processes live"
	lived=$(($(date +%s%N) / 1000000 - began))
	finish
	expect_eq "$code $(json outcome "$result") $(json reached "$result")" "124 timed_out deadline"
	expect_le 3000 $lived
	expect_le $lived 9000
}
t "reeve stopped: the time box kills a spinner, a grace later" box 40

money() {
	begin --money-cents 2 --rate cpu_second=10000000 "spin 0"
	wait_for 10 session_empty "$session" || fail "processes live"
	finish
	expect_eq "$code $(json outcome "$result") $(json reached "$result")" "123 capped cap_money"
	expect_le 200000000 "$(json cpu_ns "$result")"
	expect_le "$(json cpu_ns "$result")" 400000000
	expect_le 2000000 "$(json money_ucents "$result")"
}
t "reeve stopped: the money cap kills a spinner" money

# Within the caps a stopped reeve is no reason to die, and its account is whole afterwards.
alive() {
	local spent
	begin "forks 400 200"
	wait_for 10 session_empty "$session" || fail "processes live"
	sleep 0.05
	spent=$(stat_us "$session")
	finish
	expect_eq "$code $(json outcome "$result") $(json reached "$result")" "0 exited null"
	expect_le $((spent - 100)) $(($(json cpu_ns "$result") / 1000))
	expect_le $(($(json cpu_ns "$result") / 1000)) $((spent + 100))
	expect_le 80000 "$spent"
}
t "reeve stopped: what stays within its caps runs to its end, and is charged for all of it" alive

dead() {
	begin --cpu-seconds 5 "bomb 200 10000"
	kill -KILL $reeve_pid
	wait_for 5 session_empty "$session" || fail "processes live"
	wait $reeve_pid 2>/dev/null
	expect_has "$(reeve gc 2>&1)" "removed what 1 killed run"
	expect_eq "$(sessions)" ""
}
t "reeve killed: the sandbox dies with it, a bomb in it too" dead

run_tests "$@"
