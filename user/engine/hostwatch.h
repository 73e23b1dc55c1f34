/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_HOSTWATCH_H
#define REEVE_HOSTWATCH_H

#include "../model/config.h"
#include "engine.h"

struct event_base;
struct hostwatch;

/*
 * Makes the map "prefixes" hold the host's own addresses as they are now: new ones first, gone ones
 * after. What the operator put there stays; @rules is what he has configured. Returns 0 or -errno.
 */
int hostwatch_sync(const struct guard *guard, const struct config *rules);

/*
 * Keeps that map, and the nftables table, as they should be while @base runs. On a failure to do so
 * @failed is called once: the session must not go on. Free with hostwatch_free.
 */
int hostwatch_new(struct event_base *base, const struct engine *engine,
		  void (*failed)(int err, void *arg), void *arg, struct hostwatch **ret);
void hostwatch_free(struct hostwatch *watch);

#endif
