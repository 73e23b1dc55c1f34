// SPDX-License-Identifier: GPL-2.0-only
/*
 * A name server that does what the first label of the name says, and counts what it was asked.
 *
 *	playdns serve SOCKET ADDRESS PORT     UDP and TCP, until killed
 *	playdns ask SOCKET NAME               questions for NAME since the start; "-" for all
 *
 *	rotate    4 of 200 addresses, other ones each time, time 1 to 30     many     200 addresses
 *	wide      the same with 1,000 addresses                              mixed    both, in embeddings
 *	rebind    a public address, then private ones in turn, in embeddings
 *	nx        no such name        nodata    no data                       refused  refused
 *	chain     a chain of three    cut       a chain without its end       loop     a chain that turns back
 *	slow      after a second      dead      never                         silent   nothing, but over TCP
 *	wrong     forged replies in front of the right one                    plain    a format error for EDNS
 *	ttl0      time 0              ttlmax    the longest time              half     a message that is cut
 *
 * Other names have 93.184.215.1 and 2606:2800:21f::1. A is answered for A and AAAA for AAAA. SOCKET exists
 * from the moment that the port is open.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NAMES_MAX 4096
#define HEADER 12
#define TYPE_A 1
#define TYPE_CNAME 5
#define TYPE_SOA 6
#define TYPE_AAAA 28
#define TTL 60
#define ROTATION 200
#define ROTATION_WIDE 1000

struct reply {
	uint8_t bytes[65536];
	size_t n;
	unsigned int answers, authorities, flags;
};

struct question {
	const uint8_t *bytes;
	size_t n, end; /* of the question section */
	char name[256];
	unsigned int type;
	bool edns, tcp;
	unsigned int number; /* how often this name was asked before */
};

static struct {
	char name[256];
	unsigned int n;
} names[NAMES_MAX];
static size_t n_names;
static unsigned int total, rotation;

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "playdns: %s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned int *count_of(const char *name)
{
	for (size_t i = 0; i < n_names; i++)
		if (strcasecmp(names[i].name, name) == 0)
			return &names[i].n;
	if (n_names == NAMES_MAX)
		return &names[0].n;
	snprintf(names[n_names].name, sizeof(names[n_names].name), "%s", name);
	return &names[n_names++].n;
}

static void put16(struct reply *reply, unsigned int value)
{
	reply->bytes[reply->n++] = (uint8_t)(value >> 8);
	reply->bytes[reply->n++] = (uint8_t)value;
}

static void put_name(struct reply *reply, const char *name)
{
	while (*name) {
		size_t n = strcspn(name, ".");

		reply->bytes[reply->n++] = (uint8_t)n;
		memcpy(reply->bytes + reply->n, name, n);
		reply->n += n;
		name += n + (name[n] == '.');
	}
	reply->bytes[reply->n++] = 0;
}

static void put_record(struct reply *reply, const char *owner, unsigned int type, uint32_t ttl)
{
	if (owner)
		put_name(reply, owner);
	else
		put16(reply, 0xc000 | HEADER);
	put16(reply, type);
	put16(reply, 1);
	put16(reply, ttl >> 16);
	put16(reply, ttl & 0xffff);
}

static void put_address(struct reply *reply, const char *owner, uint32_t ttl, const char *address)
{
	uint8_t data[16];
	bool v4 = inet_pton(AF_INET, address, data) == 1;

	if (!v4 && inet_pton(AF_INET6, address, data) != 1)
		die(address);
	put_record(reply, owner, v4 ? TYPE_A : TYPE_AAAA, ttl);
	put16(reply, v4 ? 4 : 16);
	memcpy(reply->bytes + reply->n, data, v4 ? 4 : 16);
	reply->n += v4 ? 4 : 16;
	reply->answers++;
}

static void put_cname(struct reply *reply, const char *owner, const char *target)
{
	size_t length;

	put_record(reply, owner, TYPE_CNAME, TTL);
	length = reply->n;
	put16(reply, 0);
	put_name(reply, target);
	reply->bytes[length] = 0;
	reply->bytes[length + 1] = (uint8_t)(reply->n - length - 2);
	reply->answers++;
}

static void put_soa(struct reply *reply)
{
	put_record(reply, "test", TYPE_SOA, TTL);
	put16(reply, 22);
	memset(reply->bytes + reply->n, 0, 22);
	reply->n += 22;
	reply->authorities++;
}

static void put_many(struct reply *reply, const struct question *question, unsigned int n,
		     unsigned int range)
{
	char address[64];

	for (unsigned int i = 0; i < n; i++, rotation++) {
		unsigned int number = rotation % range;

		if (question->type == TYPE_A)
			snprintf(address, sizeof(address), "93.184.%u.%u", 216 + number / 200,
				 1 + number % 200);
		else
			snprintf(address, sizeof(address), "2606:2800:220::%x", 1 + number);
		put_address(reply, NULL, 1 + rotation % 30, address);
	}
}

