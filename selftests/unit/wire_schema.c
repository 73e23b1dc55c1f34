// SPDX-License-Identifier: GPL-2.0-only
/*
 * The schema check against the vectors of the validator that the session contract names: same
 * places, same words, same order. The public suite of the keywords is run where it lies beside the
 * project. Then the project's own schemas: each compiles, and each has examples that pass.
 */
#include <dirent.h>

#include "../../include/limits.h"
#include "../document.h"

#define SUITE "../shared/vectors/json-schema-2020-12"

/*
 * Errors as one line, "path: message (property); ...", for a comparison that shows its two sides.
 */
static void errors_text(const struct schema_errors *errors, char *ret, size_t size)
{
	size_t at = 0;

	ret[0] = 0;
	for (size_t i = 0; i < errors->n_items && at < size; i++)
		at += (size_t)snprintf(ret + at, size - at, "%s: %s; ", errors->items[i].path,
				       errors->items[i].message);
}

static void expected_text(const cJSON *errors, char *ret, size_t size)
{
	const cJSON *error;
	size_t at = 0;

	ret[0] = 0;
	cJSON_ArrayForEach(error, errors)
		if (at < size)
			at += (size_t)snprintf(ret + at, size - at, "%s: %s; ",
					       document_get(error, "path")->valuestring,
					       document_get(error, "message")->valuestring);
}

static void expect_verdict(const struct schema *schema, const cJSON *document, const char *name,
			   const cJSON *expected)
{
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	int r = schema_check(schema, document, &errors);
	char got[2048], want[2048];

	errors_text(&errors, got, sizeof(got));
	expected_text(expected, want, sizeof(want));
	if (strcmp(got, want) != 0)
		printf("in \"%s\":\n", name);
	EXPECT_STREQ(got, want);
	EXPECT_EQ(r, want[0] ? SCHEMA_E_INVALID : 0);
}

TEST("every verdict on a session document is the reference's, word for word and in order")
{
	_cleanup_schema_ struct schema *schema =
		document_schema(document_schema_text("codes.sandbox-session.v1"));
	_cleanup_json_ cJSON *vectors =
		document_read("selftests/vectors/sandbox-session.vectors.json");
	const cJSON *vector;

	EXPECT_EQ(cJSON_GetArraySize(vectors), 140);
	cJSON_ArrayForEach(vector, vectors)
		expect_verdict(schema, document_get(vector, "doc"),
			       document_get(vector, "name")->valuestring,
			       document_get(document_get(vector, "expect"), "errors"));
}

TEST("every verdict on script arguments is the reference's, with the unknown key's name")
{
	_cleanup_schema_ struct schema *schema =
		document_schema(document_schema_text("sandbox_script"));
	_cleanup_json_ cJSON *vectors =
		document_read("selftests/vectors/sandbox_script.vectors.json");
	const cJSON *vector, *property;

	EXPECT_EQ(cJSON_GetArraySize(vectors), 18);
	cJSON_ArrayForEach(vector, vectors) {
		_cleanup_schema_errors_ struct schema_errors errors = { 0 };

		expect_verdict(schema, document_get(vector, "args"),
			       document_get(vector, "name")->valuestring,
			       document_get(vector, "errors"));
		property = document_get(cJSON_GetArrayItem(document_get(vector, "errors"), 0),
					"property");
		if (!property)
			continue;
		EXPECT_EQ(schema_check(schema, document_get(vector, "args"), &errors),
			  SCHEMA_E_INVALID);
		EXPECT_STREQ(errors.items[0].property, property->valuestring);
	}
}

static size_t check_directory(const char *path, const struct schema *schema, int verdict)
{
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	DIR *dir = opendir(path);
	struct dirent *entry;
	char file[512], got[2048];
	size_t n = 0;

	if (!dir)
		printf("%s\n", path);
	ASSERT_NOT_NULL(dir);
	while ((entry = readdir(dir))) {
		cJSON *document;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		document = document_read(file);
		if (schema_check(schema, document, &errors) != verdict) {
			errors_text(&errors, got, sizeof(got));
			printf("%s: %s\n", file, got);
			EXPECT_TRUE(false);
		}
		schema_errors_deinit(&errors);
		json_free(&document);
		n++;
	}
	closedir(dir);
	return n;
}

