// SPDX-License-Identifier: GPL-2.0-only
/*
 * One party of the playground: it answers on every address of its network namespace, and counts
 * what came.
 *
 *	playserver serve SOCKET PORT...           TCP and UDP on each port, until killed
 *	playserver ask SOCKET json                all counts, as JSON
 *	playserver ask SOCKET packets ADDRESS     IP packets that came for ADDRESS, dropped or not; "-" for all
 *	playserver ask SOCKET served ADDRESS      connections accepted and datagrams read at ADDRESS, or "-"
 *	playserver ask SOCKET reset               all counts are 0 again
 *
 * The answer says who asked whom, as the server sees it: one line of JSON {protocol, at, port,
 * from, from_port}, over TCP as an HTTP response that comes without waiting for a request. Packets
 * are counted at the devices (AF_PACKET), loopback and neighbour discovery aside, so that "0
 * packets" means that none left the other side. SOCKET exists from the moment that all ports are
 * open.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define COUNTS_MAX 4096
#define SOCKETS_MAX 4096
#define LOOPBACK_IFINDEX 1
#define ADDRESS_SIZE INET6_ADDRSTRLEN

enum kind {
	KIND_NONE,
	KIND_LISTENER,
	KIND_CONNECTION,
	KIND_DATAGRAM,
	KIND_PACKET,
	KIND_CONTROL,
};

struct count {
	struct in6_addr address; /* IPv4 as v4-mapped */
	unsigned int protocol;
	uint64_t n;
};

struct counts {
	struct count items[COUNTS_MAX];
	size_t n;
};

static struct counts packets, served;
static enum kind kinds[SOCKETS_MAX]; /* by descriptor */
static int epoll_fd, packet_fd;

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "playserver: %s: %s\n", what, strerror(errno));
	exit(1);
}

static const char *show(const struct in6_addr *address, char ret[ADDRESS_SIZE])
{
	if (IN6_IS_ADDR_V4MAPPED(address))
		return inet_ntop(AF_INET, &address->s6_addr[12], ret, ADDRESS_SIZE);
	return inet_ntop(AF_INET6, address, ret, ADDRESS_SIZE);
}

static void count_add(struct counts *counts, const struct in6_addr *address, unsigned int protocol)
{
	struct count *item = counts->items;

	for (; item < counts->items + counts->n; item++)
		if (item->protocol == protocol && memcmp(&item->address, address, 16) == 0)
			break;
	if (item == counts->items + COUNTS_MAX)
		return;
	if (item == counts->items + counts->n)
		counts->items[counts->n++] = (struct count){ *address, protocol, 0 };
	item->n++;
}

static void watch(int fd, enum kind kind)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (fd < 0 || fd >= SOCKETS_MAX || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		die("epoll");
	kinds[fd] = kind;
}

/* --- counting packets -------------------------------------------------------------------------------- */

static void packet_count(const uint8_t *bytes, ssize_t n, unsigned int ethertype)
{
	struct in6_addr to = {};

	if (ethertype == ETH_P_IP && n >= 20) {
		to.s6_addr[10] = to.s6_addr[11] = 0xff;
		memcpy(&to.s6_addr[12], bytes + 16, 4);
		count_add(&packets, &to, bytes[9]);
	} else if (ethertype == ETH_P_IPV6 && n >= 41) {
		const bool discovery = bytes[6] == IPPROTO_ICMPV6 && bytes[40] >= 133 &&
				       bytes[40] <= 137;
		const bool membership = bytes[6] == IPPROTO_HOPOPTS;

		memcpy(&to, bytes + 24, 16);
		if (!discovery && !membership)
			count_add(&packets, &to, bytes[6]);
	}
}

