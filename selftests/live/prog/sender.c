// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends to every address of the address policy, in every way that a program has, and says what became of
 * it. It runs inside the sandbox, where nothing but itself and the table can be trusted to be there.
 *
 *	sender inside TABLE PORT     each edge of each row, in each form, by each way: what the kernel said
 *	                             is compared with the row; what is allowed must be answered by a server
 *	sender outside TABLE PORT    for a process of the session's network that is not of its cgroup: one
 *	                             datagram, one SYN and one raw packet to each, and no waiting
 *	sender forge SOURCE ADDRESS  a raw packet from a source that is not ours
 *
 * Prints "wrong ..." for each difference, "allowed ADDRESS" for each address that is public, and at the
 * end "denied N allowed N own N wrong N", then of denied TCP connects "median N most N" in microseconds, the
 * second being what 99 of 100 stay below.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../../address_forms.h"

#define ANSWER_MS 1000
#define TIMES_MAX 4096

union name {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

struct target {
	int family; /* 4 or 6 */
	union name name;
	socklen_t len;
	char text[INET6_ADDRSTRLEN];
};

static struct address_table table;
static unsigned int port, denied, allowed, own, wrong, n_times;
static unsigned int times_us[TIMES_MAX];

static void target_make(int family, address_bits bits, struct target *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->family = family;
	address_text(family, bits, ret->text);
	if (family == 4) {
		ret->name.v4.sin_family = AF_INET;
		ret->name.v4.sin_port = htons((uint16_t)port);
		inet_pton(AF_INET, ret->text, &ret->name.v4.sin_addr);
		ret->len = sizeof(ret->name.v4);
		return;
	}
	ret->name.v6.sin6_family = AF_INET6;
	ret->name.v6.sin6_port = htons((uint16_t)port);
	for (int i = 15; i >= 0; i--, bits >>= 8)
		ret->name.v6.sin6_addr.s6_addr[i] = (unsigned char)bits;
	ret->len = sizeof(ret->name.v6);
}

static int open_socket(int family, int type)
{
	return socket(family == 4 ? AF_INET : AF_INET6, type | SOCK_CLOEXEC, 0);
}

static int send_message(int fd, const struct target *target)
{
	struct iovec iov = { "x", 1 };
	struct msghdr message = {
		.msg_name = (void *)&target->name,
		.msg_namelen = target->len,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};

	return sendmsg(fd, &message, 0) < 0 ? -1 : fd;
}

/* --- ways: a descriptor on which an answer may come, or -1 with errno -------------------------------- */

static int way_tcp(const struct target *target)
{
	int fd = open_socket(target->family, SOCK_STREAM);

	return connect(fd, &target->name.any, target->len) < 0 ? -1 : fd;
}

/* A connect that is a send. */
static int way_fastopen(const struct target *target)
{
	int fd = open_socket(target->family, SOCK_STREAM);

	return sendto(fd, "x", 1, MSG_FASTOPEN, &target->name.any, target->len) < 0 ? -1 : fd;
}

static int way_udp(const struct target *target)
{
	int fd = open_socket(target->family, SOCK_DGRAM);

	if (connect(fd, &target->name.any, target->len) < 0)
		return -1;
	return send(fd, "x", 1, 0) < 0 ? -1 : fd;
}

static int way_sendto(const struct target *target)
{
	int fd = open_socket(target->family, SOCK_DGRAM);

	return sendto(fd, "x", 1, 0, &target->name.any, target->len) < 0 ? -1 : fd;
}

static int way_sendmsg(const struct target *target)
{
	return send_message(open_socket(target->family, SOCK_DGRAM), target);
}

/* Connected to where it may, then sent elsewhere: the address of the message counts. */
static int way_elsewhere(const struct target *target)
{
	struct target first;
	int fd = open_socket(target->family, SOCK_DGRAM);

	target_make(target->family,
		    target->family == 4 ? 0x08080808 : (address_bits)0x2606470047000000 << 64 | 1,
		    &first);
	if (connect(fd, &first.name.any, first.len) < 0)
		return -1;
	return send_message(fd, target);
}

/* An IPv4 address on an IPv6 socket, by three doors; and one that names no family. */
static int way_v4_on_v6_connect(const struct target *target)
{
	int fd = open_socket(6, SOCK_DGRAM);

	if (connect(fd, &target->name.any, target->len) < 0)
		return -1;
	return send(fd, "x", 1, 0) < 0 ? -1 : fd;
}

static int way_v4_on_v6_sendto(const struct target *target)
{
	int fd = open_socket(6, SOCK_DGRAM);

	return sendto(fd, "x", 1, 0, &target->name.any, target->len) < 0 ? -1 : fd;
}

static int way_unspec(const struct target *target)
{
	struct target nameless = *target;

	nameless.name.any.sa_family = AF_UNSPEC;
	return send_message(open_socket(target->family, SOCK_DGRAM), &nameless);
}

static const struct way {
	const char *name;
	int (*run)(const struct target *target);
	int family;   /* 0: both */
	bool unheard; /* an answer would come from whom the socket is not connected to */
} ways[] = {
	{ "tcp", way_tcp, 0, false },
	{ "fastopen", way_fastopen, 0, false },
	{ "udp", way_udp, 0, false },
	{ "sendto", way_sendto, 0, false },
	{ "sendmsg", way_sendmsg, 0, false },
	{ "elsewhere", way_elsewhere, 0, true },
	{ "v4-on-v6-connect", way_v4_on_v6_connect, 4, false },
	{ "v4-on-v6-sendto", way_v4_on_v6_sendto, 4, false },
	{ "unspec", way_unspec, 4, false },
};

static unsigned int now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned int)(now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

/* The server says at which address it was asked. */
static bool answered(int fd, const struct target *target)
{
	struct pollfd wait = { fd, POLLIN, 0 };
	const char *shown = target->text;
	char answer[512] = "", at[64];
	size_t n = 0;
	ssize_t got;

	if (strncmp(shown, "::ffff:", 7) == 0 && strchr(shown, '.'))
		shown += 7;
	snprintf(at, sizeof(at), "\"at\": \"%s\"", shown);
	while (!strstr(answer, at) && n < sizeof(answer) - 1 && poll(&wait, 1, ANSWER_MS) == 1) {
		got = recv(fd, answer + n, sizeof(answer) - 1 - n, 0);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	return strstr(answer, at);
}

static void tell_wrong(const struct way *way, const struct target *target, const char *form,
		       const char *what, int err)
{
	wrong++;
	printf("wrong %s %s %s: %s, %s\n", form, target->text, way->name, what,
	       err ? strerrorname_np(err) : "no errno");
}

/* Whether it is the session's own loopback, which is no business of the policy. */
static bool is_own(int family, address_bits bits)
{
	if (family == 6 && bits >> 32 == 0xffff)
		family = 4;
	return family == 4 ? (bits & 0xff000000) == 0x7f000000 : bits == 1;
}

static void way_check(const struct way *way, const struct target *target, const char *form, bool may)
{
	unsigned int began = now_us();
	int fd = way->run(target), err = fd < 0 ? errno : 0;
	unsigned int took = now_us() - began;

	if (may) {
		allowed++;
		if (fd < 0)
			tell_wrong(way, target, form, "not let out", err);
		else if (!way->unheard && !answered(fd, target))
			tell_wrong(way, target, form, "not answered", 0);
	} else {
		denied++;
		if (err != EPERM)
			tell_wrong(way, target, form, "not refused", err);
		if (way->run == way_tcp && n_times < TIMES_MAX)
			times_us[n_times++] = took;
	}
	closefrom(3);
}

static void inside(const struct address_row *row, int edge, const char *form, int family,
		   address_bits bits, void *arg)
{
	bool may = address_allowed(&table, family, bits);
	struct target target;

	(void)row;
	(void)edge;
	(void)arg;
	target_make(family, bits, &target);
	if (may)
		printf("allowed %s\n", target.text);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (ways[i].family && ways[i].family != family)
			continue;
		if (!is_own(family, bits)) {
			way_check(&ways[i], &target, form, may);
			continue;
		}
		own++;
		if (ways[i].run(&target) < 0 && errno == EPERM)
			tell_wrong(&ways[i], &target, form, "own loopback refused", errno);
		closefrom(3);
	}
}

/* --- from outside of the cgroup ---------------------------------------------------------------------- */

static void raw_v4(const struct target *target, const char *source)
{
	struct {
		struct iphdr ip;
		struct udphdr udp;
	} packet = {
		.ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP },
		.udp.source = htons(1),
		.udp.dest = htons((uint16_t)port),
		.udp.len = htons(8),
	};
	int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);

	if (source)
		inet_pton(AF_INET, source, &packet.ip.saddr);
	packet.ip.daddr = target->name.v4.sin_addr.s_addr;
	sendto(fd, &packet, sizeof(packet), 0, &target->name.any, target->len);
}

