/* SPDX-License-Identifier: GPL-2.0-only */
/* What is seen of a hall's sessions from outside of it. */
#ifndef REEVE_SELFTESTS_HALL_LOOK_H
#define REEVE_SELFTESTS_HALL_LOOK_H

#include <fcntl.h>
#include <stdarg.h>

#include "../user/kernel/cgroup.h"
#include "hall_ask.h"

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

HAND_STATIC const char *hand_work(const char *id, const char *name)
{
	return hand_read("%s/sessions/%s/%s/%s", hand.state, id, "work", name);
}

HAND_STATIC const char *hand_output(const struct desk_request *request)
{
	return hand_read("%s/%s/stdout.log", hand.out, hand_row(request).output_name);
}

HAND_STATIC void hand_touch(const char *id, const char *name)
{
	char path[1024];
	int fd;

	snprintf(path, sizeof(path), "%s/sessions/%s/%s/%s", hand.state, id, "work", name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	ASSERT_GE(fd, 0);
	close(fd);
}

HAND_STATIC const char *hand_procs(const struct desk_request *request)
{
	char mount[256] = "/sys/fs/cgroup/unified";
	FILE *f = popen("findmnt -n -t cgroup2 -o TARGET | head -n 1", "r");

	if (f) {
		if (fscanf(f, "%255s", mount) != 1)
			mount[0] = '\0';
		pclose(f);
	}
	return hand_read("%s/%s/%s/%s/cgroup.procs", mount, hand.parent, request->session_id,
			 request->id);
}

/* What the kernel itself has counted for the session. */
HAND_STATIC uint64_t hand_cpu_stat(const char *id)
{
	int fd, mount_fd, parent_fd;
	uint64_t ns = 0, cgroup;
	struct fault fault = {};

	ASSERT_OK(cgroup_mount_open(&mount_fd, &fault));
	ASSERT_OK(cgroup_parent_open(mount_fd, hand.parent, false, &parent_fd, &cgroup, &fault));
	ASSERT_OK(cgroup_open(parent_fd, id, &fd, &cgroup));
	ASSERT_OK(cgroup_read_cpu_ns(fd, &ns));
	close(fd);
	close(parent_fd);
	close(mount_fd);
	return ns;
}

#endif
