// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules as text. What is written must mean what its writer sees: a prefix with bits behind its length, an
 * address without one, IPv4 written as IPv6 and a name with a star have two readings, so each is refused
 * with the form that has one.
 */
#include "rule.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "../base/str.h"
#include "names.h"

#define V4_BITS 96 /* in front of an IPv4 address that is written as IPv6 */
#define PREFIX_FORM "write it as 10.1.2.0/24 or 2001:db8:1::/48"
#define NAME_FORM "write host.example.org for one name, .example.org for a domain and all in it"

static const struct host_prefix mapped = { V4_BITS, { [10] = 0xff, [11] = 0xff } };
static const struct host_prefix nat64 = { 96, { 0x00, 0x64, 0xff, 0x9b } };
static const struct host_prefix unspecified = { 128, {} };

static bool bits_equal(const uint8_t *a, const uint8_t *b, unsigned int bits)
{
	unsigned int bytes = bits / 8, rest = bits % 8;

	if (memcmp(a, b, bytes) != 0)
		return false;
	return rest == 0 || ((a[bytes] ^ b[bytes]) >> (8 - rest)) == 0;
}

bool rule_prefix_has(const struct host_prefix *outer, const struct host_prefix *inner)
{
	return outer->prefixlen <= inner->prefixlen &&
	       bits_equal(outer->addr, inner->addr, outer->prefixlen);
}

static bool prefixes_meet(const struct host_prefix *a, const struct host_prefix *b)
{
	return rule_prefix_has(a, b) || rule_prefix_has(b, a);
}

int rule_prefix_compare(const struct host_prefix *a, const struct host_prefix *b)
{
	int order = memcmp(a->addr, b->addr, sizeof(a->addr));

	return order ? order : (a->prefixlen > b->prefixlen) - (a->prefixlen < b->prefixlen);
}

struct host_prefix rule_prefix_v4(uint32_t host_order, unsigned int len)
{
	struct host_prefix prefix = mapped;
	uint32_t address = htobe32(host_order);

	prefix.prefixlen = V4_BITS + len;
	memcpy(prefix.addr + V4_BITS / 8, &address, sizeof(address));
	return prefix;
}

void rule_prefix_text(const struct host_prefix *prefix, char ret[RULE_PREFIX_TEXT_SIZE])
{
	bool v4 = rule_prefix_has(&mapped, prefix);
	char address[INET6_ADDRSTRLEN];

	inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? prefix->addr + V4_BITS / 8 : prefix->addr, address,
		  sizeof(address));
	snprintf(ret, RULE_PREFIX_TEXT_SIZE, "%s/%u", address,
		 prefix->prefixlen - (v4 ? V4_BITS : 0));
}

/* The prefix with what is behind its length cleared. */
static struct host_prefix prefix_cut(const struct host_prefix *prefix)
{
	struct host_prefix cut = *prefix;
	unsigned int bytes = cut.prefixlen / 8;

	if (cut.prefixlen % 8)
		cut.addr[bytes++] &= (uint8_t)(0xff << (8 - cut.prefixlen % 8));
	memset(cut.addr + bytes, 0, sizeof(cut.addr) - bytes);
	return cut;
}

/* Whether @text is an address, whose longest prefix *ret then is. */
static bool address_read(const char *text, struct host_prefix *ret, bool *ret_v4)
{
	struct in_addr v4;

	*ret_v4 = inet_pton(AF_INET, text, &v4) == 1;
	if (*ret_v4)
		*ret = rule_prefix_v4(ntohl(v4.s_addr), 32);
	else
		ret->prefixlen = 128;
	return *ret_v4 || inet_pton(AF_INET6, text, ret->addr) == 1;
}

static int refuse_prefix(const struct rule_source *source, const char *text, const char *remedy,
			 const char *why, struct fault *ret_fault)
{
	char shown[80];

	str_show(text, strlen(text), shown, sizeof(shown));
	return fault_set(ret_fault, source->code, source->field, remedy, "\"%s\" %s", shown, why);
}

static int refuse_bits(const struct rule_source *source, const char *text,
		       const struct host_prefix *prefix, unsigned int bits, struct fault *ret_fault)
{
	struct host_prefix cut = prefix_cut(prefix), alone = *prefix;
	char range[RULE_PREFIX_TEXT_SIZE], one[RULE_PREFIX_TEXT_SIZE], remedy[160];

	alone.prefixlen = bits;
	rule_prefix_text(&cut, range);
	rule_prefix_text(&alone, one);
	snprintf(remedy, sizeof(remedy), "write %s for the range, or %s for the address alone",
		 range, one);
	return refuse_prefix(source, text, remedy, "has bits set behind its length", ret_fault);
}

/* IPv6 forms that other prefixes stand for. */
static int check_form_v6(const struct host_prefix *prefix, const char *text,
			 const struct rule_source *source, struct fault *ret_fault)
{
	if (rule_prefix_has(&mapped, prefix) || rule_prefix_has(&nat64, prefix))
		return refuse_prefix(source, text,
				     "write the IPv4 prefix: it holds for this form too",
				     "is IPv4 in the form of IPv6", ret_fault);
	if (prefixes_meet(&mapped, prefix) || prefixes_meet(&nat64, prefix) ||
	    rule_prefix_compare(&unspecified, prefix) == 0)
		return refuse_prefix(
			source, text,
			"write what of 2000::/3 or fc00::/7 is meant: the rest is always denied",
			"has addresses in it that stand for others", ret_fault);
	return 0;
}

