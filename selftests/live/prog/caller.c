// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single calls of the network from inside the sandbox, each told as one line: what was tried and "ok" or
 * the errno's name.
 *
 *	caller ask tcp|udp ADDRESS PORT    connects (and sends), prints the server's answer
 *	caller poll ADDRESS PORT           connects again and again, until that is refused with EPERM
 *	caller time ADDRESS PORT           the errno of a denied connect and datagram, and the best time in ns
 *	caller sockets                     makes a socket of each kind that there is
 *	caller bind ADDRESS                binds TCP and UDP
 *	caller loopback                    a server and its client inside, by each family and protocol
 *	caller listen PORT SECONDS         waits for whoever comes, prints how many came
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define POLL_SECONDS 8
#define ANSWER_MS 2000
#define TIMES 50

union name {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t name_of(const char *address, unsigned int port, union name *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->v4.sin_port = htons((uint16_t)port); /* at the same place in both */
	if (inet_pton(AF_INET, address, &ret->v4.sin_addr) == 1) {
		ret->any.sa_family = AF_INET;
		return sizeof(ret->v4);
	}
	ret->any.sa_family = AF_INET6;
	if (inet_pton(AF_INET6, address, &ret->v6.sin6_addr) != 1)
		exit(2);
	return sizeof(ret->v6);
}

static const char *told(int result)
{
	return result < 0 ? strerrorname_np(errno) : "ok";
}

static int ask(int type, const char *address, unsigned int port)
{
	union name name;
	socklen_t len = name_of(address, port, &name);
	int fd = socket(name.any.sa_family, type, 0);
	struct pollfd wait = { fd, POLLIN, 0 };
	char answer[512] = "";
	ssize_t n = 0, got;

	if (connect(fd, &name.any, len) < 0 || (type == SOCK_DGRAM && send(fd, "?", 1, 0) < 0)) {
		printf("%s %s\n", address, told(-1));
		return 1;
	}
	while (n < (ssize_t)sizeof(answer) - 1 && !strchr(answer, '}') &&
	       poll(&wait, 1, ANSWER_MS) == 1) {
		got = recv(fd, answer + n, sizeof(answer) - 1 - (size_t)n, 0);
		if (got <= 0)
			break;
		n += got;
	}
	printf("%s ok %s\n", address, answer);
	return n == 0;
}

/*
 * The errno of a connect, 0 for a connection. A connect that was let go just before its address was taken
 * away is lost on the way, and is not waited for.
 */
static int connect_errno(const char *address, unsigned int port)
{
	union name name;
	socklen_t len = name_of(address, port, &name), size = sizeof(int);
	int fd = socket(name.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK, 0), err = 0;
	struct pollfd wait = { fd, POLLOUT, 0 };

	if (connect(fd, &name.any, len) < 0)
		err = errno;
	if (err == EINPROGRESS && poll(&wait, 1, 100) == 1)
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size);
	close(fd);
	return err;
}

static int poll_until_refused(const char *address, unsigned int port)
{
	const struct timespec pause = { 0, 5000000 };
	const time_t end = time(NULL) + POLL_SECONDS;
	bool reached = false;

	setvbuf(stdout, NULL, _IONBF, 0);
	while (time(NULL) < end) {
		int err = connect_errno(address, port);

		if (err == EPERM) {
			printf("refused\n");
			return 0;
		}
		if (err == 0 && !reached)
			printf("reached\n");
		reached |= err == 0;
		nanosleep(&pause, NULL);
	}
	return 1;
}

static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The best of many: what else the machine does is no matter of the call. */
static int time_refusals(const char *address, unsigned int port)
{
	union name name;
	socklen_t len = name_of(address, port, &name);

	for (int udp = 0; udp < 2; udp++) {
		const char *said = "";
		long best = -1;

		for (int i = 0; i < TIMES; i++) {
			int fd = socket(name.any.sa_family, udp ? SOCK_DGRAM : SOCK_STREAM, 0);
			long began = now_ns(), took;

			said = told(udp ? (int)sendto(fd, "?", 1, 0, &name.any, len)
					: connect(fd, &name.any, len));
			took = now_ns() - began;
			best = best < 0 || took < best ? took : best;
			close(fd);
		}
		printf("%s %s %s best %ld\n", udp ? "udp" : "tcp", address, said, best);
	}
	return 0;
}