TEST("the contract's own examples pass, and its counter-examples do not")
{
	_cleanup_schema_ struct schema *schema =
		document_schema(document_schema_text("codes.sandbox-session.v1"));

	EXPECT_EQ(check_directory("selftests/vectors/sandbox-session.fixtures/valid", schema, 0), 2);
	EXPECT_EQ(check_directory("selftests/vectors/sandbox-session.fixtures/invalid", schema,
				  SCHEMA_E_INVALID),
		  3);
}

TEST("every schema compiles and has examples, and each of them passes")
{
	char path[256];

	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++) {
		_cleanup_schema_ struct schema *schema = document_schema(schemas[i].text);

		snprintf(path, sizeof(path), "schemas/examples/%s", schemas[i].name);
		EXPECT_GE(check_directory(path, schema, 0), 1);
	}
}

/*
 * Where the suite and the validator that the contract names differ, the contract's goes: its
 * vectors hold the same document with the other verdict.
 */
static const char suite_differs[] = "a numeric offset without minutes is invalid";

static void suite_case(const struct schema *schema, const char *name, const cJSON *test)
{
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	const char *description = document_get(test, "description")->valuestring;
	bool valid = schema_check(schema, document_get(test, "data"), &errors) == 0;

	if (strcmp(description, suite_differs) == 0)
		valid = !valid;
	if (valid != cJSON_IsTrue(document_get(test, "valid")))
		printf("%s: %s\n", name, description);
	EXPECT_EQ(valid, cJSON_IsTrue(document_get(test, "valid")));
}

/* cJSON prints 15 digits of a number where those are near enough; here they must be the same. */
static void numbers_keep(cJSON *tree)
{
	char text[32];
	cJSON *item;

	if (cJSON_IsNumber(tree)) {
		snprintf(text, sizeof(text), "%.17g", tree->valuedouble);
		tree->type = cJSON_Raw;
		tree->valuestring = strdup(text);
	}
	cJSON_ArrayForEach(item, tree)
		numbers_keep(item);
}

/* A document here has no U+0000: what the suite asks of it is asked of U+0001. */
static void zeros_replace(char *text)
{
	for (size_t i = 0; text[i]; i++)
		if (strncmp(text + i, "\\u0000", 6) == 0)
			text[i + 5] = '1';
}

/*
 * Adds the cases of one file to *run, or to *other when their schema has a keyword of other files.
 */
static void suite_file(const char *file, size_t *run, size_t *other)
{
	_cleanup_json_ cJSON *groups = NULL;
	_cleanup_free_ char *text_of_file = NULL;
	char path[512];
	const cJSON *test;
	cJSON *group;

	snprintf(path, sizeof(path), SUITE "/%s", file);
	text_of_file = document_bytes(path);
	zeros_replace(text_of_file);
	groups = document_parse(text_of_file, path);
	cJSON_ArrayForEach(group, groups) {
		_cleanup_free_ char *text = NULL;
		_cleanup_schema_ struct schema *schema = NULL;
		struct fault fault = { 0 };

		numbers_keep(cJSON_GetObjectItemCaseSensitive(group, "schema"));
		text = cJSON_PrintUnformatted(document_get(group, "schema"));
		if (schema_new(text, strlen(text), &schema, &fault)) {
			EXPECT_HAS(fault.reason, "is a keyword that is not known");
			printf("not run: %s: %s: %s\n", file,
			       document_get(group, "description")->valuestring, fault.reason);
			*other += (size_t)cJSON_GetArraySize(document_get(group, "tests"));
			continue;
		}
		cJSON_ArrayForEach(test, document_get(group, "tests")) {
			suite_case(schema, document_get(group, "description")->valuestring, test);
			++*run;
		}
	}
}

