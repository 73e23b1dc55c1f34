/* SPDX-License-Identifier: GPL-2.0-only */
/* The routes of the calling thread's network namespace, IPv4 and IPv6 alike. */
#ifndef REEVE_ROUTE_H
#define REEVE_ROUTE_H

#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "../../include/decide.h"

#define ROUTE_V4_BITS 96 /* of the mapped form, before the IPv4 address */

struct route {
	int family;
	unsigned char type;
	struct decide_addr to;
	unsigned int len; /* of the IPv6 form; a default route has 0, or ROUTE_V4_BITS */
	unsigned int ifindex;
};

static inline bool route_is_default(const struct route *route)
{
	return route->len == (route->family == AF_INET ? ROUTE_V4_BITS : 0);
}

/* Whether two prefixes of that length are one. */
static inline bool route_same_prefix(const struct decide_addr *a, const struct decide_addr *b,
				     unsigned int len)
{
	return DECIDE_V6_IN(a, b->hi, b->lo, len);
}

/* An address as it stands in messages: 4 bytes for AF_INET, else 16. */
struct decide_addr route_address(int family, const void *bytes);

/* False when @header is no message about a route. */
bool route_read(struct nlmsghdr *header, struct route *ret);

/*
 * Calls @fn for each route of @family and @type, RTN_UNSPEC for all types, in all tables. A result
 * other than 0 ends the walk and is returned. When routes change meanwhile the walk begins anew, so
 * that @fn may see one twice. Returns 0 or -errno.
 */
int route_walk(int family, unsigned char type, int (*fn)(const struct route *route, void *arg),
	       void *arg);

#endif
