/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a resolver among themselves: resolver.c serves datagrams and decides, resolver_tcp.c serves
 * connections, resolver_ask.c takes one question through the upstream.
 */
#ifndef REEVE_RESOLVER_PARTS_H
#define REEVE_RESOLVER_PARTS_H

#include <sys/queue.h>

#include "../model/dns.h"
#include "resolver.h"

struct ask;
struct event;
struct tcp_client;

/* Who is to be answered: a connection, or a datagram socket and the address behind it. */
struct client {
	struct tcp_client *tcp;
	int fd;
	struct dnssock_peer from;
};

struct listener {
	struct resolver *resolver;
	struct event *readable;
};

#define RESOLVER_LISTENERS (2 * DNSSOCK_FAMILIES)

struct resolver {
	struct event_base *base;
	struct resolver_args args;
	struct dns_counts counts;
	struct listener listeners[RESOLVER_LISTENERS];
	struct event *resume;
	uint64_t credit_ns, credited_at_ns; /* a question costs what a second has for one */
	bool paused;
	unsigned int server; /* the last one that answered */
	LIST_HEAD(asks, ask) asks;
	unsigned int n_asks;
	TAILQ_HEAD(tcp_clients, tcp_client) clients; /* the one that was silent longest first */
	unsigned int n_clients;
};

/* Pays for one question. False when there is no credit: then everyone waits for a while. */
bool resolver_pay(struct resolver *resolver);

/* One message of a client, paid for. Answers at once, or asks. */
void resolver_take(struct resolver *resolver, const struct client *client, const uint8_t *bytes,
		   size_t n);

/* Returns whether the client must come again over TCP. */
bool resolver_answer(struct resolver *resolver, const struct client *client,
		     const struct dns_question *question, const struct dns_answer *answer);

/* --- one question on its way ------------------------------------------------------------------------- */

/* Returns 0 or -errno: then the client has no answer. */
int ask_start(struct resolver *resolver, const struct client *client,
	      const struct dns_question *question);
/* Forgets those of a connection that is gone; of everyone for NULL. */
void asks_cancel(struct resolver *resolver, const struct tcp_client *client);

/* --- connections ------------------------------------------------------------------------------------- */

void tcp_accept(struct resolver *resolver, int listener_fd);
void tcp_send(struct tcp_client *client, const uint8_t *bytes, size_t n);
/* One question fewer is on its way: reads on, or ends. The client may be gone behind. */
void tcp_settled(struct tcp_client *client);
void tcp_asked(struct tcp_client *client);
/* There is credit again. */
void tcp_resume(struct resolver *resolver);
void tcp_free_all(struct resolver *resolver);

#endif
