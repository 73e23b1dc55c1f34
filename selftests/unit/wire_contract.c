// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contracts by name, and verdicts as documents: for all vectors, what is printed is what the reference
 * prints, key by key.
 */
#include "../../user/wire/verdict_json.h"
#include "../document.h"

static size_t contract_named(const char *name)
{
	size_t contract = SIZE_MAX;

	EXPECT_TRUE(contract_find(name, &contract));
	return contract;
}

TEST("each schema is a contract under its name, with its version or without")
{
	char name[CONTRACT_NAME_SIZE];
	size_t found;

	EXPECT_EQ(contract_count(), ARRAY_SIZE(schemas));
	for (size_t i = 0; i < contract_count(); i++) {
		contract_name(i, name);
		EXPECT_EQ(contract_named(name), i);
		EXPECT_STREQ(contract_text(i), schemas[i].text);
	}
	EXPECT_EQ(contract_named("codes.sandbox-session"), contract_named("codes.sandbox-session@1"));
	EXPECT_STREQ(schemas[contract_named("sandbox_script")].name, "sandbox_script");
	EXPECT_FALSE(contract_find("codes.sandbox-session@2", &found));
	EXPECT_FALSE(contract_find("codes.sandbox-session.v1", &found));
	EXPECT_FALSE(contract_find("codes.sandbox-session@", &found));
	EXPECT_FALSE(contract_find("codes", &found));
	EXPECT_FALSE(contract_find("@1", &found));
	EXPECT_FALSE(contract_find("", &found));
}

/* The verdict on @document as a tree of its own, itself checked against its contract. */
static cJSON *verdict(struct contracts *contracts, const char *name, const char *text)
{
	_cleanup_schema_errors_ struct schema_errors errors = { 0 }, none = { 0 };
	size_t contract = contract_named(name);
	int r = contracts_judge(contracts, contract, text, strlen(text), &errors);
	_cleanup_free_ char *printed = NULL;
	cJSON *tree;

	EXPECT_EQ(r, errors.n_items ? SCHEMA_E_INVALID : 0);
	ASSERT_OK(verdict_json_print(contract, &errors, &printed));
	tree = document_parse(printed, "the verdict");
	EXPECT_OK(contracts_check(contracts, contract_named("verdict@1"), tree, &none));
	return tree;
}

static void expect_printed(struct contracts *contracts, const char *name, const cJSON *document,
			   const cJSON *want, const char *vector)
{
	_cleanup_free_ char *text = cJSON_PrintUnformatted(document), *left = NULL, *right = NULL;
	_cleanup_json_ cJSON *got = verdict(contracts, name, text);

	left = cJSON_Print(got);
	right = cJSON_Print(want);
	if (strcmp(left, right) != 0)
		printf("in \"%s\":\n", vector);
	EXPECT_STREQ(left, right);
}

TEST("the verdict on every vector of sessions is the reference's document, key by key")
{
	_cleanup_contracts_ struct contracts *contracts = NULL;
	_cleanup_json_ cJSON *vectors =
		document_read("selftests/vectors/sandbox-session.vectors.json");
	const cJSON *vector;

	ASSERT_OK(contracts_new(&contracts));
	cJSON_ArrayForEach(vector, vectors)
		expect_printed(contracts, "codes.sandbox-session@1", document_get(vector, "doc"),
			       document_get(vector, "expect"),
			       document_get(vector, "name")->valuestring);
}

TEST("the verdict on every vector of scripts is the reference's, with the key that is too many")
{
	_cleanup_contracts_ struct contracts *contracts = NULL;
	_cleanup_json_ cJSON *vectors =
		document_read("selftests/vectors/sandbox_script.vectors.json");
	const cJSON *vector;

	ASSERT_OK(contracts_new(&contracts));
	cJSON_ArrayForEach(vector, vectors) {
		_cleanup_json_ cJSON *want = cJSON_CreateObject();

		cJSON_AddItemToObject(want, "valid",
				      cJSON_Duplicate(document_get(vector, "schema_valid"), true));
		cJSON_AddItemToObject(want, "errors",
				      cJSON_Duplicate(document_get(vector, "errors"), true));
		expect_printed(contracts, "sandbox_script", document_get(vector, "args"), want,
			       document_get(vector, "name")->valuestring);
	}
}

TEST("a text that is no JSON document is invalid as a whole")
{
	static const char *const texts[] = { "", "{", "{\"a\":1,\"a\":2}", "\xff", "nul", "1 2" };
	_cleanup_contracts_ struct contracts *contracts = NULL;

	ASSERT_OK(contracts_new(&contracts));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_json_ cJSON *got = verdict(contracts, "desk@1", texts[i]);
		const cJSON *errors = document_get(got, "errors");

		EXPECT_TRUE(cJSON_IsFalse(document_get(got, "valid")));
		EXPECT_EQ(cJSON_GetArraySize(errors), 1);
		EXPECT_STREQ(document_get(errors->child, "path")->valuestring, "/");
	}
}