static void put_usual(struct reply *reply, const char *owner, unsigned int type, uint32_t ttl)
{
	if (type == TYPE_A)
		put_address(reply, owner, ttl, "93.184.215.1");
	else if (type == TYPE_AAAA)
		put_address(reply, owner, ttl, "2606:2800:21f::1");
	else
		put_soa(reply);
}

static void put_mixed(struct reply *reply, unsigned int type)
{
	static const char *const v4[] = { "10.0.0.1", "127.0.0.1", "169.254.169.254", "93.184.215.1" };
	static const char *const v6[] = {
		"::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1", "fd00::1", "::1",
		"2606:2800:21f::1"
	};

	for (size_t i = 0; type == TYPE_A && i < 4; i++)
		put_address(reply, NULL, TTL, v4[i]);
	for (size_t i = 0; type == TYPE_AAAA && i < 6; i++)
		put_address(reply, NULL, TTL, v6[i]);
}

static void put_private(struct reply *reply, const struct question *question)
{
	static const char *const v4[] = { "10.0.0.1",	 "127.0.0.1",	"169.254.169.254",
					  "192.168.7.1", "172.16.0.1",	"100.64.0.1",
					  "0.0.0.0",	 "192.168.7.2", "93.184.215.2" };
	static const char *const v6[] = { "fd00:7::1",
					  "::ffff:10.0.0.1",
					  "64:ff9b::a00:1",
					  "64:ff9b:1::a00:1",
					  "2002:a00:1::1",
					  "2001:0:a00:1::1",
					  "::10.0.0.1",
					  "::ffff:0:10.0.0.1",
					  "fe80::7:1",
					  "::1",
					  "::",
					  "2606:2800:21f::2" };
	unsigned int turn = question->number - 1;

	put_address(reply, NULL, TTL,
		    question->type == TYPE_A ? v4[turn % (sizeof(v4) / sizeof(*v4))]
					     : v6[turn % (sizeof(v6) / sizeof(*v6))]);
}

static void put_chain(struct reply *reply, unsigned int type)
{
	put_cname(reply, NULL, "one.cdn.test");
	put_cname(reply, "one.cdn.test", "two.cdn.test");
	put_cname(reply, "two.cdn.test", "end.cdn.test");
	put_usual(reply, "end.cdn.test", type, 5);
}

/* What the first label says. False: no reply. */
static bool behave(const struct question *question, struct reply *reply)
{
	char label[64];

	snprintf(label, sizeof(label), "%.*s", (int)strcspn(question->name, "."), question->name);
#define IS(name) (strcasecmp(label, name) == 0)
	if (IS("dead") || (IS("silent") && !question->tcp))
		return false;
	if (IS("slow"))
		nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
	if (IS("nx"))
		reply->flags |= 3;
	else if (IS("refused"))
		reply->flags |= 5;
	else if (IS("plain") && question->edns)
		reply->flags |= 1;
	else if (IS("nodata"))
		put_soa(reply);
	else if (IS("rotate"))
		put_many(reply, question, 4, ROTATION);
	else if (IS("wide"))
		put_many(reply, question, 4, ROTATION_WIDE);
	else if (IS("many"))
		put_many(reply, question, ROTATION, ROTATION);
	else if (IS("rebind") && question->number > 0)
		put_private(reply, question);
	else if (IS("mixed"))
		put_mixed(reply, question->type);
	else if (IS("chain"))
		put_chain(reply, question->type);
	else if (IS("cut"))
		put_cname(reply, NULL, "end.cdn.test");
	else if (IS("loop"))
		put_cname(reply, NULL, question->name);
	else
		put_usual(reply, NULL, question->type,
			  IS("ttl0")	 ? 0
			  : IS("ttlmax") ? 0x7fffffff
					 : TTL);
	if (IS("half"))
		reply->n -= 3;
#undef IS
	return true;
}

static bool question_read(const uint8_t *bytes, size_t n, struct question *ret)
{
	size_t at = HEADER, to = 0;

	if (n < HEADER + 5)
		return false;
	while (at < n && bytes[at]) {
		size_t length = bytes[at];

		if (length > 63 || at + length + 6 > n || to + length + 2 > sizeof(ret->name))
			return false;
		if (to)
			ret->name[to++] = '.';
		memcpy(ret->name + to, bytes + at + 1, length);
		to += length;
		at += length + 1;
	}
	ret->name[to] = '\0';
	ret->bytes = bytes;
	ret->n = n;
	ret->end = at + 5;
	ret->type = (unsigned int)bytes[at + 1] << 8 | bytes[at + 2];
	ret->edns = bytes[11] != 0;
	return ret->end <= n;
}

