// SPDX-License-Identifier: GPL-2.0-only
/*
 * What owners and host agents send: sessions, changes, orders, steps, charges. For the members that a new
 * session shares with the contract every complaint is the reference's, taken from its vectors; beyond them
 * what is refused, with every complaint and a fault that has the first.
 */
#include "../../user/wire/charge_json.h"
#include "../../user/wire/desk_parse.h"
#include "../../user/wire/order_json.h"
#include "../document.h"

static void errors_text(const struct schema_errors *errors, char *ret, size_t size)
{
	size_t at = 0;

	ret[0] = 0;
	for (size_t i = 0; i < errors->n_items && at < size; i++)
		at += (size_t)snprintf(ret + at, size - at, "%s: %s; ", errors->items[i].path,
				       errors->items[i].message);
}

static struct contracts *contracts_made(void)
{
	struct contracts *contracts = NULL;

	ASSERT_OK(contracts_new(&contracts));
	return contracts;
}

/* Each reader into a text of what it read; the same signature for all of them. */
typedef int read_fn(struct contracts *contracts, const char *text, struct schema_errors *errors,
		    struct fault *fault);

static int read_create(struct contracts *contracts, const char *text, struct schema_errors *errors,
		       struct fault *fault)
{
	struct desk desk;

	return desk_parse(contracts, text, strlen(text), &desk, errors, fault);
}

static int read_change(struct contracts *contracts, const char *text, struct schema_errors *errors,
		       struct fault *fault)
{
	struct desk_change change;

	return desk_change_parse(contracts, text, strlen(text), &change, errors, fault);
}

static int read_order(struct contracts *contracts, const char *text, struct schema_errors *errors,
		      struct fault *fault)
{
	_cleanup_spec_ struct spec spec = { 0 };
	bool open;

	return order_parse(contracts, text, strlen(text), SPEC_EGRESS_PUBLIC, &spec, &open, errors,
			   fault);
}

static int read_step(struct contracts *contracts, const char *text, struct schema_errors *errors,
		     struct fault *fault)
{
	_cleanup_spec_ struct spec spec = { 0 };

	return step_parse(contracts, text, strlen(text), SPEC_EGRESS_NONE, &spec, errors, fault);
}

static int read_charge(struct contracts *contracts, const char *text, struct schema_errors *errors,
		       struct fault *fault)
{
	struct ledger_charge charge;

	return charge_parse(contracts, text, strlen(text), false, &charge, errors, fault);
}

/* @want is all complaints, "path: message; ", and the fault is of the first of them. */
static void expect_refused(read_fn *read, const char *text, const char *want)
{
	_cleanup_contracts_ struct contracts *contracts = contracts_made();
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	struct fault fault = { 0 };
	char got[2048];

	EXPECT_EQ(read(contracts, text, &errors, &fault), FAULT_E_SET);
	errors_text(&errors, got, sizeof(got));
	EXPECT_STREQ(got, want);
	EXPECT_EQ(fault.code, FAULT_DOCUMENT);
	if (!errors.n_items)
		return;
	EXPECT_STREQ(fault.field, errors.items[0].path);
	EXPECT_HAS(fault.reason, errors.items[0].message);
	EXPECT_TRUE(fault.remedy[0]);
}

static const char *const shared[] = { "task", "owner", "time_box_minutes", "step_budget", "cap" };

static bool is_shared(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		if (strlen(shared[i]) == n && strncmp(shared[i], name, n) == 0)
			return true;
	return false;
}

/* Whether the complaint is about a member that the owner gives; a time box may be left out here. */
static bool complaint_is_shared(const cJSON *error)
{
	static const char missing[] = "must have required property '";
	const char *path = document_get(error, "path")->valuestring;
	const char *message = document_get(error, "message")->valuestring, *name;

	if (path[1])
		return is_shared(path + 1, strcspn(path + 1, "/"));
	if (strncmp(message, missing, strlen(missing)) != 0)
		return false;
	name = message + strlen(missing);
	return is_shared(name, strcspn(name, "'")) && strncmp(name, "time_box_minutes", 16) != 0;
}

