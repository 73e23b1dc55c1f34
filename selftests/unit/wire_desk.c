// SPDX-License-Identifier: GPL-2.0-only
/*
 * The documents of sessions that go out: each keeps to its contract in every place that a session or a
 * request can stand, and the examples of the schemas are what the writers write, key by key.
 */
#include "../../user/model/desk_note.h"
#include "../../user/wire/desk_json.h"
#include "../../user/wire/event_json.h"
#include "../../user/wire/problem_json.h"
#include "../../user/wire/time_text.h"
#include "../desk_made.h"
#include "../document.h"

#define SITE "https://scratch.example.net"

static void expect_valid(const char *schema_name, const cJSON *document)
{
	_cleanup_schema_ struct schema *schema = document_schema(document_schema_text(schema_name));
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };

	EXPECT_OK(schema_check(schema, document, &errors));
	for (size_t i = 0; i < errors.n_items; i++)
		printf("%s%s: %s\n", schema_name, errors.items[i].path, errors.items[i].message);
}

/* The text ends its line, is a document of its schema, and is the example of this name. */
static void expect_example(const char *schema_name, const char *name, const char *text)
{
	_cleanup_json_ cJSON *document = document_parse(text, "the text"), *example = NULL;
	_cleanup_free_ char *want = NULL, *got = cJSON_Print(document);
	char path[256];

	snprintf(path, sizeof(path), "schemas/examples/%s/%s.json", schema_name, name);
	expect_valid(schema_name, document);
	EXPECT_EQ(text[strlen(text) - 1], '\n');
	example = document_read(path);
	want = cJSON_Print(example);
	EXPECT_STREQ(got, want);
}

static struct desk desk_used(enum desk_place place)
{
	struct desk desk = desk_made(place);

	desk.rates = (struct rate_card){ .cpu_second_ucents = 2000, .step_ucents = 500 };
	desk.spend = (struct desk_spend){
		.cpu_ns = 61999999999ull,
		.wall_ns = 180 * NSEC_PER_SEC,
		.money_ucents = 42126999,
		.charged_ucents = 42000000,
		.reserved_ucents = 5000000,
		.steps = 6,
		.bytes_out = 4096,
		.bytes_in = 65536,
	};
	return desk;
}

static struct desk_request request_made(enum desk_request_state state)
{
	struct desk_request request = {
		.id = "req_01KBDRJ0G0JKMNPQRSTVWXYZ01",
		.session_id = "sbs_01KBDRJ0G0A1B2C3D4E5F6G7H8",
		.state = state,
		.position = 12,
		.submitted_at_ms = DESK_MADE_AT_MS + 1500,
	};

	if (state == DESK_REQUEST_QUEUED)
		return request;
	request.time_box_ns = 600 * NSEC_PER_SEC;
	request.step_budget = 40;
	request.started_at_ms = DESK_MADE_AT_MS + 2000;
	request.steps = 1;
	request.cpu_ns = 1500000000;
	request.wall_ns = 2500000000;
	request.money_ucents = 3500;
	strcpy(request.output_name, "7d444840-9dc0-4c1a-9d0b-8e2f0a1b2c3d");
	if (state != DESK_REQUEST_FINISHED)
		return request;
	request.finished_at_ms = DESK_MADE_AT_MS + 4500;
	request.outcome = RUN_EXITED;
	request.exit_code = 3;
	request.denials[REASON_PRIVATE - 1] = 2;
	return request;
}

#define OUTPUT_ROOT "/var/lib/reeve/out"

TEST("times are written to the millisecond, and none is beyond the form")
{
	static const struct {
		uint64_t ms;
		const char *text;
	} cases[] = {
		{ 1, "1970-01-01T00:00:00.001Z" },
		{ 1796112000000ull, "2026-12-01T08:00:00.000Z" },
		{ 1835481599999ull, "2028-02-29T23:59:59.999Z" },
		{ 253402300799999ull, "9999-12-31T23:59:59.999Z" },
		{ UINT64_MAX, "9999-12-31T23:59:59.999Z" },
	};
	char text[TIME_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		time_text(cases[i].ms, text);
		EXPECT_STREQ(text, cases[i].text);
	}
}

TEST("the session's document keeps to the contract in every place, with all of its keys and no other")
{
	_cleanup_json_ cJSON *contract =
		document_parse(document_schema_text("codes.sandbox-session.v1"), "the contract");
	const cJSON *properties = document_get(contract, "properties");

	for (unsigned int place = 0; place < DESK_PLACE_COUNT; place++) {
		struct desk desk = desk_used((enum desk_place)place);
		_cleanup_free_ char *text = NULL;
		_cleanup_json_ cJSON *document = NULL;
		const cJSON *key, *want = properties->child;

		if (place % 2)
			desk.site = (struct desk_site){ "snake-4f2a", DESK_MADE_AT_MS, place % 3 };
		EXPECT_OK(session_json_print(&desk, SITE, &text));
		document = document_parse(text, "the session");
		expect_valid("codes.sandbox-session.v1", document);
		cJSON_ArrayForEach(key, document) {
			EXPECT_STREQ(key->string, want->string);
			want = want->next;
		}
		EXPECT_NULL(want);
		EXPECT_TRUE(cJSON_IsTrue(document_get(document, "egress_public_only")));
	}
}

