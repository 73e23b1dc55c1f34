// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client of a name whose addresses change all the time: it looks the name up and connects to port 443 of
 * one of the addresses, and every other time to one that it still knows and whose time is not over.
 *
 *	cdn NAME CONNECTS PAUSE-MS [STEADY]
 *
 * With STEADY the other times are for that name's address, which is looked up before and then every so often.
 * Prints "connects N failed N addresses N", and how each failure came about.
 */
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <netinet/in.h>
#include <resolv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT 443
#define ANSWER_MAX 64
#define KNOWN_MAX 4096
#define STEADY_AGAIN 100

struct known {
	uint32_t address; /* network order */
	uint64_t until_ms;
};

struct answer {
	struct known items[ANSWER_MAX];
	size_t n;
};

static struct known known[KNOWN_MAX]; /* each address once */
static size_t n_known;
static unsigned int failed;

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void fail(const char *what, uint32_t address)
{
	char text[INET_ADDRSTRLEN];

	failed++;
	printf("%s %s: %s\n", what, inet_ntop(AF_INET, &address, text, sizeof(text)),
	       strerrorname_np(errno));
}

static void know(const struct known *item)
{
	size_t at = 0;

	while (at < n_known && known[at].address != item->address)
		at++;
	if (at == KNOWN_MAX)
		return;
	n_known += at == n_known;
	known[at] = *item;
}

/* The first address's time is over when that of any is: the resolver gives all the same. */
static bool look_up(const char *name, struct answer *ret)
{
	uint8_t bytes[4096];
	int n = res_query(name, ns_c_in, ns_t_a, bytes, sizeof(bytes));
	ns_msg message;
	ns_rr record;

	ret->n = 0;
	if (n < 0 || ns_initparse(bytes, n, &message) < 0)
		return false;
	for (int i = 0; i < ns_msg_count(message, ns_s_an) && ret->n < ANSWER_MAX; i++) {
		struct known *item = &ret->items[ret->n];

		if (ns_parserr(&message, ns_s_an, i, &record) < 0 || ns_rr_rdlen(record) != 4)
			continue;
		memcpy(&item->address, ns_rr_rdata(record), 4);
		item->until_ms = now_ms() + 1000ull * ns_rr_ttl(record);
		know(item);
		ret->n++;
	}
	return ret->n > 0;
}

static void reach(const char *how, uint32_t address)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
					.sin_port = htons(PORT),
					.sin_addr = { address } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (const struct sockaddr *)&at, sizeof(at)) < 0)
		fail(how, address);
	close(fd);
}

static void reach_new(const char *name)
{
	struct answer answer;

	if (look_up(name, &answer))
		reach("new", answer.items[(size_t)rand() % answer.n].address);
	else
		fail("look-up of", 0);
}

static void reach_known(void)
{
	size_t from = (size_t)rand() % n_known;

	for (size_t i = 0; i < n_known; i++) {
		const struct known *item = &known[(from + i) % n_known];

		if (item->until_ms > now_ms()) {
			reach("known", item->address);
			return;
		}
	}
}

static void reach_steady(const char *name, unsigned int turn)
{
	static struct answer answer;

	if (turn % STEADY_AGAIN == 1 && !look_up(name, &answer))
		fail("look-up of", 0);
	else
		reach("steady", answer.items[0].address);
}

int main(int argc, char **argv)
{
	unsigned int connects;

	if (argc < 4 || argc > 5) {
		fprintf(stderr, "usage: cdn NAME CONNECTS PAUSE-MS [STEADY]\n");
		return 2;
	}
	connects = (unsigned int)atoi(argv[2]);
	for (unsigned int i = 0; i < connects; i++) {
		if (i % 2 == 0)
			reach_new(argv[1]);
		else if (argc == 5)
			reach_steady(argv[4], i);
		else
			reach_known();
		usleep((useconds_t)atoi(argv[3]) * 1000);
	}
	printf("connects %u failed %u addresses %zu\n", connects, failed, n_known);
	return failed > 0;
}
