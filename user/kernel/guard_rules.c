// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules are in LPM tries whose keys begin with their owner, so that one owner's lie together, and a
 * walk of a trie is in the order of its bits, what is longer first. The first key of an owner, all zeros,
 * is put when its session begins and taken last: from it a walk reaches each rule of that session and
 * no other, however many sessions there are, rules that an operator put with bpftool included. For rules
 * of every session the owner is 0, the first of the trie, which needs no such mark.
 *
 * Connections are in one hash of all sessions that the kernel fills; they are sought in batches.
 */
#include "guard_rules.h"

#include <bpf/bpf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/flow.h"
#include "../../include/hello.h"
#include "../../include/egress.h"
#include "../base/clock.h"

#define FLOWS_BATCH 1024

#define PREFIX_BITS (POLICY_OWNER_BITS + 128)
#define NAME_BITS (8 * (sizeof(struct policy_name) - offsetof(struct policy_name, cgroup)))

static int elem_put(int map, const void *key, const void *value)
{
	return bpf_map_update_elem(map, key, value, BPF_ANY) ? -errno : 0;
}

static int elem_delete(int map, const void *key)
{
	return bpf_map_delete_elem(map, key) && errno != ENOENT ? -errno : 0;
}

static struct policy_prefix prefix_mark(uint64_t session)
{
	return (struct policy_prefix){ .prefixlen = PREFIX_BITS, .cgroup = session };
}

static struct policy_name name_mark(uint64_t session)
{
	return (struct policy_name){ .prefixlen = NAME_BITS, .cgroup = session };
}

/*
 * The key behind @previous of the same owner, or -ENOENT; before the first stands the mark, and none for
 * the owner 0. In both kinds of keys the owner follows prefixlen.
 */
static int key_next(int map, uint64_t session, const void *previous, void *ret)
{
	struct policy_prefix head;

	if (bpf_map_get_next_key(map, previous, ret))
		return -errno;
	memcpy(&head, ret, sizeof(head));
	return head.cgroup == session ? 0 : -ENOENT;
}

int guard_rules_begin(const struct guard *guard, uint64_t session)
{
	struct policy_prefix prefix = prefix_mark(session);
	struct policy_name name = name_mark(session);
	struct policy_address none = {};
	enum reason reason = REASON_THIS_HOST;
	uint32_t ports = 0;
	int r = elem_put(guard->maps[GUARD_PREFIXES], &prefix, &reason);

	if (!r)
		r = elem_put(guard->maps[GUARD_ADDRESSES], &prefix, &none);
	if (!r)
		r = elem_put(guard->maps[GUARD_NAMES], &name, &ports);
	return r;
}

/* Deletes what stands behind the mark, then the mark. */
static int keys_remove(int map, uint64_t session, const void *mark)
{
	struct policy_name next; /* the larger of the two kinds */
	int r;

	while ((r = key_next(map, session, mark, &next)) == 0) {
		r = elem_delete(map, &next);
		if (r)
			return r;
	}
	return r == -ENOENT ? elem_delete(map, mark) : r;
}

int guard_addresses_remove(const struct guard *guard, uint64_t session)
{
	struct policy_prefix mark = prefix_mark(session), next;
	int map = guard->maps[GUARD_ADDRESSES], r;

	while ((r = key_next(map, session, &mark, &next)) == 0) {
		r = elem_delete(map, &next);
		if (r)
			return r;
	}
	return r == -ENOENT ? 0 : r;
}

int guard_rules_remove(const struct guard *guard, uint64_t session)
{
	struct policy_prefix prefix = prefix_mark(session);
	struct policy_name name = name_mark(session);
	int r = keys_remove(guard->maps[GUARD_PREFIXES], session, &prefix);

	if (!r)
		r = keys_remove(guard->maps[GUARD_ADDRESSES], session, &prefix);
	if (!r)
		r = keys_remove(guard->maps[GUARD_NAMES], session, &name);
	return r;
}

