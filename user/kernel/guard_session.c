// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session's entries in the pinned maps. The order is the promise: rules first and the policy last when
 * a session opens, the policy first when it ends, so that at no moment a session may do more than its
 * policy says. What is left of a dead owner is removed by the same function.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "guard.h"

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
	if (bpf_map_update_elem(guard->maps[GUARD_POLICIES], &id, policy, BPF_NOEXIST) == 0)
		return 0;
	r = -errno;
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

static int netdevs_remove(const struct guard *guard, uint64_t id)
{
	int map = guard->maps[GUARD_NETDEVS];
	uint32_t key, *previous = NULL;
	uint64_t owner;
	int r = 0;

	for (unsigned int i = 0; i < REEVE_SLOTS_MAX; i++) {
		uint32_t next;

		if (bpf_map_get_next_key(map, previous, &next))
			break;
		/* the walk goes on from a key that is still there */
		if (bpf_map_lookup_elem(map, &next, &owner) == 0 && owner == id) {
			r = elem_delete(map, &next);
			if (r)
				break;
			continue;
		}
		key = next;
		previous = &key;
	}
	return r;
}

int guard_session_remove(const struct guard *guard, uint64_t id)
{
	int r = elem_delete(guard->maps[GUARD_POLICIES], &id);

	if (!r)
		r = netdevs_remove(guard, id);
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

int guard_prefix_put(const struct guard *guard, const struct host_prefix *prefix, enum reason reason)
{
	return bpf_map_update_elem(guard->maps[GUARD_HOST_PREFIXES], prefix, &reason, BPF_ANY)
		       ? -errno
		       : 0;
}

int guard_prefix_remove(const struct guard *guard, const struct host_prefix *prefix)
{
	return elem_delete(guard->maps[GUARD_HOST_PREFIXES], prefix);
}

int guard_prefix_next(const struct guard *guard, const struct host_prefix *previous,
		      struct host_prefix *ret, enum reason *ret_reason)
{
	int map = guard->maps[GUARD_HOST_PREFIXES];
	struct host_prefix next;

	if (bpf_map_get_next_key(map, previous, &next))
		return -errno;
	if (bpf_map_lookup_elem(map, &next, ret_reason))
		return -errno;
	*ret = next;
	return 0;
}
