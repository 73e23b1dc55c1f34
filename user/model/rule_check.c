// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an operator may deny and allow. An allowed prefix is held against the rows of the address table, and
 * refused when a row that no operator may open lies in it or around it. The kernel judges each address again;
 * refused here, nobody takes a rule for more than it is.
 *
 * Link-local addresses and those of cloud metadata are closed as well, though they are servers' addresses:
 * who asks them from inside gets the credentials of the machine.
 */
#include "rule.h"

#include <endian.h>
#include <string.h>

#include "../../include/decide.h"
#include "../../include/egress.h"
#include "verdict.h"

static const char *const metadata[] = {
	"100.100.100.200/32",
	"192.0.0.192/32",
	"fd00:ec2::254/128",
	"fd20:ce::254/128",
};

static bool prefixes_meet(const struct host_prefix *a, const struct host_prefix *b)
{
	return rule_prefix_has(a, b) || rule_prefix_has(b, a);
}

static struct host_prefix prefix_v6(uint64_t hi, uint64_t lo, unsigned int len)
{
	struct host_prefix prefix = { .prefixlen = len };
	uint64_t words[2] = { htobe64(hi), htobe64(lo) };

	memcpy(prefix.addr, words, sizeof(words));
	return prefix;
}

static bool reason_is_closed(enum reason reason)
{
	return reason == REASON_LINK_LOCAL || reason == REASON_CLOUD ||
	       (reason != REASON_OK && !egress_may_allow(reason));
}

static const struct row {
	uint64_t hi, lo;
	unsigned int len;
	enum reason reason;
} rows[] = {
#define X(a, b, c, d, len, NAME)                                                                   \
	{ 0, DECIDE_MAPPED_LO | DECIDE_V4_NET(a, b, c, d), 96 + (len), REASON_##NAME },
	DECIDE_V4(X)
#undef X
#define X(hi, lo, len, NAME) { hi##ull, lo##ull, len, REASON_##NAME },
		DECIDE_V6(X)
#undef X
};

static int refuse_allow(const struct host_prefix *prefix, const struct host_prefix *closed,
			const char *what, const struct rule_source *source, struct fault *ret_fault)
{
	char ours[RULE_PREFIX_TEXT_SIZE], theirs[RULE_PREFIX_TEXT_SIZE];
	bool inside = rule_prefix_has(closed, prefix);

	rule_prefix_text(prefix, ours);
	rule_prefix_text(closed, theirs);
	return fault_set(ret_fault, source->code, source->field,
			 "allow only the addresses that are needed, a server's /32 or /128 best",
			 "%s %s %s, which is never allowed (%s)", ours,
			 inside ? "lies in" : "has in it", theirs, what);
}

int rule_prefix_check_allow(const struct host_prefix *prefix, const struct rule_source *source,
			    struct fault *ret_fault)
{
	struct decide_addr first;
	struct host_prefix closed;
	enum reason class;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		closed = prefix_v6(rows[i].hi, rows[i].lo, rows[i].len);
		/* the row of length 0 is all that no other row has */
		if (rows[i].len && reason_is_closed(rows[i].reason) && prefixes_meet(&closed, prefix))
			return refuse_allow(prefix, &closed, reason_text(rows[i].reason), source,
					    ret_fault);
	}
	for (size_t i = 0; i < ARRAY_SIZE(metadata); i++) {
		if (rule_prefix_parse(metadata[i], source, &closed, ret_fault))
			return FAULT_E_SET;
		if (prefixes_meet(&closed, prefix))
			return refuse_allow(prefix, &closed, "the cloud's metadata service", source,
					    ret_fault);
	}
	memcpy(&first, prefix->addr, sizeof(first));
	first = (struct decide_addr){ be64toh(first.hi), be64toh(first.lo) };
	class = decide_class(&first);
	if (reason_is_closed(class))
		return refuse_allow(prefix, prefix, reason_text(class), source, ret_fault);
	return 0;
}

int rule_prefix_check_translator(const struct host_prefix *prefix, const struct rule_source *source,
				 struct fault *ret_fault)
{
	char ours[RULE_PREFIX_TEXT_SIZE], theirs[RULE_PREFIX_TEXT_SIZE];
	struct host_prefix closed;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		closed = prefix_v6(rows[i].hi, rows[i].lo, rows[i].len);
		if (!rows[i].len || rows[i].reason == REASON_OK || !rule_prefix_has(&closed, prefix))
			continue;
		rule_prefix_text(prefix, ours);
		rule_prefix_text(&closed, theirs);
		return fault_set(ret_fault, source->code, source->field,
				 "leave it out: nothing of it is reached in any case",
				 "%s lies in %s, which is never reached (%s)", ours, theirs,
				 reason_text(rows[i].reason));
	}
	return 0;
}

int rule_name_check_allow(const char *name, const struct rule_source *source, struct fault *ret_fault)
{
	if (name[0] != '.' || strchr(name + 1, '.'))
		return 0;
	return fault_set(ret_fault, source->code, source->field,
			 "allow the domains that are meant, .example.org, or hosts, host.example.org",
			 "\"%s\" is a whole top-level domain, in which everybody may have a name",
			 name);
}

int rule_prefix_check_deny(const struct host_prefix *prefix, const struct rule_source *source,
			   struct fault *ret_fault)
{
	const struct host_prefix own[] = { rule_prefix_v4(0x7f000000, 8), prefix_v6(0, 1, 128) };
	char text[RULE_PREFIX_TEXT_SIZE];

	rule_prefix_text(prefix, text);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (rule_prefix_has(&own[i], prefix))
			return fault_set(ret_fault, source->code, source->field, "leave it out",
					 "%s is a session's own loopback, which is never denied",
					 text);
	return 0;
}
