// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a session's resolver may say: with package-managers only the names of the registries; an address only
 * when the policy would let the session reach it as a public one. So a name that leads inside the host's
 * network, at the first look-up or at a later one, leads nowhere.
 *
 * The host's servers are read anew for each question: they change with the network that the host is in.
 */
#include "life_dns.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "../kernel/guard_rules.h"
#include "resolver.h"

struct published {
	uint8_t addr[16];
	uint64_t expires_ns, turn; /* when it was answered last; 0: nothing here */
};

struct life_dns {
	const struct session *session;
	struct run_result *result;
	struct resolver *resolver;
	struct published published[REEVE_DNS_ADDRESSES_MAX];
	uint64_t turns;
};

static int servers(struct dnssock_servers *ret, void *arg)
{
	(void)arg;
	return dnssock_servers_read(DNSSOCK_RESOLV_CONF, ret);
}

static const struct guard *guard_of(const struct life_dns *dns)
{
	return &dns->session->engine->guard;
}

static enum reason judge(const struct decide_addr *addr, void *arg)
{
	const struct life_dns *dns = arg;

	return guard_prefix_class(guard_of(dns), dns->session->cgroup_id, addr);
}

/* The kernel's names decide, so that a change of them is in force here as well. */
static bool allowed(const char *name, void *arg)
{
	const struct life_dns *dns = arg;
	uint32_t ports;

	return guard_name_find(guard_of(dns), dns->session->cgroup_id, name, &ports) == 0 && ports;
}

/* Where @addr is or goes: in place of one whose time is over, or of the one that was answered longest ago. */
static struct published *place_of(struct life_dns *dns, const uint8_t addr[16])
{
	uint64_t now = clock_monotonic_ns(), least = UINT64_MAX;
	struct published *place = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(dns->published); i++) {
		struct published *item = &dns->published[i];
		uint64_t rank = item->expires_ns > now ? item->turn : 0;

		if (item->turn && memcmp(item->addr, addr, 16) == 0)
			return item;
		if (rank >= least)
			continue;
		least = rank;
		place = item;
	}
	return place;
}

/* A session has so many addresses open at a time and no more: one of its own goes for a new one. */
static int remember(struct life_dns *dns, const uint8_t addr[16], uint64_t expires_ns)
{
	struct published *place = place_of(dns, addr);
	int r;

	if (place->turn && memcmp(place->addr, addr, 16) != 0) {
		r = guard_address_remove(guard_of(dns), dns->session->cgroup_id, place->addr);
		if (r)
			return r;
		place->expires_ns = 0;
	}
	memcpy(place->addr, addr, 16);
	place->turn = ++dns->turns;
	if (place->expires_ns < expires_ns)
		place->expires_ns = expires_ns;
	return 0;
}

static int publish(const char *name, const struct decide_addr *addr, uint64_t life_s, void *arg)
{
	struct life_dns *dns = arg;
	const struct decide_addr judged = decide_decode(addr);
	const uint64_t be[] = { htobe64(judged.hi), htobe64(judged.lo) };
	const uint8_t *bytes = (const uint8_t *)be;
	const uint64_t expires_ns = clock_monotonic_ns() + life_s * NSEC_PER_SEC;
	uint32_t ports;
	int r = guard_name_find(guard_of(dns), dns->session->cgroup_id, name, &ports);

	if (!r)
		r = remember(dns, bytes, expires_ns);
	return r ? r
		 : guard_address_put(guard_of(dns), dns->session->cgroup_id, bytes, ports,
				     expires_ns);
}

static void refused(enum reason reason, const char *name, const struct decide_addr *addr, void *arg)
{
	const struct life_dns *dns = arg;

	run_result_note_name(dns->result, reason, name, addr, clock_monotonic_ns());
}

int life_dns_new(struct event_base *base, const struct request *request, struct run_result *result,
		 struct life_dns **ret)
{
	struct resolver_args args = {
		.socks = &request->dns,
		.servers = servers,
		.judge = judge,
		.refused = refused,
	};
	struct life_dns *dns;

	*ret = NULL;
	if (!request->plan->network.veth)
		return 0;
	dns = calloc(1, sizeof(*dns));
	if (!dns)
		return -ENOMEM;
	*ret = dns;
	dns->session = request->session;
	dns->result = result;
	args.arg = dns;
	result->has_names = true;
	if (request->session->policy.egress == POLICY_EGRESS_PACKAGE_MANAGERS) {
		args.allowed = allowed;
		args.publish = publish;
	}
	return resolver_new(base, &args, &dns->resolver);
}

void life_dns_settle(struct life_dns *dns)
{
	if (!dns)
		return;
	resolver_counts(dns->resolver, &dns->result->names.counts);
	dns->result->denials[REASON_NAME - 1].count += dns->result->names.counts.names_denied;
}

void life_dns_free(struct life_dns *dns)
{
	if (!dns)
		return;
	resolver_free(dns->resolver);
	free(dns);
}
