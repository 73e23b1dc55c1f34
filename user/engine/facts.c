// SPDX-License-Identifier: GPL-2.0-only
/*
 * All that planning may know of the host is gathered here, before planning: the plan is then a pure
 * function of these facts and the spec, and can be printed, tested and fuzzed without a host.
 */
#include "facts.h"

#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/ulid.h"
#include "../kernel/cgroup.h"
#include "../kernel/dnssock.h"
#include "../kernel/hostnet.h"
#include "../kernel/hostroot.h"

static int id_make(const char *prefix, char ret[REEVE_SESSION_ID_SIZE])
{
	char ulid[ULID_LEN + 1];
	int r = ulid_make(clock_realtime_ms(), ulid);

	if (!r)
		snprintf(ret, REEVE_SESSION_ID_SIZE, "%s%s", prefix, ulid);
	return r;
}

int facts_name(struct facts *facts)
{
	int r = id_make("sbs_", facts->session_id);

	if (!r)
		r = id_make("req_", facts->request_id);
	return r ? r : uuid_make(facts->output_name);
}

static int network_read(const struct spec *spec, struct facts *facts, struct fault *ret_fault)
{
	struct hostnet_forwarding forwarding;
	int r;

	if (spec->egress == SPEC_EGRESS_NONE)
		return 0;
	facts->host.resolv_conf = DNSSOCK_SANDBOX_CONF;
	r = hostnet_pick_pools(&facts->host.pool_v4, &facts->host.pool_v6, ret_fault);
	if (!r)
		r = hostnet_forwarding(&forwarding);
	if (r)
		return r;
	if (!forwarding.v6 || !forwarding.default_v6)
		facts->host.pool_v6 = in6addr_any;
	return 0;
}

int facts_read(const struct spec *spec, unsigned int controllers, unsigned int slot,
	       struct facts *facts, struct fault *ret_fault)
{
	size_t n;
	int r;

	plan_host_root(&n);
	if (n > FACTS_ROOT_MAX)
		return -E2BIG;
	r = hostroot_read(facts->root, n);
	if (!r)
		r = network_read(spec, facts, ret_fault);
	if (r)
		return r;
	facts->host.session_id = facts->session_id;
	facts->host.request_id = facts->request_id;
	facts->host.output_name = facts->output_name;
	facts->host.slot = slot;
	facts->host.root = facts->root;
	facts->host.n_root = n;
	facts->host.has_memory = controllers & CGROUP_MEMORY;
	facts->host.has_pids = controllers & CGROUP_PIDS;
	facts->host.has_cpu = controllers & CGROUP_CPU;
	return 0;
}
