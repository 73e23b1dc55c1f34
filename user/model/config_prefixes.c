// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a configuration comes to in the map "prefixes". A translator's prefix of 96 bits becomes the IPv4
 * table behind that prefix: the last 32 bits of the address are the IPv4 address, so each row is one entry.
 * In a shorter one the address is cut in two by eight bits that translators do not look at, which no prefix
 * can pass over; it is denied whole.
 */
#include "config.h"

#include <string.h>

#include "../../include/decide.h"

#define NAT64_DECODED_BITS 96

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
	for (size_t i = 0; i < config->n_names; i++) {
		sum = digest_add(sum, config->names[i].name, strlen(config->names[i].name) + 1);
		sum = digest_add(sum, &config->names[i].ports, sizeof(config->names[i].ports));
	}
	return sum ? sum : 1;
}

static const struct {
	uint32_t address;
	unsigned int len;
	enum reason reason;
} rows_v4[] = {
#define X(a, b, c, d, len, NAME) { DECIDE_V4_NET(a, b, c, d), len, REASON_##NAME },
	DECIDE_V4(X)
#undef X
};

/* @v4 as the translator at @nat64 writes it. */
static struct host_prefix embed(const struct host_prefix *nat64, const struct host_prefix *v4)
{
	struct host_prefix prefix = *nat64;

	prefix.prefixlen = v4->prefixlen;
	memcpy(prefix.addr + 12, v4->addr + 12, 4);
	return prefix;
}

static bool is_denied_v4(const struct config_prefix *item)
{
	const struct host_prefix all = rule_prefix_v4(0, 0);

	return item->verdict == REASON_OPERATOR && rule_prefix_has(&all, &item->prefix);
}

/* The IPv4 table, and the operator's denies of IPv4, behind the prefix; allowed is nothing by this way. */
static int each_embedded(const struct config *config, const struct host_prefix *nat64,
			 int (*fn)(const struct host_prefix *prefix, enum reason verdict, void *arg),
			 void *arg)
{
	struct host_prefix prefix;
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(rows_v4); i++) {
		prefix = rule_prefix_v4(rows_v4[i].address, rows_v4[i].len);
		prefix = embed(nat64, &prefix);
		/* the translator's loopback, and not the session's own */
		r = fn(&prefix,
		       rows_v4[i].reason == REASON_LOOPBACK ? REASON_TRANSITION : rows_v4[i].reason,
		       arg);
	}
	for (size_t i = 0; !r && i < config->n_prefixes; i++) {
		if (!is_denied_v4(&config->prefixes[i]))
			continue;
		prefix = embed(nat64, &config->prefixes[i].prefix);
		r = fn(&prefix, REASON_OPERATOR, arg);
	}
	return r;
}

int config_each_prefix(const struct config *config,
		       int (*fn)(const struct host_prefix *prefix, enum reason verdict, void *arg),
		       void *arg)
{
	int r = 0;

	for (size_t i = 0; !r && i < config->n_nat64; i++) {
		if (config->nat64[i].prefixlen == NAT64_DECODED_BITS)
			r = each_embedded(config, &config->nat64[i], fn, arg);
		else
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
