// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules are kept sorted, so that a name costs one search for itself and one for each of its domains:
 * "a.b.org" is allowed by "a.b.org", ".a.b.org", ".b.org" or ".org", and by nothing else. A rule that
 * ends in the middle of a label never matches, since only what begins with a dot is looked for.
 */
#include "names.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dns.h"
#include "names_default.h"

#define X(domain) "." domain,
const char *const names_package_managers[] = { NAMES_PACKAGE_MANAGERS(X) NULL };
#undef X

bool names_rule_is_valid(const char *rule)
{
	return dns_name_is_plain(rule[0] == '.' ? rule + 1 : rule);
}

/* The first rule that is not below @rule. */
static size_t position(const struct names *names, const char *rule)
{
	size_t low = 0, high = names->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(names->rules[middle], rule) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has(const struct names *names, const char *rule)
{
	size_t at = position(names, rule);

	return at < names->n && strcmp(names->rules[at], rule) == 0;
}

int names_add(struct names *names, const char *rule)
{
	char **rules, *copy;
	size_t at;

	if (!names_rule_is_valid(rule))
		return NAMES_E_INVALID;
	copy = strdup(rule);
	rules = copy ? reallocarray(names->rules, names->n + 1, sizeof(*rules)) : NULL;
	if (rules)
		names->rules = rules;
	else
		free(copy);
	if (!rules)
		return -ENOMEM;
	for (char *c = copy; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (has(names, copy)) {
		free(copy);
		return 0;
	}
	at = position(names, copy);
	memmove(rules + at + 1, rules + at, (names->n - at) * sizeof(*rules));
	rules[at] = copy;
	names->n++;
	return 0;
}

int names_add_all(struct names *names, const char *const *rules)
{
	int r = 0;

	for (; !r && *rules; rules++)
		r = names_add(names, *rules);
	return r;
}

void names_deinit(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->rules[i]);
	free(names->rules);
	*names = (struct names){ 0 };
}

bool names_match(const struct names *names, const char *name)
{
	char dotted[DNS_NAME_SIZE + 1];
	size_t n = strlen(name);

	if (n == 0 || n >= DNS_NAME_SIZE)
		return false;
	dotted[0] = '.';
	memcpy(dotted + 1, name, n + 1);
	if (has(names, name))
		return true;
	for (const char *domain = dotted; domain; domain = strchr(domain + 1, '.'))
		if (has(names, domain))
			return true;
	return false;
}
