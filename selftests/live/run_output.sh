#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The output of a command: as it comes, exact, whole in its logs whoever watches, and never a matter of
# reeve's memory.

. "${0%/*}/run_place.sh"

log() { cat "$TEST_TMP"/out/*/"$1.log"; }
sum() { sha256sum | cut -d' ' -f1; }

as_it_comes() {
	local first
	mkfifo "$TEST_TMP/fifo"
	reeve run -- /bin/sh -c "echo first; $wait_go; echo second" >"$TEST_TMP/fifo" 2>/dev/null &
	exec 3<"$TEST_TMP/fifo"
	read -r -t 10 first <&3 || fail "the first line did not come before the second"
	expect_eq "$first" first
	touch "$(echo "$TEST_TMP"/out/*)/go"
	expect_eq "$(cat <&3)" second
	wait $!
}
t "output comes as it is written" as_it_comes

apart() {
	reeve run -- /bin/sh -c 'echo out; echo err >&2; echo out >/dev/stdout; echo err >/dev/stderr' \
		>"$TEST_TMP/stdout" 2>"$TEST_TMP/stderr"
	expect_eq "$(cat "$TEST_TMP/stdout")" $'out\nout'
	expect_eq "$(grep -v ^reeve: "$TEST_TMP/stderr")" $'err\nerr'
	expect_eq "$(log stdout) $(log stderr)" $'out\nout err\nerr'
}
t "the two streams stay apart, and the account is on the second" apart

exact() {
	local input=$TEST_TMP/input want
	head -c 3000001 /dev/urandom >"$input"
	want=$(sum <"$input")
	expect_eq "$(reeve run --file "$input" -- /bin/cat /in/input 2>/dev/null | sum)" "$want" "to a pipe"
	expect_eq "$(log stdout | sum)" "$want" "in the log"
	reeve run --file "$input" -- /bin/cat /in/input >"$TEST_TMP/copy" 2>/dev/null
	expect_eq "$(sum <"$TEST_TMP/copy")" "$want" "to a file"
	echo before >"$TEST_TMP/copy"
	reeve run -- /bin/echo after >>"$TEST_TMP/copy" 2>/dev/null
	expect_eq "$(cat "$TEST_TMP/copy")" $'before\nafter' "behind what a file has"
	reeve run --file "$input" -- /bin/sh -c 'cat /in/input >&2' 2>&1 >/dev/null |
		head -c 3000001 >"$TEST_TMP/copy"
	expect_eq "$(sum <"$TEST_TMP/copy")" "$want" "on the error stream"
}
t "every byte comes as it is, to pipes, files and logs" exact 60

devices() {
	local to
	for to in /dev/null /dev/full /dev/zero; do
		rm -rf "$TEST_TMP/out"
		expect_exit 3 reeve run -- /bin/sh -c 'seq 100000; exit 3' >$to 2>"$TEST_TMP/stderr"
		expect_eq "$(log stdout | sum)" "$(seq 100000 | sum)" $to
	done
	rm -rf "$TEST_TMP/out"
	expect_exit 3 reeve run -- /bin/sh -c 'seq 1000; exit 3' >&- 2>&- <&-
	expect_eq "$(log stdout | sum)" "$(seq 1000 | sum)" "closed streams"
}
t "devices and closed streams as a watcher are no trouble" devices 60

terminal() {
	local said
	command -v script >/dev/null || skip "script is not installed"
	export -f reeve reeve_exec
	export parent pins
	# Named, because script's default shell may be one that drops exported functions.
	said=$(SHELL=$BASH script -qec 'reeve run -- /bin/echo printed' /dev/null </dev/null)
	expect_has "$said" printed
	expect_has "$said" "reeve: exit 0"
}
t "so is a terminal" terminal

# What the reader took is little; what it did not take is in the log.
gone() {
	local code=0
	reeve run -- /bin/sh -c 'seq 300000; exit 3' 2>"$TEST_TMP/stderr" | head -n 1 >"$TEST_TMP/stdout"
	code=${PIPESTATUS[0]}
	expect_eq "$code $(cat "$TEST_TMP/stdout")" "3 1"
	expect_eq "$(log stdout | sum)" "$(seq 300000 | sum)"
}
t "a reader that goes away takes nothing from the log" gone

slow() {
	local size
	mkfifo "$TEST_TMP/fifo"
	reeve run -- /usr/bin/seq 500000 >"$TEST_TMP/fifo" 2>/dev/null &
	exec 3<"$TEST_TMP/fifo"
	sleep 0.7
	size=$(stat -c %s "$TEST_TMP"/out/*/stdout.log)
	expect_le "$size" 262144 "written while nobody read"
	expect_eq "$(sum <&3)" "$(seq 500000 | sum)"
	wait $! || fail "exit code $?"
	expect_eq "$(log stdout | sum)" "$(seq 500000 | sum)"
}
t "a slow reader makes the command wait, and loses nothing" slow

