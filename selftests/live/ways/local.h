/* SPDX-License-Identifier: GPL-2.0-only */
/* Attempts by what the outside left within reach: descriptors, unix sockets, processes, and by kernel objects. */
#ifndef REEVE_SELFTESTS_LIVE_WAYS_LOCAL_H
#define REEVE_SELFTESTS_LIVE_WAYS_LOCAL_H

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "inet.h"

/* What a process of the outside holds, and whoever is started with it: connected sockets, by family. */
#define OUTSIDE_FD 100

/* Where the outside is. */
struct outside {
	const char *dir;   /* of its unix socket and its devices */
	const char *name;  /* of its abstract unix socket */
	const char *procs; /* of a cgroup that is not the session's */
	pid_t pid;
};

extern struct outside outside;

static inline int family_index(const struct target *t)
{
	return t->family == AF_INET6;
}

static inline int try_inherited(const struct target *t)
{
	return (int)send(OUTSIDE_FD + family_index(t), "x", 1, 0);
}

static inline socklen_t outside_name(bool abstract, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (!abstract)
		snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/socket", outside.dir);
	else
		snprintf(ret->sun_path + 1, sizeof(ret->sun_path) - 1, "%s", outside.name);
	return (socklen_t)sizeof(*ret);
}

static inline int outside_connect(bool abstract)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un name;
	socklen_t len = outside_name(abstract, &name);

	return connect(fd, (struct sockaddr *)&name, len) < 0 ? -1 : fd;
}

static inline int try_unix_path(const struct target *t)
{
	(void)t;
	return outside_connect(false);
}

static inline int try_unix_abstract(const struct target *t)
{
	(void)t;
	return outside_connect(true);
}

/* The outside gives four sockets: of those two attempts, by family. */
static inline int try_rights(const struct target *t, bool abstract)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	int fd = outside_connect(abstract), fds[4];

	if (fd < 0 || recvmsg(fd, &message, 0) != 1 || !CMSG_FIRSTHDR(&message))
		return -1;
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fds));
	return (int)send(fds[2 * abstract + family_index(t)], "x", 1, 0);
}

static inline int try_rights_path(const struct target *t)
{
	return try_rights(t, false);
}

static inline int try_rights_abstract(const struct target *t)
{
	return try_rights(t, true);
}

static inline int try_getfd(const struct target *t)
{
	int pidfd = (int)syscall(SYS_pidfd_open, outside.pid, 0), fd;

	if (pidfd < 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, OUTSIDE_FD + family_index(t), 0);
	return fd < 0 ? -1 : way_send_connected(fd, t);
}

static inline int try_cgroup_move(const struct target *t)
{
	int fd = open(outside.procs, O_WRONLY | O_CLOEXEC);

	(void)t;
	return fd < 0 ? -1 : (int)write(fd, "0", 1);
}

#endif