static void vector_expect(struct contracts *contracts, const cJSON *vector)
{
	const cJSON *doc = document_get(vector, "doc"), *error;
	_cleanup_json_ cJSON *input = cJSON_CreateObject();
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	_cleanup_free_ char *text = NULL;
	char got[2048], want[2048] = "";
	struct fault fault = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		if (document_get(doc, shared[i]))
			cJSON_AddItemToObject(input, shared[i],
					      cJSON_Duplicate(document_get(doc, shared[i]), true));
	cJSON_ArrayForEach(error, document_get(document_get(vector, "expect"), "errors"))
		if (complaint_is_shared(error))
			at += (size_t)snprintf(want + at, sizeof(want) - at, "%s: %s; ",
					       document_get(error, "path")->valuestring,
					       document_get(error, "message")->valuestring);
	text = cJSON_PrintUnformatted(input);
	read_create(contracts, text, &errors, &fault);
	errors_text(&errors, got, sizeof(got));
	if (strcmp(got, want) != 0)
		printf("in \"%s\": %s\n", document_get(vector, "name")->valuestring, text);
	EXPECT_STREQ(got, want);
}

TEST("every complaint about a new session is the reference's, in its words and its order")
{
	_cleanup_contracts_ struct contracts *contracts = contracts_made();
	_cleanup_json_ cJSON *vectors =
		document_read("selftests/vectors/sandbox-session.vectors.json");
	const cJSON *vector;
	int n = 0;

	cJSON_ArrayForEach(vector, vectors) {
		if (!cJSON_IsObject(document_get(vector, "doc")))
			continue;
		vector_expect(contracts, vector);
		n++;
	}
	EXPECT_GE(n, 120);
}

TEST("a new session has its owner's fields, and the defaults of what was left out")
{
	_cleanup_contracts_ struct contracts *contracts = contracts_made();
	_cleanup_free_ char *small =
		document_bytes("schemas/examples/session-create.v1/smallest.json");
	_cleanup_free_ char *whole =
		document_bytes("schemas/examples/session-create.v1/everything.json");
	struct schema_errors errors = { 0 };
	struct fault fault = { 0 };
	struct desk desk;

	ASSERT_OK(desk_parse(contracts, small, strlen(small), &desk, &errors, &fault));
	EXPECT_STREQ(desk.task_id, "nightly");
	EXPECT_STREQ(desk.task_title, "Nightly build");
	EXPECT_STREQ(desk.owner, "usr_01KBDRJ0G0A1B2C3D4E5F6G7H8");
	EXPECT_EQ(desk.time_box_minutes, 10);
	EXPECT_EQ(desk.step_budget, 40);
	EXPECT_EQ(desk.cap.money_cents, 500);
	EXPECT_EQ(desk.cap.minutes, 30);
	EXPECT_EQ(desk.clock, DESK_CLOCK_CPU);
	EXPECT_EQ(desk.egress, SPEC_EGRESS_PUBLIC);
	EXPECT_EQ(desk.rates.cpu_second_ucents, 0);
	EXPECT_EQ(desk.state, DESK_IDLE);

	ASSERT_OK(desk_parse(contracts, whole, strlen(whole), &desk, &errors, &fault));
	EXPECT_EQ(desk.time_box_minutes, 30);
	EXPECT_EQ(desk.cap.money_cents, 0);
	EXPECT_EQ(desk.clock, DESK_CLOCK_WALL);
	EXPECT_EQ(desk.egress, SPEC_EGRESS_PACKAGE_MANAGERS);
	EXPECT_EQ(desk.rates.cpu_second_ucents, 2000);
	EXPECT_EQ(desk.rates.egress_gib_ucents, 5000000);
}

#define REST                                                                                       \
	"\"task\":{\"id\":\"a\",\"title\":\"b\"},\"owner\":\"usr_01KBDRJ0G0A1B2C3D4E5F6G7H8\","    \
	"\"cap\":{\"money_cents\":0,\"minutes\":1},\"step_budget\":1"