static void packets_drain(void)
{
	uint8_t bytes[64];
	struct sockaddr_ll from;
	socklen_t len = sizeof(from);
	ssize_t n;

	while ((n = recvfrom(packet_fd, bytes, sizeof(bytes), MSG_DONTWAIT,
			     (struct sockaddr *)&from, &len)) >= 0) {
		if (from.sll_pkttype != PACKET_OUTGOING && from.sll_ifindex != LOOPBACK_IFINDEX)
			packet_count(bytes, n, ntohs(from.sll_protocol));
		len = sizeof(from);
	}
}

/* --- answering --------------------------------------------------------------------------------------- */

static int answer_write(char *ret, size_t size, const char *protocol, const struct sockaddr_in6 *at,
			const struct sockaddr_in6 *from)
{
	char at_shown[ADDRESS_SIZE], from_shown[ADDRESS_SIZE];

	return snprintf(ret, size,
			"{\"protocol\": \"%s\", \"at\": \"%s\", \"port\": %u, \"from\": \"%s\", "
			"\"from_port\": %u}\n",
			protocol, show(&at->sin6_addr, at_shown), ntohs(at->sin6_port),
			show(&from->sin6_addr, from_shown), ntohs(from->sin6_port));
}

static void connection_accept(int listener)
{
	struct sockaddr_in6 at, from;
	socklen_t at_len = sizeof(at), from_len = sizeof(from);
	int fd = accept4(listener, (struct sockaddr *)&from, &from_len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	char body[256];
	int n;

	if (fd < 0)
		return;
	if (fd >= SOCKETS_MAX || getsockname(fd, (struct sockaddr *)&at, &at_len) < 0) {
		close(fd);
		return;
	}
	count_add(&served, &at.sin6_addr, IPPROTO_TCP);
	n = answer_write(body, sizeof(body), "tcp", &at, &from);
	dprintf(fd,
		"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		n, body);
	shutdown(fd, SHUT_WR);
	/* Closed with bytes unread it would reset the connection under its client. */
	watch(fd, KIND_CONNECTION);
}

static void connection_drain(int fd)
{
	char bytes[65536];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n > 0 || (n < 0 && errno == EAGAIN))
		return;
	kinds[fd] = KIND_NONE;
	close(fd);
}

static void datagram_answer(int fd)
{
	char question[65536], body[256];
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	struct sockaddr_in6 from, at = { .sin6_family = AF_INET6 };
	socklen_t at_len = sizeof(at);
	struct iovec iov = { question, sizeof(question) };
	struct msghdr message = { .msg_name = &from,
				  .msg_namelen = sizeof(from),
				  .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header;

	if (recvmsg(fd, &message, MSG_DONTWAIT) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &at_len) < 0)
		return;
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_type != IPV6_PKTINFO)
		return;
	at.sin6_addr = ((struct in6_pktinfo *)CMSG_DATA(header))->ipi6_addr;
	((struct in6_pktinfo *)CMSG_DATA(header))->ipi6_ifindex = 0;
	count_add(&served, &at.sin6_addr, IPPROTO_UDP);
	iov = (struct iovec){ body, (size_t)answer_write(body, sizeof(body), "udp", &at, &from) };
	sendmsg(fd, &message, MSG_DONTWAIT);
}

/* --- telling ----------------------------------------------------------------------------------------- */

static void put_counts(FILE *to, const char *name, const char *key, const struct counts *counts)
{
	char address[ADDRESS_SIZE];

	fprintf(to, "\"%s\": [", name);
	for (size_t i = 0; i < counts->n; i++)
		fprintf(to, "%s{\"%s\": \"%s\", \"protocol\": %u, \"count\": %" PRIu64 "}",
			i ? ", " : "", key, show(&counts->items[i].address, address),
			counts->items[i].protocol, counts->items[i].n);
	fputs("]", to);
}

static void put_sum(FILE *to, const struct counts *counts, const char *address)
{
	char shown[ADDRESS_SIZE];
	uint64_t sum = 0;

	for (size_t i = 0; i < counts->n; i++)
		if (strcmp(address, "-") == 0 ||
		    strcmp(address, show(&counts->items[i].address, shown)) == 0)
			sum += counts->items[i].n;
	fprintf(to, "%" PRIu64 "\n", sum);
}

