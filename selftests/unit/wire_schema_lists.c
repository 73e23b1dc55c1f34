// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each list and each bound in a schema is the one in the code: neither is retyped without the
 * other.
 */
#include "../../include/reason.h"
#include "../../user/model/desk.h"
#include "../../user/model/desk_note.h"
#include "../../user/model/doctor.h"
#include "../../user/model/rate.h"
#include "../../user/model/result.h"
#include "../../user/model/verdict.h"
#include "../document.h"

/* The node of one of the project's schemas at @path, keys and indexes between blanks. */
static const cJSON *schema_node(const cJSON *tree, const char *path)
{
	_cleanup_free_ char *copy = strdup(path);
	char *save = NULL, *key;

	for (key = strtok_r(copy, " ", &save); tree && key; key = strtok_r(NULL, " ", &save))
		tree = document_get(tree, key);
	if (!tree)
		printf("%s\n", path);
	ASSERT_NOT_NULL(tree);
	return tree;
}

static cJSON *schema_tree(const char *name)
{
	return document_parse(document_schema_text(name), name);
}

static void expect_list(const cJSON *list, const char *(*name)(unsigned int), unsigned int n)
{
	EXPECT_EQ(cJSON_GetArraySize(list), n);
	for (unsigned int i = 0; i < n; i++)
		EXPECT_STREQ(cJSON_GetStringValue(cJSON_GetArrayItem(list, (int)i)), name(i));
}

static const char *nth_reason(unsigned int i)
{
	return reason_name((enum reason)(i + 1));
}

static const char *nth_outcome(unsigned int i)
{
	return run_outcome_name((enum run_outcome)i);
}

static const char *nth_hook(unsigned int i)
{
	return event_hook_name((enum event_hook)i);
}

static const char *nth_promise(unsigned int i)
{
	return promise_name((enum promise)i);
}

static const char *nth_code(unsigned int i)
{
	return fault_code_name((enum fault_code)(i + 1));
}

static const char *nth_status(unsigned int i)
{
	return doctor_status_name((enum doctor_status)i);
}

#define DENIAL "properties denials items properties "

TEST("the result's schema has the reasons, outcomes, hooks, promises and bounds of the code")
{
	_cleanup_json_ cJSON *tree = schema_tree("run-result.v1");
	const cJSON *reached = schema_node(tree, "properties cap properties reached enum");
	const cJSON *enforced = schema_node(tree, "properties enforced properties"), *promise;
	unsigned int n = 0;

	expect_list(schema_node(tree, DENIAL "reason enum"), nth_reason, REASON_COUNT - 1);
	EXPECT_EQ(cJSON_GetArraySize(reached), REASON_COUNT);
	for (unsigned int i = 0; i + 1 < REASON_COUNT; i++)
		EXPECT_STREQ(cJSON_GetArrayItem(reached, (int)i)->valuestring, nth_reason(i));
	EXPECT_TRUE(cJSON_IsNull(cJSON_GetArrayItem(reached, REASON_COUNT - 1)));
	expect_list(schema_node(tree, "properties outcome enum"), nth_outcome, RUN_OUTCOME_COUNT);
	expect_list(schema_node(tree, DENIAL "first items properties hook enum"), nth_hook,
		    EVENT_METER + 1);
	cJSON_ArrayForEach(promise, enforced)
		if (n < PROMISE_COUNT)
			EXPECT_STREQ(promise->string, nth_promise(n++));
	EXPECT_EQ(cJSON_GetArraySize(enforced), PROMISE_COUNT + 1);

	EXPECT_EQ(schema_node(tree, "properties denials maxItems")->valueint, REASON_COUNT - 1);
	EXPECT_EQ(schema_node(tree, DENIAL "first maxItems")->valueint, REEVE_DENIALS_FIRST);
	EXPECT_EQ(schema_node(tree, "properties stdout maxLength")->valueint,
		  REEVE_STDOUT_SHOWN_BYTES + REEVE_OUTPUT_MARKER_BYTES);
	EXPECT_EQ(schema_node(tree, "properties stderr maxLength")->valueint,
		  REEVE_STDERR_SHOWN_BYTES + REEVE_OUTPUT_MARKER_BYTES);
}

TEST("the schemas of faults and of the doctor have the code's lists")
{
	_cleanup_json_ cJSON *fault = schema_tree("fault.v1"), *doctor = schema_tree("doctor.v1");

	expect_list(schema_node(fault, "properties code enum"), nth_code, FAULT_INTERNAL);
	expect_list(schema_node(doctor, "properties status enum"), nth_status, DOCTOR_MISSING + 1);
	expect_list(schema_node(doctor, "properties checks items properties status enum"),
		    nth_status, DOCTOR_MISSING + 1);
	expect_list(schema_node(doctor, "properties checks items properties promise enum"),
		    nth_promise, PROMISE_COUNT);
	EXPECT_EQ(schema_node(doctor, "properties checks maxItems")->valueint, DOCTOR_CHECKS_MAX);
}

