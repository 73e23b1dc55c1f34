// SPDX-License-Identifier: GPL-2.0-only
/*
 * The check walks document and schema together and collects every complaint. Which complaints there
 * are does not depend on their order, but readers compare them, so the order is that of the
 * validator that the session contract names: keywords of any value, of numbers, of strings, of
 * arrays, of objects, each group only for data of its type; and "must be TYPE" stands where the
 * group of that type would have spoken, or first of all when the schema has no keyword of the group
 * or allows several types.
 *
 * Inside anyOf complaints are kept only when no branch accepts. The schema is understood whole
 * before any check (schema_compile.c), so that no rule here meets a value it cannot read.
 */
#include "schema.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "../base/utf8.h"
#include "json.h"
#include "schema_compile.h"
#include "schema_data.h"
#include "schema_error.h"
#include "schema_format.h"

struct check {
	const struct schema *schema;
	struct schema_errors *errors;
	bool out_of_memory;
};

/* A value of the document, and the schema object that speaks of it. */
struct spot {
	const cJSON *schema, *data;
	const struct place *place;
};

static void check_value(struct check *check, const cJSON *schema, const cJSON *data,
			const struct place *place);

/* Takes over @message and @property. A lack of memory is kept for the end. */
static void complain_of(struct check *check, const struct spot *spot, char *message, char *property)
{
	if (schema_errors_add(check->errors, spot->place, message, property))
		check->out_of_memory = true;
}

static void _printf_(3, 4)
	complain(struct check *check, const struct spot *spot, const char *fmt, ...)
{
	char *message = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&message, fmt, args) < 0)
		message = NULL;
	va_end(args);
	complain_of(check, spot, message, NULL);
}

static void check_maximum(struct check *check, const struct spot *spot, const cJSON *value)
{
	char text[DATA_NUMBER_SIZE];

	if (spot->data->valuedouble > value->valuedouble)
		complain(check, spot, "must be <= %s", data_number_text(value->valuedouble, text));
}

static void check_minimum(struct check *check, const struct spot *spot, const cJSON *value)
{
	char text[DATA_NUMBER_SIZE];

	if (spot->data->valuedouble < value->valuedouble)
		complain(check, spot, "must be >= %s", data_number_text(value->valuedouble, text));
}

static void check_max(struct check *check, const struct spot *spot, const cJSON *value, size_t n,
		      const char *what)
{
	char text[DATA_NUMBER_SIZE];

	if ((double)n > value->valuedouble)
		complain(check, spot, "must NOT have more than %s %s",
			 data_number_text(value->valuedouble, text), what);
}

static void check_min(struct check *check, const struct spot *spot, const cJSON *value, size_t n,
		      const char *what)
{
	char text[DATA_NUMBER_SIZE];

	if ((double)n < value->valuedouble)
		complain(check, spot, "must NOT have fewer than %s %s",
			 data_number_text(value->valuedouble, text), what);
}

static void check_max_length(struct check *check, const struct spot *spot, const cJSON *value)
{
	check_max(check, spot, value, utf8_count(spot->data->valuestring), "characters");
}

static void check_min_length(struct check *check, const struct spot *spot, const cJSON *value)
{
	check_min(check, spot, value, utf8_count(spot->data->valuestring), "characters");
}

static void check_max_items(struct check *check, const struct spot *spot, const cJSON *value)
{
	check_max(check, spot, value, (size_t)cJSON_GetArraySize(spot->data), "items");
}

static void check_min_items(struct check *check, const struct spot *spot, const cJSON *value)
{
	check_min(check, spot, value, (size_t)cJSON_GetArraySize(spot->data), "items");
}

static void check_pattern(struct check *check, const struct spot *spot, const cJSON *value)
{
	const struct schema *schema = check->schema;
	bool matches = false;
	size_t i = 0;

	while (schema->patterns[i].node != value)
		i++;
	if (pattern_match(schema->patterns[i].pattern, spot->data->valuestring, &matches))
		check->out_of_memory = true;
	else if (!matches)
		complain(check, spot, "must match pattern \"%s\"", value->valuestring);
}

