/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What decides whom a session may reach beside its policy: prefixes, names and the addresses that allowed
 * names have. @session is a cgroup id that has a policy, or 0 for what holds for every session. All take
 * effect on the next packet and return 0 or -errno.
 */
#ifndef REEVE_GUARD_RULES_H
#define REEVE_GUARD_RULES_H

#include "../../include/decide.h"
#include "guard.h"

/* REASON_OK allows the prefix, a private one too; any other reason denies it. -EINVAL for ::/128. */
int guard_prefix_put(const struct guard *guard, uint64_t session, const struct host_prefix *prefix,
		     enum reason reason);
int guard_prefix_remove(const struct guard *guard, uint64_t session,
			const struct host_prefix *prefix);
/* The prefix after @previous (NULL: the first), or -ENOENT. */
int guard_prefix_next(const struct guard *guard, uint64_t session, const struct host_prefix *previous,
		      struct host_prefix *ret, enum reason *ret_reason);

/*
 * The class of @addr with the prefixes of @session and of all: what the hooks judge by, but for the session's
 * state and egress mode. REASON_OPERATOR when the maps cannot be read.
 */
enum reason guard_prefix_class(const struct guard *guard, uint64_t session,
			       const struct decide_addr *addr);

/*
 * Opens @ports (enum policy_port) of an address, IPv4 as v4-mapped, to new connections until @expires_ns
 * (CLOCK_MONOTONIC). What another name opened of the same address before is kept: the ports of both, the
 * later end.
 */
int guard_address_put(const struct guard *guard, uint64_t session, const uint8_t addr[16],
		      uint32_t ports, uint64_t expires_ns);
int guard_address_remove(const struct guard *guard, uint64_t session, const uint8_t addr[16]);
/* The address after @previous (NULL: the first), or -ENOENT. */
int guard_address_next(const struct guard *guard, uint64_t session, const uint8_t *previous,
		       uint8_t ret[16], struct policy_address *ret_value);

/*
 * "host.example.org" for this name alone, ".example.org" for the domain and all in it; the longer rule
 * decides. @ports 0 denies. -EINVAL when @rule is none of these.
 */
int guard_name_put(const struct guard *guard, uint64_t session, const char *rule, uint32_t ports);
int guard_name_remove(const struct guard *guard, uint64_t session, const char *rule);
/* The rule after @previous (NULL: the first), or -ENOENT. */
int guard_name_next(const struct guard *guard, uint64_t session, const char *previous,
		    char ret[REEVE_NAME_MAX + 2], uint32_t *ret_ports);

/*
 * The ports at which the session may speak to @name, by its own rules or else by those of all, as the
 * filter at the device finds them; 0 for none. -EINVAL when it is no host name.
 */
int guard_name_find(const struct guard *guard, uint64_t session, const char *name,
		    uint32_t *ret_ports);

/* All of them, not the rules. 0 also when there is none. */
int guard_addresses_remove(const struct guard *guard, uint64_t session);

/* Forgets the session's connections, which are then reset at their next packet: after a name was denied. */
int guard_flows_remove(const struct guard *guard, uint64_t session);
int guard_flows_count(const struct guard *guard, uint64_t session, unsigned int *ret);

/* What one request left of device, addresses of names and connections; policy and rules stay. */
int guard_request_remove(const struct guard *guard, uint64_t id);
/* The map that still has one of these; NULL for none. Returns 0 or -errno. */
int guard_request_left(const struct guard *guard, uint64_t id, const char **ret);

/*
 * The digest of the rules for all that the maps hold, in the host record: 0 when there are none, or when who
 * put them was stopped in the middle.
 */
int guard_host_rules(const struct guard *guard, uint64_t *ret);
/*
 * Together with the operator's prefixes of translators: what an address in one of EGRESS_NAT64_BITS is
 * translated to is judged as well. Of the others the hooks know nothing: they are denied as prefixes.
 */
int guard_host_set_rules(const struct guard *guard, uint64_t digest,
			 const struct host_prefix *nat64, size_t n);

/* For guard_session_add() and guard_session_remove(). */
int guard_rules_begin(const struct guard *guard, uint64_t session);
int guard_rules_remove(const struct guard *guard, uint64_t session);

#endif
