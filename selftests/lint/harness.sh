#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The harness itself: what fails must be told, whatever way it fails. Small trees with a copy of the runner
# and a program or two that misbehave.

. "${0%/*}/../test.sh"
cd "${0%/*}/../.." || exit 1
root=$PWD

# Runs the runner over one lint program whose text is on stdin; sets $said and $code.
run_over() {
	mkdir -p "$TEST_TMP/selftests/lint"
	cp selftests/run "$TEST_TMP/selftests/"
	{ echo '#!/bin/bash'; cat; } >"$TEST_TMP/selftests/lint/a.sh"
	chmod +x "$TEST_TMP/selftests/lint/a.sh"
	code=0
	said=$("$TEST_TMP/selftests/run" 2>&1) || code=$?
	closing=$(tail -n 1 <<<"$said")
}

passes() {
	run_over <<<'printf "1..2\nok 1 a\nok 2 b # SKIP no root\n"'
	expect_eq "$code $closing" "0 1 passed, 0 failed, 1 skipped"
	expect_has "$said" "skipped 1: no root"
	expect_lacks "$said" "FAIL"
}
t "the runner adds up, is quiet about passes and gives the reasons of skips" passes

fails() {
	run_over <<<'printf "1..2\n# not shown\nok 1 a\n# shown\nnot ok 2 b\n"'
	expect_eq "$code $closing" "1 1 passed, 1 failed, 0 skipped"
	expect_has "$said" "FAIL lint/a: b"$'\n'"# shown"
	expect_lacks "$said" "not shown"
}
t "the runner shows the log of what failed, and only that" fails

dies() {
	run_over <<<'printf "1..2\nok 1 a\n"; kill -9 $$'
	expect_eq "$code $closing" "1 1 passed, 1 failed, 0 skipped"
	expect_has "$said" "1 of 2 planned tests"
}
t "a program that dies before its last test is a failure" dies

no_plan() {
	run_over <<<'echo ok 1 a'
	expect_eq "$code $closing" "1 1 passed, 1 failed, 0 skipped"
}
t "a program without a plan is a failure" no_plan

bad_exit() {
	run_over <<<'printf "1..1\nok 1 a\n"; exit 3'
	expect_eq "$code $closing" "1 1 passed, 1 failed, 0 skipped"
	expect_has "$said" "exit code 3"
}
t "a program with an exit code is a failure" bad_exit

nothing() {
	run_over <<<'echo 1..0'
	expect_eq "$code $closing" "1 0 passed, 0 failed, 0 skipped"
	run_over <<<'printf "1..1\nok 1 a # SKIP all\n"'
	expect_eq "$code $closing" "1 0 passed, 0 failed, 1 skipped"
}
t "a run in which nothing ran is a failure" nothing

# Sets $said to what a test program in C says, its tests being on stdin.
c_program() {
	{ printf '#include "%s/selftests/test.h"\n' "$root"; cat; } >"$TEST_TMP/a.c"
	cc -D_GNU_SOURCE= -o "$TEST_TMP/a" "$TEST_TMP/a.c" selftests/test.c || fail "does not compile"
	export LEFT=$TEST_TMP/left
	said=$("$TEST_TMP/a")
}

c_failures() {
	c_program <<'END'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
TEST("expects") { EXPECT_EQ(1, 2); EXPECT_EQ(3, 4); }
TEST("asserts") { ASSERT_EQ(1, 2); EXPECT_EQ(3, 4); }
TEST("crashes") { raise(SIGSEGV); }
TEST("hangs", .seconds = 1) { for (;;) pause(); }
TEST("exits") { exit(7); }
TEST("fails in a child") { if (fork() == 0) ASSERT_TRUE(0); else wait(NULL); }
END
	expect_eq "$(grep -c '^not ok' <<<"$said")" 6
	expect_has "$said" ":6: not so: 3 == 4: left 3 (0x3), right 4 (0x4)"
	expect_lacks "$said" ":7: not so: 3"
	expect_has "$said" "died of signal 11"
	expect_has "$said" "did not end within 1 s"
	expect_has "$said" "exit code 7"
}
t "in C, a false statement, a crash, a hang and an early exit are failures" c_failures

c_passes() {
	c_program <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
TEST("holds") { EXPECT_LT(-1, 1u); EXPECT_STREQ("a", "a"); EXPECT_HAS("abc", "b"); EXPECT_OK(0); }
TEST("not here") { SKIP("no %s", "luck"); }
TEST("leaves")
{
	pid_t pid = fork();
	if (pid == 0) { setsid(); pause(); }
	FILE *f = fopen(getenv("LEFT"), "w");
	fprintf(f, "%d", pid);
	fclose(f);
}
TEARDOWN { EXPECT_OK(system("! test -e $LEFT || test ! -e /proc/$(cat $LEFT)")); }
END
	expect_eq "$(grep -c '^ok' <<<"$said")" 3
	expect_has "$said" "ok 2 not here # SKIP no luck"
	expect_eq "$("$TEST_TMP/a" -t holds)" $'KTAP version 1\n1..1\nok 1 holds'
	expect_eq "$("$TEST_TMP/a" -l)" $'holds\nnot here\nleaves'
}
t "in C, what a test leaves running is killed before its teardown" c_passes

bash_failures() {
	{
		printf '. "%s/selftests/test.sh"\n' "$root"
		cat <<'END'
expects() { expect_eq 1 2; expect_lt 4 3; }
stops() { fail enough; echo never; }
hangs() { sleep 60; }
crashes() { kill -SEGV $BASHPID; }
holds() { expect_eq 1 1; expect_has abc b; expect_exit 3 bash -c 'exit 3'; [ -d "$TEST_TMP" ]; }
t expects expects; t stops stops; t hangs hangs 1; t crashes crashes; t holds holds
run_tests "$@"
END
	} >"$TEST_TMP/a.sh"
	said=$(TMPDIR=$TEST_TMP bash "$TEST_TMP/a.sh")
	expect_eq "$(grep -c '^not ok' <<<"$said")" 4
	expect_eq "$(grep -c '^ok' <<<"$said")" 1
	expect_has "$said" "not so: 4 < 3"
	expect_has "$said" "did not end within 1 s"
	expect_lacks "$said" "never"
}
t "in bash it is the same" bash_failures

on_stage() { unshare --mount --net --propagation private selftests/stage bash -c "$1"; }
leftovers() {
	local code
	[ "$(id -u)" = 0 ] || skip "needs root"
	expect_exit 0 on_stage 'ip link add rvself0 type veth peer name rvself1; ip link del rvself0'
	expect_exit 4 on_stage 'exit 4'
	for leave in 'ip link add rvself0 type veth peer name rvself1' 'nft add table inet reeve' \
		'mkdir /sys/fs/bpf/reeve' "mkdir $TEST_TMP/m && mount -t tmpfs none $TEST_TMP/m"; do
		code=0
		said=$(on_stage "$leave") || code=$?
		expect_eq "$code" 99 "$leave"
		expect_has "$said" "left behind"
	done
}
t "what a test leaves of links, tables, pins and mounts is told" leftovers 60

run_tests "$@"
