// SPDX-License-Identifier: GPL-2.0-only
/*
 * load SHAPE N: a command that never ends by itself, for caps to stop. Runs in sandboxes and outside.
 *
 *	processes N	N processes that spin
 *	threads N	one process, N threads that spin
 *	chains N	N chains: each process lives for 0.2 ms and leaves a successor
 *
 * Should nothing stop it, it ends after some seconds: it must not outlive a broken measurement.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../user/base/macro.h"

#define LIFE_NS 15000000000ull
#define LINK_NS 200000ull

static uint64_t end_ns;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static void spin_until(uint64_t ns)
{
	while (now_ns() < ns)
		continue;
}

static void *spin(void *arg)
{
	spin_until(end_ns);
	return arg;
}

static void processes(int n)
{
	for (int i = 1; i < n; i++)
		if (fork() == 0)
			break;
	spin(NULL);
}

static void threads(int n)
{
	pthread_t thread;

	for (int i = 1; i < n; i++)
		if (pthread_create(&thread, NULL, spin, NULL))
			exit(1);
	spin(NULL);
}

static void chains(int n)
{
	for (int i = 0; i < n; i++) {
		if (fork())
			continue;
		while (now_ns() < end_ns) {
			spin_until(now_ns() + LINK_NS);
			if (fork())
				_exit(0);
		}
		_exit(0);
	}
	while (now_ns() < end_ns)
		pause();
}

static const struct {
	const char *name;
	void (*run)(int n);
} shapes[] = { { "processes", processes }, { "threads", threads }, { "chains", chains } };

int main(int argc, char **argv)
{
	end_ns = now_ns() + LIFE_NS;
	for (size_t i = 0; argc == 3 && i < ARRAY_SIZE(shapes); i++) {
		if (strcmp(argv[1], shapes[i].name) != 0)
			continue;
		shapes[i].run(atoi(argv[2]));
		return 0;
	}
	fprintf(stderr, "usage: load processes|threads|chains N\n");
	return 2;
}
