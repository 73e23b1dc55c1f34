// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which addresses the links of sessions get: the first pool of a fixed list that no route of the
 * host overlaps. Every address of a device has a route, so addresses need no look of their own.
 * Routes of the sessions' own links do not count, or the pool would change under them; nor do
 * default routes and their halves and quarters, which say nothing about who lives there.
 */
#include "hostnet.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "../base/macro.h"
#include "route.h"
#include "veth.h"

/*
 * Fixed, so that the same host has the same addresses every day. All of them are denied by the
 * address table. The last two are for hosts that have routes to all of RFC 1918.
 */
static const uint32_t pools_v4[] = {
	DECIDE_V4_NET(10, 213, 0, 0), DECIDE_V4_NET(10, 117, 0, 0), DECIDE_V4_NET(172, 29, 0, 0),
	DECIDE_V4_NET(172, 22, 0, 0), DECIDE_V4_NET(100, 91, 0, 0), DECIDE_V4_NET(198, 19, 0, 0),
	DECIDE_V4_NET(198, 18, 0, 0),
};

#define POOLS_V4_TEXT "10.213, 10.117, 172.29, 172.22, 100.91, 198.19 and 198.18.0.0/16"

static const uint64_t pools_v6[] = {
	0xfd72656576650000ull,
	0xfd72656576650001ull,
	0xfd5bc1a790e30000ull,
};

#define POOLS_V6_TEXT "fd72:6565:7665::/64, fd72:6565:7665:1::/64 and fd5b:c1a7:90e3::/64"

#define POOL_LEN_V4 (ROUTE_V4_BITS + 16)
#define POOL_LEN_V6 64
#define ROUTE_LEN_MIN_V4 (ROUTE_V4_BITS + 8)
#define ROUTE_LEN_MIN_V6 16

struct ours {
	unsigned int *ifindexes;
	size_t n, size;
};

struct pick {
	const struct ours *ours;
	struct decide_addr pools[8];
	unsigned int n_pools, len, route_len_min, taken; /* a bit for each pool */
};

static void ours_free(struct ours *ours)
{
	free(ours->ifindexes);
}

static int ours_add(const char *host_ifname, unsigned int ifindex, void *arg)
{
	struct ours *ours = arg;

	(void)host_ifname;
	if (ours->n == ours->size) {
		size_t size = ours->size ? 2 * ours->size : 64;
		unsigned int *ifindexes = reallocarray(ours->ifindexes, size, sizeof(*ifindexes));

		if (!ifindexes)
			return -ENOMEM;
		ours->ifindexes = ifindexes;
		ours->size = size;
	}
	ours->ifindexes[ours->n++] = ifindex;
	return 0;
}

static int compare(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

static int ours_look(struct ours *ret)
{
	int r = veth_each(ours_add, ret);

	if (ret->n)
		qsort(ret->ifindexes, ret->n, sizeof(*ret->ifindexes), compare);
	return r;
}

static bool ours_has(const struct ours *ours, unsigned int ifindex)
{
	return ours->n && bsearch(&ifindex, ours->ifindexes, ours->n, sizeof(ifindex), compare);
}

static int pick_route(const struct route *route, void *arg)
{
	struct pick *pick = arg;
	unsigned int len = route->len < pick->len ? route->len : pick->len;

	if (route->len < pick->route_len_min)
		return 0;
	for (unsigned int i = 0; i < pick->n_pools; i++)
		if (route_same_prefix(&route->to, &pick->pools[i], len) &&
		    !ours_has(pick->ours, route->ifindex))
			pick->taken |= 1u << i;
	return 0;
}

/* Returns 0, -errno, or FAULT_E_SET. */
static int pick_pool(int family, struct pick *pick, const char *text, struct decide_addr *ret,
		     struct fault *ret_fault)
{
	int r = route_walk(family, RTN_UNSPEC, pick_route, pick);

	if (r < 0)
		return r;
	for (unsigned int i = 0; i < pick->n_pools; i++) {
		if (!(pick->taken & 1u << i)) {
			*ret = pick->pools[i];
			return 0;
		}
	}
	return fault_set(ret_fault, FAULT_HOST, "network",
			 "Remove the host's routes to one of them, or use --egress none.",
			 "no address range is left for sandboxes: the host has routes into each of %s",
			 text);
}

int hostnet_pick_pools(struct in_addr *ret_v4, struct in6_addr *ret_v6, struct fault *ret_fault)
{
	_cleanup_(ours_free) struct ours ours = {};
	struct pick v4 = { .ours = &ours, .len = POOL_LEN_V4, .route_len_min = ROUTE_LEN_MIN_V4 };
	struct pick v6 = { .ours = &ours, .len = POOL_LEN_V6, .route_len_min = ROUTE_LEN_MIN_V6 };
	struct decide_addr pool_v4, pool_v6;
	int r = ours_look(&ours);

	for (size_t i = 0; i < ARRAY_SIZE(pools_v4); i++)
		v4.pools[v4.n_pools++] = decide_from_v4(pools_v4[i]);
	for (size_t i = 0; i < ARRAY_SIZE(pools_v6); i++)
		v6.pools[v6.n_pools++].hi = pools_v6[i];
	r = r ? r : pick_pool(AF_INET, &v4, POOLS_V4_TEXT, &pool_v4, ret_fault);
	r = r ? r : pick_pool(AF_INET6, &v6, POOLS_V6_TEXT, &pool_v6, ret_fault);
	if (r)
		return r;
	ret_v4->s_addr = htonl((uint32_t)pool_v4.lo);
	pool_v6.hi = htobe64(pool_v6.hi);
	memcpy(ret_v6, &pool_v6, sizeof(*ret_v6));
	return 0;
}
