// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operator's configuration as a document. Readers find the form, the model judges each item as it comes,
 * so that a fault has the item's place. The first fault ends the reading: nothing of a file that has one is
 * ever in force.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "json.h"
#include "json_walk.h"

#define CONFIG_EXAMPLE                                                                             \
	"give an object such as {\"deny\": [\"198.51.100.0/24\"]}; {} is the defaults"
#define FIELD_SIZE sizeof(((struct fault *)NULL)->field)

typedef int config_add_fn(struct config *config, const char *text, const char *field,
			  struct fault *ret_fault);

static int read_prefix(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		       struct config *into, config_add_fn *add)
{
	char field[FIELD_SIZE];

	if (!cJSON_IsString(item))
		return json_refuse_value(walk, item, at, "a prefix in a string, \"198.51.100.0/24\"");
	json_at_show(at, field, sizeof(field));
	return add(into, item->valuestring, field, walk->fault);
}

static int read_denied(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	return read_prefix(walk, item, at, into, config_add_deny);
}

static int read_deny(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	return json_read_array(walk, item, at, read_denied, into);
}

static int read_translator(struct json_walk *walk, const cJSON *item, const struct json_at *at,
			   void *into)
{
	return read_prefix(walk, item, at, into, config_add_nat64);
}

static int read_nat64(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	return json_read_array(walk, item, at, read_translator, into);
}

/* An item of "allow" while it is read: what its keys mean together is known behind the last one. */
struct allowed {
	const cJSON *prefix, *name;
	uint32_t ports;
};

static int keep_prefix(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	(void)walk;
	(void)at;
	((struct allowed *)into)->prefix = item;
	return 0;
}

static int keep_name(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	(void)walk;
	(void)at;
	((struct allowed *)into)->name = item;
	return 0;
}

static int read_port(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	struct allowed *allowed = into;
	uint32_t port = 0;

	if (cJSON_IsNumber(item) && item->valuedouble == 443)
		port = POLICY_PORT_TLS;
	else if (cJSON_IsNumber(item) && item->valuedouble == 80)
		port = POLICY_PORT_HTTP;
	if (!port)
		return json_refuse_value(walk, item, at, "443 or 80: names are read there alone");
	if (allowed->ports & port)
		return json_refuse_value(walk, item, at, "each port once");
	allowed->ports |= port;
	return 0;
}

static int read_ports(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	if (cJSON_IsArray(item) && cJSON_GetArraySize(item) == 0)
		return json_refuse_value(walk, item, at, "443, 80 or both; 443 when it is left out");
	return json_read_array(walk, item, at, read_port, into);
}

static const struct json_key allowed_keys[] = {
	{ "prefix", keep_prefix, false },
	{ "name", keep_name, false },
	{ "ports", read_ports, false },
};

static int add_name(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		    struct config *config, uint32_t ports, enum config_list list)
{
	char field[FIELD_SIZE];

	if (!cJSON_IsString(item))
		return json_refuse_value(
			walk, item, at,
			"a name in a string, \"host.example.org\" or \".example.org\"");
	json_at_show(at, field, sizeof(field));
	return config_add_name(config, item->valuestring, ports, list, field, walk->fault);
}

static int read_allowed(struct json_walk *walk, const cJSON *item, const struct json_at *at,
			void *into)
{
	struct allowed allowed = { 0 };
	int r = json_read_object(walk, item, at, allowed_keys, ARRAY_SIZE(allowed_keys), &allowed);

	if (r)
		return r;
	if (!allowed.prefix == !allowed.name)
		return json_refuse_value(walk, item, at, "one of the keys \"prefix\" and \"name\"");
	if (allowed.prefix && allowed.ports)
		return json_refuse_value(
			walk, item, &(struct json_at){ at, "ports", 0 },
			"ports beside a name only: a prefix is open at those of its mode");
	if (allowed.prefix)
		return read_prefix(walk, allowed.prefix, &(struct json_at){ at, "prefix", 0 }, into,
				   config_add_allow);
	return add_name(walk, allowed.name, &(struct json_at){ at, "name", 0 }, into,
			allowed.ports ? allowed.ports : POLICY_PORT_TLS, CONFIG_ALLOW);
}

static int read_allow(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	return json_read_array(walk, item, at, read_allowed, into);
}

static int read_registry(struct json_walk *walk, const cJSON *item, const struct json_at *at,
			 void *into)
{
	return add_name(walk, item, at, into, POLICY_PORT_TLS, CONFIG_PACKAGE_MANAGERS);
}

static int read_names(struct json_walk *walk, const cJSON *item, const struct json_at *at, void *into)
{
	((struct config *)into)->has_package_managers = true;
	return json_read_array(walk, item, at, read_registry, into);
}

static const struct json_key package_managers_keys[] = { { "names", read_names, false } };

static int read_package_managers(struct json_walk *walk, const cJSON *item,
				 const struct json_at *at, void *into)
{
	return json_read_object(walk, item, at, package_managers_keys,
				ARRAY_SIZE(package_managers_keys), into);
}

static const struct json_key keys[] = {
	{ "deny", read_deny, false },
	{ "allow", read_allow, false },
	{ "package_managers", read_package_managers, false },
	{ "nat64", read_nat64, false },
};

int config_parse(const char *bytes, size_t n, struct config *ret, struct fault *ret_fault)
{
	static const struct json_origin origin = { FAULT_CONFIG, "the configuration", CONFIG_EXAMPLE };
	struct json_walk walk = { &origin, ret_fault };
	_cleanup_config_ struct config config = { 0 };
	_cleanup_json_ cJSON *tree = NULL;
	int r;

	if (n > REEVE_CONFIG_BYTES_MAX)
		return fault_set(ret_fault, FAULT_CONFIG, "/", "write fewer, wider prefixes",
				 "the configuration has more than %d bytes", REEVE_CONFIG_BYTES_MAX);
	r = json_parse(bytes, n, &origin, &tree, ret_fault);
	if (!r)
		r = json_read_object(&walk, tree, &(struct json_at){ 0 }, keys, ARRAY_SIZE(keys),
				     &config);
	if (!r)
		r = config_finish(&config);
	if (r)
		return r;
	*ret = config;
	config = (struct config){ 0 };
	return 0;
}

int config_summary_print(const struct config *config, const char *file, char **ret)
{
	_cleanup_json_ cJSON *root = cJSON_CreateObject();
	char digest[17];

	snprintf(digest, sizeof(digest), "%016" PRIx64, config_digest(config));
	if (!json_add_text(root, "file", file) ||
	    !json_add_u64(root, "denied_prefixes", config_count_prefixes(config, REASON_OPERATOR)) ||
	    !json_add_u64(root, "allowed_prefixes", config_count_prefixes(config, REASON_OK)) ||
	    !json_add_u64(root, "allowed_names", config_count_names(config, CONFIG_ALLOW)) ||
	    !json_add_u64(root, "package_manager_names",
			  config_count_names(config, CONFIG_PACKAGE_MANAGERS)) ||
	    !json_add_u64(root, "nat64_prefixes", config->n_nat64) ||
	    !json_add_text(root, "digest", digest))
		return -ENOMEM;
	return json_print(root, false, ret);
}