stuck() {
	local code=0
	mkfifo "$TEST_TMP/fifo"
	reeve_exec run -- /bin/sh -c 'echo begun; exec yes' >"$TEST_TMP/fifo" 2>/dev/null &
	exec 3<"$TEST_TMP/fifo"
	wait_for 5 has_begun
	sleep 0.2
	kill -INT $!
	wait $! || code=$?
	expect_eq $code 130
	expect_eq "$(sessions)" ""
}
t "a reader that is stuck does not keep Ctrl-C from ending all" stuck

# The reader holds the stream open for longer than the test may take.
stuck_at_the_end() {
	local code=0
	mkfifo "$TEST_TMP/fifo"
	reeve_exec run "$@" -- /bin/sh -c 'exec yes' >"$TEST_TMP/fifo" 2>/dev/null &
	exec 3<"$TEST_TMP/fifo"
	wait $! || code=$?
	expect_eq $code "$want"
	expect_eq "$(sessions)" ""
	exec 3<&-
}
stuck_box() { want=124 stuck_at_the_end --time-box 0.3; }
t "nor the end of a time box" stuck_box 20
stuck_cap() { want=123 stuck_at_the_end --money-cents 1 --rate wall_minute=200000000; }
t "nor a cap" stuck_cap 20

# A keeper that waits for a byte that its command took back would neither see the time box nor a signal.
stolen() {
	local code=0 began=$SECONDS
	reeve run --time-box 3 --file "$PROG/steal" -- /in/steal 200000 >"$TEST_TMP/stdout" 2>/dev/null || code=$?
	[ $code = 0 ] || expect_eq $code 124
	expect_lt $((SECONDS - began)) 9
}
t "a command that takes its output back does not hold its keeper up" stolen 60

# The race above is won now and then; the cause of its harmlessness is looked at as well.
reads_never_wait() {
	local fd flags never=0
	reeve_exec run -- /bin/sh -c 'readlink /proc/$$/fd/1 /proc/$$/fd/2; echo begun; sleep 15' \
		>/dev/null 2>&1 </dev/null &
	wait_for 5 has_begun
	for fd in /proc/$!/fd/*; do
		grep -qxF "$(readlink "$fd")" "$TEST_TMP"/out/*/stdout.log || continue
		flags=$(sed -n 's/^flags:[^0-9]*//p' "/proc/$!/fdinfo/${fd##*/}")
		[ $((flags & 03)) != 0 ] || [ $((flags & 04000)) = 0 ] || never=$((never + 1))
	done
	kill -INT $!
	wait $! || true
	expect_eq $never 2
}
t "its keeper's reads of the two streams never wait" reads_never_wait

peak_kib() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"; }
log_is_full() { [ "$(stat -c %s "$TEST_TMP"/out/*/stdout.log)" = 1073741824 ]; }

# The command stays for a moment, so that its keeper can be looked at.
gigabyte() {
	[ -z "${SANITIZED-}" ] || skip "sanitizers need memory of their own"
	reeve_exec run --json -- /bin/sh -c 'echo begun >&2; head -c 1073741824 /dev/zero; sleep 0.5' \
		>"$TEST_TMP/stdout" 2>"$TEST_TMP/stderr" &
	wait_for 5 sh -c "grep -qs begun $TEST_TMP/out/*/stderr.log" || fail "it did not begin"
	wait_for 50 log_is_full || fail "the log is $(stat -c %s "$TEST_TMP"/out/*/stdout.log) bytes long"
	expect_lt "$(peak_kib $!)" 32768 "KiB"
	wait $! || fail "exit code $?"
	rm -rf "$TEST_TMP/out"
}
t "a gibibyte of output is whole in its log, in less than 32 MiB of memory" gigabyte 90

# The document carries the end of it, and says what it lacks.
bounded() {
	local result
	result=$(reeve run --json -- /bin/sh -c 'seq 200000; seq 5000 >&2')
	expect_lt ${#result} 400000
	expect_eq "$(json stdout_bytes "$result") $(json stdout_truncated "$result")" "1288895 true"
	expect_eq "$(json stderr_bytes "$result") $(json stderr_truncated "$result")" "23893 true"
	expect_has "$result" 'left out here; stdout.log has them]\n'
	expect_has "$result" '199999\n200000\n"'
	expect_eq "$(log stdout | sum)" "$(seq 200000 | sum)"
	expect_eq "$(log stderr | sum)" "$(seq 5000 | sum)"
	result=$(reeve run --json -- /bin/sh -c 'printf "a\\377\\000b"')
	expect_has "$result" '"stdout_bytes":4,"stdout_truncated":false'
}
t "the document carries the end of long output, and says so" bounded

logs_are_kept() {
	reeve run -- /bin/sh -c 'echo told; rm -f /out/stdout.log; mv /out/stderr.log /out/x; >/out/stdout.log
		ln -sf /etc/passwd /out/stdout.log; echo result >/out/own; exit 0' >/dev/null 2>&1
	expect_eq "$(log stdout)" told
	expect_eq "$(stat -c '%U %a %F' "$TEST_TMP"/out/*/stdout.log)" "root 644 regular file"
	expect_eq "$(cat "$TEST_TMP"/out/*/own)" result
}
t "the command can neither remove nor replace its logs" logs_are_kept

run_tests "$@"