TEST("nothing that is sent makes egress more than public, and nothing else of the document is taken")
{
	expect_refused(read_create, "{" REST ",\"egress_public_only\":false}",
		       "/egress_public_only: must be equal to constant; ");
	expect_refused(read_create, "{" REST ",\"egress\":\"open\"}",
		       "/egress: must be equal to one of the allowed values; ");
	expect_refused(read_create, "{" REST ",\"state\":\"armed\",\"armed\":true}",
		       "/: must NOT have additional properties; "
		       "/: must NOT have additional properties; ");
	expect_refused(read_create, "{" REST ",\"rates\":{\"cpu_second_ucents\":4294967296}}",
		       "/rates/cpu_second_ucents: must be <= 4294967295; ");
	expect_refused(read_create, "{" REST, "");
	expect_refused(read_create, "{" REST "," REST "}", "");
	expect_refused(read_create, "[]", "/: must be object; ");
}

TEST("a change has what is there and leaves the rest, within the same bounds")
{
	_cleanup_contracts_ struct contracts *contracts = contracts_made();
	struct schema_errors errors = { 0 };
	struct fault fault = { 0 };
	struct desk_change change;

	ASSERT_OK(desk_change_parse(contracts, "{\"time_box_minutes\":15}", 23, &change, &errors,
				    &fault));
	EXPECT_TRUE(change.has_time_box && !change.has_cap && !change.has_step_budget);
	EXPECT_EQ(change.time_box_minutes, 15);
	ASSERT_OK(desk_change_parse(contracts, "{\"cap\":{\"minutes\":9,\"money_cents\":7}}", 37,
				    &change, &errors, &fault));
	EXPECT_TRUE(change.has_cap && !change.has_time_box);
	EXPECT_EQ(change.cap.minutes * 100 + change.cap.money_cents, 907);
	expect_refused(
		read_change, "{\"time_box_minutes\":31,\"step_budget\":0,\"cap\":{\"minutes\":0}}",
		"/time_box_minutes: must be <= 30; /step_budget: must be >= 1; "
		"/cap: must have required property 'money_cents'; /cap/minutes: must be >= 1; ");
	expect_refused(read_change, "{\"owner\":\"usr_01KBDRJ0G0A1B2C3D4E5F6G7H8\"}",
		       "/: must NOT have additional properties; ");
}

static void expect_order(const char *text, const char *argv0, size_t n_argv, const char *last,
			 bool open)
{
	_cleanup_contracts_ struct contracts *contracts = contracts_made();
	_cleanup_spec_ struct spec spec = { 0 };
	struct schema_errors errors = { 0 };
	struct fault fault = { 0 };
	bool got = !open;

	ASSERT_OK(order_parse(contracts, text, strlen(text), SPEC_EGRESS_PACKAGE_MANAGERS, &spec,
			      &got, &errors, &fault));
	EXPECT_EQ(got, open);
	EXPECT_EQ(spec.egress, SPEC_EGRESS_PACKAGE_MANAGERS);
	EXPECT_EQ(spec.n_inputs, 0);
	EXPECT_NULL(spec.image);
	EXPECT_EQ(spec.n_argv, n_argv);
	if (!n_argv)
		return;
	EXPECT_STREQ(spec.argv[0], argv0);
	EXPECT_STREQ(spec.argv[n_argv - 1], last);
	EXPECT_NULL(spec.argv[n_argv]);
}

TEST("an order is a shell command, arguments, or steps to come")
{
	expect_order("{\"command\":\"echo $1; rm -rf \\\"x\\\"\"}", "/bin/sh", 3,
		     "echo $1; rm -rf \"x\"", false);
	expect_order("{\"argv\":[\"/bin/echo\",\"\",\"a b\"]}", "/bin/echo", 3, "a b", false);
	expect_order("{\"steps\":true}", NULL, 0, NULL, true);
	expect_refused(read_order, "{\"steps\":true,\"command\":\"true\"}",
		       "/steps: must NOT have a command beside 'steps': send it as a step; ");
}

