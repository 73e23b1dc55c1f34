/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session's resolver: answers on the session's own loopback, asks the host's name servers. What it may
 * answer and what becomes of an address is the owner's to say, by callbacks.
 */
#ifndef REEVE_RESOLVER_H
#define REEVE_RESOLVER_H

#include <stdbool.h>

#include "../../include/decide.h"
#include "../kernel/dnssock.h"
#include "../model/dns_counts.h"

struct event_base;
struct resolver;

struct resolver_args {
	const struct dnssock *socks; /* opened; the caller's, and open for as long as the resolver lives */
	/* Whether @name, in lower case and without a last dot, may be asked for; NULL: any. */
	bool (*allowed)(const char *name, void *arg);
	/* The servers to ask now. Returns 0 or -errno. */
	int (*servers)(struct dnssock_servers *ret, void *arg);
	/* Whether the session may reach @addr; REASON_OK, or why it is left out. */
	enum reason (*judge)(const struct decide_addr *addr, void *arg);
	/*
	 * Called before @addr is answered for @name: it may be reached for @life_s seconds. Returns 0, or
	 * -errno: then it is left out. NULL where nothing depends on it.
	 */
	int (*publish)(const char *name, const struct decide_addr *addr, uint64_t life_s, void *arg);
	/* A name that may not be asked for, or an address left out of the answer for it; @addr or NULL. */
	void (*refused)(enum reason reason, const char *name, const struct decide_addr *addr,
			void *arg);
	void *arg;
};

/* Serves while @base runs. Returns 0 or -errno. */
int resolver_new(struct event_base *base, const struct resolver_args *args, struct resolver **ret);
void resolver_free(struct resolver *resolver);

/* What it did until now. */
void resolver_counts(const struct resolver *resolver, struct dns_counts *ret);

#endif
