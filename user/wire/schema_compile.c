// SPDX-License-Identifier: GPL-2.0-only
/*
 * A schema is itself a document, and one with a slip in it checks less than its author meant. So
 * all of it is understood before anything is checked: each keyword is in the table below with what
 * its value must be, and everything else is a fault. The tree is bounded in depth by the JSON
 * reader.
 */
#include "schema_compile.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "../base/str.h"
#include "schema_format.h"

struct compile {
	struct schema *schema;
	struct fault *fault;
};

static int compile_schema(struct compile *compile, const cJSON *node);

static int compile_fail(struct compile *compile, const cJSON *value, const char *reason)
{
	char shown[64];

	str_show(value->string ? value->string : "", value->string ? strlen(value->string) : 0,
		 shown, sizeof(shown));
	return fault_set(compile->fault, FAULT_INTERNAL, shown, "mend the schema",
			 "the schema is not understood: \"%s\" %s", shown, reason);
}

static int compile_annotation(struct compile *compile, const cJSON *value)
{
	(void)compile;
	(void)value;
	return 0;
}

static int compile_number(struct compile *compile, const cJSON *value)
{
	return cJSON_IsNumber(value) ? 0 : compile_fail(compile, value, "is no number");
}

static int compile_count(struct compile *compile, const cJSON *value)
{
	if (cJSON_IsNumber(value) && value->valuedouble >= 0 &&
	    floor(value->valuedouble) == value->valuedouble)
		return 0;
	return compile_fail(compile, value, "is no count");
}

static int compile_strings(struct compile *compile, const cJSON *value)
{
	const cJSON *item;

	if (!cJSON_IsArray(value))
		return compile_fail(compile, value, "is no array");
	cJSON_ArrayForEach(item, value)
		if (!cJSON_IsString(item))
			return compile_fail(compile, value, "holds something else than strings");
	return 0;
}

static int compile_array(struct compile *compile, const cJSON *value)
{
	return cJSON_IsArray(value) ? 0 : compile_fail(compile, value, "is no array");
}

static bool type_exists(const cJSON *name)
{
	static const char *const types[] = {
		"array", "boolean", "integer", "null", "number", "object", "string",
	};
	size_t i;

	for (i = 0; cJSON_IsString(name) && i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i], name->valuestring) == 0)
			return true;
	return false;
}

static int compile_type(struct compile *compile, const cJSON *value)
{
	const cJSON *item;

	if (cJSON_IsArray(value) && cJSON_GetArraySize(value) > 0) {
		cJSON_ArrayForEach(item, value)
			if (!type_exists(item))
				return compile_fail(compile, value, "names a type that is none");
		return 0;
	}
	return type_exists(value) ? 0 : compile_fail(compile, value, "names a type that is none");
}

static int compile_format(struct compile *compile, const cJSON *value)
{
	if (cJSON_IsString(value) && schema_format_find(value->valuestring))
		return 0;
	return compile_fail(compile, value, "names a format that is none");
}

static int compile_pattern(struct compile *compile, const cJSON *value)
{
	struct schema *schema = compile->schema;
	struct schema_pattern *patterns;
	int r;

	if (!cJSON_IsString(value))
		return compile_fail(compile, value, "is no string");
	patterns = reallocarray(schema->patterns, schema->n_patterns + 1, sizeof(*patterns));
	if (!patterns)
		return -ENOMEM;
	schema->patterns = patterns;
	patterns[schema->n_patterns].node = value;
	r = pattern_new(value->valuestring, &patterns[schema->n_patterns].pattern, compile->fault);
	if (r)
		return r;
	schema->n_patterns++;
	return 0;
}

/* A map or an array of schemas. */
static int compile_schemas(struct compile *compile, const cJSON *value)
{
	const cJSON *item;
	int r;

	cJSON_ArrayForEach(item, value) {
		r = compile_schema(compile, item);
		if (r)
			return r;
	}
	return 0;
}

static int compile_properties(struct compile *compile, const cJSON *value)
{
	return cJSON_IsObject(value) ? compile_schemas(compile, value)
				     : compile_fail(compile, value, "is no object");
}

static int compile_any_of(struct compile *compile, const cJSON *value)
{
	return cJSON_IsArray(value) && value->child
		       ? compile_schemas(compile, value)
		       : compile_fail(compile, value, "is no array of schemas");
}

static const struct {
	const char *name;
	/* takes the value; returns 0, -ENOMEM or FAULT_E_SET */
	int (*compile)(struct compile *compile, const cJSON *value);
} keywords[] = {
	{ "$schema", compile_annotation },
	{ "$id", compile_annotation },
	{ "$comment", compile_annotation },
	{ "title", compile_annotation },
	{ "description", compile_annotation },
	{ "default", compile_annotation },
	{ "examples", compile_annotation },
	{ "type", compile_type },
	{ "const", compile_annotation },
	{ "enum", compile_array },
	{ "anyOf", compile_any_of },
	{ "minimum", compile_number },
	{ "maximum", compile_number },
	{ "minLength", compile_count },
	{ "maxLength", compile_count },
	{ "pattern", compile_pattern },
	{ "format", compile_format },
	{ "minItems", compile_count },
	{ "maxItems", compile_count },
	{ "items", compile_schema },
	{ "required", compile_strings },
	{ "properties", compile_properties },
	{ "additionalProperties", compile_schema },
};

static int compile_keyword(struct compile *compile, const cJSON *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keywords); i++)
		if (strcmp(keywords[i].name, value->string) == 0)
			return keywords[i].compile(compile, value);
	return compile_fail(compile, value, "is a keyword that is not known");
}

static int compile_schema(struct compile *compile, const cJSON *node)
{
	const cJSON *value;
	int r;

	if (cJSON_IsBool(node))
		return 0;
	if (!cJSON_IsObject(node))
		return compile_fail(compile, node, "is neither an object nor a boolean");
	cJSON_ArrayForEach(value, node) {
		r = compile_keyword(compile, value);
		if (r)
			return r;
	}
	return 0;
}

int schema_compile(struct schema *schema, struct fault *ret_fault)
{
	struct compile compile = { schema, ret_fault };

	return compile_schema(&compile, schema->tree);
}