/* Over the pseudo header and the UDP header, as for a packet without data. */
static uint16_t checksum_v6(const struct ip6_hdr *ip, const struct udphdr *udp)
{
	const uint16_t *addresses = (const uint16_t *)&ip->ip6_src;
	uint32_t sum = htons(IPPROTO_UDP) + udp->source + udp->dest + 2u * udp->len;

	for (int i = 0; i < 16; i++)
		sum += addresses[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~((sum & 0xffff) + (sum >> 16));
}

static void raw_v6(const struct target *target, const char *source)
{
	struct {
		struct ip6_hdr ip;
		struct udphdr udp;
	} packet = {
		.ip.ip6_flow = htonl(6u << 28),
		.ip.ip6_plen = htons(sizeof(struct udphdr)),
		.ip.ip6_nxt = IPPROTO_UDP,
		.ip.ip6_hlim = 64,
		.ip.ip6_dst = target->name.v6.sin6_addr,
		.udp.source = htons(1),
		.udp.dest = htons((uint16_t)port),
		.udp.len = htons(8),
	};
	union name to = target->name;
	int fd = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);

	inet_pton(AF_INET6, source, &packet.ip.ip6_src);
	packet.udp.check = checksum_v6(&packet.ip, &packet.udp);
	to.v6.sin6_port = 0;
	sendto(fd, &packet, sizeof(packet), 0, &to.any, target->len);
}

