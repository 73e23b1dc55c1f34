// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workloads for the meter and the cap, as one static program that runs inside a sandbox and outside:
 *
 *	burn SHAPE NUMBER...	see the table at the end
 *
 * A time in µs is CPU time of the process or thread that spends it; 0 means: without end. Nothing here
 * lives longer than WALL_SECONDS, and a bomb makes no more processes than it is told, so that a cap that
 * fails costs seconds and no machine. Whoever starts others waits for all of them, also for those that
 * are no children of it any more: they hold the write end of a pipe.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC 1000000000ll
#define WALL_SECONDS 20

static char *const *arguments;
static long long end_ns;
static long *made;

static long number(int n)
{
	return arguments[n] ? atol(arguments[n]) : 0;
}

static long long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static int is_over(void)
{
	return clock_ns(CLOCK_MONOTONIC) >= end_ns;
}

static void spin(long us)
{
	long long until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + us * 1000ll;

	while (us == 0 || clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		if (is_over())
			return;
}

static void wait_children(void)
{
	while (wait(NULL) > 0 || errno == EINTR)
		continue;
}

/* A pipe at whose end everybody who holds its other end is gone. */
static int crowd_make(void)
{
	int ends[2];

	if (pipe(ends))
		exit(2);
	return ends[0];
}

static void crowd_wait(int fd)
{
	char byte;

	/* its write end is the next descriptor; this process is no part of the crowd */
	close(fd + 1);
	wait_children();
	while (read(fd, &byte, 1) > 0)
		continue;
}

static void shape_spin(void)
{
	spin(number(0));
}

static void *thread_main(void *arg)
{
	spin(*(long *)arg);
	return NULL;
}

static void shape_threads(void)
{
	pthread_t threads[64];
	long n = number(0), us = number(1);

	for (long i = 0; i < n && i < 64; i++)
		if (pthread_create(&threads[i], NULL, thread_main, &us))
			exit(2);
	for (long i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
}

static void shape_processes(void)
{
	for (long i = 0; i < number(0); i++)
		if (fork() == 0) {
			spin(number(1));
			_exit(0);
		}
	wait_children();
}

static void shape_forks(void)
{
	for (long i = 0; i < number(0) && !is_over(); i++) {
		if (fork() == 0) {
			spin(number(1));
			_exit(0);
		}
		wait_children();
	}
}

static void shape_execs(void)
{
	char path[] = "/proc/self/exe", name[] = "burn", shape[] = "nothing";
	char *argv[] = { name, shape, NULL };

	for (long i = 0; i < number(0) && !is_over(); i++) {
		if (fork() == 0) {
			execv(path, argv);
			_exit(127);
		}
		wait_children();
	}
}

static void shape_nothing(void)
{
}

static void shape_orphans(void)
{
	int crowd = crowd_make();

	for (long i = 0; i < number(0); i++)
		if (fork() == 0) {
			setsid();
			if (fork() == 0) {
				spin(number(1));
				_exit(0);
			}
			_exit(0);
		}
	crowd_wait(crowd);
}

/* Each process spends its time, starts the next one and is gone. */
static void shape_chains(void)
{
	int crowd = crowd_make();

	signal(SIGCHLD, SIG_IGN);
	for (long i = 0; i < number(0); i++) {
		if (fork() != 0)
			continue;
		for (long links = 0; (number(2) == 0 || links < number(2)) && !is_over(); links++) {
			spin(number(1));
			if (fork() != 0)
				_exit(0);
		}
		_exit(0);
	}
	crowd_wait(crowd);
}

/* Each process spends its time and starts two more, until all that may be made were made. */
static void shape_bomb(void)
{
	int crowd = crowd_make();
	pid_t pid = fork();

	signal(SIGCHLD, SIG_IGN);
	while (pid == 0) {
		int begun = 0;

		spin(number(0));
		for (int i = 0; i < 2 && !is_over(); i++) {
			if (__sync_add_and_fetch(made, 1) > number(1))
				_exit(0);
			pid = fork();
			if (pid == 0) {
				begun = 1;
				break;
			}
		}
		if (!begun)
			_exit(0);
	}
	crowd_wait(crowd);
}

static void shape_yields(void)
{
	for (long i = 0; i < number(0) && !is_over(); i++)
		sched_yield();
}

/* Work, a nap, work: what a server does; and a byte through a pipe each time. */
static void shape_naps(void)
{
	struct timespec nap = { .tv_nsec = 300 * 1000 };
	int ends[2];
	char byte = 0;

	if (pipe(ends))
		exit(2);
	for (long i = 0; i < number(0) && !is_over(); i++) {
		spin(number(1));
		nanosleep(&nap, NULL);
		if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			exit(2);
	}
}

static void shape_sleep(void)
{
	struct timespec left = { number(0) / 1000000, number(0) % 1000000 * 1000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		continue;
}

/* Spins, and takes no notice of SIGTERM. */
static void shape_deaf(void)
{
	signal(SIGTERM, SIG_IGN);
	spin(number(0));
}

static const struct {
	const char *name;
	void (*run)(void);
} shapes[] = {
	{ "spin", shape_spin },		  /* US */
	{ "deaf", shape_deaf },		  /* US */
	{ "threads", shape_threads },	  /* COUNT US */
	{ "processes", shape_processes }, /* COUNT US */
	{ "forks", shape_forks },	  /* COUNT US: one after the other */
	{ "execs", shape_execs },	  /* COUNT */
	{ "nothing", shape_nothing },
	{ "orphans", shape_orphans }, /* COUNT US: forked twice, in sessions of their own */
	{ "chains", shape_chains },   /* COUNT US LINKS; 0 links: without end */
	{ "bomb", shape_bomb },	      /* US TOTAL */
	{ "yields", shape_yields },   /* COUNT */
	{ "naps", shape_naps },	      /* COUNT US */
	{ "sleep", shape_sleep },     /* US */
};

int main(int argc, char **argv)
{
	arguments = argv + (argc > 1 ? 2 : 1);
	end_ns = clock_ns(CLOCK_MONOTONIC) + WALL_SECONDS * NSEC_PER_SEC;
	made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc < 2 || made == MAP_FAILED)
		return 2;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (strcmp(argv[1], shapes[i].name) == 0) {
			shapes[i].run();
			return 0;
		}
	fprintf(stderr, "burn: no shape \"%s\"\n", argv[1]);
	return 2;
}
