// SPDX-License-Identifier: GPL-2.0-only
/*
 * The caps, kept by the kernel alone: no engine runs, nobody reads the events, nobody writes cgroup.kill.
 * Each shape of work would run for 20 s; it must be dead soon after its session has used its cap up, and
 * have spent little more.
 *
 * What is spent past the cap is one tick a processor for what runs at the moment, and the span in which
 * it dies for each process. The bounds are what was measured, times three or more, and a tick of a
 * processor on top for each: they hold on a loaded machine, and tell a cap that works from one that does
 * not.
 */
#include <sys/sysinfo.h>

#include "meter_burn.h"

#define CAP_NS (100 * NSEC_PER_MSEC)
#define ROUNDS_MAX 5
#define TICK_MS 10 /* where HZ is 100 */

TEARDOWN
{
	desk_remove_all();
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* One session from its start to its death; returns what it has spent past its cap. */
static uint64_t overshoot(const struct guard *guard, const char *words, unsigned int round)
{
	uint64_t stat_ns, begin = clock_monotonic_ns();
	struct usage usage;
	struct desk desk;
	char name[32];

	snprintf(name, sizeof(name), "capped-%u", round);
	desk_open(guard, name, &desk);
	desk.policy.cpu_cap_ns = CAP_NS;
	desk_change(&desk);
	burn_start(desk.request_fd, words);
	desk_wait(&desk, &usage, &stat_ns);
	printf("dead after %llu ms, %llu kills\n",
	       (unsigned long long)((clock_monotonic_ns() - begin) / NSEC_PER_MSEC),
	       (unsigned long long)usage.kills);
	/* of threads that are killed, a part of a tick was seen in cpu.stat alone, once in hundreds of rounds */
	if (!desk_agrees(usage.cpu_ns, stat_ns))
		EXPECT_LE(stat_ns - usage.cpu_ns, TICK_MS * NSEC_PER_MSEC);
	EXPECT_GE(usage.cpu_ns, CAP_NS);
	EXPECT_GE(usage.kills, 1);
	EXPECT_EQ(usage.stopped_generation, desk.policy.generation);
	desk_close(&desk);
	return usage.cpu_ns - CAP_NS;
}

static void cap_holds(const char *words, uint64_t bound_ms)
{
	const char *sanitized = getenv("SANITIZED");
	unsigned int rounds = sanitized && *sanitized ? 1 : ROUNDS_MAX;
	uint64_t over[ROUNDS_MAX];
	struct guard guard;

	desk_guard_open(&guard);
	for (unsigned int i = 0; i < rounds; i++)
		over[i] = overshoot(&guard, words, i);
	qsort(over, rounds, sizeof(over[0]), by_value);
	printf("%s: past the cap of %llu ms: median %.1f ms, most %.1f ms\n", words,
	       CAP_NS / NSEC_PER_MSEC, (double)over[rounds / 2] / NSEC_PER_MSEC,
	       (double)over[rounds - 1] / NSEC_PER_MSEC);
	bound_ms += (uint64_t)get_nprocs() * TICK_MS;
	EXPECT_LE(over[rounds - 1], bound_ms * NSEC_PER_MSEC);
}

TEST("the cap stops one spinner")
{
	cap_holds("spin 0", 15);
}

TEST("the cap stops eight threads")
{
	cap_holds("threads 8 0", 25);
}

TEST("the cap stops eight processes")
{
	cap_holds("processes 8 0", 100);
}

TEST("the cap stops thirty-two processes")
{
	cap_holds("processes 32 0", 300);
}

TEST("the cap stops chains of processes of 1 ms")
{
	cap_holds("chains 8 1000 0", 25);
}

TEST("the cap stops chains of processes of 0.2 ms")
{
	cap_holds("chains 16 200 0", 50);
}

TEST("the cap stops a bomb of processes of 0.2 ms")
{
	cap_holds("bomb 200 10000", 150);
}