static void control_answer(int listener)
{
	char question[128] = "", address[ADDRESS_SIZE] = "-";
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r+");

	if (!file || !fgets(question, sizeof(question), file))
		die("control");
	packets_drain();
	fseek(file, 0, SEEK_CUR);
	if (sscanf(question, "packets %45s", address) == 1)
		put_sum(file, &packets, address);
	else if (sscanf(question, "served %45s", address) == 1)
		put_sum(file, &served, address);
	else if (strcmp(question, "reset\n") == 0)
		packets.n = served.n = 0;
	else {
		fputs("{", file);
		put_counts(file, "packets", "to", &packets);
		fputs(", ", file);
		put_counts(file, "served", "at", &served);
		fputs("}\n", file);
	}
	fclose(file);
}

/* --- running ----------------------------------------------------------------------------------------- */

static void port_open(unsigned int port)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6,
					  .sin6_port = htons((uint16_t)port) };
	const int on = 1, off = 0;
	int tcp = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int udp = socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (setsockopt(tcp, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    setsockopt(tcp, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0 ||
	    setsockopt(udp, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0 ||
	    setsockopt(udp, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on)) < 0 ||
	    /* It answers from addresses that only a route makes its own. */
	    setsockopt(udp, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof(on)) < 0 ||
	    bind(tcp, (const struct sockaddr *)&any, sizeof(any)) < 0 || listen(tcp, 512) < 0 ||
	    bind(udp, (const struct sockaddr *)&any, sizeof(any)) < 0)
		die("port");
	watch(tcp, KIND_LISTENER);
	watch(udp, KIND_DATAGRAM);
}

static int unix_socket(const char *path, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path, sizeof(ret->sun_path), "%s", path);
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static void serve_one(int fd)
{
	switch (kinds[fd]) {
	case KIND_LISTENER:
		connection_accept(fd);
		break;
	case KIND_CONNECTION:
		connection_drain(fd);
		break;
	case KIND_DATAGRAM:
		datagram_answer(fd);
		break;
	case KIND_PACKET:
		packets_drain();
		break;
	case KIND_CONTROL:
		control_answer(fd);
		break;
	case KIND_NONE:
		break;
	}
}

_Noreturn static void serve(const char *path, char **ports)
{
	const int receive_bytes = 8 << 20;
	struct epoll_event events[64];
	struct sockaddr_un address;
	int control = unix_socket(path, &address);

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	packet_fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_ALL));
	setsockopt(packet_fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive_bytes, sizeof(receive_bytes));
	watch(packet_fd, KIND_PACKET);
	for (; *ports; ports++)
		port_open((unsigned int)atoi(*ports));
	if (bind(control, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(control, 64) < 0)
		die(path);
	watch(control, KIND_CONTROL);
	for (;;) {
		int n = epoll_wait(epoll_fd, events, 64, -1);

		for (int i = 0; i < n; i++)
			serve_one(events[i].data.fd);
	}
}

static int ask(const char *path, char **question)
{
	struct sockaddr_un address;
	int fd = unix_socket(path, &address);
	char bytes[65536];
	ssize_t n;

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die(path);
	dprintf(fd, "%s%s%s\n", question[0], question[1] ? " " : "", question[1] ? question[1] : "");
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		if (write(STDOUT_FILENO, bytes, (size_t)n) < 0)
			die("write");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && strcmp(argv[1], "serve") == 0)
		serve(argv[2], argv + 3);
	if (argc >= 4 && strcmp(argv[1], "ask") == 0)
		return ask(argv[2], argv + 3);
	fprintf(stderr, "usage: playserver serve SOCKET PORT... | ask SOCKET QUESTION\n");
	return 2;
}