static const char *own_v6;

static void outside(const struct address_row *row, int edge, const char *form, int family,
		    address_bits bits, void *arg)
{
	struct target target;
	int fd;

	(void)row;
	(void)edge;
	(void)form;
	(void)arg;
	target_make(family, bits, &target);
	if (address_allowed(&table, family, bits))
		printf("allowed %s\n", target.text);
	way_sendto(&target);
	fd = open_socket(family, SOCK_STREAM | SOCK_NONBLOCK);
	connect(fd, &target.name.any, target.len);
	if (family == 4)
		raw_v4(&target, NULL);
	else
		raw_v6(&target, own_v6);
	closefrom(3);
}

static int smaller(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

static void forge(const char *source, const char *address)
{
	int family = strchr(address, ':') ? 6 : 4;
	unsigned char bytes[16];
	address_bits bits = 0;
	struct target target;

	inet_pton(family == 4 ? AF_INET : AF_INET6, address, bytes);
	for (int i = 0; i < (family == 4 ? 4 : 16); i++)
		bits = bits << 8 | bytes[i];
	target_make(family, bits, &target);
	if (family == 4)
		raw_v4(&target, source);
	else
		raw_v6(&target, source);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "forge") == 0) {
		port = 443;
		forge(argv[2], argv[3]);
		return 0;
	}
	if (argc < 4 || !address_table_read(argv[2], &table))
		return 2;
	port = (unsigned int)atoi(argv[3]);
	if (strcmp(argv[1], "inside") == 0) {
		address_each(&table, inside, NULL);
		qsort(times_us, n_times, sizeof(times_us[0]), smaller);
		printf("denied %u allowed %u own %u wrong %u median %u most %u\n", denied, allowed,
		       own, wrong, n_times ? times_us[n_times / 2] : 0,
		       n_times ? times_us[n_times * 99 / 100] : 0);
		return wrong != 0;
	}
	own_v6 = argv[4];
	address_each(&table, outside, NULL);
	return 0;
}