static struct policy_prefix address_key(uint64_t session, const uint8_t addr[16])
{
	struct policy_prefix key = prefix_mark(session);

	memcpy(key.addr, addr, sizeof(key.addr));
	return key;
}

/* -EINVAL for the mark's own key. */
static int prefix_key(uint64_t session, const struct host_prefix *prefix, struct policy_prefix *ret)
{
	const struct policy_prefix mark = prefix_mark(session);

	*ret = address_key(session, prefix->addr);
	ret->prefixlen = POLICY_OWNER_BITS + prefix->prefixlen;
	return prefix->prefixlen > 128 || memcmp(ret, &mark, sizeof(mark)) == 0 ? -EINVAL : 0;
}

int guard_prefix_put(const struct guard *guard, uint64_t session, const struct host_prefix *prefix,
		     enum reason reason)
{
	struct policy_prefix key;
	int r = prefix_key(session, prefix, &key);

	return r ? r : elem_put(guard->maps[GUARD_PREFIXES], &key, &reason);
}

int guard_prefix_remove(const struct guard *guard, uint64_t session, const struct host_prefix *prefix)
{
	struct policy_prefix key;
	int r = prefix_key(session, prefix, &key);

	return r ? r : elem_delete(guard->maps[GUARD_PREFIXES], &key);
}

int guard_prefix_next(const struct guard *guard, uint64_t session, const struct host_prefix *previous,
		      struct host_prefix *ret, enum reason *ret_reason)
{
	int map = guard->maps[GUARD_PREFIXES], r = 0;
	struct policy_prefix from = prefix_mark(session), next;

	if (previous)
		r = prefix_key(session, previous, &from);
	if (!r)
		r = key_next(map, session, previous || session ? &from : NULL, &next);
	if (r)
		return r;
	if (bpf_map_lookup_elem(map, &next, ret_reason))
		return -errno;
	ret->prefixlen = next.prefixlen - POLICY_OWNER_BITS;
	memcpy(ret->addr, next.addr, sizeof(ret->addr));
	return 0;
}

/* The rule for the key, EGRESS_NO_RULE, or REASON_OPERATOR where the map cannot be read. */
static int prefix_rule(const struct guard *guard, const struct policy_prefix *key)
{
	enum reason rule;

	if (bpf_map_lookup_elem(guard->maps[GUARD_PREFIXES], key, &rule) == 0)
		return (uint32_t)rule < REASON_COUNT ? (int)rule : REASON_OPERATOR;
	return errno == ENOENT ? EGRESS_NO_RULE : REASON_OPERATOR;
}

static int address_rule(const struct guard *guard, uint64_t session, const struct decide_addr *addr)
{
	const uint64_t be[] = { htobe64(addr->hi), htobe64(addr->lo) };
	struct policy_prefix key = address_key(session, (const uint8_t *)be);
	int own = prefix_rule(guard, &key), all;

	key.cgroup = 0;
	all = prefix_rule(guard, &key);
	/* the host's own addresses are nobody's to allow */
	return own == EGRESS_NO_RULE || all == REASON_HOST_ADDRESS ? all : own;
}

static int host_read(const struct guard *guard, struct host *ret)
{
	uint32_t key = 0;

	return bpf_map_lookup_elem(guard->maps[GUARD_HOST], &key, ret) ? -errno : 0;
}

enum reason guard_prefix_class(const struct guard *guard, uint64_t session,
			       const struct decide_addr *addr)
{
	struct decide_addr judged = decide_decode(addr);
	enum reason class = egress_class(decide_class(addr), address_rule(guard, session, &judged));
	struct host host;

	if (class != REASON_OK)
		return class;
	if (host_read(guard, &host))
		return REASON_OPERATOR;
	if (!egress_translated(&host, addr, &judged))
		return REASON_OK;
	return egress_class_translated(decide_class(&judged), address_rule(guard, session, &judged));
}

