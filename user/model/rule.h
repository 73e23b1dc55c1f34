/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One rule of the operator's, of the configuration or of a session: a prefix of addresses, or a name. Pure.
 */
#ifndef REEVE_RULE_H
#define REEVE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/policy.h"
#include "../../include/reason.h"
#include "../base/fault.h"

/* Room for a name with its ports, and for a prefix. */
#define RULE_TEXT_SIZE (REEVE_NAME_MAX + 16)
#define RULE_PREFIX_TEXT_SIZE 56

/* Where a rule was written, for faults: a code, and a JSON pointer or an argument. */
struct rule_source {
	enum fault_code code;
	const char *field;
};

enum rule_kind {
	RULE_PREFIX,
	RULE_NAME,
};

struct rule {
	enum rule_kind kind;
	struct host_prefix prefix;
	enum reason verdict;	       /* of a prefix */
	char name[REEVE_NAME_MAX + 2]; /* "host.example.org", or ".example.org": the domain and all in it */
	uint32_t ports;		       /* of a name, enum policy_port bits; 0 denies it */
};

/*
 * Each returns 0 or FAULT_E_SET with the text, what is allowed and the right form.
 */

/* "10.1.2.0/24" or "2001:db8::/32", nothing set behind the length. */
int rule_prefix_parse(const char *text, const struct rule_source *source, struct host_prefix *ret,
		      struct fault *ret_fault);

/* Whether an operator may allow the prefix: nothing in it that is no address of a server. */
int rule_prefix_check_allow(const struct host_prefix *prefix, const struct rule_source *source,
			    struct fault *ret_fault);

/* Whether denying the prefix would mean anything: a session's loopback is its own. */
int rule_prefix_check_deny(const struct host_prefix *prefix, const struct rule_source *source,
			   struct fault *ret_fault);

/* Whether sessions could reach a translator of this prefix: no row of the address table has all of it. */
int rule_prefix_check_translator(const struct host_prefix *prefix, const struct rule_source *source,
				 struct fault *ret_fault);

/* Whether a name that rule_name_parse() gave may be allowed: it is not all of a top-level domain. */
int rule_name_check_allow(const char *name, const struct rule_source *source,
			  struct fault *ret_fault);

/* "host.example.org" or ".example.org", in lower case when it returns. */
int rule_name_parse(const char *text, const struct rule_source *source,
		    char ret[REEVE_NAME_MAX + 2], struct fault *ret_fault);

/* Either, as an argument: a name may have ":443" or ":80" behind it, which is 443 without. No verdict yet. */
int rule_parse(const char *text, const struct rule_source *source, struct rule *ret,
	       struct fault *ret_fault);

bool rule_is_allow(const struct rule *rule);
void rule_prefix_text(const struct host_prefix *prefix, char ret[RULE_PREFIX_TEXT_SIZE]);

/* As rule_parse() reads it, ports that are not the usual one behind a name. */
void rule_text(const struct rule *rule, char ret[RULE_TEXT_SIZE]);

/* Whether all of @inner lies in @outer. */
bool rule_prefix_has(const struct host_prefix *outer, const struct host_prefix *inner);

/* The order of prefixes by address, then by length; as for qsort(). */
int rule_prefix_compare(const struct host_prefix *a, const struct host_prefix *b);

/* The prefix of an IPv4 address in host byte order. */
struct host_prefix rule_prefix_v4(uint32_t host_order, unsigned int len);

#endif
