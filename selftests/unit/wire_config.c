// SPDX-License-Identifier: GPL-2.0-only
/*
 * The configuration as a document: what is taken, what is refused and where, and that it agrees with its
 * schema.
 */
#include <dirent.h>

#include "../../user/wire/config.h"
#include "../../user/wire/policy_json.h"
#include "../document.h"

#define EXAMPLES "schemas/examples/config.v1"

static struct config parse(const char *text)
{
	struct config config = { 0 };
	struct fault fault = { 0 };
	int r = config_parse(text, strlen(text), &config, &fault);

	if (r)
		printf("%s: %s: %s\n", text, fault.field, fault.reason);
	ASSERT_OK(r);
	return config;
}

static void refuse(const char *text, const char *field, const char *reason)
{
	struct config config = { 0 };
	struct fault fault = { 0 };

	EXPECT_EQ(config_parse(text, strlen(text), &config, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_CONFIG);
	EXPECT_STREQ(fault.field, field);
	EXPECT_HAS(fault.reason, reason);
	EXPECT_TRUE(fault.remedy[0]);
	EXPECT_NULL(config.prefixes);
	EXPECT_NULL(config.names);
}

TEST("an empty object is the defaults")
{
	_cleanup_config_ struct config config = parse("{}"), null_list = parse("{\"deny\":[]}");

	EXPECT_EQ(config.n_prefixes, 0);
	EXPECT_EQ(config.n_nat64, 0);
	EXPECT_GT(config.n_names, 0);
	EXPECT_EQ(config_count_names(&config, CONFIG_PACKAGE_MANAGERS), config.n_names);
	EXPECT_EQ(config_digest(&config), config_digest(&null_list));
}

TEST("every key arrives where it belongs")
{
	_cleanup_config_ struct config config = parse(
		"{\"nat64\":[\"2a00::/96\"],\"package_managers\":{\"names\":[\".a.org\"]},"
		"\"allow\":[{\"ports\":[80],\"name\":\"M.a.org\"},{\"prefix\":\"10.0.0.1/32\"},"
		"{\"name\":\".a.org\",\"ports\":[80,443]}],\"deny\":[\"9.0.0.0/8\"]}");

	ASSERT_EQ(config.n_prefixes, 2);
	EXPECT_EQ(config.prefixes[0].verdict, REASON_OPERATOR);
	EXPECT_EQ(config.prefixes[1].verdict, REASON_OK);
	ASSERT_EQ(config.n_names, 2);
	EXPECT_STREQ(config.names[0].name, ".a.org");
	EXPECT_EQ(config.names[0].ports, POLICY_PORT_TLS | POLICY_PORT_HTTP);
	EXPECT_EQ(config.names[0].lists, CONFIG_ALLOW | CONFIG_PACKAGE_MANAGERS);
	EXPECT_STREQ(config.names[1].name, "m.a.org");
	EXPECT_EQ(config.names[1].ports, POLICY_PORT_HTTP);
	EXPECT_EQ(config.n_nat64, 1);
}

TEST("an empty list of names offers none, no list offers the default")
{
	_cleanup_config_ struct config empty = parse("{\"package_managers\":{\"names\":[]}}");
	_cleanup_config_ struct config none = parse("{\"package_managers\":{}}");

	EXPECT_EQ(empty.n_names, 0);
	EXPECT_GT(none.n_names, 0);
}

TEST("every refusal names the place, the value and what is allowed")
{
	refuse("", "/", "");
	refuse("[]", "/", "the value is []; allowed is an object");
	refuse("{\"deny\":[],\"deny\":[]}", "/", "deny");
	refuse("{\"alow\":[]}", "/",
	       "\"alow\" is not known; allowed are deny, allow, package_managers, nat64");
	refuse("{\"deny\":null}", "/deny", "allowed is an array");
	refuse("{\"deny\":\"10.0.0.0/8\"}", "/deny", "allowed is an array");
	refuse("{\"deny\":[\"9.0.0.0/8\",8]}", "/deny/1",
	       "the value is 8; allowed is a prefix in a string");
	refuse("{\"deny\":[\"9.0.0.1/8\"]}", "/deny/0", "has bits set behind its length");
	refuse("{\"deny\":[\"9.0.0.0/8\",\"9.0.0.0/8\"]}", "/deny/1", "twice");
	refuse("{\"allow\":[\"10.0.0.1/32\"]}", "/allow/0", "allowed is an object");
	refuse("{\"allow\":[{}]}", "/allow/0", "one of the keys \"prefix\" and \"name\"");
	refuse("{\"allow\":[{\"prefix\":\"10.0.0.1/32\",\"name\":\"a.org\"}]}", "/allow/0",
	       "one of the keys");
	refuse("{\"allow\":[{\"prefix\":\"10.0.0.1/32\",\"ports\":[80]}]}", "/allow/0/ports",
	       "ports beside a name only");
	refuse("{\"allow\":[{\"prefix\":\"127.0.0.1/32\"}]}", "/allow/0/prefix", "never allowed");
	refuse("{\"allow\":[{\"prefix\":1}]}", "/allow/0/prefix", "a prefix in a string");
	refuse("{\"allow\":[{\"name\":1}]}", "/allow/0/name", "a name in a string");
	refuse("{\"allow\":[{\"name\":\"*.a.org\"}]}", "/allow/0/name", "star");
	refuse("{\"allow\":[{\"name\":\"a.org\",\"ports\":[]}]}", "/allow/0/ports",
	       "443, 80 or both");
	refuse("{\"allow\":[{\"name\":\"a.org\",\"ports\":443}]}", "/allow/0/ports", "an array");
	refuse("{\"allow\":[{\"name\":\"a.org\",\"ports\":[443,22]}]}", "/allow/0/ports/1",
	       "the value is 22");
	refuse("{\"allow\":[{\"name\":\"a.org\",\"ports\":[443,443]}]}", "/allow/0/ports/1",
	       "each port once");
	refuse("{\"allow\":[{\"name\":\"a.org\",\"port\":443}]}", "/allow/0",
	       "\"port\" is not known");
	refuse("{\"deny\":[\"9.0.0.0/8\"],\"allow\":[{\"prefix\":\"9.0.0.0/8\"}]}",
	       "/allow/0/prefix", "denied and allowed at once");
	refuse("{\"package_managers\":[]}", "/package_managers", "an object");
	refuse("{\"package_managers\":{\"names\":[\"a.org:80\"]}}", "/package_managers/names/0",
	       "no name");
	refuse("{\"nat64\":[\"2a00::/95\"]}", "/nat64/0", "length");
}

TEST("the schema's examples are read, and the schema has the code's bounds")
{
	_cleanup_json_ cJSON *tree = document_parse(document_schema_text("config.v1"), "config.v1");
	const cJSON *properties = document_get(tree, "properties");
	DIR *dir = opendir(EXAMPLES);
	struct dirent *entry;
	char path[512];
	int n = 0;

	ASSERT_NOT_NULL(dir);
	while ((entry = readdir(dir))) {
		_cleanup_config_ struct config config = { 0 };
		_cleanup_free_ char *text = NULL;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), EXAMPLES "/%s", entry->d_name);
		text = document_bytes(path);
		config = parse(text);
		n++;
	}
	closedir(dir);
	EXPECT_GE(n, 3);
	EXPECT_EQ(document_get(document_get(properties, "deny"), "maxItems")->valueint,
		  REEVE_CONFIG_PREFIXES_MAX);
	EXPECT_EQ(document_get(document_get(properties, "allow"), "maxItems")->valueint,
		  REEVE_CONFIG_PREFIXES_MAX + REEVE_CONFIG_NAMES_MAX);
	EXPECT_EQ(document_get(document_get(properties, "nat64"), "maxItems")->valueint,
		  REEVE_CONFIG_NAT64_MAX);
}