int guard_address_put(const struct guard *guard, uint64_t session, const uint8_t addr[16],
		      uint32_t ports, uint64_t expires_ns)
{
	struct policy_address value, before;
	struct policy_prefix key = address_key(session, addr);
	int map = guard->maps[GUARD_ADDRESSES];

	value = (struct policy_address){ .expires_ns = expires_ns, .ports = ports };
	if (bpf_map_lookup_elem(map, &key, &before) == 0 && before.expires_ns > clock_monotonic_ns()) {
		value.ports |= before.ports;
		if (before.expires_ns > expires_ns)
			value.expires_ns = before.expires_ns;
	}
	return elem_put(map, &key, &value);
}

int guard_address_remove(const struct guard *guard, uint64_t session, const uint8_t addr[16])
{
	struct policy_prefix key = address_key(session, addr);

	return elem_delete(guard->maps[GUARD_ADDRESSES], &key);
}

int guard_address_next(const struct guard *guard, uint64_t session, const uint8_t *previous,
		       uint8_t ret[16], struct policy_address *ret_value)
{
	struct policy_prefix from = prefix_mark(session), next;
	int map = guard->maps[GUARD_ADDRESSES], r;

	if (previous)
		from = address_key(session, previous);
	r = key_next(map, session, previous || session ? &from : NULL, &next);
	if (r)
		return r;
	if (bpf_map_lookup_elem(map, &next, ret_value))
		return -errno;
	memcpy(ret, next.addr, sizeof(next.addr));
	return 0;
}

/* @name as the device's filter reads it, so that a rule and a hello can not be spelt apart. */
static int name_key(uint64_t session, const char *name, bool alone, struct policy_name *ret)
{
	struct hello hello = { .name_len = (uint32_t)strnlen(name, REEVE_NAME_MAX + 1) };
	uint32_t n;

	memcpy(hello.bytes, name, hello.name_len);
	*ret = (struct policy_name){ .cgroup = session };
	n = hello_name_key(&hello, ret->name);
	ret->prefixlen = POLICY_OWNER_BITS + 8 * (n + alone);
	return n ? 0 : -EINVAL;
}

static int rule_key(uint64_t session, const char *rule, struct policy_name *ret)
{
	bool domain = rule[0] == '.';

	return name_key(session, rule + domain, !domain, ret);
}

int guard_name_put(const struct guard *guard, uint64_t session, const char *rule, uint32_t ports)
{
	struct policy_name key;
	int r = rule_key(session, rule, &key);

	return r ? r : elem_put(guard->maps[GUARD_NAMES], &key, &ports);
}

int guard_name_remove(const struct guard *guard, uint64_t session, const char *rule)
{
	struct policy_name key;
	int r = rule_key(session, rule, &key);

	return r ? r : elem_delete(guard->maps[GUARD_NAMES], &key);
}

/* The other way round: the bytes of the key, without the dot behind them, from the end. */
static void rule_text(const struct policy_name *key, char ret[REEVE_NAME_MAX + 2])
{
	size_t n = (key->prefixlen - POLICY_OWNER_BITS) / 8, to = 0;
	bool alone = n && key->name[n - 1] == '\0';

	n -= alone;
	/* a key of bpftool's may have any length: its text tells as much as there is */
	if (!alone)
		ret[to++] = '.';
	for (size_t i = n > 1 ? n - 1 : 0; i-- > 0 && to <= REEVE_NAME_MAX;)
		ret[to++] = (char)key->name[i];
	ret[to] = '\0';
}

int guard_name_next(const struct guard *guard, uint64_t session, const char *previous,
		    char ret[REEVE_NAME_MAX + 2], uint32_t *ret_ports)
{
	struct policy_name from = name_mark(session), next;
	int map = guard->maps[GUARD_NAMES], r = 0;

	if (previous)
		r = rule_key(session, previous, &from);
	if (!r)
		r = key_next(map, session, previous || session ? &from : NULL, &next);
	if (r)
		return r;
	if (bpf_map_lookup_elem(map, &next, ret_ports))
		return -errno;
	rule_text(&next, ret);
	return 0;
}

