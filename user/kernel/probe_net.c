// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the network rows of an examination send and receive. A socket belongs to the cgroup and the
 * network namespace that it was made in: the caller's thread steps into the namespace for that moment
 * only, and stays in its own cgroup.
 */
#include "probe_net.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/macro.h"
#include "netns.h"

static int socket_make(uint16_t port, int *ret_fd)
{
	const struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || (port && bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0))
		return -errno;
	*ret_fd = fd_take(&fd);
	return 0;
}

int probe_socket(int netns_fd, uint16_t port, int *ret_fd)
{
	_cleanup_fd_ int fd = -1;
	int home, r = netns_enter(netns_fd, &home);

	if (r)
		return r;
	r = socket_make(port, &fd);
	if (netns_leave(&home))
		return -ENOTRECOVERABLE;
	if (r)
		return r;
	*ret_fd = fd_take(&fd);
	return 0;
}

int probe_send(int fd, struct in_addr address)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_addr = address,
		.sin_port = htons(PROBE_PORT),
	};

	return sendto(fd, "", 1, 0, (const struct sockaddr *)&to, sizeof(to)) < 0 ? -errno : 0;
}

int probe_receive(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char byte;
	int r = poll(&p, 1, timeout_ms);

	if (r <= 0)
		return r < 0 ? -errno : -ENOMSG;
	return recv(fd, &byte, 1, 0) < 0 ? -errno : 0;
}

static int setting_write(const char *path, const char *value)
{
	_cleanup_fd_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 || write(fd, value, strlen(value)) < 0 ? -errno : 0;
}

int probe_setting(int netns_fd, const char *path, const char *value)
{
	int home, r = netns_enter(netns_fd, &home);

	if (r)
		return r;
	r = setting_write(path, value);
	return netns_leave(&home) ? -ENOTRECOVERABLE : r;
}
