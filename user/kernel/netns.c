// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network namespaces of sessions. One is made by the launching thread itself: unshare, set up, keep
 * a descriptor, and back by setns. A child that does it would cost a fork more than the 400 us that
 * the kernel takes for the namespace.
 *
 * /proc/sys/net and a socket show the namespace of the thread that opens them, so the set-up runs
 * between the two steps. Bringing lo up makes the kernel add 127.0.0.1/8 and ::1 by itself.
 *
 * A thread that cannot get back holds no network of the host any more. It must not go on as if it
 * did: -ENOTRECOVERABLE, and the process ends.
 */
#include "netns.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define SELF "/proc/thread-self/ns/net"

/*
 * What a new namespace takes over from the host's first one, or has by default, and a sandbox must
 * not or should not have. IPv4's per-device settings are copied: a host that forwards begets
 * namespaces that forward. Ping sockets need no row, a new namespace gives them to no group.
 */
static const struct setting {
	const char *path, *value;
} settings[] = {
	{ "/proc/sys/net/ipv4/ip_forward", "0" },
	/* uid 0 inside has no CAP_NET_BIND_SERVICE over this namespace. */
	{ "/proc/sys/net/ipv4/ip_unprivileged_port_start", "0" },
};

/*
 * BBR, which a new namespace takes over from the host, hands out single segments while the pace is low, and so
 * does a small estimate of the round trip's worth. Reno does not pace, and every kernel has it.
 */
static const struct setting whole_greetings[] = {
	{ "/proc/sys/net/ipv4/tcp_congestion_control", "reno" },
	{ "/proc/sys/net/ipv4/tcp_min_tso_segs", "16" },
};

static int setting_write(const struct setting *setting)
{
	_cleanup_fd_ int fd = open(setting->path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, setting->value, strlen(setting->value)) < 0)
		return -errno;
	return 0;
}

static int lo_up(void)
{
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING };

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		return -errno;
	return 0;
}

static int settings_write(const struct setting *rows, size_t n, struct fault *ret_fault)
{
	for (size_t i = 0; i < n; i++) {
		int r = setting_write(&rows[i]);

		if (r)
			return fault_set_errno(ret_fault, FAULT_START, rows[i].path,
					       "Mount /proc read-write for reeve.", -r,
					       "cannot set up the sandbox's network");
	}
	return 0;
}

/* Runs inside the new namespace. */
static int set_up(int *ret_fd, struct fault *ret_fault)
{
	_cleanup_fd_ int fd = -1;
	int r = settings_write(settings, ARRAY_SIZE(settings), ret_fault);

	if (r)
		return r;
	r = lo_up();
	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_START, "network", NULL, -r,
				       "cannot bring up the sandbox's loopback");
	fd = open(SELF, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fault_set_errno(ret_fault, FAULT_START, SELF, "Mount /proc.", errno,
				       "cannot open the sandbox's network namespace");
	*ret_fd = fd_take(&fd);
	return 0;
}

int netns_make(int *ret_fd, struct fault *ret_fault)
{
	_cleanup_fd_ int home = open(SELF, O_RDONLY | O_CLOEXEC);
	_cleanup_fd_ int fd = -1;
	int r;

	if (home < 0)
		return fault_set_errno(ret_fault, FAULT_START, SELF, "Mount /proc.", errno,
				       "cannot open the host's network namespace");
	if (unshare(CLONE_NEWNET) < 0)
		return fault_set_errno(ret_fault, FAULT_START, "network",
				       "Run reeve as root; look at /proc/sys/user/max_net_namespaces.",
				       errno, "cannot make a network namespace");
	r = set_up(&fd, ret_fault);
	if (setns(home, CLONE_NEWNET) < 0)
		return -ENOTRECOVERABLE;
	if (r)
		return r;
	*ret_fd = fd_take(&fd);
	return 0;
}

int netns_whole_greetings(int fd, struct fault *ret_fault)
{
	int home, r = netns_enter(fd, &home);

	if (r)
		return fault_set_errno(ret_fault, FAULT_START, "network", NULL, -r,
				       "cannot enter the sandbox's network namespace");
	r = settings_write(whole_greetings, ARRAY_SIZE(whole_greetings), ret_fault);
	return netns_leave(&home) ? -ENOTRECOVERABLE : r;
}

int netns_enter(int fd, int *ret_home)
{
	_cleanup_fd_ int home = open(SELF, O_RDONLY | O_CLOEXEC);

	if (home < 0 || setns(fd, CLONE_NEWNET) < 0)
		return -errno;
	*ret_home = fd_take(&home);
	return 0;
}

int netns_leave(int *home)
{
	if (setns(*home, CLONE_NEWNET) < 0)
		return -errno;
	fd_close(home);
	return 0;
}

int netns_identity(uint64_t *ret_inode)
{
	struct stat st;

	if (stat(SELF, &st) < 0)
		return -errno;
	*ret_inode = st.st_ino;
	return 0;
}