int guard_name_find(const struct guard *guard, uint64_t session, const char *name, uint32_t *ret_ports)
{
	int map = guard->maps[GUARD_NAMES];
	struct policy_name key;
	int r = name_key(session, name, true, &key);

	if (r)
		return r;
	if (bpf_map_lookup_elem(map, &key, ret_ports) == 0)
		return 0;
	key.cgroup = 0;
	if (bpf_map_lookup_elem(map, &key, ret_ports) == 0)
		return 0;
	if (errno != ENOENT)
		return -errno;
	*ret_ports = 0;
	return 0;
}

int guard_host_rules(const struct guard *guard, uint64_t *ret)
{
	struct host host;
	int r = host_read(guard, &host);

	if (!r)
		*ret = host.rules;
	return r;
}

int guard_host_set_rules(const struct guard *guard, uint64_t digest,
			 const struct host_prefix *nat64, size_t n)
{
	struct host host = guard->host;
	uint32_t key = 0;
	size_t to = 0;

	host.rules = digest;
	memset(host.nat64, 0, sizeof(host.nat64));
	for (size_t i = 0; i < n; i++) {
		uint64_t words[2];

		if (nat64[i].prefixlen != EGRESS_NAT64_BITS)
			continue;
		if (to == ARRAY_SIZE(host.nat64))
			return -E2BIG;
		memcpy(words, nat64[i].addr, sizeof(words));
		host.nat64[to][0] = be64toh(words[0]);
		host.nat64[to++][1] = be64toh(words[1]);
	}
	return elem_put(guard->maps[GUARD_HOST], &key, &host);
}

struct flows_batch {
	struct flow_key keys[FLOWS_BATCH];
	struct flow flows[FLOWS_BATCH];
};

static int flows_walk(int map, uint64_t session, struct flows_batch *batch,
		      int (*fn)(int map, const struct flow_key *key, void *arg), void *arg)
{
	uint32_t at, *from = NULL, n;
	int more;

	do {
		n = FLOWS_BATCH;
		more = bpf_map_lookup_batch(map, from, &at, batch->keys, batch->flows, &n, NULL);
		if (more && errno != ENOENT)
			return -errno;
		for (uint32_t i = 0; i < n; i++) {
			int r = batch->keys[i].cgroup == session ? fn(map, &batch->keys[i], arg) : 0;

			if (r)
				return r;
		}
		from = &at;
	} while (!more);
	return 0;
}

/* Calls @fn for each connection of the session; a result other than 0 ends the walk and is returned. */
static int flows_each(const struct guard *guard, uint64_t session,
		      int (*fn)(int map, const struct flow_key *key, void *arg), void *arg)
{
	_cleanup_free_ struct flows_batch *batch = malloc(sizeof(*batch));
	int r;

	if (!batch)
		return -ENOMEM;
	r = flows_walk(guard->maps[GUARD_HALF_FLOWS], session, batch, fn, arg);
	return r ? r : flows_walk(guard->maps[GUARD_FLOWS], session, batch, fn, arg);
}

static int flow_delete(int map, const struct flow_key *key, void *arg)
{
	(void)arg;
	return elem_delete(map, key);
}

int guard_flows_remove(const struct guard *guard, uint64_t session)
{
	return flows_each(guard, session, flow_delete, NULL);
}

static int flow_count(int map, const struct flow_key *key, void *arg)
{
	(void)map;
	(void)key;
	++*(unsigned int *)arg;
	return 0;
}

int guard_flows_count(const struct guard *guard, uint64_t session, unsigned int *ret)
{
	unsigned int n = 0;
	int r = flows_each(guard, session, flow_count, &n);

	if (!r)
		*ret = n;
	return r;
}