static const char *nth_rate(unsigned int i)
{
	static const char *const keys[] = {
#define X(unit) #unit "_ucents",
		RATE_UNITS(X)
#undef X
	};

	return keys[i];
}

static void expect_rates(const cJSON *properties)
{
	const cJSON *rate;
	unsigned int n = 0;

	EXPECT_EQ(cJSON_GetArraySize(properties), 5);
	cJSON_ArrayForEach(rate, properties) {
		EXPECT_STREQ(rate->string, nth_rate(n++));
		EXPECT_EQ(document_get(rate, "maximum")->valuedouble, REEVE_RATE_UCENTS_MAX);
	}
}

TEST("the schemas of plans and rate cards have the code's lists and bounds")
{
	_cleanup_json_ cJSON *plan = schema_tree("run-plan.v1"), *card = schema_tree("rate-card.v1");

	expect_rates(schema_node(card, "properties"));
	expect_rates(schema_node(plan, "properties policy properties rates properties"));
	EXPECT_EQ(schema_node(plan, "properties command maxItems")->valueint, REEVE_ARGS_MAX);
}

static const char *nth_state(unsigned int i)
{
	return desk_state_name((enum desk_state)i);
}

static const char *nth_request_state(unsigned int i)
{
	return desk_request_state_name((enum desk_request_state)i);
}

static const char *nth_note(unsigned int i)
{
	return desk_note_type((enum desk_note)i);
}

/* What closes a queue, and null behind it. */
static void expect_queues(const cJSON *list)
{
	EXPECT_EQ(cJSON_GetArraySize(list), DESK_QUEUE_COUNT);
	for (unsigned int i = 0; i + 1 < DESK_QUEUE_COUNT; i++)
		EXPECT_STREQ(cJSON_GetArrayItem(list, (int)i)->valuestring,
			     desk_queue_name((enum desk_queue)(i + 1)));
	EXPECT_TRUE(cJSON_IsNull(cJSON_GetArrayItem(list, DESK_QUEUE_COUNT - 1)));
}

TEST("the schemas of sessions, requests, events and problems have the code's lists and bounds")
{
	_cleanup_json_ cJSON *session = schema_tree("codes.sandbox-session.v1");
	_cleanup_json_ cJSON *desk = schema_tree("desk.v1"), *request = schema_tree("request.v1");
	_cleanup_json_ cJSON *event = schema_tree("event.v1"), *problem = schema_tree("problem.v1");
	_cleanup_json_ cJSON *order = schema_tree("order.v1");

	expect_list(schema_node(session, "properties state enum"), nth_state, DESK_STATE_COUNT);
	expect_queues(schema_node(desk, "properties queue properties reason enum"));
	expect_queues(schema_node(event, "properties queue enum"));
	EXPECT_EQ(schema_node(desk, "properties queue properties limit const")->valueint,
		  REEVE_QUEUE_MAX);
	expect_list(schema_node(request, "properties state enum"), nth_request_state,
		    DESK_REQUEST_FINISHED + 1);
	EXPECT_EQ(cJSON_GetArraySize(schema_node(request, "properties outcome enum")),
		  RUN_OUTCOME_COUNT + 1);
	expect_list(schema_node(event, "properties type enum"), nth_note, DESK_NOTE_COUNT);
	expect_list(schema_node(problem, "properties code enum"), nth_code, FAULT_INTERNAL);
	EXPECT_EQ(schema_node(problem, "properties errors maxItems")->valueint,
		  REEVE_SCHEMA_ERRORS_MAX);
	EXPECT_EQ(schema_node(order, "properties argv maxItems")->valueint, REEVE_ARGS_MAX);
	EXPECT_EQ(schema_node(order, "properties command maxLength")->valueint,
		  REEVE_COMMAND_BYTES_MAX);
	expect_rates(schema_node(desk, "properties policy properties rates properties"));
}

/* Takes out of a schema what says nothing of documents: the words for people and the names of it. */
static void words_drop(cJSON *schema)
{
	static const char *const words[] = { "$schema", "$id", "$comment", "title", "description" };
	cJSON *member;

	for (size_t i = 0; cJSON_IsObject(schema) && i < ARRAY_SIZE(words); i++)
		if (cJSON_IsString(document_get(schema, words[i])))
			cJSON_DeleteItemFromObjectCaseSensitive(schema, words[i]);
	cJSON_ArrayForEach(member, schema)
		words_drop(member);
}

/* The default is what is put in where the member is left out, which a whole document never does. */
static void expect_same(const cJSON *left, const cJSON *right, const char *name)
{
	_cleanup_json_ cJSON *a =
		cJSON_Duplicate(document_get(document_get(left, "properties"), name), true);
	const cJSON *b = document_get(document_get(right, "properties"), name);

	cJSON_DeleteItemFromObjectCaseSensitive(a, "default");
	if (!cJSON_Compare(a, b, true))
		printf("%s\n", name);
	EXPECT_TRUE(cJSON_Compare(a, b, true));
}

