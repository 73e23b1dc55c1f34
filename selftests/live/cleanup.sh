#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What is left when a run is over, whatever its end; many runs at once; what belongs to the host and how it
# goes; and places that do not fit together, which are refused before they cost anybody the policy.
# Kills at random moments are in cleanup_kill.c.

. "${0%/*}/run_place.sh"

said=''
# says CODE PART COMMAND...: the exit code, and a part of what is said.
says() {
	local code=0
	said=$("${@:3}" 2>&1) || code=$?
	expect_eq "$code" "$1" "${*:3}: $said"
	expect_has "$said" "$2"
}

ends() {
	local before
	reeve run -- /bin/true 2>/dev/null
	before=$(traces)
	says 0 "exit 0" reeve run -- /bin/true
	expect_eq "$(traces)" "$before" "after a normal end"
	says 143 "signal 15" reeve run -- /bin/sh -c 'sleep 30.7291 & (setsid sleep 30.7291 &) & kill -15 $$'
	expect_eq "$(traces)" "$before" "after a signal, with others alive"
	says 123 capped reeve run --cpu-seconds 0.05 --file "$PROG/burn" -- /in/burn chains 4 1000 0
	expect_eq "$(traces)" "$before" "after a cap"
	says 124 timed_out reeve run --time-box 0.2 -- /bin/sleep 15
	expect_eq "$(traces)" "$before" "after a time box"
	says 0 "exit 0" reeve run -- /bin/sh -c 'mkdir -p /out/a/b; echo x >/out/a/b/c; sleep 30.7291 &'
	expect_eq "$(traces)" "$before" "after files and a background process"
	expect_eq "$(cat "$TEST_TMP"/out/*/a/b/c)" x
	expect_eq "$(pgrep -f 'sleep 30[.]7291' | wc -l)" 0
}
t "a run leaves nothing but its output directory, whatever its end" ends 60

# What a directory that no overlay takes for a layer does to the step of the inputs.
failing_step() {
	local before
	reeve run -- /bin/true 2>/dev/null
	rm -rf "$TEST_TMP/out"
	before=$(traces)
	says 125 'the isolation step "' reeve run --directory /proc/self/net -- /bin/echo printed
	expect_lacks "$said" printed
	expect_eq "$(wc -l <<<"$said")" 1
	expect_eq "$(traces)" "$before"
	expect_eq "$(ls -A "$TEST_TMP/out")" "" "output directories"
	says 0 "exit 0" reeve run -- /bin/true
}
t "an isolation step that fails names itself, and leaves nothing, not even the output directory" failing_step

