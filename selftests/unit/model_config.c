// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules of the operator: which texts are one, which prefixes may be allowed, and what a configuration comes to
 * in the kernel's map.
 */
#include <errno.h>
#include <string.h>

#include "../../user/model/config.h"
#include "../test.h"

static const struct rule_source source = { FAULT_CONFIG, "/here" };

static void expect_prefix(const char *text, const char *shown)
{
	struct host_prefix prefix;
	struct fault fault = {};
	char got[RULE_PREFIX_TEXT_SIZE] = "";

	if (rule_prefix_parse(text, &source, &prefix, &fault) == 0)
		rule_prefix_text(&prefix, got);
	else
		printf("%s\n", fault.reason);
	EXPECT_STREQ(got, shown);
}

static void expect_fault(int r, const struct fault *fault, const char *reason, const char *remedy)
{
	EXPECT_EQ(r, FAULT_E_SET);
	EXPECT_EQ(fault->code, FAULT_CONFIG);
	EXPECT_STREQ(fault->field, "/here");
	EXPECT_HAS(fault->reason, reason);
	EXPECT_HAS(fault->remedy, remedy);
}

static void refuse_prefix(const char *text, const char *reason, const char *remedy)
{
	struct host_prefix prefix = { .prefixlen = 77 };
	struct fault fault = {};
	int r = rule_prefix_parse(text, &source, &prefix, &fault);

	expect_fault(r, &fault, reason, remedy);
	EXPECT_EQ(prefix.prefixlen, 77);
}

TEST("prefixes of both families are read, and shown in their one form")
{
	expect_prefix("10.1.2.0/24", "10.1.2.0/24");
	expect_prefix("0.0.0.0/0", "0.0.0.0/0");
	expect_prefix("255.255.255.255/32", "255.255.255.255/32");
	expect_prefix("2001:DB8:0::/48", "2001:db8::/48");
	expect_prefix("fd00::1/128", "fd00::1/128");
	expect_prefix("2000::/3", "2000::/3");
}

TEST("a prefix that has two readings or none is refused with the right form")
{
	refuse_prefix("10.1.2.3/24", "bits set behind its length",
		      "write 10.1.2.0/24 for the range, or 10.1.2.3/32");
	refuse_prefix("2001:db8::1/64", "bits set",
		      "write 2001:db8::/64 for the range, or 2001:db8::1/128");
	refuse_prefix("10.1.2.3", "has no length", "write 10.1.2.3/32");
	refuse_prefix("fd00::1", "has no length", "write fd00::1/128");
	refuse_prefix("10.0.0.0/33", "0 to 32", "10.1.2.0/24");
	refuse_prefix("fd00::/129", "0 to 128", "10.1.2.0/24");
	refuse_prefix("10.0.0.0/-1", "0 to 32", "10.1.2.0/24");
	refuse_prefix("10.0.0.0/08", "0 to 32", "10.1.2.0/24");
	refuse_prefix("10.0.0.0/", "0 to 32", "10.1.2.0/24");
	refuse_prefix("10.0.0/8", "no prefix of addresses", "10.1.2.0/24");
	refuse_prefix("010.0.0.0/8", "no prefix of addresses", "10.1.2.0/24");
	refuse_prefix("fe80::%eth0/64", "no prefix of addresses", "10.1.2.0/24");
	refuse_prefix("", "no prefix of addresses", "10.1.2.0/24");
	refuse_prefix("/", "no prefix of addresses", "10.1.2.0/24");
	refuse_prefix("host.example.org/24", "no prefix of addresses", "10.1.2.0/24");
	refuse_prefix("1:2:3:4:5:6:7:8:9:a:b:c:d:e:f:1:2:3:4:5:6:7:8:9/64",
		      "no prefix of addresses", "");
	refuse_prefix("\x1b[31m/8", "\\x1b", "10.1.2.0/24");
}

TEST("IPv4 in the form of IPv6 is refused, and what has it in it")
{
	refuse_prefix("::ffff:10.0.0.0/104", "IPv4 in the form", "write the IPv4 prefix");
	refuse_prefix("::ffff:0:0/96", "IPv4 in the form", "write the IPv4 prefix");
	refuse_prefix("64:ff9b::/96", "IPv4 in the form", "write the IPv4 prefix");
	refuse_prefix("64:ff9b::a00:1/128", "IPv4 in the form", "write the IPv4 prefix");
	refuse_prefix("::/0", "that stand for others", "2000::/3");
	refuse_prefix("::/64", "that stand for others", "2000::/3");
	refuse_prefix("64::/16", "that stand for others", "2000::/3");
	refuse_prefix("::/128", "that stand for others", "2000::/3");
}

