// SPDX-License-Identifier: GPL-2.0-only
/*
 * The proof that the policy holds here, before a byte of the command runs: this very process, in the
 * request's cgroup and network namespace, tries to reach metadata addresses over each protocol and
 * family that a session may use, and must be refused with EPERM. Without a policy it would get another
 * errno (no route, in progress) or a connection; either is a failed step.
 *
 * The sockets do not block: an unguarded connect cannot hang the start.
 */
#include "proof.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/macro.h"

#define PROBE_PORT 80

/* 169.254.169.254 and fd00:ec2::254 */
static const struct sockaddr_in probe_v4 = {
	.sin_family = AF_INET,
	.sin_addr.s_addr = __builtin_bswap32(0xa9fea9fe),
	.sin_port = __builtin_bswap16(PROBE_PORT),
};
static const struct sockaddr_in6 probe_v6 = {
	.sin6_family = AF_INET6,
	.sin6_addr.s6_addr = { 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54 },
	.sin6_port = __builtin_bswap16(PROBE_PORT),
};

static const struct probe {
	int type;
	const void *addr;
	socklen_t len;
} probes[PROOF_CONNECTS] = {
	{ SOCK_DGRAM, &probe_v4, sizeof(probe_v4) },
	{ SOCK_STREAM, &probe_v4, sizeof(probe_v4) },
	{ SOCK_DGRAM, &probe_v6, sizeof(probe_v6) },
	{ SOCK_STREAM, &probe_v6, sizeof(probe_v6) },
};

static int probe_denied(const struct probe *probe)
{
	const struct sockaddr *addr = probe->addr;
	_cleanup_fd_ int fd = socket(addr->sa_family, probe->type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, addr, probe->len) == 0)
		return -EISCONN;
	return errno == EPERM ? 0 : -errno;
}

int proof_denied(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		int r = probe_denied(&probes[i]);

		if (r < 0)
			return r;
	}
	return 0;
}
