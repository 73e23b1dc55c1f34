// SPDX-License-Identifier: GPL-2.0-only
/*
 * One set of rules holds for every session of the host, so who changes it changes it for all. A run whose
 * configuration is not the one in force is refused while sessions live: neither does it loosen what they
 * were started under, nor does it run under what it was not given. Without sessions the maps are brought up to
 * date in place, what is new first, what is stale behind it.
 *
 * Which configuration the maps hold stands in the host record, as its digest: a run whose configuration has
 * the same finds all done. It is 0 while the maps are changed, so that who dies in the middle leaves them to
 * be done again. What somebody put for all sessions by other means stays until the configuration changes.
 *
 * The host's own addresses are in the same map and not of this set: hostwatch.c has them.
 */
#include "rules.h"

#include <errno.h>
#include <string.h>

#include "../kernel/guard_rules.h"
#include "recover.h"

#define FIELD "--config"

static int prefix_put(const struct host_prefix *prefix, enum reason verdict, void *arg)
{
	return guard_prefix_put(arg, 0, prefix, verdict);
}

static int rules_put(struct guard *guard, const struct config *config)
{
	int r = config_each_prefix(config, prefix_put, guard);

	for (size_t i = 0; !r && i < config->n_names; i++)
		r = guard_name_put(guard, 0, config->names[i].name, config->names[i].ports);
	return r;
}

/* Each walk goes on from a key that stays. A key that cannot be taken out must not be met for ever. */
static int stale_prefixes_remove(const struct guard *guard, const struct config *config)
{
	struct host_prefix kept, next, *previous = NULL;
	enum reason reason, rule;
	int r;

	for (unsigned int i = 0; i < REEVE_PREFIXES_MAX; i++) {
		r = guard_prefix_next(guard, 0, previous, &next, &reason);
		if (r)
			return r == -ENOENT ? 0 : r;
		if (reason != REASON_HOST_ADDRESS && !config_has_prefix(config, &next, &rule)) {
			r = guard_prefix_remove(guard, 0, &next);
			if (r)
				return r;
			continue;
		}
		kept = next;
		previous = &kept;
	}
	return -ELOOP;
}

static bool has_name(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->n_names; i++)
		if (strcmp(config->names[i].name, name) == 0)
			return true;
	return false;
}

static int stale_names_remove(const struct guard *guard, const struct config *config)
{
	char kept[REEVE_NAME_MAX + 2], next[REEVE_NAME_MAX + 2];
	const char *previous = NULL;
	uint32_t ports;
	int r;

	for (unsigned int i = 0; i < REEVE_NAMES_MAX; i++) {
		r = guard_name_next(guard, 0, previous, next, &ports);
		if (r)
			return r == -ENOENT ? 0 : r;
		if (!has_name(config, next)) {
			r = guard_name_remove(guard, 0, next);
			if (r)
				return r;
			continue;
		}
		memcpy(kept, next, sizeof(kept));
		previous = kept;
	}
	return -ELOOP;
}

static int maps_update(struct guard *guard, const struct config *config)
{
	int r = guard_host_set_rules(guard, 0, config->nat64, config->n_nat64);

	if (!r)
		r = rules_put(guard, config);
	if (!r)
		r = stale_prefixes_remove(guard, config);
	if (!r)
		r = stale_names_remove(guard, config);
	return r ? r
		 : guard_host_set_rules(guard, config_digest(config), config->nat64, config->n_nat64);
}

int rules_apply(struct engine *engine, const struct config *config, struct fault *ret_fault)
{
	const char *file = engine->config->config_file;
	unsigned int live = 0;
	uint64_t digest;
	int r = guard_host_rules(&engine->guard, &digest);

	if (!r && digest != config_digest(config)) {
		r = recover_count_live(engine->slots_fd, &live);
		if (!r && live)
			return fault_set(ret_fault, FAULT_BUSY, FIELD,
					 "wait until they have ended, or give the configuration that they "
					 "run under; \"reeve policy\" changes one session",
					 "%u live sessions run under another configuration than %s",
					 live, file ? file : ENGINE_CONFIG_FILE);
		if (!r)
			r = maps_update(&engine->guard, config);
	}
	if (r)
		return fault_set_errno(ret_fault, FAULT_ENFORCEMENT, FIELD,
				       "run \"reeve gc --all\": the next run fills new maps", -r,
				       "the rules for every session cannot be put in place");
	engine->rules = config;
	return 0;
}
