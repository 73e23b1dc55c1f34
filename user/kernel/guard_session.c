// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session's entries in the pinned maps. The order is the promise: rules first and the policy last when
 * a session opens, the policy first when it ends, so that at no moment a session may do more than its
 * policy says. What is left of a dead owner is removed by the same function.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "guard_load.h"
#include "guard_rules.h"

static int elem_delete(int map, const void *key)
{
	return bpf_map_delete_elem(map, key) && errno != ENOENT ? -errno : 0;
}

int guard_ring_open(const struct guard *guard, uint32_t index, int *ret_fd)
{
	_cleanup_fd_ int fd = -1;
	uint32_t map_id;

	if (bpf_map_lookup_elem(guard->maps[GUARD_EVENTS], &index, &map_id) == 0) {
		fd = bpf_map_get_fd_by_id(map_id);
		if (fd < 0)
			return -errno;
		*ret_fd = fd_take(&fd);
		return 0;
	}
	fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "reeve_events", 0, 0, REEVE_EVENTS_BYTES, NULL);
	if (fd < 0 || bpf_map_update_elem(guard->maps[GUARD_EVENTS], &index, &fd, BPF_ANY))
		return -errno;
	*ret_fd = fd_take(&fd);
	return 0;
}

int guard_session_add(const struct guard *guard, uint64_t id, const struct policy *policy)
{
	struct usage usage = {};
	int r;

	if (bpf_map_update_elem(guard->maps[GUARD_USAGES], &id, &usage, BPF_NOEXIST))
		return -errno;
	r = guard_rules_begin(guard, id);
	if (!r && bpf_map_update_elem(guard->maps[GUARD_POLICIES], &id, policy, BPF_NOEXIST))
		r = -errno;
	if (!r)
		return 0;
	guard_rules_remove(guard, id);
	elem_delete(guard->maps[GUARD_USAGES], &id);
	return r;
}

int guard_session_update(const struct guard *guard, uint64_t id, const struct policy *policy)
{
	return bpf_map_update_elem(guard->maps[GUARD_POLICIES], &id, policy, BPF_EXIST) ? -errno : 0;
}

int guard_session_usage(const struct guard *guard, uint64_t id, struct usage *ret)
{
	return bpf_map_lookup_elem(guard->maps[GUARD_USAGES], &id, ret) ? -errno : 0;
}

int guard_session_policy(const struct guard *guard, uint64_t id, struct policy *ret)
{
	return bpf_map_lookup_elem(guard->maps[GUARD_POLICIES], &id, ret) ? -errno : 0;
}

/* The first device that is the session's; -ENOENT when there is none. */
static int netdev_find(int map, uint64_t id, uint32_t *ret)
{
	uint32_t key, *previous = NULL;
	uint64_t owner;

	for (unsigned int i = 0; i < REEVE_SLOTS_MAX; i++) {
		if (bpf_map_get_next_key(map, previous, ret))
			return -errno;
		if (bpf_map_lookup_elem(map, ret, &owner) == 0 && owner == id)
			return 0;
		key = *ret;
		previous = &key;
	}
	return -ENOENT;
}

static int netdevs_remove(const struct guard *guard, uint64_t id)
{
	int map = guard->maps[GUARD_NETDEVS], r;
	uint32_t key;

	while ((r = netdev_find(map, id, &key)) == 0) {
		r = elem_delete(map, &key);
		if (r)
			return r;
	}
	return r == -ENOENT ? 0 : r;
}

int guard_request_remove(const struct guard *guard, uint64_t id)
{
	int r = netdevs_remove(guard, id);

	if (!r)
		r = guard_addresses_remove(guard, id);
	return r ? r : guard_flows_remove(guard, id);
}

int guard_request_left(const struct guard *guard, uint64_t id, const char **ret)
{
	struct policy_address value;
	unsigned int flows = 0;
	uint8_t address[16];
	uint32_t key;
	int r = netdev_find(guard->maps[GUARD_NETDEVS], id, &key);

	*ret = guard_map_names[GUARD_NETDEVS];
	if (r != -ENOENT)
		return r;
	r = guard_address_next(guard, id, NULL, address, &value);
	*ret = guard_map_names[GUARD_ADDRESSES];
	if (r != -ENOENT)
		return r;
	r = guard_flows_count(guard, id, &flows);
	*ret = flows ? guard_map_names[GUARD_FLOWS] : NULL;
	return r;
}

int guard_session_remove(const struct guard *guard, uint64_t id)
{
	struct policy policy;
	/* what had no way out made no connections; of a policy that went before nothing is known */
	bool flows = guard_session_policy(guard, id, &policy) || policy.egress != POLICY_EGRESS_NONE;
	int r = elem_delete(guard->maps[GUARD_POLICIES], &id);

	if (!r)
		r = netdevs_remove(guard, id);
	if (!r)
		r = guard_rules_remove(guard, id);
	if (!r && flows)
		r = guard_flows_remove(guard, id);
	if (!r)
		r = elem_delete(guard->maps[GUARD_USAGES], &id);
	return r;
}

int guard_session_next(const struct guard *guard, uint64_t previous, uint64_t *ret)
{
	uint64_t next, *from = previous ? &previous : NULL;

	do {
		if (bpf_map_get_next_key(guard->maps[GUARD_USAGES], from, &next))
			return -errno;
		previous = next;
		from = &previous;
	} while (next == 0);
	*ret = next;
	return 0;
}

int guard_link_add(const struct guard *guard, unsigned int ifindex, uint64_t id)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)ifindex,
		    .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);
	LIBBPF_OPTS(bpf_tc_opts, out, .prog_fd = guard->link_out_fd);
	LIBBPF_OPTS(bpf_tc_opts, in, .prog_fd = guard->link_in_fd);
	uint32_t key = ifindex;
	int r = bpf_tc_hook_create(&hook);

	if (r)
		return r;
	hook.attach_point = BPF_TC_INGRESS; /* on the host's end: what the sandbox sends */
	r = bpf_tc_attach(&hook, &out);
	if (r)
		return r;
	hook.attach_point = BPF_TC_EGRESS;
	r = bpf_tc_attach(&hook, &in);
	if (r)
		return r;
	return bpf_map_update_elem(guard->maps[GUARD_NETDEVS], &key, &id, BPF_ANY) ? -errno : 0;
}