TEST("a session's document is the example, rounded down and with its site")
{
	struct desk desk = desk_used(DESK_AT_RUNNING);
	_cleanup_free_ char *running = NULL, *ended = NULL;

	desk.site = (struct desk_site){ "snake-4f2a", DESK_MADE_AT_MS + 86400000, false };
	EXPECT_OK(session_json_print(&desk, SITE "/", &running));
	expect_example("codes.sandbox-session.v1", "site", running);
	EXPECT_HAS(running, "\"url\":\"" SITE "/snake-4f2a/\"");
	desk = desk_used(DESK_AT_ENDED);
	EXPECT_OK(session_json_print(&desk, SITE, &ended));
	expect_example("codes.sandbox-session.v1", "ended", ended);
}

TEST("texts of a session at their longest, in characters of four bytes, keep to the contract")
{
	struct desk desk = desk_used(DESK_AT_IDLE);
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ cJSON *document = NULL;

	for (int i = 0; i < DESK_TEXT_CHARS_MAX; i++)
		memcpy(desk.task_title + 4 * i, "\xf0\x9f\x8d\x8e", 5);
	EXPECT_OK(session_json_print(&desk, SITE, &text));
	document = document_parse(text, "the session");
	expect_valid("codes.sandbox-session.v1", document);
}

TEST("numbers at their greatest are written exactly")
{
	struct desk desk = desk_used(DESK_AT_IDLE);
	_cleanup_free_ char *text = NULL;

	desk.spend.steps = UINT64_MAX;
	EXPECT_OK(session_json_print(&desk, SITE, &text));
	EXPECT_HAS(text, "\"steps\":18446744073709551615");
}

TEST("the desk's document is the example, and valid in every place")
{
	struct desk desk = desk_used(DESK_AT_RUNNING);
	struct desk_request request = request_made(DESK_REQUEST_RUNNING);
	struct request_view active = { .request = &request, .output_root = OUTPUT_ROOT };
	struct desk_view view = { .desk = &desk, .queued = 2, .active = &active };
	_cleanup_free_ char *running = NULL;

	memset(view.enforced, true, sizeof(view.enforced));
	view.limits = (struct plan_limits){ .pids = 1024 };
	EXPECT_OK(desk_json_print(&view, &running));
	expect_example("desk.v1", "running", running);
	view.active = NULL;
	for (unsigned int place = 0; place < DESK_PLACE_COUNT; place++) {
		_cleanup_free_ char *text = NULL;
		_cleanup_json_ cJSON *document = NULL;

		desk = desk_used((enum desk_place)place);
		if (place < DESK_QUEUE_COUNT)
			desk.queue = (enum desk_queue)place;
		EXPECT_OK(desk_json_print(&view, &text));
		document = document_parse(text, "the desk");
		expect_valid("desk.v1", document);
	}
}

TEST("a request's document is the example, and valid in every state and with every outcome")
{
	struct desk_request request = request_made(DESK_REQUEST_FINISHED);
	struct request_view view = { .request = &request, .output_root = OUTPUT_ROOT };
	_cleanup_free_ char *finished = NULL;

	EXPECT_OK(request_json_print(&view, &finished));
	expect_example("request.v1", "exited", finished);
	for (unsigned int n = 0; n < RUN_OUTCOME_COUNT + 3; n++) {
		_cleanup_free_ char *text = NULL;
		_cleanup_json_ cJSON *document = NULL;

		request = request_made(n < 3 ? (enum desk_request_state)n : DESK_REQUEST_FINISHED);
		request.outcome = n < 3 ? RUN_EXITED : (enum run_outcome)(n - 3);
		request.signal = n % 2 ? 9 : 0;
		if (request.outcome == RUN_FAILED)
			fault_set(&request.fault, FAULT_START, "mount", "see doctor", "no room");
		EXPECT_OK(request_json_print(&view, &text));
		document = document_parse(text, "the request");
		expect_valid("request.v1", document);
		EXPECT_EQ(cJSON_IsNull(document_get(document, "outcome")), n < 3);
		if (n % 2 || n < 3 || request.outcome != RUN_EXITED)
			EXPECT_TRUE(cJSON_IsNull(document_get(document, "exit_code")));
	}
}