TEST("an order that is none says why, and so does a step")
{
	static char long_one[140 * 1024];

	expect_refused(read_order, "{}", "/: must have one of 'command' and 'argv'; ");
	expect_refused(read_order, "{\"steps\":false}", "/: must have one of 'command' and 'argv'; ");
	expect_refused(read_order, "{\"command\":\"a\",\"argv\":[\"b\"]}",
		       "/: must NOT have both 'command' and 'argv'; ");
	expect_refused(read_order, "{\"command\":\"\"}",
		       "/command: must NOT have fewer than 1 characters; ");
	expect_refused(read_order, "{\"argv\":[]}", "/argv: must NOT have fewer than 1 items; ");
	expect_refused(read_order, "{\"argv\":[\"\"]}", "/argv: there is no command; ");
	expect_refused(read_order, "{\"command\":\"a\",\"files\":[\"/etc/passwd\"]}",
		       "/: must NOT have additional properties; ");
	expect_refused(read_order, "{\"command\":\"a\\u0000b\"}", "");
	expect_refused(read_step, "{}", "/: must have one of 'command' and 'argv'; ");
	expect_refused(read_step, "{\"command\":\"a\",\"steps\":true}",
		       "/: must NOT have additional properties; ");
	memset(long_one, 'a', REEVE_COMMAND_BYTES_MAX + 20);
	memcpy(long_one, "{\"command\":\"", 12);
	memcpy(long_one + REEVE_COMMAND_BYTES_MAX + 12, "\"}", 3);
	expect_refused(read_order, long_one,
		       "/command: one argument has 131072 bytes; the most is 131071; ");
}

TEST("a document that is too large is refused unread")
{
	_cleanup_contracts_ struct contracts *contracts = contracts_made();
	_cleanup_free_ char *text = malloc(REEVE_REQUEST_BYTES_MAX + 2);
	struct schema_errors errors = { 0 };
	struct fault fault = { 0 };

	memset(text, ' ', REEVE_REQUEST_BYTES_MAX + 1);
	text[REEVE_REQUEST_BYTES_MAX + 1] = 0;
	EXPECT_EQ(read_order(contracts, text, &errors, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_BODY_TOO_LARGE);
}

TEST("a charge and an authorisation have one form, and bounds that the account can hold")
{
	_cleanup_contracts_ struct contracts *contracts = contracts_made();
	_cleanup_free_ char *text = document_bytes("schemas/examples/charge.v1/settled.json");
	struct schema_errors errors = { 0 };
	struct fault fault = { 0 };
	const char *smallest = "{\"charge_id\":\"a\",\"money_ucents\":1e15}";
	struct ledger_charge charge;

	ASSERT_OK(charge_parse(contracts, text, strlen(text), false, &charge, &errors, &fault));
	EXPECT_STREQ(charge.id, "call-17");
	EXPECT_EQ(charge.money_ucents, 1250000);
	EXPECT_EQ(charge.steps, 1);
	EXPECT_STREQ(charge.note, "one answer of the model");
	EXPECT_FALSE(charge.reserved);
	ASSERT_OK(charge_parse(contracts, smallest, strlen(smallest), true, &charge, &errors, &fault));
	EXPECT_TRUE(charge.reserved);
	EXPECT_EQ(charge.money_ucents, 1000000000000000ull);
	EXPECT_EQ(charge.steps, 0);
	EXPECT_STREQ(charge.note, "");
	expect_refused(
		read_charge, "{\"charge_id\":\"\",\"money_ucents\":-1}",
		"/charge_id: must match pattern \"^[!-~]{1,127}$\"; /money_ucents: must be >= 0; ");
	expect_refused(read_charge, "{\"charge_id\":\"a b\",\"money_ucents\":0.5,\"steps\":1e10}",
		       "/charge_id: must match pattern \"^[!-~]{1,127}$\"; /money_ucents: must be integer; "
		       "/steps: must be <= 1000000000; ");
	expect_refused(read_charge, "{}",
		       "/: must have required property 'charge_id'; "
		       "/: must have required property 'money_ucents'; ");
}
