// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client of name servers that says all it sees.
 *
 *	dnsask WAY SERVER[:PORT] NAME TYPE      WAY: udp, connected, tcp
 *	dnsask flood SERVER NAME SECONDS        as many questions as it can send
 *
 * Prints "rcode RCODE count ANSWERS tc TC from ADDRESS peer ADDRESS ttl TTL" and the addresses, a line; or
 * "errno NAME". FROM is where the answer says it comes from, PEER what getpeername() says.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define HEADER 12
#define PATIENCE_S 6
#define DNS_PORT 53

struct peer {
	struct sockaddr_storage addr;
	socklen_t len;
};

static void show(const struct peer *peer, char ret[INET6_ADDRSTRLEN])
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&peer->addr;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&peer->addr;

	if (peer->addr.ss_family == AF_INET)
		inet_ntop(AF_INET, &v4->sin_addr, ret, INET6_ADDRSTRLEN);
	else if (peer->addr.ss_family == AF_INET6)
		inet_ntop(AF_INET6, &v6->sin6_addr, ret, INET6_ADDRSTRLEN);
	else
		strcpy(ret, "-");
}

/* A port stands behind IPv4 addresses only. */
static void peer_read(char *text, struct peer *ret)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&ret->addr;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&ret->addr;
	char *port = strchr(text, '.') ? strchr(text, ':') : NULL;
	unsigned int number = DNS_PORT;

	memset(ret, 0, sizeof(*ret));
	if (port && port == strrchr(text, ':')) {
		number = (unsigned int)atoi(port + 1);
		*port = '\0';
	}
	v4->sin_port = htons((uint16_t)number);
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		ret->len = sizeof(*v4);
		return;
	}
	inet_pton(AF_INET6, text, &v6->sin6_addr);
	v6->sin6_family = AF_INET6;
	ret->len = sizeof(*v6);
}

static size_t question_write(uint8_t *to, const char *name, unsigned int type)
{
	const uint8_t header[HEADER] = { 0x12, 0x34, 1, 0, 0, 1 };
	uint8_t *at = to + HEADER;

	memcpy(to, header, HEADER);
	while (*name) {
		size_t n = strcspn(name, ".");

		*at++ = (uint8_t)n;
		memcpy(at, name, n);
		at += n;
		name += n + (name[n] == '.');
	}
	*at++ = 0;
	*at++ = (uint8_t)(type >> 8);
	*at++ = (uint8_t)type;
	*at++ = 0;
	*at++ = 1;
	return (size_t)(at - to);
}

static int fail(void)
{
	printf("errno %s\n", strerrorname_np(errno));
	return 1;
}

/* All records have the question's name as a pointer: so the resolver writes them. */
static void answer_show(const uint8_t *bytes, size_t n, size_t question, const struct peer *from,
			const struct peer *peer)
{
	char text[INET6_ADDRSTRLEN], other[INET6_ADDRSTRLEN];
	unsigned int count = (unsigned int)bytes[6] << 8 | bytes[7];
	const uint8_t *at = bytes + question, *end = bytes + n;

	show(from, text);
	show(peer, other);
	printf("rcode %u count %u tc %u from %s peer %s", bytes[3] & 0xfu, count,
	       bytes[2] >> 1 & 1u, text, other);
	if (count && end - at >= 12)
		printf(" ttl %u", (unsigned int)at[8] << 8 | at[9]);
	for (; count && end - at >= 12; count--) {
		size_t length = (size_t)at[10] << 8 | at[11];

		if (length != 4 && length != 16)
			break;
		printf(" %s",
		       inet_ntop(length == 4 ? AF_INET : AF_INET6, at + 12, text, sizeof(text)));
		at += 12 + length;
	}
	putchar('\n');
}

static int ask(const char *way, struct peer *server, const char *name, unsigned int type)
{
	uint8_t bytes[65536 + 2], *body = bytes + 2;
	const bool tcp = strcmp(way, "tcp") == 0, connected = tcp || strcmp(way, "connected") == 0;
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int fd = socket(server->addr.ss_family, tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
	struct peer from = { .len = sizeof(from.addr) }, peer = { .len = sizeof(peer.addr) };
	size_t question = question_write(body, name, type), have = 0;
	ssize_t n;

	bytes[0] = (uint8_t)(question >> 8);
	bytes[1] = (uint8_t)question;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connected && connect(fd, (struct sockaddr *)&server->addr, server->len) < 0)
		return fail();
	if (connected)
		getpeername(fd, (struct sockaddr *)&peer.addr, &peer.len);
	n = tcp ? send(fd, bytes, question + 2, MSG_NOSIGNAL)
		: sendto(fd, body, question, 0, connected ? NULL : (struct sockaddr *)&server->addr,
			 connected ? 0 : server->len);
	if (n < 0)
		return fail();
	do {
		n = recvfrom(fd, (tcp ? bytes : body) + have, sizeof(bytes) - 2 - have, 0,
			     (struct sockaddr *)&from.addr, &from.len);
		if (n <= 0)
			return n ? fail() : (puts("closed"), 1);
		have += (size_t)n;
	} while (tcp && (have < 2 || have < 2u + ((size_t)bytes[0] << 8 | bytes[1])));
	answer_show(body, have - (tcp ? 2 : 0), question, &from, &peer);
	return 0;
}

static int flood(const struct peer *server, const char *name, unsigned int seconds)
{
	uint8_t bytes[512];
	size_t n = question_write(bytes, name, 1);
	int fd = socket(server->addr.ss_family, SOCK_DGRAM, 0);
	time_t end = time(NULL) + (time_t)seconds;
	unsigned long sent = 0;

	while (time(NULL) <= end)
		for (unsigned int i = 0; i < 64; i++)
			sent += sendto(fd, bytes, n, MSG_DONTWAIT, (struct sockaddr *)&server->addr,
				       server->len) == (ssize_t)n;
	printf("sent %lu\n", sent);
	return 0;
}

int main(int argc, char **argv)
{
	struct peer server;

	if (argc != 5) {
		fprintf(stderr, "usage: dnsask WAY SERVER NAME TYPE | flood SERVER NAME SECONDS\n");
		return 2;
	}
	peer_read(argv[2], &server);
	if (strcmp(argv[1], "flood") == 0)
		return flood(&server, argv[3], (unsigned int)atoi(argv[4]));
	return ask(argv[1], &server, argv[3],
		   strcmp(argv[4], "A") == 0	  ? 1
		   : strcmp(argv[4], "AAAA") == 0 ? 28
						  : (unsigned int)atoi(argv[4]));
}