static int allowed(const char *text, struct fault *ret_fault)
{
	struct host_prefix prefix;

	ASSERT_OK(rule_prefix_parse(text, &source, &prefix, ret_fault));
	return rule_prefix_check_allow(&prefix, &source, ret_fault);
}

TEST("servers may be allowed wherever a network has them, private or public")
{
	static const char *const texts[] = {
		"10.0.0.0/8",	  "10.1.2.3/32",    "172.16.0.0/12",   "192.168.0.0/16",
		"100.64.0.0/11",  "198.18.0.0/15",  "8.8.8.0/24",      "fd00:7::/64",
		"fd12:3456::/32", "2606:4700::/32", "2001:db8::1/128", "192.0.2.1/32",
	};
	struct fault fault = {};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (allowed(texts[i], &fault))
			printf("%s: %s\n", texts[i], fault.reason);
		EXPECT_EQ(fault.code, FAULT_NONE);
	}
}

TEST("nobody may allow loopback, link-local, metadata, multicast, embeddings or all")
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{ "127.0.0.1/32", "lies in 127.0.0.0/8" },
		{ "0.0.0.0/0", "has in it 0.0.0.0/8" },
		{ "0.0.0.0/1", "never allowed" },
		{ "128.0.0.0/1", "has in it 168.63.129.16/32" },
		{ "169.254.169.254/32", "cloud metadata" },
		{ "169.254.0.0/16", "never allowed" },
		{ "168.63.129.16/32", "never allowed" },
		{ "100.64.0.0/10",
		  "100.100.100.200/32, which is never allowed (the cloud's metadata service)" },
		{ "192.0.0.0/24", "192.0.0.192/32" },
		{ "224.0.0.0/4", "multicast" },
		{ "240.0.0.0/4", "reserved" },
		{ "255.255.255.255/32", "reserved" },
		{ "::1/128", "never allowed" },
		{ "fe80::/10", "link-local" },
		{ "fd00::/8", "fd00:ec2::254/128" },
		{ "fc00::/7", "metadata" },
		{ "ff02::1/128", "multicast" },
		{ "2002:a00:1::/48", "6to4" },
		{ "2000::/3", "has in it 2002::/16" },
		{ "4000::/3", "reserved" },
		{ "64:ff9b:1::/48", "NAT64" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fault fault = {};
		int r = allowed(rows[i].text, &fault);

		if (r != FAULT_E_SET)
			printf("%s\n", rows[i].text);
		expect_fault(r, &fault, rows[i].reason, "only the addresses that are needed");
	}
}

static void expect_rule(const char *text, const char *shown, enum rule_kind kind, uint32_t ports)
{
	struct rule rule = {};
	struct fault fault = {};
	char got[RULE_TEXT_SIZE] = "";

	if (rule_parse(text, &source, &rule, &fault))
		printf("%s: %s\n", text, fault.reason);
	else
		rule_text(&rule, got);
	EXPECT_STREQ(got, shown);
	EXPECT_EQ(rule.kind, kind);
	EXPECT_EQ(rule.ports, ports);
}

TEST("a rule on the command line is a prefix or a name with its ports, and reads as it is shown")
{
	const uint32_t both = POLICY_PORT_TLS | POLICY_PORT_HTTP;

	expect_rule("10.0.0.0/8", "10.0.0.0/8", RULE_PREFIX, 0);
	expect_rule("fd00::/64", "fd00::/64", RULE_PREFIX, 0);
	expect_rule("Host.Example.ORG", "host.example.org", RULE_NAME, POLICY_PORT_TLS);
	expect_rule(".example.org", ".example.org", RULE_NAME, POLICY_PORT_TLS);
	expect_rule("host.example.org:443", "host.example.org", RULE_NAME, POLICY_PORT_TLS);
	expect_rule("host.example.org:80", "host.example.org:80", RULE_NAME, POLICY_PORT_HTTP);
	expect_rule(".example.org:443,80", ".example.org:443,80", RULE_NAME, both);
	expect_rule("_a-1.b", "_a-1.b", RULE_NAME, POLICY_PORT_TLS);
}