static void check_format(struct check *check, const struct spot *spot, const cJSON *value)
{
	if (cJSON_IsString(spot->data) &&
	    !schema_format_find(value->valuestring)(spot->data->valuestring))
		complain(check, spot, "must match format \"%s\"", value->valuestring);
}

static void check_const(struct check *check, const struct spot *spot, const cJSON *value)
{
	if (!data_equal(spot->data, value))
		complain(check, spot, "must be equal to constant");
}

static void check_enum(struct check *check, const struct spot *spot, const cJSON *value)
{
	const cJSON *allowed;

	cJSON_ArrayForEach(allowed, value)
		if (data_equal(spot->data, allowed))
			return;
	complain(check, spot, "must be equal to one of the allowed values");
}

static void check_any_of(struct check *check, const struct spot *spot, const cJSON *value)
{
	struct schema_errors *errors = check->errors;
	size_t n_before = errors->n_items, dropped_before = errors->n_dropped;
	size_t n, dropped;
	const cJSON *branch;

	cJSON_ArrayForEach(branch, value) {
		n = errors->n_items;
		dropped = errors->n_dropped;
		check_value(check, branch, spot->data, spot->place);
		if (errors->n_items > n || errors->n_dropped > dropped)
			continue;
		schema_errors_cut(errors, n_before, dropped_before);
		return;
	}
	complain(check, spot, "must match a schema in anyOf");
}

static void check_items(struct check *check, const struct spot *spot, const cJSON *value)
{
	struct place place = { .up = spot->place };
	const cJSON *item;

	cJSON_ArrayForEach(item, spot->data) {
		check_value(check, value, item, &place);
		place.index++;
	}
}

static void check_required(struct check *check, const struct spot *spot, const cJSON *value)
{
	const cJSON *name;

	cJSON_ArrayForEach(name, value)
		if (!cJSON_GetObjectItemCaseSensitive(spot->data, name->valuestring))
			complain(check, spot, "must have required property '%s'", name->valuestring);
}

static void check_additional(struct check *check, const struct spot *spot, const cJSON *value)
{
	const cJSON *properties = cJSON_GetObjectItemCaseSensitive(spot->schema, "properties");
	const cJSON *member;

	cJSON_ArrayForEach(member, spot->data) {
		struct place place = { .up = spot->place, .key = member->string };

		if (cJSON_GetObjectItemCaseSensitive(properties, member->string))
			continue;
		if (cJSON_IsFalse(value))
			complain_of(check, spot, strdup("must NOT have additional properties"),
				    strdup(member->string));
		else
			check_value(check, value, member, &place);
	}
}

static void check_properties(struct check *check, const struct spot *spot, const cJSON *value)
{
	const cJSON *schema, *member;

	cJSON_ArrayForEach(schema, value) {
		struct place place = { .up = spot->place, .key = schema->string };

		member = cJSON_GetObjectItemCaseSensitive(spot->data, schema->string);
		if (member)
			check_value(check, schema, member, &place);
	}
}

/* In the order in which they speak. */
static const struct group {
	const char *type; /* NULL: of any data */
	struct {
		const char *keyword;
		void (*check)(struct check *, const struct spot *, const cJSON *);
	} rules[4];
} groups[] = {
	{ NULL, { { "const", check_const }, { "enum", check_enum }, { "anyOf", check_any_of } } },
	{ "number",
	  { { "maximum", check_maximum }, { "minimum", check_minimum }, { "format", check_format } } },
	{ "string",
	  { { "maxLength", check_max_length },
	    { "minLength", check_min_length },
	    { "pattern", check_pattern },
	    { "format", check_format } } },
	{ "array",
	  { { "maxItems", check_max_items },
	    { "minItems", check_min_items },
	    { "items", check_items } } },
	{ "object",
	  { { "required", check_required },
	    { "additionalProperties", check_additional },
	    { "properties", check_properties } } },
};

