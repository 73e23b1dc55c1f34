// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the start of a sandbox to its end, however it ends: steps that fail, owners that die, commands
 * that leave processes behind, an init that is killed. Whatever happens, the cgroup is empty after it.
 */
#include "../box_run.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "../../user/base/clock.h"
#include "../../user/kernel/child.h"
#include "../../user/kernel/seccomp.h"

#define STEP_TIME_NS (2 * NSEC_PER_SEC)

static const char *const sleeper[] = { "sleep", "1000", NULL };

static void expect_empty(void)
{
	EXPECT_OK(cgroup_wait_empty(box.cgroup_fd, STEP_TIME_NS));
}

static size_t descriptors(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

TEST("every step that fails ends the start, names itself with its remedy, and leaves nothing",
     .seconds = 60)
{
	size_t n, open;
	const struct child_step *steps = child_steps(&n);

	box_make(true);
	box_add_input(SPEC_INPUT_DIRECTORY, "/usr/lib");
	for (size_t i = 0; i < n; i++) {
		open = descriptors();
		box.fault = (struct fault){ FAULT_NONE };
		box.fail_step = steps[i].name;
		EXPECT_EQ(box_start(sleeper), FAULT_E_SET);
		EXPECT_EQ(box.fault.code, FAULT_START);
		EXPECT_STREQ(box.fault.field, steps[i].name);
		EXPECT_STREQ(box.fault.remedy, steps[i].remedy);
		EXPECT_HAS(box.fault.reason, steps[i].guards);
		EXPECT_HAS(box.fault.reason, "Operation canceled");
		expect_empty();
		EXPECT_EQ(waitpid(-1, NULL, WNOHANG), -1);
		fd_close(&box.pipes[0][0]);
		fd_close(&box.pipes[1][0]);
		EXPECT_EQ(descriptors(), open);
	}
	EXPECT_GE(n, 20);
}

TEST("without a policy that denies, the proof fails and nothing runs")
{
	box_make(false);
	EXPECT_EQ(box_start(sleeper), FAULT_E_SET);
	EXPECT_STREQ(box.fault.field, "proof");
	expect_empty();
}

TEST("without a seccomp program, without an input, or with a stream that is no pipe nothing starts")
{
	struct spawn_args args = { .plan = &box.plan, .cgroup_fd = -1 };

	box_make(true);
	ASSERT_OK(box_plan(sleeper));
	EXPECT_EQ(spawn_start(&args, &box.spawn, &box.fault), -EINVAL);
	box_add_input(SPEC_INPUT_FILE, "/usr/bin/env");
	plan_deinit(&box.plan);
	ASSERT_OK(box_plan(sleeper));
	args.seccomp = seccomp_default();
	EXPECT_EQ(spawn_start(&args, &box.spawn, &box.fault), -EINVAL);
	box.n_inputs = 0;
	EXPECT_OK(box_start(sleeper));
	args = (struct spawn_args){
		.plan = &box.plan,
		.cgroup_fd = box.cgroup_fd,
		.userns_fd = box.userns_fd,
		.netns_fd = box.netns_fd,
		.out_fd = box.out_fd,
		.seccomp = &(struct sock_fprog){ 1, &(struct sock_filter){ BPF_RET, 0, 0,
									   SECCOMP_RET_ALLOW } },
		.stdout_fd = open("/dev/null", O_WRONLY),
		.stderr_fd = open("/dev/null", O_WRONLY),
	};
	spawn_deinit(&box.spawn);
	EXPECT_EQ(spawn_start(&args, &box.spawn, &box.fault), FAULT_E_SET);
	EXPECT_STREQ(box.fault.field, "standard streams");
	expect_empty();
}

TEST("the command starts at go and not before")
{
	struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };
	static const char *const argv[] = { "touch", "started", NULL };

	box_make(true);
	ASSERT_OK(box_start(argv));
	nanosleep(&pause, NULL);
	EXPECT_NE(faccessat(box.out_fd, "started", F_OK, 0), 0);
	box_finish();
	EXPECT_OK(faccessat(box.out_fd, "started", F_OK, 0));
	EXPECT_EQ(box.end.exit_code, 0);
}

TEST("a sandbox that is dropped before go is gone")
{
	box_make(true);
	ASSERT_OK(box_start(sleeper));
	spawn_deinit(&box.spawn);
	spawn_deinit(&box.spawn);
	expect_empty();
	EXPECT_EQ(waitpid(-1, NULL, WNOHANG), -1);
}

TEST("exit codes and signals of the command arrive as they are")
{
	box_make(true);
	box_sh("exit 7");
	EXPECT_EQ(box.end.exit_code, 7);
	EXPECT_EQ(box.end.signal, 0);
	box_sh("kill -USR1 $$");
	EXPECT_EQ(box.end.exit_code, -1);
	EXPECT_EQ(box.end.signal, SIGUSR1);
	box_sh("ulimit -c 0; kill -SEGV $$");
	EXPECT_EQ(box.end.signal, SIGSEGV);
}

TEST("a command that is not there ends with 127, one that cannot run with 126, both with a message")
{
	static const char *const missing[] = { "no-such-command", NULL };
	static const char *const nowhere[] = { "/no/such/command", NULL };
	static const char *const directory[] = { "/usr", NULL };
	static const char *const text[] = { "/etc/passwd", NULL };

	box_make(true);
	box_exec(missing);
	EXPECT_EQ(box.end.exit_code, 127);
	EXPECT_STREQ(box.text[1], "reeve: no-such-command: No such file or directory\n");
	box_exec(nowhere);
	EXPECT_EQ(box.end.exit_code, 127);
	box_exec(directory);
	EXPECT_EQ(box.end.exit_code, 126);
	EXPECT_STREQ(box.text[1], "reeve: /usr: Permission denied\n");
	box_exec(text);
	EXPECT_EQ(box.end.exit_code, 126);
}

