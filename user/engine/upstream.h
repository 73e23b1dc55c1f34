/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One question to the name servers of the host: over UDP, over TCP where the reply is too long, to the next
 * server when one is silent, cannot answer, or answers nonsense.
 */
#ifndef REEVE_UPSTREAM_H
#define REEVE_UPSTREAM_H

#include "../kernel/dnssock.h"
#include "../model/dns.h"

struct event_base;
struct upstream;

struct upstream_args {
	const struct dnssock_servers *servers; /* copied */
	unsigned int first;		       /* the server to begin with */
	const char *name;
	uint16_t type;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
	/*
	 * Called once, from the loop, never before upstream_start() has returned: with what server @server
	 * said, or with NULL when none said anything that could be used. Must free the upstream.
	 */
	void (*done)(const struct dns_digest *digest, unsigned int server, void *arg);
	void *arg;
};

/* Returns 0 or -errno. */
int upstream_start(struct event_base *base, const struct upstream_args *args, struct upstream **ret);
void upstream_free(struct upstream *upstream);

#endif