/* The only type that the schema allows, or NULL for none and for several. */
static const char *single_type(const cJSON *type)
{
	if (cJSON_IsArray(type))
		return type->child->next ? NULL : type->child->valuestring;
	return cJSON_IsString(type) ? type->valuestring : NULL;
}

static bool group_speaks(const struct group *group, const cJSON *schema)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(group->rules) && group->rules[i].keyword; i++)
		if (cJSON_GetObjectItemCaseSensitive(schema, group->rules[i].keyword))
			return true;
	return false;
}

static bool type_waits(const char *single, const cJSON *schema)
{
	size_t i;

	for (i = 0; single && i < ARRAY_SIZE(groups); i++)
		if (groups[i].type && strcmp(groups[i].type, single) == 0)
			return group_speaks(&groups[i], schema);
	return false;
}

static bool type_allows(const cJSON *type, const cJSON *data)
{
	const cJSON *name;

	if (cJSON_IsString(type))
		return data_is(data, type->valuestring);
	cJSON_ArrayForEach(name, type)
		if (data_is(data, name->valuestring))
			return true;
	return false;
}

static void complain_type(struct check *check, const struct spot *spot, const cJSON *type)
{
	char names[96] = "";
	const cJSON *name = cJSON_IsArray(type) ? type->child : NULL;
	size_t at = 0;

	if (cJSON_IsString(type))
		snprintf(names, sizeof(names), "%s", type->valuestring);
	for (; name && at < sizeof(names); name = name->next)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", name->valuestring,
				       name->next ? "," : "");
	complain(check, spot, "must be %s", names);
}

static void check_group(struct check *check, const struct spot *spot, const struct group *group,
			const cJSON *awaited_type)
{
	const char *single = awaited_type ? single_type(awaited_type) : NULL;
	const cJSON *value;
	size_t i;

	if (!group_speaks(group, spot->schema))
		return;
	if (group->type && !data_is(spot->data, group->type)) {
		if (single && strcmp(single, group->type) == 0)
			complain_type(check, spot, awaited_type);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(group->rules) && group->rules[i].keyword; i++) {
		value = cJSON_GetObjectItemCaseSensitive(spot->schema, group->rules[i].keyword);
		if (value)
			group->rules[i].check(check, spot, value);
	}
}

static void check_value(struct check *check, const cJSON *schema, const cJSON *data,
			const struct place *place)
{
	const struct spot spot = { schema, data, place };
	const cJSON *type = cJSON_GetObjectItemCaseSensitive(schema, "type");
	bool waits;
	size_t i;

	if (cJSON_IsFalse(schema))
		complain(check, &spot, "boolean schema is false");
	if (!cJSON_IsObject(schema))
		return;
	waits = type && type_waits(single_type(type), schema);
	if (type && !waits && !type_allows(type, data))
		complain_type(check, &spot, type);
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		check_group(check, &spot, &groups[i], waits ? type : NULL);
}

int schema_new(const char *text, size_t n, struct schema **ret, struct fault *ret_fault)
{
	static const struct json_origin origin = { FAULT_INTERNAL, "the schema", "mend the schema" };
	_cleanup_schema_ struct schema *schema = calloc(1, sizeof(*schema));
	int r;

	if (!schema)
		return -ENOMEM;
	r = json_parse(text, n, &origin, &schema->tree, ret_fault);
	if (!r)
		r = schema_compile(schema, ret_fault);
	if (r)
		return r;
	*ret = schema;
	schema = NULL;
	return 0;
}

void schema_free(struct schema **schema)
{
	struct schema *s = *schema;
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n_patterns; i++)
		pattern_free(s->patterns[i].pattern);
	free(s->patterns);
	json_free(&s->tree);
	free(s);
	*schema = NULL;
}

int schema_check(const struct schema *schema, const cJSON *document, struct schema_errors *ret)
{
	struct schema_errors errors = { 0 };
	struct check check = { schema, &errors, false };

	check_value(&check, schema->tree, document, NULL);
	if (check.out_of_memory) {
		schema_errors_deinit(&errors);
		return -ENOMEM;
	}
	*ret = errors;
	return errors.n_items ? SCHEMA_E_INVALID : 0;
}
