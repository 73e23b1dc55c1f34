// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON Schema's patterns are ECMA-262 expressions. PCRE2 runs them: POSIX's own matcher knows
 * neither classes of Unicode nor groups that do not capture. The two dialects agree on most of what
 * people write, and where they do not, the expression is refused here, at compile time, and not
 * read in the other way:
 *
 *   - escapes, groups and repetitions that only PCRE2 has, and its classes by name in brackets;
 *   - \s and \S, which are wider in ECMA-262.
 *
 * One thing is translated: the long names of the general categories, as \p{Letter}.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "schema_pattern.h"

#include <errno.h>
#include <pcre2.h>
#include <string.h>

struct pattern {
	pcre2_code *code;
};

static const struct {
	const char *name, *code;
} categories[] = {
	{ "Letter", "L" },
	{ "Lowercase_Letter", "Ll" },
	{ "Uppercase_Letter", "Lu" },
	{ "Titlecase_Letter", "Lt" },
	{ "Modifier_Letter", "Lm" },
	{ "Other_Letter", "Lo" },
	{ "Cased_Letter", "L&" },
	{ "Mark", "M" },
	{ "Number", "N" },
	{ "Decimal_Number", "Nd" },
	{ "Letter_Number", "Nl" },
	{ "Other_Number", "No" },
	{ "Punctuation", "P" },
	{ "Symbol", "S" },
	{ "Separator", "Z" },
	{ "Space_Separator", "Zs" },
	{ "Control", "Cc" },
	{ "Other", "C" },
};

/*
 * Copies \p{...} at @from with the short name of its category; returns how much of @from was read.
 */
static size_t category_copy(const char *from, char **to)
{
	size_t n = from[2] == '{' ? strcspn(from + 3, "}") : 0, i;

	for (i = 0; n && i < ARRAY_SIZE(categories); i++) {
		if (strlen(categories[i].name) != n || memcmp(categories[i].name, from + 3, n) != 0)
			continue;
		*to += sprintf(*to, "\\%c{%s}", from[1], categories[i].code);
		return n + 4;
	}
	memcpy(*to, from, 2);
	*to += 2;
	return 2;
}

/* What is wrong with the construct at @at, or NULL. @in_class: inside brackets. */
static const char *construct_complaint(const char *at, bool in_class)
{
	if (at[0] == '\\' &&
	    (!at[1] || !strchr("dDwWbBfnrtv0123456789cxukpP^$\\.*+?()[]{}|/-", at[1])))
		return "an escape that ECMA-262 does not have or PCRE2 reads differently";
	if (in_class)
		return at[0] == '[' && at[1] && strchr(":.=", at[1]) ? "a class by name in brackets"
								     : NULL;
	if (at[0] == '(' && at[1] == '*')
		return "a verb";
	if (at[0] == '(' && at[1] == '?' && (!at[2] || !strchr(":=!<", at[2])))
		return "a group that ECMA-262 does not have";
	if (at[0] && strchr("*+?}", at[0]) && at[1] == '+')
		return "a possessive repetition";
	return NULL;
}

/* @to has room for as much as @from is long. */
static const char *pattern_translate(const char *from, char *to)
{
	bool in_class = false;
	const char *complaint;

	while (*from) {
		complaint = construct_complaint(from, in_class);
		if (complaint)
			return complaint;
		if (from[0] == '\\' && (from[1] == 'p' || from[1] == 'P')) {
			from += category_copy(from, &to);
		} else if (from[0] == '\\') {
			*to++ = *from++;
			*to++ = *from++;
		} else {
			if (*from == '[' || *from == ']')
				in_class = *from == '[';
			*to++ = *from++;
		}
	}
	*to = 0;
	return NULL;
}

/* Returns 0, -ENOMEM, or PCRE2's error; *ret is NULL unless it is 0. */
static int pattern_compile(const char *translated, pcre2_code **ret)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	int error = 0;
	size_t offset;

	if (!context)
		return -ENOMEM;
	pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
	pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALT_BSUX);
	*ret = pcre2_compile((PCRE2_SPTR)translated, PCRE2_ZERO_TERMINATED,
			     PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX |
				     PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF |
				     PCRE2_NEVER_BACKSLASH_C,
			     &error, &offset, context);
	pcre2_compile_context_free(context);
	return *ret ? 0 : error;
}

int pattern_new(const char *expression, struct pattern **ret, struct fault *ret_fault)
{
	_cleanup_free_ char *translated = malloc(strlen(expression) + 1);
	_cleanup_free_ struct pattern *pattern = calloc(1, sizeof(*pattern));
	const char *complaint;
	int r;

	if (!translated || !pattern)
		return -ENOMEM;
	complaint = pattern_translate(expression, translated);
	if (!complaint) {
		r = pattern_compile(translated, &pattern->code);
		if (r == -ENOMEM || r == PCRE2_ERROR_HEAP_FAILED)
			return -ENOMEM;
		complaint = r ? "no regular expression" : NULL;
	}
	if (complaint)
		return fault_set(ret_fault, FAULT_INTERNAL, "pattern", "mend the schema",
				 "\"%s\" is refused: %s", expression, complaint);
	*ret = pattern;
	pattern = NULL;
	return 0;
}

void pattern_free(struct pattern *pattern)
{
	if (pattern)
		pcre2_code_free(pattern->code);
	free(pattern);
}

int pattern_match(const struct pattern *pattern, const char *text, bool *ret)
{
	pcre2_match_data *data = pcre2_match_data_create_from_pattern(pattern->code, NULL);

	if (!data)
		return -ENOMEM;
	*ret = pcre2_match(pattern->code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, 0, data,
			   NULL) >= 0;
	pcre2_match_data_free(data);
	return 0;
}