static const struct kind {
	const char *name;
	int family, type, protocol;
} kinds[] = {
	{ "tcp", AF_INET, SOCK_STREAM, 0 },
	{ "tcp6", AF_INET6, SOCK_STREAM, IPPROTO_TCP },
	{ "udp", AF_INET, SOCK_DGRAM, IPPROTO_UDP },
	{ "udp6", AF_INET6, SOCK_DGRAM, 0 },
	{ "unix", AF_UNIX, SOCK_STREAM, 0 },
	{ "unix-seqpacket", AF_UNIX, SOCK_SEQPACKET, 0 },
	{ "route", AF_NETLINK, SOCK_RAW, 0 },
	{ "mptcp", AF_INET, SOCK_STREAM, 262 },
	{ "mptcp6", AF_INET6, SOCK_STREAM, 262 },
	{ "udplite", AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE },
	{ "sctp", AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP },
	{ "sctp-stream", AF_INET6, SOCK_STREAM, IPPROTO_SCTP },
	{ "dccp", AF_INET, 6, 33 },
	{ "ping", AF_INET, SOCK_DGRAM, IPPROTO_ICMP },
	{ "ping6", AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6 },
	{ "raw", AF_INET, SOCK_RAW, IPPROTO_RAW },
	{ "raw-icmp", AF_INET, SOCK_RAW, IPPROTO_ICMP },
	{ "raw6", AF_INET6, SOCK_RAW, IPPROTO_RAW },
	{ "packet", AF_PACKET, SOCK_RAW, 0x0300 },
	{ "packet-dgram", AF_PACKET, SOCK_DGRAM, 0x0300 },
	{ "vsock", AF_VSOCK, SOCK_STREAM, 0 },
	{ "vsock-dgram", AF_VSOCK, SOCK_DGRAM, 0 },
	{ "netfilter", AF_NETLINK, SOCK_RAW, 12 },
	{ "sock-diag", AF_NETLINK, SOCK_RAW, 4 },
	{ "uevent", AF_NETLINK, SOCK_DGRAM, 15 },
	{ "generic", AF_NETLINK, SOCK_RAW, 16 },
	{ "audit", AF_NETLINK, SOCK_RAW, 9 },
	{ "alg", AF_ALG, SOCK_SEQPACKET, 0 },
	{ "key", AF_KEY, SOCK_RAW, 2 },
	{ "bluetooth", AF_BLUETOOTH, SOCK_RAW, 1 },
	{ "can", AF_CAN, SOCK_RAW, 1 },
	{ "tipc", AF_TIPC, SOCK_DGRAM, 0 },
	{ "rds", AF_RDS, SOCK_SEQPACKET, 0 },
	{ "xdp", AF_XDP, SOCK_RAW, 0 },
	{ "smc", AF_SMC, SOCK_STREAM, 0 },
	{ "qipcrtr", AF_QIPCRTR, SOCK_DGRAM, 0 },
	{ "x25", AF_X25, SOCK_SEQPACKET, 0 },
	{ "appletalk", AF_APPLETALK, SOCK_DGRAM, 0 },
};

static int sockets(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int fd = socket(kinds[i].family, kinds[i].type, kinds[i].protocol);

		printf("%s %s\n", kinds[i].name, told(fd));
		if (fd >= 0)
			close(fd);
	}
	return 0;
}