int rule_prefix_parse(const char *text, const struct rule_source *source, struct host_prefix *ret,
		      struct fault *ret_fault)
{
	const char *slash = strchr(text, '/');
	char address[INET6_ADDRSTRLEN], remedy[96];
	struct host_prefix prefix = {}, cut;
	uint64_t len;
	bool v4;

	snprintf(address, sizeof(address), "%.*s", (int)strcspn(text, "/"), text);
	if (strcspn(text, "/") >= sizeof(address) || !address_read(address, &prefix, &v4))
		return refuse_prefix(source, text, PREFIX_FORM, "is no prefix of addresses",
				     ret_fault);
	if (!slash) {
		snprintf(remedy, sizeof(remedy), "write %s/%d", address, v4 ? 32 : 128);
		return refuse_prefix(source, text, remedy, "has no length", ret_fault);
	}
	if (!str_to_u64(slash + 1, v4 ? 32 : 128, &len))
		return refuse_prefix(source, text, PREFIX_FORM,
				     v4 ? "has a length other than 0 to 32"
					: "has a length other than 0 to 128",
				     ret_fault);
	prefix.prefixlen = (uint32_t)len + (v4 ? V4_BITS : 0);
	cut = prefix_cut(&prefix);
	if (memcmp(&cut, &prefix, sizeof(cut)) != 0)
		return refuse_bits(source, text, &prefix, 128, ret_fault);
	if (!v4 && check_form_v6(&prefix, text, source, ret_fault))
		return FAULT_E_SET;
	*ret = prefix;
	return 0;
}

/* No registry gives out a last label of digits: it is an address, or a part of one. */
static bool ends_in_number(const char *name)
{
	const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;

	return last[0] && last[strspn(last, "0123456789")] == '\0';
}

int rule_name_parse(const char *text, const struct rule_source *source,
		    char ret[REEVE_NAME_MAX + 2], struct fault *ret_fault)
{
	bool domain = text[0] == '.';
	size_t n = strlen(text);

	if (n - domain > REEVE_NAME_MAX)
		return refuse_prefix(source, text, NAME_FORM,
				     "is longer than any name that can be read", ret_fault);
	if (strncmp(text, "*.", 2) == 0)
		return refuse_prefix(source, text, NAME_FORM,
				     "has a star: a dot in front does that", ret_fault);
	if (!names_rule_is_valid(text) || ends_in_number(text))
		return refuse_prefix(source, text, NAME_FORM, "is no name of a host or domain",
				     ret_fault);
	for (size_t i = 0; i <= n; i++)
		ret[i] = (char)tolower((unsigned char)text[i]);
	return 0;
}

static const struct {
	const char *text;
	uint32_t ports;
} port_texts[] = {
	{ "", POLICY_PORT_TLS },
	{ ":443", POLICY_PORT_TLS },
	{ ":80", POLICY_PORT_HTTP },
	{ ":443,80", POLICY_PORT_TLS | POLICY_PORT_HTTP },
};

static int name_and_port_parse(const char *text, const struct rule_source *source, struct rule *ret,
			       struct fault *ret_fault)
{
	size_t n = strcspn(text, ":");
	char name[RULE_TEXT_SIZE];

	ret->kind = RULE_NAME;
	for (size_t i = 0; i < ARRAY_SIZE(port_texts); i++)
		if (strcmp(text + n, port_texts[i].text) == 0)
			ret->ports = port_texts[i].ports;
	if (!ret->ports)
		return refuse_prefix(source, text,
				     "put :443, :80 or :443,80 behind the name, or nothing for 443",
				     "has another port than names are read at", ret_fault);
	snprintf(name, sizeof(name), "%.*s", (int)n, text);
	return rule_name_parse(name, source, ret->name, ret_fault);
}

int rule_parse(const char *text, const struct rule_source *source, struct rule *ret,
	       struct fault *ret_fault)
{
	const char *colon = strchr(text, ':');
	struct host_prefix address;
	struct rule rule = {};
	bool v4;
	int r;

	/* one colon is a port, more are an address */
	if (strchr(text, '/') || address_read(text, &address, &v4) ||
	    (colon && strchr(colon + 1, ':')))
		r = rule_prefix_parse(text, source, &rule.prefix, ret_fault);
	else
		r = name_and_port_parse(text, source, &rule, ret_fault);
	if (!r)
		*ret = rule;
	return r;
}

bool rule_is_allow(const struct rule *rule)
{
	return rule->kind == RULE_PREFIX ? rule->verdict == REASON_OK : rule->ports != 0;
}

void rule_text(const struct rule *rule, char ret[RULE_TEXT_SIZE])
{
	size_t i = 0;

	if (rule->kind == RULE_PREFIX) {
		rule_prefix_text(&rule->prefix, ret);
		return;
	}
	while (i < ARRAY_SIZE(port_texts) && port_texts[i].ports != rule->ports)
		i++;
	snprintf(ret, RULE_TEXT_SIZE, "%s%s", rule->name,
		 i < ARRAY_SIZE(port_texts) ? port_texts[i].text : "");
}
