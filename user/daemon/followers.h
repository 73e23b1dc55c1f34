/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Followers of what happens, by server-sent events. Each gets every event behind the one it names, in order and
 * once, first from the ledger, then as they come; what the ledger no longer holds is told as a "gap".
 */
#ifndef REEVE_FOLLOWERS_H
#define REEVE_FOLLOWERS_H

#include "http.h"

struct event_base;
struct followers;
struct ledger;

int followers_new(struct event_base *base, struct ledger *ledger, unsigned int heartbeat_ms,
		  struct followers **ret);
void followers_free(struct followers **followers);

/* Where a subscriber begins: behind an event that it has, or with what is to come. */
struct followers_from {
	bool has_after;
	uint64_t after;
};

/* Takes the exchange over; @session_id is NULL for all. Returns 0 or -errno, the exchange then untouched. */
int followers_subscribe(struct followers *followers, struct exchange *exchange,
			const char *session_id, const struct followers_from *from);

struct followers_item {
	uint64_t seq;
	const char *session_id, *type, *body;
	size_t n_body;
};
/* It is in the ledger already. */
void followers_publish(struct followers *followers, const struct followers_item *item);

unsigned int followers_count(const struct followers *followers);

#endif
