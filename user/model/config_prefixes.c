// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a configuration comes to in the map "prefixes". Translators' prefixes of 96 bits have no entry: the
 * hooks know them, and judge the IPv4 address in the last 32 bits of an address. In a shorter one that is cut
 * in two by eight bits that translators do not look at; it is denied whole.
 */
#include "config.h"

#include <string.h>

#include "../../include/egress.h"

/* FNV-1a: two files that an operator wrote, and nobody forges. */
static uint64_t digest_add(uint64_t sum, const void *bytes, size_t n)
{
	for (const uint8_t *p = bytes; n > 0; p++, n--)
		sum = (sum ^ *p) * 0x100000001b3ull;
	return sum;
}

static int digest_prefix(const struct host_prefix *prefix, enum reason verdict, void *arg)
{
	uint64_t *sum = arg;

	*sum = digest_add(*sum, prefix, sizeof(*prefix));
	*sum = digest_add(*sum, &verdict, sizeof(verdict));
	return 0;
}

uint64_t config_digest(const struct config *config)
{
	uint64_t sum = 0xcbf29ce484222325ull;

	config_each_prefix(config, digest_prefix, &sum);
	sum = digest_add(sum, config->nat64, config->n_nat64 * sizeof(config->nat64[0]));
	for (size_t i = 0; i < config->n_names; i++) {
		sum = digest_add(sum, config->names[i].name, strlen(config->names[i].name) + 1);
		sum = digest_add(sum, &config->names[i].ports, sizeof(config->names[i].ports));
	}
	return sum ? sum : 1;
}

int config_each_prefix(const struct config *config,
		       int (*fn)(const struct host_prefix *prefix, enum reason verdict, void *arg),
		       void *arg)
{
	int r = 0;

	for (size_t i = 0; !r && i < config->n_nat64; i++) {
		if (config->nat64[i].prefixlen != EGRESS_NAT64_BITS)
			r = fn(&config->nat64[i], REASON_TRANSITION, arg);
	}
	for (size_t i = 0; !r && i < config->n_prefixes; i++)
		r = fn(&config->prefixes[i].prefix, config->prefixes[i].verdict, arg);
	return r;
}

struct search {
	const struct host_prefix *prefix;
	enum reason verdict;
	bool found;
};

static int search_prefix(const struct host_prefix *prefix, enum reason verdict, void *arg)
{
	struct search *search = arg;

	if (rule_prefix_compare(prefix, search->prefix) == 0) {
		search->found = true;
		search->verdict = verdict;
	}
	return 0;
}

bool config_has_prefix(const struct config *config, const struct host_prefix *prefix, enum reason *ret)
{
	struct search search = { .prefix = prefix };

	config_each_prefix(config, search_prefix, &search);
	if (search.found)
		*ret = search.verdict;
	return search.found;
}