together() {
	local i pids=() code maps
	reeve run -- /bin/true 2>/dev/null
	for i in $(seq 20); do
		reeve run --json -- /bin/sh -c "cat /proc/self/uid_map; $wait_go" \
			>"$TEST_TMP/json.$i" 2>"$TEST_TMP/stderr.$i" &
		pids+=($!)
	done
	wait_for 20 sh -c "[ \$(cat '$TEST_TMP'/out/*/stdout.log | wc -l) = 20 ]" ||
		fail "not twenty at once: $(sessions | wc -l)"
	expect_eq "$(sessions | wc -l)" 20
	for i in "$TEST_TMP"/out/*; do touch "$i/go"; done
	for i in "${pids[@]}"; do
		code=0
		wait "$i" || code=$?
		expect_eq $code 0
	done
	maps=$(for i in $(seq 20); do json stdout "$(cat "$TEST_TMP/json.$i")"; done)
	expect_eq "$(awk '{ print $2 }' <<<"$maps" | sort -u | wc -l)" 20 "uid ranges: $maps"
	expect_eq "$(cat "$TEST_TMP"/stderr.*)" ""
	expect_eq "$(sessions)" ""
	expect_eq "$(find "$TEST_TMP/run/slots" -size +0 -type f)" ""
}
t "twenty runs at once each have a uid range of their own, and all end well" together 60

# Runs that are first at a place, all at once: one loads, the others wait for it.
first_at_once() {
	local i pids=() code
	for i in 1 2 3 4 5 6; do
		reeve run -- /bin/true 2>"$TEST_TMP/stderr.$i" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		code=0
		wait "$i" || code=$?
		expect_eq $code 0 "$(cat "$TEST_TMP"/stderr.*)"
	done
}
t "six first runs at once all work" first_at_once

# A run may find the place gone under it; then it says so and leaves nothing.
against_gc() {
	local i run code
	for i in $(seq 12); do
		reeve run -- /bin/true >"$TEST_TMP/run-said" 2>&1 &
		run=$!
		sleep 0.0$((RANDOM % 10))$((RANDOM % 10))
		reeve gc --all >"$TEST_TMP/gc-said" 2>&1 || expect_has "$(cat "$TEST_TMP/gc-said")" alive
		code=0
		wait $run || code=$?
		[ $code = 0 ] || expect_eq $code 125 "$(cat "$TEST_TMP/run-said")"
		expect_lacks "$(cat "$TEST_TMP/run-said" "$TEST_TMP/gc-said")" "unexpected error"
	done
	says 0 "exit 0" reeve run -- /bin/true
}
t "runs and gc --all at the same time do each other no harm" against_gc 40

collect() {
	says 0 "nothing to collect" reeve gc
	[ ! -e "$pins" ] && [ ! -e "$TEST_TMP/run" ] || fail "gc made something"
	says 0 "nothing was left" reeve gc --all
	reeve run -- /bin/true 2>/dev/null
	says 0 "what 0 killed runs had left" reeve gc
	[ -e "$pins/links/reeve_connect4" ] || fail "gc removed the host's"
	says 125 "takes options only" reeve gc now
	reeve_exec run -- /bin/sleep 15 2>/dev/null &
	wait_for 5 sh -c "grep -q 'populated 1' '$cgroups/$parent/cgroup.events'"
	says 0 "what 0 killed runs had left" reeve gc
	kill -KILL $!
	wait $! 2>/dev/null
	says 0 "what 1 killed run" reeve gc
	expect_eq "$(sessions)" ""
	says 0 "reeve: removed the programs, maps and links at $pins, the cgroup $parent, the run directory $TEST_TMP/run" \
		reeve gc --all
	[ ! -e "$pins" ] && [ ! -e "$TEST_TMP/run" ] && [ ! -e "$cgroups/$parent" ] || fail "something is left"
	says 0 "exit 0" reeve run -- /bin/true
}
t "gc removes what is dead, gc --all all of the host's, and a run works again" collect 60

# The policy of a live session hangs on the pins: no mistake in a place may take them away.
refuses() {
	local live
	reeve_exec run -- /bin/sh -c 'echo begun; exec sleep 15' 2>/dev/null >&2 &
	live=$!
	wait_for 5 has_begun
	says 125 "slot 0 is alive" reeve gc --all
	says 125 "processes live under" reeve gc --all --run-dir "$TEST_TMP/other"
	says 125 "belongs to" reeve gc --all --parent reeve-none
	says 125 "belongs to" reeve gc --all --pin-dir /sys/fs/bpf/none
	says 125 "processes live under" reeve gc --all --run-dir "$TEST_TMP/other" --parent reeve-none
	says 125 "no run directory" reeve gc --all --run-dir "$TEST_TMP"
	[ -e "$pins/links/reeve_connect4" ] || fail "the pins are gone"
	[ ! -e "$TEST_TMP/lock" ] && [ ! -e "$TEST_TMP/other" ] || fail "gc made something"
	kill -TERM $live
	wait $live
	says 0 "" reeve gc --all
}
t "gc --all refuses while a session lives, also with a place that is not its own" refuses

misfits() {
	reeve run -- /bin/true 2>/dev/null
	says 125 "belongs to \"$parent $pins\"" reeve run --parent reeve-other -- /bin/true
	says 125 "belongs to" reeve run --pin-dir /sys/fs/bpf/other -- /bin/true
	says 125 "hang on another parent cgroup" reeve run --parent "$parent-2" \
		--run-dir "$TEST_TMP/run-2" -- /bin/true
	[ ! -e "$TEST_TMP/run-2" ] && [ ! -e "$cgroups/$parent-2" ] || fail "something was made"
	says 125 "another network namespace" unshare --net "$REEVE" run --parent "$parent" \
		--pin-dir "$pins" --run-dir "$TEST_TMP/run" --output-root "$TEST_TMP/out" -- /bin/true
	rmdir "$cgroups/$parent"
	says 125 "reeve gc --all" reeve run -- /bin/true
	says 0 "" reeve gc --all
	says 0 "exit 0" reeve run -- /bin/true
}
t "another parent, pin directory, network namespace or run directory is refused" misfits 60

damage() {
	local pin
	for pin in links/reeve_connect4 links/reeve_meter maps/policies maps/host progs/reeve_link_out; do
		reeve run -- /bin/true 2>/dev/null
		rm "$pins/$pin" || fail "no pin $pin"
		says 125 "reeve gc --all" reeve run -- /bin/echo printed
		expect_lacks "$said" printed
		says 125 "reeve gc --all" reeve gc
		says 0 "" reeve gc --all
		says 0 "exit 0" reeve run -- /bin/true
	done
	rm -rf "$pins"
	says 0 "exit 0" reeve run -- /bin/true
}
t "pins that were removed are missed, one by one, and loaded anew when all are" damage 60

# What is not there is for gc; a lack of descriptors is not, and nothing is said of pins then.
few_descriptors() {
	local n code
	reeve run -- /bin/true 2>/dev/null
	for n in 10 14 18 22 26 30; do
		code=0
		said=$( (ulimit -n $n; reeve_exec run -- /bin/true) 2>&1) || code=$?
		expect_eq $code 125 "$n descriptors: $said"
		expect_has "$said" "Too many open files"
		expect_has "$said" "ulimit -n"
		expect_lacks "$said" "gc --all"
	done
	says 0 "exit 0" reeve run -- /bin/true
}
t "too few descriptors are told as such, and how there will be more" few_descriptors

# above: what of the way to a nested parent is there.
above() { (cd "$cgroups" && find "$parent" -type d | sort | paste -sd' ') 2>/dev/null; }
nested() {
	local place=(--parent "$parent/a/b/c")
	says 0 "exit 0" reeve run "${place[@]}" -- /bin/true
	expect_eq "$(above)" "$parent $parent/a $parent/a/b $parent/a/b/c"
	says 0 "" reeve gc --all "${place[@]}"
	expect_eq "$(above)" "" "all was reeve's own"
	mkdir -p "$cgroups/$parent/a"
	says 0 "exit 0" reeve run "${place[@]}" -- /bin/true
	says 0 "" reeve gc --all "${place[@]}"
	expect_eq "$(above)" "$parent $parent/a" "another's way stays"
	says 0 "exit 0" reeve run "${place[@]}" -- /bin/true
	mkdir "$cgroups/$parent/a/b/other"
	says 0 "" reeve gc --all "${place[@]}"
	expect_eq "$(above)" "$parent $parent/a $parent/a/b $parent/a/b/other" "another's cgroup stays"
	rmdir "$cgroups/$parent/a/b/other" "$cgroups/$parent/a/b" "$cgroups/$parent/a"
}
t "gc --all removes the way to a nested parent as far as reeve made it and nobody uses it" nested

run_tests "$@"
