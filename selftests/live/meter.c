// SPDX-License-Identifier: GPL-2.0-only
/*
 * The meter against the kernel's own account. Each test runs one shape of work in a session made by hand
 * and compares the session's usage with the cpu.stat of its cgroup, which covers all that ever ran below
 * it: too little would be unpaid work, too much somebody else's.
 *
 * cpu.stat tells whole microseconds; the bound is 0.1 % or 100 µs.
 */
#include "meter_burn.h"

#include <sys/time.h>

TEARDOWN
{
	desk_remove_all();
}

/* Whatever the shape does, it has to have used at least @least_us, or nothing was measured. */
static void meter_equals(const char *words, uint64_t least_us)
{
	struct guard guard;
	struct usage usage;
	struct desk desk;
	uint64_t stat_ns;

	desk_guard_open(&guard);
	desk_open(&guard, "busy", &desk);
	burn_start(desk.request_fd, words);
	desk_wait(&desk, &usage, &stat_ns);
	EXPECT_TRUE(desk_agrees(usage.cpu_ns, stat_ns));
	EXPECT_GE(usage.cpu_ns, least_us * 1000);
	EXPECT_EQ(usage.kills, 0);
	desk_close(&desk);
	guard_close(&guard);
}

TEST("a spinner is charged what cpu.stat says")
{
	meter_equals("spin 300000", 300000);
}

TEST("eight threads are")
{
	meter_equals("threads 8 50000", 400000);
}

TEST("a thousand times fork and exec are")
{
	meter_equals("execs 1000", 100000);
}

TEST("ten thousand forks of 0.2 ms, each shorter than a tick, are", .seconds = 90)
{
	meter_equals("forks 10000 200", 2000000);
}

TEST("orphans, forked twice and in sessions of their own, are")
{
	meter_equals("orphans 6 40000", 240000);
}

TEST("chains of processes of 1 ms are")
{
	meter_equals("chains 4 1000 60", 240000);
}

TEST("a bomb of processes of 0.2 ms is")
{
	meter_equals("bomb 200 1500", 300000);
}

TEST("work between naps and bytes through a pipe is")
{
	meter_equals("naps 400 300", 120000);
}

TEST("a hundred thousand yields are")
{
	meter_equals("yields 100000", 1000);
}

static void nested_make(const struct desk *desk, unsigned int levels, int *ret_fd)
{
	int fd = dup(desk->request_fd), below;
	uint64_t id;

	for (unsigned int i = 0; i < levels; i++) {
		ASSERT_OK(cgroup_create(fd, "below", &below, &id));
		close(fd);
		fd = below;
	}
	*ret_fd = fd;
}

TEST("cgroups made below the request's, as deep as they may be, are charged to the session")
{
	uint64_t stat_ns, id;
	struct guard guard;
	struct usage usage;
	struct desk desk;
	int deep, deeper;

	desk_guard_open(&guard);
	desk_open(&guard, "busy", &desk);
	/* the request's cgroup is the first level */
	nested_make(&desk, REEVE_CGROUP_DEPTH_MAX - 1, &deep);
	EXPECT_EQ(cgroup_create(deep, "more", &deeper, &id), -EAGAIN);
	burn_start(deep, "processes 4 50000");
	burn_start(desk.request_fd, "spin 50000");
	desk_wait(&desk, &usage, &stat_ns);
	EXPECT_TRUE(desk_agrees(usage.cpu_ns, stat_ns));
	EXPECT_GE(usage.cpu_ns, 250000000);
	desk_close(&desk);
}

static void move_to(int cgroup_fd, pid_t pid)
{
	_cleanup_fd_ int fd = openat(cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);

	ASSERT_GE(fd, 0);
	EXPECT_GT(dprintf(fd, "%d", pid), 0);
}

TEST("a process that is moved about below its session stays charged")
{
	struct guard guard;
	struct usage usage;
	struct desk desk;
	uint64_t stat_ns;
	int below;
	pid_t pid;

	desk_guard_open(&guard);
	desk_open(&guard, "busy", &desk);
	nested_make(&desk, 2, &below);
	pid = burn_start(desk.request_fd, "spin 300000");
	for (int i = 0; i < 6; i++) {
		nap_ms(20);
		move_to(i % 2 ? desk.request_fd : below, pid);
	}
	desk_wait(&desk, &usage, &stat_ns);
	EXPECT_TRUE(desk_agrees(usage.cpu_ns, stat_ns));
	EXPECT_GE(usage.cpu_ns, 300000000);
	desk_close(&desk);
}

/* In the test's own cgroup: work of the host. */
static void host_start(const char *words)
{
	pid_t pid = fork();

	if (pid == 0)
		burn_exec(words);
	ASSERT_GT(pid, 0);
}

