#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Each step of the isolation table is missed: for each row child.c is compiled with that step doing
# nothing, the rest of the build left as it is, and the test that watches over the step must fail. The
# same test must pass with the table whole.

. "${0%/*}/../test.sh"

build=${REEVE%/*}
child=user/kernel/child.c

# step|program|a part of the sentence of the test that watches over it
watched='
descriptors|inside|only the three standard streams
terminal|inside|the host'"'"'s terminal
mode mask|inside|modes, directory
cgroup namespace|inside|names of the host
network namespace|inside|every namespace
host name|inside|names of the host
resource limits|inside|modes, directory
propagation|inside|mounts of the sandbox do not show
root|inside|the root shows
system|inside|the root shows
devices|inside|the root shows
proc|inside|what leaks the host
inputs|inputs|a directory is readable
output|inside|devices, terminals
scratch|inside|devices, terminals
pivot|inside|the root shows
sealed root|inside|every mount is nosuid
standard streams|inside|only the three standard streams
user namespace|inside|uid and gid are 0
ids|inside|uid and gid are 0
capabilities|inside|the command has exactly
keyring|inside|no attempt on the sandbox succeeds, also
owner|life|while another process holds the pipes
working directory|inside|modes, directory
no new privileges|inside|the command has exactly
proof|life|without a policy
seccomp|inside|the command has exactly
'

steps() { sed -nE 's/^\t\{ ?"([a-z ]+)", [a-z_]+,.*/\1/p' "$child"; }

# link CHILD.o OUT NAME: a test program with another child.o in place of the library's.
# shellcheck disable=SC2046
link() {
	cc -o "$2" "$build/selftests/live/sandbox_$3.o" "$build/selftests/test.o" "$1" \
		"$build"/lib{kernel,model,base}.a -Wl,--as-needed \
		$(pkg-config --libs libseccomp libnl-route-3.0)
}

# The number of tests that fail; what is not run counts as failed, and so does no test at all. A sandbox
# without a root of its own builds in the working directory, which must not be the tree's.
failures() {
	mkdir -p "$TEST_TMP/cwd"
	(cd "$TEST_TMP/cwd" && "$1" -t "$2") |
		awk '/^1\.\.[1-9]/ { n = substr($0, 4) }
		     /^ok / && !/# SKIP/ { n-- }
		     END { print n == "" ? 1 : n }'
}

rows() {
	[ -z "$SANITIZED" ] || skip "the table is the same with sanitizers"
	expect_eq "$(steps | sort)" "$(echo "$watched" | awk -F'|' 'NF { print $1 }' | sort)" "a step without a watch"
}

whole() {
	[ -z "$SANITIZED" ] || skip "the table is the same with sanitizers"
	local step program part
	while IFS='|' read -r step program part; do
		[ -z "$step" ] || expect_eq "$(failures "$build/selftests/live/sandbox_$program" "$part")" 0 "$step"
	done <<<"$watched"
}

missed() {
	[ -z "$SANITIZED" ] || skip "the table is the same with sanitizers"
	local step program part
	while IFS='|' read -r step program part; do
		[ -n "$step" ] || continue
		sed -E "s/(\"$step\", )[a-z_]+,/\1left_out,/
			s/^static const struct child_step steps/static int left_out(struct child *c) { (void)c; return 0; }\n&/" \
			"$child" >"$TEST_TMP/child.c"
		cc -std=gnu11 -D_GNU_SOURCE= -O1 -w -iquote user/kernel -c -o "$TEST_TMP/child.o" "$TEST_TMP/child.c"
		link "$TEST_TMP/child.o" "$TEST_TMP/program" "$program" || fail "cannot link"
		expect_ne "$(failures "$TEST_TMP/program" "$part")" 0 "nothing misses the step \"$step\""
	done <<<"$watched"
}

t "every step of the isolation table has a test that watches over it" rows
t "the tests that watch over the steps pass with the table whole" whole 120
t "each step that is left out makes the test that watches over it fail" missed 300
run_tests "$@"
