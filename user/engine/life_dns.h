/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_LIFE_DNS_H
#define REEVE_LIFE_DNS_H

#include "../model/result.h"
#include "request.h"

struct event_base;
struct life_dns;

/*
 * The resolver of a session that has a network, while @base runs; none for the others, and *ret is then
 * NULL. Returns 0 or -errno.
 */
int life_dns_new(struct event_base *base, const struct request *request, struct run_result *result,
		 struct life_dns **ret);

/* What it did goes into the result, once, behind the kernel's own counters. */
void life_dns_settle(struct life_dns *dns);
void life_dns_free(struct life_dns *dns);

#endif
