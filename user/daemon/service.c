// SPDX-License-Identifier: GPL-2.0-only
/*
 * The protocol is small: variables of the environment, and datagrams to a unix socket. Variables that name
 * another process than this one were meant for it.
 */
#include "service.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../base/str.h"

#define FIRST_FD 3

static bool variable_u64(const char *name, uint64_t *ret)
{
	const char *value = getenv(name);

	return value && str_to_u64(value, UINT64_MAX, ret);
}

static bool is_for_us(const char *name)
{
	uint64_t pid;

	return variable_u64(name, &pid) && pid == (uint64_t)getpid();
}

static bool is_listening(int fd)
{
	int domain = 0, type = 0, listens = 0;
	socklen_t n = sizeof(int);

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n);
	getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n);
	getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n);
	return domain == AF_UNIX && type == SOCK_STREAM && listens;
}

int service_take_socket(int *ret_fd, struct fault *ret_fault)
{
	uint64_t n = 0;
	bool ours = is_for_us("LISTEN_PID") && variable_u64("LISTEN_FDS", &n);

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (!ours || n == 0) {
		*ret_fd = -1;
		return 0;
	}
	if (n != 1 || !is_listening(FIRST_FD))
		return fault_set(
			ret_fault, FAULT_USAGE, "LISTEN_FDS",
			"give one ListenStream= with the path of a unix socket",
			"the service manager does not hand over exactly one listening unix socket");
	fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
	fcntl(FIRST_FD, F_SETFL, O_NONBLOCK);
	*ret_fd = FIRST_FD;
	return 0;
}

void service_notify(const char *state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	_cleanup_fd_ int fd = -1;
	size_t n = path ? strlen(path) : 0;

	if (n < 2 || n >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(address.sun_path, path, n);
	if (path[0] == '@')
		address.sun_path[0] = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
		       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
}

uint64_t service_watchdog_us(void)
{
	uint64_t us = 0;

	if (!variable_u64("WATCHDOG_USEC", &us) ||
	    (getenv("WATCHDOG_PID") && !is_for_us("WATCHDOG_PID")))
		return 0;
	return us;
}