TEST("the public suite agrees for every keyword that the schemas use")
{
	DIR *dir = opendir(SUITE);
	struct dirent *entry;
	size_t run = 0, other = 0;

	if (!dir)
		SKIP(SUITE " is not beside the project");
	while ((entry = readdir(dir)))
		if (strstr(entry->d_name, ".json"))
			suite_file(entry->d_name, &run, &other);
	closedir(dir);
	printf("%zu cases run, %zu have a keyword that no schema here uses\n", run, other);
	EXPECT_GE(run, 368);
	EXPECT_LE(other, 39);
}

static void expect_text(const char *schema_source, const char *document, const char *want)
{
	_cleanup_schema_ struct schema *schema = document_schema(schema_source);
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	_cleanup_json_ cJSON *tree = document_parse(document, document);
	char got[2048];

	EXPECT_EQ(schema_check(schema, tree, &errors), want[0] ? SCHEMA_E_INVALID : 0);
	errors_text(&errors, got, sizeof(got));
	EXPECT_STREQ(got, want);
}

TEST("complaints stand in the order of the keywords' groups, and types where they would have spoken")
{
	expect_text("{\"type\":\"object\",\"enum\":[1],\"required\":[\"a\"]}", "2",
		    "/: must be equal to one of the allowed values; /: must be object; ");
	expect_text("{\"type\":\"integer\",\"minimum\":3,\"maximum\":1}", "1.5",
		    "/: must be integer; /: must be <= 1; /: must be >= 3; ");
	expect_text("{\"type\":[\"string\",\"null\"],\"minLength\":3,\"pattern\":\"^x\"}", "\"é\"",
		    "/: must NOT have fewer than 3 characters; /: must match pattern \"^x\"; ");
	expect_text("{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":7}]}", "5",
		    "/: must be null; /: must be >= 7; /: must match a schema in anyOf; ");
	expect_text("{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":7}]}", "8", "");
	expect_text("{\"items\":{\"properties\":{\"a/b~c\":false}}}", "[{},{\"a/b~c\":1}]",
		    "/1/a~1b~0c: boolean schema is false; ");
	expect_text("{\"additionalProperties\":{\"type\":\"null\"},\"properties\":{\"a\":{}}}",
		    "{\"a\":1,\"b\":2}", "/b: must be null; ");
	expect_text("{\"maxItems\":1,\"minimum\":0.5}", "[1,2]",
		    "/: must NOT have more than 1 items; ");
	expect_text("{\"minimum\":0.1}", "0.05", "/: must be >= 0.1; ");
	expect_text("{\"const\":{\"a\":[1,2],\"b\":null}}", "{\"b\":null,\"a\":[1.0,2]}", "");
	expect_text("{\"const\":9007199254740993}", "9007199254740991",
		    "/: must be equal to constant; ");
}

TEST("dates and addresses are read as the reference reads them")
{
	static const struct {
		const char *format, *text;
		bool valid;
	} cases[] = {
		{ "date-time", "2026-11-06 20:00:00Z", true },
		{ "date-time",
		  "2026-11-06\xc2\xa0"
		  "20:00:00Z",
		  true },
		{ "date-time", "2026-11-06x20:00:00Z", false },
		{ "date-time", "2026-11-06T20:00:00.Z", false },
		{ "date-time", "2026-11-06T20:00:00+01:", false },
		{ "date-time", "2026-11-06T20:00:00+01:60", false },
		{ "date-time", "2026-11-06T23:59:60.9Z", true },
		{ "date-time", "2026-11-07T00:29:60+00:30", true },
		{ "date-time", "2026-11-06T10:59:60-13:00", true },
		{ "date-time", "2026-11-06T23:28:60-00:30", false },
		{ "date-time", "1900-02-29T00:00:00Z", false },
		{ "date-time", "2000-02-29T00:00:00Z", true },
		{ "date-time", "2026-01-00T00:00:00Z", false },
		{ "uri", "a:", false },
		{ "uri", "a:b", true },
		{ "uri", "a:?", false },
		{ "uri", "1a:b", false },
		{ "uri", "a://b?c?d#e", true },
		{ "uri", "a://b#c#d", false },
		{ "uri", "a://[::1]:8/x", true },
		{ "uri", "a://u@[::ffff:1.2.3.4]", true },
		{ "uri", "a://[::1", false },
		{ "uri", "a://[1::2::3]/", false },
		{ "uri", "a://[v1.a:b]/", true },
		{ "uri", "a://[::1]x", false },
		{ "uri", "a://b:8c/", true },
		{ "uri", "a://b c", false },
		{ "uri", "a://b/%20", true },
		{ "uri", "a://b/%2z", false },
		{ "uri", "a://\xc3\xa9/", false },
	};
	char source[64], document[128];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char want[64] = "";

		snprintf(source, sizeof(source), "{\"format\":\"%s\"}", cases[i].format);
		snprintf(document, sizeof(document), "\"%s\"", cases[i].text);
		if (!cases[i].valid)
			snprintf(want, sizeof(want), "/: must match format \"%s\"; ",
				 cases[i].format);
		expect_text(source, document, want);
	}
}