TEST("a script without an interpreter line runs with its arguments")
{
	static const char *const argv[] = { "/tmp/../out/script", "one", "two words", NULL };

	box_make(true);
	box_sh("printf 'echo \"$0 $1 $2 $#\"' >script; chmod +x script");
	EXPECT_STREQ(box_exec(argv), "/tmp/../out/script one two words 2\n");
}

TEST("processes that the command leaves behind die with it and delay nothing")
{
	static const char *const argv[] = { "/in/orphans", "stay", NULL };
	uint64_t start;

	box_make(true);
	box_add_prog("orphans");
	start = clock_monotonic_ns();
	box_exec(argv);
	EXPECT_EQ(box.end.exit_code, 0);
	EXPECT_LT(clock_monotonic_ns() - start, 2 * NSEC_PER_SEC);
	EXPECT_OK(cgroup_wait_empty(box.cgroup_fd, 0));
}

TEST("orphans are reaped while the command runs")
{
	static const char *const argv[] = { "/in/orphans", "reap", NULL };

	box_make(true);
	box_add_prog("orphans");
	EXPECT_STREQ(box_exec(argv), "zombies: 0\n");
}

TEST("TERM reaches every process inside, and init lives to tell the end")
{
	const char *const argv[] = { "sh", "-c",
				     "trap 'echo end; exit 9' TERM; sleep 1000 & setpriv "
				     "--reuid 65534 --clear-groups sleep 1000 & echo up; wait",
				     NULL };
	char up[3] = "";

	box_make(true);
	ASSERT_OK(box_start(argv));
	ASSERT_OK(spawn_go(&box.spawn));
	ASSERT_EQ(read(box.pipes[0][0], up, 3), 3);
	ASSERT_OK(spawn_term(&box.spawn));
	box_read();
	EXPECT_STREQ(box.text[0], "end\n");
	ASSERT_OK(spawn_read_exit(&box.spawn, &box.end));
	EXPECT_EQ(box.end.exit_code, 9);
	ASSERT_OK(spawn_reap(&box.spawn));
	expect_empty();
}

TEST("an init that is killed from outside counts as killed, with all that it held")
{
	static const char *const argv[] = { "sh", "-c", "setsid sleep 1000 & echo up; wait", NULL };
	char up[3];

	box_make(true);
	ASSERT_OK(box_start(argv));
	ASSERT_OK(spawn_go(&box.spawn));
	ASSERT_EQ(read(box.pipes[0][0], up, 3), 3);
	ASSERT_OK(kill(box.spawn.pid, SIGKILL));
	ASSERT_OK(spawn_read_exit(&box.spawn, &box.end));
	EXPECT_EQ(box.end.exit_code, -1);
	EXPECT_EQ(box.end.signal, SIGKILL);
	ASSERT_OK(spawn_reap(&box.spawn));
	EXPECT_OK(cgroup_wait_empty(box.cgroup_fd, 0));
}

/*
 * Starts a sandbox in a process of its own and kills that with SIGKILL, before or after go. A bystander
 * keeps the pipes open if @held, so that their end tells the sandbox nothing.
 */
static void kill_owner(bool go, bool held)
{
	int ready[2], status;
	char byte;
	pid_t owner;

	ASSERT_OK(pipe(ready));
	owner = fork();
	if (owner == 0) {
		ASSERT_OK(box_start(sleeper));
		if (go)
			ASSERT_OK(spawn_go(&box.spawn));
		if (held && fork() == 0)
			for (;;)
				pause();
		ASSERT_EQ(write(ready[1], "x", 1), 1);
		for (;;)
			pause();
	}
	ASSERT_EQ(read(ready[0], &byte, 1), 1);
	EXPECT_EQ(cgroup_wait_empty(box.cgroup_fd, 0), -ETIMEDOUT);
	ASSERT_OK(kill(owner, SIGKILL));
	ASSERT_EQ(waitpid(owner, &status, 0), owner);
	expect_empty();
}

TEST("kill -9 of the owner ends the sandbox, whether it waits or runs")
{
	box_make(true);
	kill_owner(false, false);
	kill_owner(true, false);
}

TEST("kill -9 of the owner ends the sandbox also while another process holds the pipes")
{
	box_make(true);
	kill_owner(false, true);
	kill_owner(true, true);
}

TEST("kill -9 of the owner at any moment of the start leaves nothing", .seconds = 120)
{
	box_make(true);
	box_add_input(SPEC_INPUT_DIRECTORY, "/usr/lib");
	for (long delay_us = 0; delay_us < 4000; delay_us += 50) {
		struct timespec delay = { .tv_nsec = delay_us * 1000 };
		int status;
		pid_t owner = fork();

		if (owner == 0) {
			box_start(sleeper);
			for (;;)
				pause();
		}
		nanosleep(&delay, NULL);
		ASSERT_OK(kill(owner, SIGKILL));
		ASSERT_EQ(waitpid(owner, &status, 0), owner);
		ASSERT_OK(cgroup_wait_empty(box.cgroup_fd, STEP_TIME_NS));
	}
}

TEST("the end of the go pipe ends a running sandbox")
{
	box_make(true);
	ASSERT_OK(box_start(sleeper));
	ASSERT_OK(spawn_go(&box.spawn));
	fd_close(&box.spawn.go_fd);
	expect_empty();
	ASSERT_OK(spawn_read_exit(&box.spawn, &box.end));
	EXPECT_EQ(box.end.signal, SIGKILL);
	ASSERT_OK(spawn_reap(&box.spawn));
}

TEARDOWN
{
	BOX_TEARDOWN;
}