static void expect_document(const char *schema_name, const char *text)
{
	_cleanup_schema_ struct schema *schema = document_schema(document_schema_text(schema_name));
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	_cleanup_json_ cJSON *document = document_parse(text, text);

	if (schema_check(schema, document, &errors))
		printf("%s: %s: %s\n", text, errors.items[0].path, errors.items[0].message);
	EXPECT_EQ(errors.n_items, 0);
}

TEST("the summary of a configuration is a document of its schema")
{
	_cleanup_config_ struct config config = parse("{\"deny\":[\"9.0.0.0/8\"]}");
	_cleanup_free_ char *text = NULL, *without = NULL;

	ASSERT_OK(config_summary_print(&config, "/a/file", &text));
	EXPECT_HAS(text, "{\"file\":\"/a/file\",\"denied_prefixes\":1,\"allowed_prefixes\":0,");
	expect_document("config-check.v1", text);
	ASSERT_OK(config_summary_print(&config, NULL, &without));
	expect_document("config-check.v1", without);
}

TEST("a live session's policy is a document of its schema, whatever an operator wrote into the map")
{
	struct rule rules[] = {
		{ .kind = RULE_PREFIX, .prefix = { 128, { 0xfd } }, .verdict = REASON_OK },
		{ .kind = RULE_PREFIX, .prefix = { 3, { 0x20 } }, .verdict = (enum reason)4711 },
		{ .kind = RULE_NAME,
		  .name = ".example.org",
		  .ports = POLICY_PORT_TLS | POLICY_PORT_HTTP },
		{ .kind = RULE_NAME, .name = "example.org", .ports = 0 },
	};
	struct policy_view view = {
		.session_id = "sbs_01KBCQ7V3M0000000000000000",
		.cgroup_id = 5,
		.policy = { .state = POLICY_OPEN,
			    .egress = POLICY_EGRESS_PACKAGE_MANAGERS,
			    .cpu_cap_ns = POLICY_UNLIMITED,
			    .money_cap_ucents = 0,
			    .deadline_ns = 700 },
		.now_ns = 600,
		.rules = rules,
		.n_rules = ARRAY_SIZE(rules),
	};
	_cleanup_free_ char *text = NULL, *odd = NULL;

	ASSERT_OK(policy_json_print(&view, &text));
	expect_document("policy.v1", text);
	EXPECT_HAS(text, "\"state\":\"open\",\"stopped_by\":null,\"egress\":\"package-managers\"");
	EXPECT_HAS(text, "\"time_left_ns\":100,");
	EXPECT_HAS(text, "{\"rule\":\"fd00::/128\",\"verdict\":\"allow\"},"
			 "{\"rule\":\"2000::/3\",\"verdict\":\"deny\"},"
			 "{\"rule\":\".example.org:443,80\",\"verdict\":\"allow\"},"
			 "{\"rule\":\"example.org\",\"verdict\":\"deny\"}");
	view.policy.state = (enum policy_state)99;
	view.policy.egress = (enum policy_egress)99;
	view.policy.deadline_ns = POLICY_UNLIMITED;
	ASSERT_OK(policy_json_print(&view, &odd));
	expect_document("policy.v1", odd);
	EXPECT_HAS(odd, "\"state\":\"closed\",\"stopped_by\":\"not_armed\",\"egress\":\"none\"");
}
