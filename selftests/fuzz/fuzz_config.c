// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes as a configuration. Whatever they are: a fault that can be acted on and nothing owned, or rules that
 * keep their bounds and of which each is one that the command line would take as well.
 */
#include <stdint.h>
#include <string.h>

#include "../../include/decide.h"
#include "../../include/egress.h"
#include "../../user/wire/config.h"
#include "../../user/wire/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static const struct rule_source source = { FAULT_CONFIG, "/" };

static void rule_is_whole(const struct rule *rule)
{
	char text[RULE_TEXT_SIZE];
	struct fault fault = { 0 };
	struct rule again = { 0 };

	rule_text(rule, text);
	must(rule_parse(text, &source, &again, &fault) == 0);
	must(again.kind == rule->kind && again.ports == rule->ports);
	must(strcmp(again.name, rule->name) == 0);
	must(rule_prefix_compare(&again.prefix, &rule->prefix) == 0);
}

static int prefix_is_whole(const struct host_prefix *prefix, enum reason verdict, void *arg)
{
	struct rule rule = { .kind = RULE_PREFIX, .prefix = *prefix, .verdict = verdict };
	struct fault fault = { 0 };
	enum reason found;

	must(prefix->prefixlen <= 128 && (unsigned int)verdict < REASON_COUNT);
	must(config_has_prefix(arg, prefix, &found));
	rule_is_whole(&rule);
	if (verdict == REASON_OK)
		must(rule_prefix_check_allow(prefix, &source, &fault) == 0);
	return 0;
}

static void config_is_whole(struct config *config)
{
	_cleanup_free_ char *text = NULL;

	must(config->n_prefixes <= REEVE_CONFIG_PREFIXES_MAX);
	must(config->n_names <= REEVE_CONFIG_NAMES_MAX);
	must(config->n_nat64 <= REEVE_CONFIG_NAT64_MAX);
	/* each entry is sought among all: long lists are the unit test's */
	if (config->n_prefixes < 64)
		must(config_each_prefix(config, prefix_is_whole, config) == 0);
	for (size_t i = 0; i < config->n_names; i++) {
		struct rule rule = { .kind = RULE_NAME, .ports = config->names[i].ports };

		memcpy(rule.name, config->names[i].name, sizeof(rule.name));
		rule_is_whole(&rule);
	}
	must(config_digest(config) != 0);
	must(config_summary_print(config, NULL, &text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	_cleanup_config_ struct config config = { 0 };
	struct fault fault = { 0 };
	int r = config_parse((const char *)bytes, size, &config, &fault);

	if (r == 0) {
		config_is_whole(&config);
		return 0;
	}
	must(r == FAULT_E_SET && fault.code == FAULT_CONFIG);
	must(fault.field[0] == '/' && fault.reason[0] && fault.remedy[0]);
	must(!config.prefixes && !config.names);
	return 0;
}
