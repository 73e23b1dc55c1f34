// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operator's configuration while it is put together, item by item, so that each fault can name the
 * place of its item. Prefixes of both verdicts are in one sorted list: a prefix that is there twice, or
 * denied and allowed, is found when it is added. A name may stand in both lists of names and is then open
 * at the ports of both.
 *
 * A narrower prefix decides before a wider one, in the kernel as well, so "deny 10.1.0.0/16" beside
 * "allow 10.1.2.3/32" is an exception and no contradiction.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "names.h"

void config_deinit(struct config *config)
{
	free(config->prefixes);
	free(config->names);
	*config = (struct config){ 0 };
}

/* The first item that is not before @key; items begin with their key. */
static size_t position(const void *items, size_t n, size_t size, const void *key,
		       int (*compare)(const void *a, const void *b))
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare((const char *)items + middle * size, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int insert(void **items, size_t *n, size_t size, size_t at, const void *item)
{
	char *grown = reallocarray(*items, *n + 1, size);

	if (!grown)
		return -ENOMEM;
	memmove(grown + (at + 1) * size, grown + at * size, (*n - at) * size);
	memcpy(grown + at * size, item, size);
	*items = grown;
	(*n)++;
	return 0;
}

static int compare_prefixes(const void *a, const void *b)
{
	return rule_prefix_compare(a, b);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int refuse(const char *field, const char *remedy, const char *text, const char *why,
		  struct fault *ret_fault)
{
	return fault_set(ret_fault, FAULT_CONFIG, field, remedy, "\"%.80s\" %s", text, why);
}

static int prefix_add(struct config *config, const struct config_prefix *item, const char *text,
		      const char *field, struct fault *ret_fault)
{
	struct config_prefix *items = config->prefixes;
	size_t at = position(items, config->n_prefixes, sizeof(*items), item, compare_prefixes);
	bool there = at < config->n_prefixes &&
		     rule_prefix_compare(&items[at].prefix, &item->prefix) == 0;

	if (there && items[at].verdict == item->verdict)
		return refuse(field, "remove one of the two", text, "stands in the list twice",
			      ret_fault);
	if (there)
		return refuse(field, "remove it from one; of two prefixes the narrower decides",
			      text, "is denied and allowed at once", ret_fault);
	if (config->n_prefixes == REEVE_CONFIG_PREFIXES_MAX)
		return fault_set(ret_fault, FAULT_CONFIG, field, "write fewer, wider prefixes",
				 "there are more than %d prefixes", REEVE_CONFIG_PREFIXES_MAX);
	return insert((void **)&config->prefixes, &config->n_prefixes, sizeof(*item), at, item);
}

int config_add_deny(struct config *config, const char *text, const char *field,
		    struct fault *ret_fault)
{
	const struct rule_source source = { FAULT_CONFIG, field };
	struct config_prefix item = { .verdict = REASON_OPERATOR };
	int r = rule_prefix_parse(text, &source, &item.prefix, ret_fault);

	if (!r)
		r = rule_prefix_check_deny(&item.prefix, &source, ret_fault);
	return r ? r : prefix_add(config, &item, text, field, ret_fault);
}

int config_add_allow(struct config *config, const char *text, const char *field,
		     struct fault *ret_fault)
{
	const struct rule_source source = { FAULT_CONFIG, field };
	struct config_prefix item = { .verdict = REASON_OK };
	int r = rule_prefix_parse(text, &source, &item.prefix, ret_fault);

	if (!r)
		r = rule_prefix_check_allow(&item.prefix, &source, ret_fault);
	return r ? r : prefix_add(config, &item, text, field, ret_fault);
}

int config_add_name(struct config *config, const char *text, uint32_t ports, enum config_list list,
		    const char *field, struct fault *ret_fault)
{
	const struct rule_source source = { FAULT_CONFIG, field };
	struct config_name item = { .ports = ports, .lists = list }, *there;
	int r = rule_name_parse(text, &source, item.name, ret_fault);
	size_t at;

	if (!r)
		r = rule_name_check_allow(item.name, &source, ret_fault);
	if (r)
		return r;
	at = position(config->names, config->n_names, sizeof(item), item.name, compare_names);
	there = at < config->n_names ? &config->names[at] : NULL;
	if (!there || strcmp(there->name, item.name) != 0) {
		if (config->n_names == REEVE_CONFIG_NAMES_MAX)
			return fault_set(ret_fault, FAULT_CONFIG, field,
					 "allow domains, .example.org",
					 "there are more than %d names", REEVE_CONFIG_NAMES_MAX);
		return insert((void **)&config->names, &config->n_names, sizeof(item), at, &item);
	}
	if (there->lists & list)
		return refuse(field, "remove one of the two", item.name, "stands in the list twice",
			      ret_fault);
	there->lists |= list;
	there->ports |= ports;
	return 0;
}

int config_add_nat64(struct config *config, const char *text, const char *field,
		     struct fault *ret_fault)
{
	static const unsigned int lengths[] = { 32, 40, 48, 56, 64, 96 };
	static const struct host_prefix global = { 3, { 0x20 } };
	const struct rule_source source = { FAULT_CONFIG, field };
	struct host_prefix prefix;
	size_t i = 0;
	int r = rule_prefix_parse(text, &source, &prefix, ret_fault);

	if (r)
		return r;
	while (i < ARRAY_SIZE(lengths) && lengths[i] != prefix.prefixlen)
		i++;
	/* bits 64 to 71 are zero in every such address: RFC 6052, 2.2 */
	if (i == ARRAY_SIZE(lengths) || prefix.addr[8])
		return refuse(field, "give it as the translator has it: RFC 6052, 2.2", text,
			      "is no prefix of a translator: its length is 32, 40, 48, 56, 64 or 96",
			      ret_fault);
	if (!rule_prefix_has(&global, &prefix))
		return refuse(field, "leave it out", text,
			      "lies outside of 2000::/3, which is denied", ret_fault);
	if (rule_prefix_check_translator(&prefix, &source, ret_fault))
		return FAULT_E_SET;
	for (i = 0; i < config->n_nat64; i++)
		if (rule_prefix_compare(&config->nat64[i], &prefix) == 0)
			return refuse(field, "remove one of the two", text,
				      "stands in the list twice", ret_fault);
	if (config->n_nat64 == REEVE_CONFIG_NAT64_MAX)
		return fault_set(ret_fault, FAULT_CONFIG, field, "deny the others in \"deny\"",
				 "there are more than %d prefixes of translators",
				 REEVE_CONFIG_NAT64_MAX);
	i = position(config->nat64, config->n_nat64, sizeof(prefix), &prefix, compare_prefixes);
	memmove(&config->nat64[i + 1], &config->nat64[i], (config->n_nat64 - i) * sizeof(prefix));
	config->nat64[i] = prefix;
	config->n_nat64++;
	return 0;
}

int config_finish(struct config *config)
{
	struct fault fault = {};
	int r = 0;

	if (config->has_package_managers)
		return 0;
	config->has_package_managers = true;
	for (const char *const *name = names_package_managers; !r && *name; name++)
		r = config_add_name(config, *name, POLICY_PORT_TLS, CONFIG_PACKAGE_MANAGERS,
				    "/package_managers/names", &fault);
	/* full of names of the operator's: those that were added still hold */
	return r < 0 ? r : 0;
}

size_t config_count_prefixes(const struct config *config, enum reason verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < config->n_prefixes; i++)
		n += config->prefixes[i].verdict == verdict;
	return n;
}

size_t config_count_names(const struct config *config, enum config_list list)
{
	size_t n = 0;

	for (size_t i = 0; i < config->n_names; i++)
		n += (config->names[i].lists & list) != 0;
	return n;
}
