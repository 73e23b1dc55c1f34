/* SPDX-License-Identifier: GPL-2.0-only */
/* What the request of hand.h has left where. */
#ifndef REEVE_SELFTESTS_HAND_LOOK_H
#define REEVE_SELFTESTS_HAND_LOOK_H

#include <stdarg.h>
#include <string.h>

#include "hand_link.h"

/* The text of a file, "" where there is none; the next call overwrites it. */
HAND_STATIC const char *hand_read(const char *fmt, ...)
{
	static char text[65536];
	char path[1024];
	va_list args;
	ssize_t n;
	int fd;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

HAND_STATIC const char *hand_work(const char *name)
{
	return hand_read("%s/sessions/%s/%s/%s", hand.state, hand.session.id, "work", name);
}

HAND_STATIC const char *hand_output(void)
{
	return hand_read("%s/%s/stdout.log", hand.out, hand.plan.output_name);
}

/* Waits until the file in the workspace has text that is not @old. */
HAND_STATIC const char *hand_wait_work(const char *name, const char *old)
{
	uint64_t until = clock_monotonic_ns() + HAND_WAIT_MS * NSEC_PER_MSEC;
	const char *text;

	do {
		usleep(5000);
		text = hand_work(name);
	} while ((!strchr(text, '\n') || strcmp(text, old) == 0) && clock_monotonic_ns() < until);
	ASSERT_TRUE(strchr(text, '\n') != NULL);
	return text;
}

HAND_STATIC void hand_touch(const char *name)
{
	char path[1024];
	int fd;

	snprintf(path, sizeof(path), "%s/sessions/%s/%s/%s", hand.state, hand.session.id, "work",
		 name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	ASSERT_GE(fd, 0);
	close(fd);
}

HAND_STATIC int hand_request_cgroup(void)
{
	uint64_t id;
	int fd;

	ASSERT_OK(session_wake(&hand.session));
	ASSERT_OK(cgroup_open(hand.session.cgroup_fd, hand.plan.request_id, &fd, &id));
	return fd;
}

HAND_STATIC const char *hand_procs(void)
{
	int cgroup = hand_request_cgroup(), fd = openat(cgroup, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	static char text[4096];
	ssize_t n = read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	close(fd);
	close(cgroup);
	return text;
}

#endif