TEST("the host's own work beside a session is charged to nobody")
{
	struct guard guard;
	struct usage usage;
	struct desk desk;
	uint64_t stat_ns;

	desk_guard_open(&guard);
	desk_open(&guard, "idle", &desk);
	host_start("threads 4 100000");
	host_start("forks 300 200");
	burn_start(desk.request_fd, "sleep 300000");
	while (waitpid(-1, NULL, 0) > 0)
		continue;
	desk_wait(&desk, &usage, &stat_ns);
	EXPECT_TRUE(desk_agrees(usage.cpu_ns, stat_ns));
	EXPECT_LT(usage.cpu_ns, 20000000);
	desk_close(&desk);
}

TEST("two sessions and the host at once are each charged their own")
{
	struct usage usage_a, usage_b;
	uint64_t stat_a, stat_b;
	struct desk a, b;
	struct guard guard;

	desk_guard_open(&guard);
	desk_open(&guard, "one", &a);
	desk_open(&guard, "two", &b);
	host_start("processes 2 100000");
	burn_start(a.request_fd, "chains 3 1000 40");
	burn_start(b.request_fd, "threads 3 100000");
	burn_start(b.request_fd, "naps 100 300");
	desk_wait(&a, &usage_a, &stat_a);
	desk_wait(&b, &usage_b, &stat_b);
	EXPECT_TRUE(desk_agrees(usage_a.cpu_ns, stat_a));
	EXPECT_TRUE(desk_agrees(usage_b.cpu_ns, stat_b));
	EXPECT_GE(usage_a.cpu_ns, 120000000);
	EXPECT_GE(usage_b.cpu_ns, 330000000);
	desk_close(&a);
	desk_close(&b);
}

static volatile sig_atomic_t alarms;

static void woken(int number)
{
	(void)number;
	alarms++;
}

/* Takes the policy into @state while a spinner runs, and waits for its end. */
static void end_by_state(const char *name, enum policy_state state, bool frozen)
{
	struct guard guard;
	struct usage usage;
	struct desk desk;
	uint64_t stat_ns;

	desk_guard_open(&guard);
	desk_open(&guard, name, &desk);
	burn_start(desk.request_fd, "spin 60000000");
	nap_ms(30);
	if (frozen)
		ASSERT_OK(cgroup_freeze(desk.request_fd, true));
	desk.policy.state = state;
	desk_change(&desk);
	if (frozen) {
		nap_ms(60);
		desk_usage(&desk, &usage);
		EXPECT_EQ(usage.kills, 0);
		ASSERT_OK(cgroup_freeze(desk.request_fd, false));
	}
	desk_wait(&desk, &usage, &stat_ns);
	EXPECT_TRUE(desk_agrees(usage.cpu_ns, stat_ns));
	EXPECT_GE(usage.kills, 1);
	EXPECT_LT(usage.cpu_ns, 10 * NSEC_PER_SEC);
	desk_close(&desk);
}

TEST("what runs in a closed or wiped session is killed, and metered until then")
{
	end_by_state("closed", POLICY_CLOSED, false);
	end_by_state("wiped", POLICY_WIPED, false);
}

TEST("a paused session stays frozen and alive; who thaws it without opening it has it killed")
{
	end_by_state("thawed", POLICY_PAUSED, true);
}

TEST("a paused session that was not frozen is killed as it runs")
{
	end_by_state("paused", POLICY_PAUSED, false);
}

TEST("signals that reach a frozen process do not end it, and it goes on when the session is opened")
{
	struct guard guard;
	struct usage usage;
	struct desk desk;
	uint64_t stat_ns;
	pid_t pid;

	desk_guard_open(&guard);
	desk_open(&guard, "frozen", &desk);
	pid = desk_fork(desk.request_fd);
	if (pid == 0) {
		const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };

		signal(SIGALRM, woken);
		setitimer(ITIMER_REAL, &often, NULL);
		while (alarms < 200)
			pause();
		_exit(7);
	}
	nap_ms(20);
	for (int i = 0; i < 20; i++) {
		ASSERT_OK(cgroup_freeze(desk.request_fd, true));
		desk.policy.state = POLICY_PAUSED;
		desk_change(&desk);
		nap_ms(5);
		kill(pid, i % 2 ? SIGURG : SIGCHLD);
		nap_ms(5);
		desk.policy.state = POLICY_OPEN;
		desk_change(&desk);
		ASSERT_OK(cgroup_freeze(desk.request_fd, false));
		nap_ms(2);
	}
	desk_usage(&desk, &usage);
	EXPECT_EQ(usage.kills, 0);
	desk_wait(&desk, &usage, &stat_ns);
	EXPECT_EQ(usage.kills, 0);
	EXPECT_TRUE(desk_agrees(usage.cpu_ns, stat_ns));
	desk_close(&desk);
}
