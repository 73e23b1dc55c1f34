/* SPDX-License-Identifier: GPL-2.0-only */
/* What a client in the session's namespace does with its resolver, over UDP and TCP. */
#ifndef REEVE_SELFTESTS_DNS_CLIENT_H
#define REEVE_SELFTESTS_DNS_CLIENT_H

#include <poll.h>
#include <sys/socket.h>

#include "../../include/policy.h"
#include "../dns_message.h"
#include "../test.h"

static inline int client_socket(int type)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
					.sin_port = htons(POLICY_RESOLVER_PORT),
					.sin_addr = { htonl(POLICY_RESOLVER_V4) } };
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	ASSERT_OK(connect(fd, (const struct sockaddr *)&at, sizeof(at)));
	return fd;
}

/* A question with its length in front; returns how many bytes, length included. */
static inline size_t client_question(struct dns_message *m, const char *name, unsigned int type)
{
	static struct dns_message body;

	dns_begin(&body, 7, 0x0100, 1, 0, 0, 0);
	dns_put_question(&body, name, type, ns_c_in);
	m->n = 0;
	dns_put16(m, (unsigned int)body.n);
	dns_put(m, body.bytes, body.n);
	return m->n;
}

/* The code of the next answer, or -1 when none comes in time. */
static inline int client_rcode(int fd, bool tcp, int timeout_ms)
{
	struct pollfd wait = { fd, POLLIN, 0 };
	uint8_t bytes[65536];
	ssize_t n;

	if (poll(&wait, 1, timeout_ms) != 1)
		return -1;
	n = tcp ? recv(fd, bytes, 2, MSG_WAITALL) : recv(fd, bytes, sizeof(bytes), 0);
	if (tcp && n == 2)
		n = recv(fd, bytes, ns_get16(bytes), MSG_WAITALL);
	return n < 12 ? -1 : bytes[3] & 0xf;
}

static inline int client_ask(int fd, bool tcp, const char *name, unsigned int type, int timeout_ms)
{
	static struct dns_message m;
	size_t n = client_question(&m, name, type);

	if (send(fd, m.bytes + (tcp ? 0 : 2), n - (tcp ? 0 : 2), MSG_NOSIGNAL) < 0)
		return -1;
	return client_rcode(fd, tcp, timeout_ms);
}

#endif