static void expect_refused(const char *source, const char *reason)
{
	struct schema *schema = NULL;
	struct fault fault = { 0 };

	EXPECT_EQ(schema_new(source, strlen(source), &schema, &fault), FAULT_E_SET);
	EXPECT_HAS(fault.reason, reason);
	EXPECT_NULL(schema);
}

TEST("a schema that is not understood whole is refused")
{
	expect_refused("{\"minimun\":1}", "\"minimun\" is a keyword that is not known");
	expect_refused("{\"properties\":{\"a\":{\"items\":{\"$ref\":\"#\"}}}}", "\"$ref\"");
	expect_refused("{\"type\":\"strnig\"}", "names a type that is none");
	expect_refused("{\"type\":[]}", "names a type that is none");
	expect_refused("{\"format\":\"email\"}", "names a format that is none");
	expect_refused("{\"maxItems\":-1}", "is no count");
	expect_refused("{\"required\":[1]}", "something else than strings");
	expect_refused("{\"anyOf\":[]}", "is no array of schemas");
	expect_refused("{\"items\":[{}]}", "neither an object nor a boolean");
	expect_refused("{\"pattern\":\"(\"}", "no regular expression");
	expect_refused("{\"a\":1,\"a\":2}", "twice");
}

TEST("a pattern that means something else in ECMA-262 is refused")
{
	static const char *const patterns[] = {
		"\\\\s",       "\\\\A",	  "a++",    "(?i)a", "(?>a)",
		"[[:alpha:]]", "(*ANY)a", "\\\\Qa", "\\\\h",
	};
	char source[64];

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		snprintf(source, sizeof(source), "{\"pattern\":\"%s\"}", patterns[i]);
		expect_refused(source, "is refused");
	}
	expect_text("{\"pattern\":\"^(?:\\\\p{Lowercase_Letter}|\\\\u{1F600}|[^\\\\x41-\\\\]])$\"}",
		    "\"π\"", "");
	expect_text("{\"pattern\":\"^\\\\d$\"}", "\"٣\"", "/: must match pattern \"^\\d$\"; ");
	expect_text("{\"pattern\":\"a$\"}", "\"a\\n\"", "/: must match pattern \"a$\"; ");
}

TEST("complaints are bounded, and those above the bound are counted")
{
	_cleanup_schema_ struct schema *schema = document_schema("{\"items\":false}");
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	_cleanup_json_ cJSON *array = cJSON_CreateArray();

	for (int i = 0; i < REEVE_SCHEMA_ERRORS_MAX + 9; i++)
		cJSON_AddItemToArray(array, cJSON_CreateNull());
	EXPECT_EQ(schema_check(schema, array, &errors), SCHEMA_E_INVALID);
	EXPECT_EQ(errors.n_items, REEVE_SCHEMA_ERRORS_MAX);
	EXPECT_EQ(errors.n_dropped, 9);
}