TEST("what owners may ask for has the code's bounds, and the contract's words for the rest")
{
	_cleanup_json_ cJSON *create = schema_tree("session-create.v1");
	_cleanup_json_ cJSON *change = schema_tree("session-change.v1");
	_cleanup_json_ cJSON *charge = schema_tree("charge.v1");
	_cleanup_json_ cJSON *session = schema_tree("codes.sandbox-session.v1");
	const cJSON *box = schema_node(create, "properties time_box_minutes");
	static const char *const shared[] = { "task", "owner", "time_box_minutes", "step_budget",
					      "cap" };

	EXPECT_EQ(document_get(box, "minimum")->valueint, REEVE_TIME_BOX_MINUTES_MIN);
	EXPECT_EQ(document_get(box, "maximum")->valueint, REEVE_TIME_BOX_MINUTES_MAX);
	EXPECT_EQ(document_get(box, "default")->valueint, REEVE_TIME_BOX_MINUTES_DEFAULT);
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++) {
		words_drop(cJSON_GetObjectItem(cJSON_GetObjectItem(create, "properties"), shared[i]));
		words_drop(cJSON_GetObjectItem(cJSON_GetObjectItem(change, "properties"), shared[i]));
		words_drop(cJSON_GetObjectItem(cJSON_GetObjectItem(session, "properties"), shared[i]));
		expect_same(create, session, shared[i]);
		if (i >= 2)
			expect_same(change, session, shared[i]);
	}
	expect_rates(schema_node(create, "properties rates properties"));
	EXPECT_EQ(schema_node(charge, "properties money_ucents maximum")->valuedouble,
		  REEVE_MONEY_CENTS_MAX * REEVE_UCENTS_PER_CENT);
	EXPECT_EQ(schema_node(charge, "properties note maxLength")->valueint, DESK_TEXT_CHARS_MAX);
}

TEST("what several schemas have in common is the same in all of them")
{
	_cleanup_json_ cJSON *result = schema_tree("run-result.v1"), *desk = schema_tree("desk.v1");
	_cleanup_json_ cJSON *request = schema_tree("request.v1"), *order = schema_tree("order.v1");
	_cleanup_json_ cJSON *step = schema_tree("step.v1"), *charge = schema_tree("charge.v1");
	_cleanup_json_ cJSON *authorize = schema_tree("authorize.v1");
	static const char *const commands[] = { "properties command", "properties argv" };

	EXPECT_TRUE(cJSON_Compare(schema_node(result, "properties denials"),
				  schema_node(request, "properties denials"), true));
	EXPECT_TRUE(cJSON_Compare(schema_node(result, "properties enforced properties"),
				  schema_node(desk, "properties enforced properties"), true));
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		EXPECT_TRUE(cJSON_Compare(schema_node(order, commands[i]),
					  schema_node(step, commands[i]), true));
	EXPECT_TRUE(cJSON_Compare(schema_node(charge, "properties"),
				  schema_node(authorize, "properties"), true));
}

static const char *nth_image(unsigned int i)
{
	static const char *const names[] = {
		"node", "python", "go", "anaconda", "browser", "media", "twine", "webgamedev",
	};

	EXPECT_TRUE(spec_image_is_known(names[i]));
	return names[i];
}

TEST("the schema of scripts has the code's images and modes")
{
	_cleanup_json_ cJSON *tree = schema_tree("sandbox_script");
	const cJSON *mode;
	enum spec_egress egress;

	expect_list(schema_node(tree, "properties image enum"), nth_image, 8);
	cJSON_ArrayForEach(mode, schema_node(tree, "properties egress enum"))
		EXPECT_TRUE(spec_egress_find(mode->valuestring, &egress));
	EXPECT_STREQ(schema_node(tree, "properties egress default")->valuestring,
		     spec_egress_name(SPEC_EGRESS_PACKAGE_MANAGERS));
	EXPECT_FALSE(spec_image_is_known(SPEC_IMAGE_HOST));
	EXPECT_TRUE(spec_image_is_known(SPEC_IMAGE_DEFAULT));
}

#define SEEDS "../shared/seeds"

static void expect_same_contract(const char *name, const char *source)
{
	_cleanup_json_ cJSON *ours = schema_tree(name), *theirs = NULL;
	_cleanup_free_ char *left = NULL, *right = NULL;

	if (access(source, R_OK) != 0)
		SKIP("%s is not beside the project", source);
	theirs = document_read(source);
	words_drop(ours);
	words_drop(theirs);
	if (cJSON_Compare(ours, theirs, true))
		return;
	left = cJSON_Print(ours);
	right = cJSON_Print(theirs);
	EXPECT_STREQ(left, right);
}

TEST("the schema of sessions is the contract, in words of its own")
{
	expect_same_contract("codes.sandbox-session.v1", SEEDS "/codes.sandbox-session.v1.json");
}

TEST("the schema of scripts is the one that its callers have, in words of its own")
{
	expect_same_contract("sandbox_script", SEEDS "/sandbox_script.schema.json");
}
