/* SPDX-License-Identifier: GPL-2.0-only */
/* The name server of a test, prog/playdns.c, at 127.0.0.1 in the test's own namespace. */
#ifndef REEVE_SELFTESTS_DNS_UPSTREAM_H
#define REEVE_SELFTESTS_DNS_UPSTREAM_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"

#define DESK_PORT 5300

/* Starts the name server; it dies with the test's process group. */
static inline void desk_upstream(void)
{
	char path[256], socket_path[256], port[16];
	struct stat st;

	snprintf(path, sizeof(path), "%s/playdns", getenv("PROG") ? getenv("PROG") : "build/prog");
	snprintf(socket_path, sizeof(socket_path), "%s/dns.sock", getenv("TMPDIR"));
	snprintf(port, sizeof(port), "%d", DESK_PORT);
	unlink(socket_path);
	if (fork() == 0) {
		execl(path, "playdns", "serve", socket_path, "127.0.0.1", port, NULL);
		_exit(127);
	}
	for (int i = 0; i < 500 && stat(socket_path, &st) < 0; i++)
		usleep(10000);
}

/* How often the name server was asked for @name, or for all with "-". */
static inline long desk_asked(const char *name)
{
	char command[512], line[64] = "-1";
	FILE *answer;

	snprintf(command, sizeof(command), "%s/playdns ask %s/dns.sock %s",
		 getenv("PROG") ? getenv("PROG") : "build/prog", getenv("TMPDIR"), name);
	answer = popen(command, "re");
	if (answer && fgets(line, sizeof(line), answer))
		pclose(answer);
	return atol(line);
}

#endif