static int bind_both(const char *address)
{
	union name name;
	socklen_t len = name_of(address, 8080, &name);

	for (int i = 0; i < 2; i++) {
		int fd = socket(name.any.sa_family, i ? SOCK_DGRAM : SOCK_STREAM, 0);

		printf("%s %s\n", i ? "udp" : "tcp", told(bind(fd, &name.any, len)));
		close(fd);
	}
	return 0;
}

/* One byte from a client at @to to a server bound to @at. */
static const char *exchange(int type, const char *at, const char *to)
{
	union name server, client;
	socklen_t len = name_of(at, 9000, &server), client_len = name_of(to, 9000, &client);
	int on = 1, listener = socket(server.any.sa_family, type, 0);
	int fd = socket(client.any.sa_family, type, 0), from = listener;
	struct pollfd wait = { listener, POLLIN, 0 };
	char byte = 0;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, &server.any, len) < 0)
		return told(-1);
	if (type == SOCK_STREAM && listen(listener, 1) < 0)
		return told(-1);
	if (connect(fd, &client.any, client_len) < 0 || send(fd, "b", 1, 0) < 0)
		return told(-1);
	if (poll(&wait, 1, ANSWER_MS) != 1)
		return "silence";
	if (type == SOCK_STREAM)
		from = accept(listener, NULL, NULL);
	if (recv(from, &byte, 1, 0) != 1 || byte != 'b')
		return told(-1);
	close(from);
	close(listener);
	close(fd);
	return "ok";
}

static int loopback(void)
{
	static const char *const pairs[][2] = {
		{ "127.0.0.1", "127.0.0.1" },
		{ "0.0.0.0", "127.0.0.1" },
		{ "127.9.9.9", "127.9.9.9" },
		{ "::1", "::1" },
		{ "::", "::1" },
		{ "::", "::ffff:127.0.0.1" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (int udp = 0; udp < 2; udp++)
			printf("%s %s to %s %s\n", udp ? "udp" : "tcp", pairs[i][0], pairs[i][1],
			       exchange(udp ? SOCK_DGRAM : SOCK_STREAM, pairs[i][0], pairs[i][1]));
	return 0;
}

static int wait_for_guests(unsigned int port, int seconds)
{
	struct pollfd waits[2] = { { -1, POLLIN, 0 }, { -1, POLLIN, 0 } };
	unsigned int came = 0;
	time_t end = time(NULL) + seconds;

	for (int i = 0; i < 2; i++) {
		union name name;
		socklen_t len = name_of("::", port, &name);

		waits[i].fd = socket(AF_INET6, i ? SOCK_DGRAM : SOCK_STREAM, 0);
		if (bind(waits[i].fd, &name.any, len) < 0 || (!i && listen(waits[i].fd, 8) < 0))
			return 1;
	}
	printf("listening\n");
	fflush(stdout);
	while (time(NULL) < end) {
		char byte;

		if (poll(waits, 2, 100) <= 0)
			continue;
		if (waits[0].revents)
			came += accept(waits[0].fd, NULL, NULL) >= 0;
		if (waits[1].revents)
			came += recv(waits[1].fd, &byte, 1, 0) >= 0;
	}
	printf("came %u\n", came);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "ask") == 0 && argc == 5)
		return ask(argv[2][0] == 't' ? SOCK_STREAM : SOCK_DGRAM, argv[3],
			   (unsigned int)atoi(argv[4]));
	if (strcmp(what, "poll") == 0 && argc == 4)
		return poll_until_refused(argv[2], (unsigned int)atoi(argv[3]));
	if (strcmp(what, "time") == 0 && argc == 4)
		return time_refusals(argv[2], (unsigned int)atoi(argv[3]));
	if (strcmp(what, "sockets") == 0)
		return sockets();
	if (strcmp(what, "bind") == 0 && argc == 3)
		return bind_both(argv[2]);
	if (strcmp(what, "loopback") == 0)
		return loopback();
	if (strcmp(what, "listen") == 0 && argc == 4)
		return wait_for_guests((unsigned int)atoi(argv[2]), atoi(argv[3]));
	return 2;
}
