# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A test program in bash, with the habits of test.h and the same output:
#
#	#!/bin/bash
#	. "${0%/*}/../test.sh"
#	adds() { expect_eq "$((1 + 1))" 2; }
#	t "one and one are two" adds
#	t "a slow one" slow 60
#	teardown() { ...; }		# optional; after every test, whatever became of it
#	run_tests "$@"			# last line
#
# Each test is a subshell in a process group of its own with a time limit in seconds; what it prints is
# shown only when it fails. expect_* goes on after a failure, fail and skip end the test. $TEST_TMP is an
# empty directory of the test's own. Programs take -l (list) and -t PART, as those in C do.

set -u
test_sentences=() test_functions=() test_limits=()

t() {
	test_sentences+=("$1") test_functions+=("$2") test_limits+=("${3:-20}")
}

# Where the failing line is: the first caller outside of this file.
test_failed() {
	local i
	for ((i = 1; i < ${#BASH_SOURCE[@]} - 1; i++)); do
		[ "${BASH_SOURCE[i]}" = "${BASH_SOURCE[0]}" ] || break
	done
	printf '%s:%s: %s\n' "${BASH_SOURCE[i]}" "${BASH_LINENO[i - 1]}" "$1"
	echo failed >>"$test_dir/failed"
}

fail() { test_failed "$1"; exit 1; }
skip() { printf '%s' "$1" >"$test_dir/skip"; exit 0; }

expect_eq() { [ "$1" = "$2" ] || test_failed "not equal: left '$1', right '$2'${3:+ ($3)}"; }
expect_ne() { [ "$1" != "$2" ] || test_failed "equal: '$1'${3:+ ($3)}"; }
expect_lt() { [ "$1" -lt "$2" ] || test_failed "not so: $1 < $2${3:+ ($3)}"; }
expect_le() { [ "$1" -le "$2" ] || test_failed "not so: $1 <= $2${3:+ ($3)}"; }
expect_has() { case $1 in *"$2"*) ;; *) test_failed "lacks '$2': $1" ;; esac; }
expect_lacks() { case $1 in *"$2"*) test_failed "has '$2': $1" ;; esac; }
expect_ok() { "$@" || test_failed "exit code $?: $*"; }
expect_exit() {
	local want=$1 got=0
	shift
	"$@" || got=$?
	[ "$got" = "$want" ] || test_failed "exit code $got, not $want: $*"
}

# Runs a function in a job of its own for at most so many seconds; 124 when that was not enough.
test_limited() {
	local function=$1 limit=$2 job watch code=0
	set -m
	(set +m; "$function") >>"$test_dir/log" 2>&1 </dev/null &
	job=$!
	(sleep "$limit" && : >"$test_dir/late" && kill -KILL -- -$job) 2>/dev/null >&2 &
	watch=$!
	set +m
	wait $job 2>/dev/null || code=$?
	kill -KILL -- -$watch -$job 2>/dev/null
	wait $watch 2>/dev/null
	[ ! -e "$test_dir/late" ] || { rm "$test_dir/late"; code=124; }
	return $code
}

test_one() {
	local number=$1 sentence=$2 code=0 cleaned=0
	rm -rf "$test_dir"
	mkdir -p "$TEST_TMP"
	: >"$test_dir/log"
	test_limited "$3" "$4" || code=$?
	if [ "$(type -t teardown)" = function ]; then
		test_limited teardown 20 || cleaned=$?
	fi
	if [ "$code$cleaned" = 00 ] && [ ! -e "$test_dir/failed" ]; then
		[ ! -e "$test_dir/skip" ] || sentence+=" # SKIP $(cat "$test_dir/skip")"
		echo "ok $number $sentence"
		return
	fi
	tail -c 65536 "$test_dir/log" | sed 's/^/# /'
	case $code in
	0) ;;
	124) echo "# the test did not end within $4 s" ;;
	*) echo "# the test ended with exit code $code" ;;
	esac
	[ $cleaned = 0 ] || echo "# its teardown ended with exit code $cleaned"
	echo "not ok $number $sentence"
}

run_tests() {
	local i part='' chosen=() n=0
	[ "${1-}" != -t ] || part=$2
	for i in "${!test_sentences[@]}"; do
		case ${test_sentences[i]} in *"$part"*) chosen+=("$i") ;; esac
	done
	if [ "${1-}" = -l ]; then
		printf '%s\n' "${test_sentences[@]}"
		return
	fi
	test_dir=$(mktemp -d)
	export TEST_TMP=$test_dir/tmp
	printf 'KTAP version 1\n1..%d\n' ${#chosen[@]}
	for i in "${chosen[@]}"; do
		test_one $((++n)) "${test_sentences[i]}" "${test_functions[i]}" "${test_limits[i]}"
	done
	rm -rf "$test_dir"
}
