/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the operator of a host says beyond the built-in policy: addresses that no session reaches, servers
 * that sessions may reach though they are private, and the names that "package-managers" stands for. It holds
 * for every session.
 */
#ifndef REEVE_CONFIG_H
#define REEVE_CONFIG_H

#include "rule.h"

/* Which list of the configuration a name stands in. */
enum config_list {
	CONFIG_ALLOW = 1,
	CONFIG_PACKAGE_MANAGERS = 2,
};

struct config_prefix {
	struct host_prefix prefix;
	enum reason verdict; /* REASON_OPERATOR, or REASON_OK: allowed, though the table calls it private */
};

struct config_name {
	char name[REEVE_NAME_MAX + 2];
	uint32_t ports;	    /* enum policy_port bits */
	unsigned int lists; /* enum config_list bits */
};

/* Zeroed, it is empty. Lists are sorted, each item once. */
struct config {
	struct config_prefix *prefixes;
	size_t n_prefixes;
	struct config_name *names;
	size_t n_names;
	struct host_prefix nat64[REEVE_CONFIG_NAT64_MAX];
	size_t n_nat64;
	bool has_package_managers; /* the names were given; else config_finish() puts those of reeve */
};

void config_deinit(struct config *config);
#define _cleanup_config_ _cleanup_(config_deinit)

/*
 * Each reads and adds one item. Returns 0, -ENOMEM or FAULT_E_SET: not of the form, not to be allowed, there
 * already, denied and allowed at once, or one too many.
 */
int config_add_deny(struct config *config, const char *text, const char *field,
		    struct fault *ret_fault);
int config_add_allow(struct config *config, const char *text, const char *field,
		     struct fault *ret_fault);
int config_add_name(struct config *config, const char *text, uint32_t ports, enum config_list list,
		    const char *field, struct fault *ret_fault);

/*
 * A prefix by which the network translates IPv6 to IPv4 (RFC 6052), beside 64:ff9b::/96. Of one of 96 bits
 * the IPv4 address inside decides; a shorter one is denied whole.
 */
int config_add_nat64(struct config *config, const char *text, const char *field,
		     struct fault *ret_fault);

/* Once all is added: the default names, where none were given. Returns 0 or -ENOMEM. */
int config_finish(struct config *config);

/* The same for equal configurations, however they were written; never 0. */
uint64_t config_digest(const struct config *config);

/*
 * Calls @fn for each entry that the map "prefixes" gets; of two for the same prefix the later one holds. A
 * result other than 0 ends the walk and is returned.
 */
int config_each_prefix(const struct config *config,
		       int (*fn)(const struct host_prefix *prefix, enum reason verdict, void *arg),
		       void *arg);

/* Whether the map gets an entry for exactly @prefix; *ret is what it says. */
bool config_has_prefix(const struct config *config, const struct host_prefix *prefix,
		       enum reason *ret);

/* How many prefixes are denied or allowed, and names in a list: for a summary. */
size_t config_count_prefixes(const struct config *config, enum reason verdict);
size_t config_count_names(const struct config *config, enum config_list list);

#endif