TEST("what is neither is refused with the right form")
{
	static const struct {
		const char *text, *reason, *remedy;
	} rows[] = {
		{ "10.0.0.1", "no length", "10.0.0.1/32" },
		{ "fd00::1", "no length", "fd00::1/128" },
		{ "10.0.0.0.1", "no name", "host.example.org" },
		{ "example.123", "no name", "host.example.org" },
		{ "*.example.org", "star", ".example.org" },
		{ "host..org", "no name", "host.example.org" },
		{ "host.org.", "no name", "host.example.org" },
		{ ".", "no name", "host.example.org" },
		{ "", "no name", "host.example.org" },
		{ "host.org:", "another port", ":443, :80" },
		{ "host.org:8080", "another port", ":443, :80" },
		{ "host.org:80,443", "another port", ":443,80" },
		{ "https://host.test", "no prefix", "10.1.2.0/24" },
		{ "a b.org", "no name", "host.example.org" },
		{ "a:b:c", "no prefix", "10.1.2.0/24" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rule rule = {};
		struct fault fault = {};

		expect_fault(rule_parse(rows[i].text, &source, &rule, &fault), &fault,
			     rows[i].reason, rows[i].remedy);
	}
}

TEST("a name is as long as the kernel reads one, and no longer")
{
	char name[REEVE_NAME_MAX + 3] = ".";
	struct fault fault = {};
	struct rule rule;

	memset(name + 1, 'a', REEVE_NAME_MAX + 1);
	for (size_t i = 60; i < REEVE_NAME_MAX; i += 60)
		name[i] = '.';
	expect_fault(rule_parse(name, &source, &rule, &fault), &fault, "is longer than any name", "");
	name[REEVE_NAME_MAX + 1] = '\0';
	EXPECT_OK(rule_parse(name, &source, &rule, &fault));
	EXPECT_EQ(strlen(rule.name), REEVE_NAME_MAX + 1);
}

static void add(int r, const struct fault *fault)
{
	if (r)
		printf("%s\n", fault->reason);
	ASSERT_OK(r);
}

TEST("a prefix that is there twice or on both sides, and a name twice in a list, are refused")
{
	_cleanup_config_ struct config config = {};
	struct fault fault = {};

	add(config_add_deny(&config, "10.1.0.0/16", "/here", &fault), &fault);
	add(config_add_allow(&config, "10.1.2.3/32", "/here", &fault), &fault);
	expect_fault(config_add_deny(&config, "10.1.0.0/16", "/here", &fault), &fault, "twice",
		     "remove");
	fault = (struct fault){};
	expect_fault(config_add_allow(&config, "10.1.0.0/16", "/here", &fault), &fault,
		     "denied and allowed at once", "the narrower decides");
	fault = (struct fault){};
	expect_fault(config_add_deny(&config, "127.0.0.0/16", "/here", &fault), &fault,
		     "own loopback", "leave it out");
	fault = (struct fault){};
	add(config_add_name(&config, ".a.org", POLICY_PORT_HTTP, CONFIG_ALLOW, "/here", &fault),
	    &fault);
	expect_fault(config_add_name(&config, ".A.org", POLICY_PORT_TLS, CONFIG_ALLOW, "/here",
				     &fault),
		     &fault, "twice", "remove");
	fault = (struct fault){};
	add(config_add_name(&config, ".a.org", POLICY_PORT_TLS, CONFIG_PACKAGE_MANAGERS, "/here",
			    &fault),
	    &fault);
	ASSERT_EQ(config.n_names, 1);
	EXPECT_EQ(config.names[0].ports, POLICY_PORT_TLS | POLICY_PORT_HTTP);
	EXPECT_EQ(config_count_prefixes(&config, REASON_OK), 1);
	EXPECT_EQ(config_count_prefixes(&config, REASON_OPERATOR), 1);
}

TEST("the lists are bounded")
{
	_cleanup_config_ struct config config = {};
	struct fault fault = {};
	char text[64];
	int r = 0;

	for (unsigned int i = 0; !r && i <= REEVE_CONFIG_PREFIXES_MAX; i++) {
		snprintf(text, sizeof(text), "9.%u.%u.0/24", i >> 8, i & 255);
		r = config_add_deny(&config, text, "/here", &fault);
	}
	expect_fault(r, &fault, "more than 4096", "wider");
	EXPECT_EQ(config.n_prefixes, REEVE_CONFIG_PREFIXES_MAX);
	fault = (struct fault){};
	for (unsigned int i = r = 0; !r && i <= REEVE_CONFIG_NAMES_MAX; i++) {
		snprintf(text, sizeof(text), "h%u.example.org", i);
		r = config_add_name(&config, text, POLICY_PORT_TLS, CONFIG_ALLOW, "/here", &fault);
	}
	expect_fault(r, &fault, "more than 4096", "domains");
	for (size_t i = 1; i < config.n_names; i++)
		EXPECT_LT(strcmp(config.names[i - 1].name, config.names[i].name), 0);
}

TEST("all of a top-level domain is not allowed, a domain in it is, and so is a host of one label")
{
	_cleanup_config_ struct config config = {};
	struct fault fault = {};

	expect_fault(config_add_name(&config, ".ORG", POLICY_PORT_TLS, CONFIG_ALLOW, "/here", &fault),
		     &fault, "\".org\" is a whole top-level domain", ".example.org");
	fault = (struct fault){};
	add(config_add_name(&config, ".example.org", POLICY_PORT_TLS, CONFIG_ALLOW, "/here", &fault),
	    &fault);
	add(config_add_name(&config, "registry", POLICY_PORT_TLS, CONFIG_ALLOW, "/here", &fault),
	    &fault);
}

TEST("the default names are put where none were given, and only there")
{
	_cleanup_config_ struct config none = {}, empty = { .has_package_managers = true };

	EXPECT_OK(config_finish(&none));
	EXPECT_OK(config_finish(&empty));
	EXPECT_GE(config_count_names(&none, CONFIG_PACKAGE_MANAGERS), 5);
	EXPECT_EQ(config_count_names(&none, CONFIG_ALLOW), 0);
	EXPECT_EQ(empty.n_names, 0);
	EXPECT_NE(config_digest(&none), config_digest(&empty));
	EXPECT_NE(config_digest(&empty), 0);
}

TEST("the digest is that of what is said, not of the order in which")
{
	_cleanup_config_ struct config one = {}, two = {};
	struct fault fault = {};

	add(config_add_deny(&one, "9.1.0.0/16", "", &fault), &fault);
	add(config_add_allow(&one, "10.0.0.1/32", "", &fault), &fault);
	add(config_add_nat64(&one, "2a00:1::/96", "", &fault), &fault);
	add(config_add_nat64(&one, "2a00::/96", "", &fault), &fault);
	add(config_add_nat64(&two, "2a00::/96", "", &fault), &fault);
	add(config_add_allow(&two, "10.0.0.1/32", "", &fault), &fault);
	EXPECT_NE(config_digest(&one), config_digest(&two));
	add(config_add_deny(&two, "9.1.0.0/16", "", &fault), &fault);
	add(config_add_nat64(&two, "2a00:1::/96", "", &fault), &fault);
	EXPECT_EQ(config_digest(&one), config_digest(&two));
}

static enum reason verdict_of(const struct config *config, const char *text)
{
	struct host_prefix prefix;
	struct fault fault = {};
	enum reason verdict = REASON_COUNT;

	ASSERT_OK(rule_prefix_parse(text, &source, &prefix, &fault));
	config_has_prefix(config, &prefix, &verdict);
	return verdict;
}

TEST("a translator's prefix of 96 bits is left to the hooks, and a shorter one denied whole; both are in the digest")
{
	_cleanup_config_ struct config config = {};
	uint64_t digest;
	struct fault fault = {};

	add(config_add_nat64(&config, "2a00:1:2:64::/96", "/here", &fault), &fault);
	add(config_add_nat64(&config, "2a00:3::/32", "/here", &fault), &fault);
	add(config_add_deny(&config, "9.9.9.0/24", "/here", &fault), &fault);
	add(config_add_allow(&config, "10.0.0.1/32", "/here", &fault), &fault);
	EXPECT_EQ(verdict_of(&config, "2a00:1:2:64::/96"), REASON_COUNT);
	EXPECT_EQ(verdict_of(&config, "2a00:1:2:64::a00:0/104"), REASON_COUNT);
	EXPECT_EQ(verdict_of(&config, "2a00:3::/32"), REASON_TRANSITION);
	EXPECT_EQ(verdict_of(&config, "9.9.9.0/24"), REASON_OPERATOR);
	EXPECT_EQ(verdict_of(&config, "10.0.0.1/32"), REASON_OK);
	digest = config_digest(&config);
	add(config_add_nat64(&config, "2a00:4::/96", "/here", &fault), &fault);
	EXPECT_NE(config_digest(&config), digest);
}

TEST("a translator's prefix is one of RFC 6052, in 2000::/3, each once, and there are few")
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{ "2a00:1::/95", "its length is 32, 40, 48, 56, 64 or 96" },
		{ "2a00:1::/128", "its length" },
		{ "2a00:1:2:3:100::/96", "no prefix of a translator" },
		{ "fd00:64::/96", "outside of 2000::/3" },
		{ "64:ff9b::/96", "IPv4 in the form" },
		{ "2001:db8:64::/96", "lies in 2001:db8::/32, which is never reached (" },
		{ "2002:a00:1::/96", "lies in 2002::/16, which is never reached (" },
		{ "2a00::/96", "twice" },
		{ "2a00:5::/96", "more than 4" },
	};
	_cleanup_config_ struct config config = {};
	struct fault fault = {};
	char text[64];

	for (unsigned int i = 0; i < REEVE_CONFIG_NAT64_MAX; i++) {
		snprintf(text, sizeof(text), i ? "2a00:%x::/96" : "2a00::/96", i);
		add(config_add_nat64(&config, text, "/here", &fault), &fault);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fault = (struct fault){};
		expect_fault(config_add_nat64(&config, rows[i].text, "/here", &fault), &fault,
			     rows[i].reason, "");
	}
}