TEST("a request shows the first of its denials when they are at hand, and the row's counts")
{
	static struct run_result first;
	struct desk_request request = request_made(DESK_REQUEST_FINISHED);
	struct request_view view = { &request, &first, OUTPUT_ROOT };
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ cJSON *document = NULL;

	run_result_note_event(&first, &(struct event){ .reason = REASON_PRIVATE,
						       .hook = EVENT_CONNECT,
						       .pid = 7,
						       .family = 2,
						       .given = { 10, 0, 0, 1 },
						       .comm = "curl" });
	EXPECT_OK(request_json_print(&view, &text));
	document = document_parse(text, "the request");
	expect_valid("request.v1", document);
	EXPECT_HAS(text, "\"reason\":\"private\"");
	EXPECT_HAS(text, "\"count\":2,\"first\":[{");
	EXPECT_HAS(text, "\"address\":\"10.0.0.1\"");
}

TEST("an event carries whole documents, is the example, and valid for every type")
{
	struct desk desk = desk_used(DESK_AT_ARMED);
	struct desk_request request = request_made(DESK_REQUEST_FINISHED);
	struct request_view about = { .request = &request, .output_root = OUTPUT_ROOT };
	struct fault fault = { 0 };
	struct event_view view = { .at_ms = DESK_MADE_AT_MS + 4500,
				   .desk = &desk,
				   .site_base_url = SITE,
				   .request = &about };

	for (unsigned int note = 0; note < DESK_NOTE_COUNT; note++) {
		_cleanup_free_ char *text = NULL;
		_cleanup_json_ cJSON *document = NULL;

		view.type = desk_note_type((enum desk_note)note);
		EXPECT_OK(event_json_print(&view, &text));
		document = document_parse(text, "the event");
		expect_valid("event.v1", document);
		expect_valid("codes.sandbox-session.v1", document_get(document, "session"));
		expect_valid("request.v1", document_get(document, "request"));
		if (note == DESK_NOTE_REQUEST_FINISHED)
			expect_example("event.v1", "request-finished", text);
	}
	fault_set(&fault, FAULT_WIPE, "/workspace", "end the session", "3 files are left");
	view.type = desk_note_type(DESK_NOTE_WIPE_FAILED);
	view.request = NULL;
	view.fault = &fault;
	desk = desk_used(DESK_AT_WIPING);
	_cleanup_free_ char *text = NULL;
	EXPECT_OK(event_json_print(&view, &text));
	expect_example("event.v1", "wipe-failed", text);
}

TEST("a problem is the example, and a client reads the fault back whole")
{
	struct schema_error items[] = { { (char *)"/cap/minutes", (char *)"must be >= 1", NULL },
					{ (char *)"/", (char *)"must NOT have additional properties",
					  (char *)"x" } };
	struct schema_errors errors = { items, 2, 0 };
	struct fault fault = { 0 }, back;
	struct problem problem = { &fault, 422, "The document is not valid", &errors };
	_cleanup_free_ char *text = NULL, *bare = NULL;

	fault_set(&fault, FAULT_DOCUMENT, "/cap/minutes", "see the schema",
		  "must be >= 1, and 1 more");
	EXPECT_OK(problem_json_print(&problem, &text));
	expect_example("problem.v1", "document-invalid", text);
	EXPECT_TRUE(problem_json_read(text, strlen(text), &back));
	EXPECT_EQ(back.code, FAULT_DOCUMENT);
	EXPECT_STREQ(back.field, fault.field);
	EXPECT_STREQ(back.reason, fault.reason);
	EXPECT_STREQ(back.remedy, fault.remedy);

	fault = (struct fault){ .code = FAULT_INTERNAL, .reason = "it broke" };
	problem = (struct problem){ &fault, 500, "A fault of reeve's own", NULL };
	EXPECT_OK(problem_json_print(&problem, &bare));
	expect_example("problem.v1", "internal", bare);
	EXPECT_FALSE(problem_json_read("{}", 2, &back));
	EXPECT_FALSE(problem_json_read("<html>", 6, &back));
	EXPECT_FALSE(problem_json_read("{\"code\":\"none\",\"detail\":\"x\"}", 28, &back));
}

TEST("every fault is a problem that is valid")
{
	for (unsigned int code = 1; code <= FAULT_INTERNAL; code++) {
		struct fault fault = { .code = (enum fault_code)code, .reason = "so" };
		struct problem problem = { &fault, 409, "Conflict", NULL };
		_cleanup_free_ char *text = NULL;
		_cleanup_json_ cJSON *document = NULL;

		EXPECT_OK(problem_json_print(&problem, &text));
		document = document_parse(text, "the problem");
		expect_valid("problem.v1", document);
	}
}