/* Returns whether there is a reply. */
static bool answer(struct question *question, struct reply *reply)
{
	unsigned int *count = count_of(question->name);

	reply->answers = reply->authorities = 0;
	reply->flags = 0x8180;
	question->number = (*count)++;
	total++;
	memcpy(reply->bytes, question->bytes, question->end);
	reply->n = question->end;
	if (!behave(question, reply))
		return false;
	if (!question->tcp && reply->n > 512) {
		reply->flags |= 0x0200;
		reply->answers = reply->authorities = 0;
		reply->n = question->end;
	}
	memset(reply->bytes + 2, 0, 10);
	reply->bytes[2] = (uint8_t)(reply->flags >> 8);
	reply->bytes[3] = (uint8_t)reply->flags;
	reply->bytes[5] = 1;
	reply->bytes[6] = (uint8_t)(reply->answers >> 8);
	reply->bytes[7] = (uint8_t)reply->answers;
	reply->bytes[9] = (uint8_t)reply->authorities;
	return true;
}

static void datagram(int fd)
{
	static struct reply reply;
	uint8_t bytes[4096];
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	struct question question = { .tcp = false };
	ssize_t n = recvfrom(fd, bytes, sizeof(bytes), MSG_DONTWAIT, (struct sockaddr *)&from, &len);

	if (n < 0 || !question_read(bytes, (size_t)n, &question) || !answer(&question, &reply))
		return;
	for (unsigned int i = 1; strncasecmp(question.name, "wrong.", 6) == 0 && i < 5; i++) {
		reply.bytes[1] = (uint8_t)(reply.bytes[1] + i);
		sendto(fd, reply.bytes, reply.n, 0, (struct sockaddr *)&from, len);
		reply.bytes[1] = (uint8_t)(reply.bytes[1] - i);
	}
	sendto(fd, reply.bytes, reply.n, 0, (struct sockaddr *)&from, len);
}

/* One question a connection: all that is asked of an upstream. */
static void connection(int listener)
{
	static struct reply reply;
	uint8_t bytes[4098];
	struct question question = { .tcp = true };
	const struct timeval patience = { .tv_sec = 1 };
	int fd = accept(listener, NULL, NULL);
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	n = recv(fd, bytes, sizeof(bytes), 0);
	if (n > 2 && question_read(bytes + 2, (size_t)n - 2, &question) && answer(&question, &reply)) {
		const uint8_t head[] = { (uint8_t)(reply.n >> 8), (uint8_t)reply.n };

		send(fd, head, 2, MSG_MORE);
		send(fd, reply.bytes, reply.n, 0);
	}
	close(fd);
}

static void control(int listener)
{
	char name[300] = "";
	int fd = accept(listener, NULL, NULL);
	ssize_t n = read(fd, name, sizeof(name) - 1);

	if (n > 0)
		dprintf(fd, "%u\n", strcmp(name, "-") == 0 ? total : *count_of(name));
	close(fd);
}

static int unix_socket(const char *path, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path, sizeof(ret->sun_path), "%s", path);
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

_Noreturn static void serve(const char *path, const char *address, const char *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };
	int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un un;
	int ask = unix_socket(path, &un);
	struct pollfd wait[] = { { udp, POLLIN, 0 }, { tcp, POLLIN, 0 }, { ask, POLLIN, 0 } };
	const int on = 1;

	setsockopt(tcp, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (inet_pton(AF_INET, address, &at.sin_addr) != 1 ||
	    bind(udp, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    bind(tcp, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(tcp, 64) < 0 ||
	    bind(ask, (struct sockaddr *)&un, sizeof(un)) < 0 || listen(ask, 16) < 0)
		die(address);
	for (;;) {
		poll(wait, 3, -1);
		if (wait[0].revents)
			datagram(udp);
		if (wait[1].revents)
			connection(tcp);
		if (wait[2].revents)
			control(ask);
	}
}

static int ask(const char *path, const char *name)
{
	struct sockaddr_un un;
	int fd = unix_socket(path, &un);
	char bytes[64];
	ssize_t n;

	if (connect(fd, (struct sockaddr *)&un, sizeof(un)) < 0 || write(fd, name, strlen(name)) < 0)
		die(path);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		if (write(STDOUT_FILENO, bytes, (size_t)n) < 0)
			die("write");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "serve") == 0)
		serve(argv[2], argv[3], argv[4]);
	if (argc == 4 && strcmp(argv[1], "ask") == 0)
		return ask(argv[2], argv[3]);
	fprintf(stderr, "usage: playdns serve SOCKET ADDRESS PORT | ask SOCKET NAME\n");
	return 2;
}
