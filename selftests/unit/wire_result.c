// SPDX-License-Identifier: GPL-2.0-only
/*
 * The documents that go out: results, plans, faults and the doctor's report. Each is held against
 * its schema, and the examples of the schemas are what the writers write, key by key.
 */
#include <arpa/inet.h>

#include "../../user/base/utf8.h"
#include "../../user/wire/plan_json.h"
#include "../../user/wire/report_json.h"
#include "../../user/wire/result_json.h"
#include "../document.h"

static void expect_valid(const char *schema_name, const cJSON *document)
{
	_cleanup_schema_ struct schema *schema = document_schema(document_schema_text(schema_name));
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };

	EXPECT_OK(schema_check(schema, document, &errors));
	for (size_t i = 0; i < errors.n_items; i++)
		printf("%s: %s\n", errors.items[i].path, errors.items[i].message);
}

/* The text ends its line, is a document of its schema, and is the example @path. */
static void expect_example(const char *schema_name, const char *path, const char *text)
{
	_cleanup_json_ cJSON *document = document_parse(text, "the text");
	_cleanup_json_ cJSON *example = document_read(path);
	_cleanup_free_ char *want = cJSON_Print(example), *got = cJSON_Print(document);

	expect_valid(schema_name, document);
	EXPECT_STREQ(got, want);
	EXPECT_EQ(text[strlen(text) - 1], '\n');
}

static struct run_result result_base(void)
{
	struct run_result result = {
		.session_id = "sbs_01KBDRJ0G0A1B2C3D4E5F6G7H8",
		.request_id = "req_01KBDRJ0G0JKMNPQRSTVWXYZ01",
		.steps = 1,
		.cap = { .time_box_ns = 600 * NSEC_PER_SEC },
		.output_dir = "/var/lib/reeve/out/7d444840-9dc0-4c1a-9d0b-8e2f0a1b2c3d",
	};

	memset(result.enforced, true, sizeof(result.enforced));
	return result;
}

static void note(struct run_result *result, struct event event, const char *given, const char *decoded)
{
	if (given)
		inet_pton(event.family, given, event.given);
	if (decoded)
		inet_pton(AF_INET6, decoded, event.decoded);
	run_result_note_event(result, &event);
}

TEST("a result with denials is the example")
{
	static const char output[] = "hello \xc3\xbcn\xc3\xaf"
				     "code\n";
	const struct decide_addr private = decide_from_v4(0x0a000001);
	struct run_result result = result_base();
	_cleanup_free_ char *text = NULL;

	result.exit_code = 7;
	result.cpu_ns = 18446744073ull;
	result.wall_ns = 20 * NSEC_PER_SEC;
	result.money_ucents = 27670;
	result.bytes_out = 640;
	result.bytes_in = 1280;
	result.events_lost = 7;
	result.events_since_ns = 1000;
	result.denials[REASON_LINK_LOCAL - 1].count = 9;
	result.denials[REASON_FAMILY - 1].count = 1;
	note(&result,
	     (struct event){ .time_ns = 1501000,
			     .reason = REASON_LINK_LOCAL,
			     .hook = EVENT_CONNECT,
			     .pid = 4242,
			     .family = AF_INET6,
			     .port = 80,
			     .protocol = 6,
			     .comm = "curl" },
	     "::ffff:169.254.169.254", "::ffff:169.254.169.254");
	note(&result,
	     (struct event){ .time_ns = 2501000,
			     .reason = REASON_LINK_LOCAL,
			     .hook = EVENT_PACKET_OUT,
			     .family = AF_INET,
			     .port = 53,
			     .protocol = 17 },
	     "169.254.169.254", "::ffff:169.254.169.254");
	note(&result,
	     (struct event){ .time_ns = 3501000,
			     .reason = REASON_FAMILY,
			     .hook = EVENT_SOCKET,
			     .pid = 4243,
			     .family = AF_PACKET,
			     .comm = "probe" },
	     NULL, NULL);
	result.has_names = true;
	result.names.counts = (struct dns_counts){
		.questions = 12, .asked = 4, .addresses = 6, .names_denied = 7, .addresses_denied = 1
	};
	run_result_note_name(&result, REASON_NAME, "metadata.internal.example", NULL, 1201000);
	run_result_note_name(&result, REASON_PRIVATE, "rebind.example", &private, 1301000);
	result.cap.cpu_ns = POLICY_UNLIMITED;
	result.cap.money_ucents = 1000000;
	result.enforced[PROMISE_UNIX_SOCKETS] = result.enforced[PROMISE_MEMORY] = false;
	result.enforced[PROMISE_PIDS] = result.enforced[PROMISE_CPU] = false;
	result.output = (struct run_output){ output, sizeof(output) - 1, sizeof(output) - 1 };

	ASSERT_OK(result_json_print(&result, &text));
	expect_example("run-result.v1", "schemas/examples/run-result.v1/exited.json", text);
	EXPECT_EQ(strchr(text, '\n') - text, strlen(text) - 1);
}

TEST("a result of a run that its cap has stopped is the example")
{
	struct run_result result = result_base();
	_cleanup_free_ char *text = NULL;

	result.outcome = RUN_CAPPED;
	result.exit_code = -1;
	result.signal = 9;
	result.cpu_ns = 1004100000;
	result.wall_ns = 1010000000;
	result.cap.cpu_ns = NSEC_PER_SEC;
	result.cap.money_ucents = POLICY_UNLIMITED;
	result.cap.reached = REASON_CAP_CPU;
	result.limits = (struct plan_limits){ 2147483648, 1024, 2000 };
	result.output = (struct run_output){ "end\n", 4, 14 };
	ASSERT_OK(result_json_print(&result, &text));
	expect_example("run-result.v1", "schemas/examples/run-result.v1/capped.json", text);
}

TEST("every counter is exact up to its last bit")
{
	struct run_result result = result_base();
	_cleanup_free_ char *text = NULL;

	result.cpu_ns = 9007199254740993ull;
	result.bytes_in = UINT64_MAX;
	ASSERT_OK(result_json_print(&result, &text));
	EXPECT_HAS(text, "\"cpu_ns\":9007199254740993,");
	EXPECT_HAS(text, "\"bytes_in\":18446744073709551615,");
}

/* Prints a result with this output and returns its document. */
static cJSON *shown(struct run_output output, bool of_stderr)
{
	struct run_result result = result_base();
	_cleanup_free_ char *text = NULL;
	cJSON *document;

	*(of_stderr ? &result.errors : &result.output) = output;
	ASSERT_OK(result_json_print(&result, &text));
	document = document_parse(text, "the text");
	expect_valid("run-result.v1", document);
	return document;
}

static void expect_shown(const char *bytes, size_t n, const char *want)
{
	_cleanup_json_ cJSON *document = shown((struct run_output){ bytes, n, n }, false);

	EXPECT_STREQ(document_get(document, "stdout")->valuestring, want);
	EXPECT_EQ(document_get(document, "stdout_bytes")->valuedouble, n);
	EXPECT_TRUE(cJSON_IsFalse(document_get(document, "stdout_truncated")));
}

TEST("output of any bytes is shown as characters")
{
	expect_shown("", 0, "");
	expect_shown("a\0b", 3,
		     "a\xef\xbf\xbd"
		     "b");
	expect_shown("\xff\xc3", 2, "\xef\xbf\xbd\xef\xbf\xbd");
	expect_shown("\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_shown("\x1b[2J\"\\\r\n\x7f", 9, "\x1b[2J\"\\\r\n\x7f");
	expect_shown("\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80");
}

TEST("of much output the end is shown, from a whole character on, with a line that says so")
{
	size_t n = REEVE_STDERR_SHOWN_BYTES + 9;
	_cleanup_free_ char *bytes = malloc(n);
	_cleanup_json_ cJSON *document = NULL;
	const char *text;

	/* characters of four bytes; the bound falls inside of one */
	for (size_t i = 0; i < n; i++)
		bytes[i] = "\xf0\x9f\x98\x80"[(i + 3) % 4];
	document = shown((struct run_output){ bytes, n, n + 1000 }, true);
	text = document_get(document, "stderr")->valuestring;
	EXPECT_HAS(text,
		   "[reeve: the first 1009 bytes are left out here; stderr.log has them]\n\xf0");
	EXPECT_TRUE(cJSON_IsTrue(document_get(document, "stderr_truncated")));
	EXPECT_EQ(document_get(document, "stderr_bytes")->valuedouble, n + 1000);
	EXPECT_LE(strlen(text), REEVE_STDERR_SHOWN_BYTES + REEVE_OUTPUT_MARKER_BYTES);
}

TEST("output of which the beginning is gone starts with a whole character")
{
	_cleanup_json_ cJSON *document =
		shown((struct run_output){ "\x98\x80 end", 6, UINT64_MAX }, false);

	EXPECT_HAS(document_get(document, "stdout")->valuestring, "stdout.log has them]\n end");
}

TEST("the largest output of the worst bytes keeps to the schema's bounds")
{
	size_t n = 2 * REEVE_STDOUT_SHOWN_BYTES;
	_cleanup_free_ char *bytes = malloc(n);
	_cleanup_json_ cJSON *document = NULL;

	memset(bytes, 0xbf, n);
	document = shown((struct run_output){ bytes, n, UINT64_MAX }, false);
	EXPECT_LE(utf8_count(document_get(document, "stdout")->valuestring),
		  REEVE_STDOUT_SHOWN_BYTES + REEVE_OUTPUT_MARKER_BYTES);
}

TEST("an event out of the ring is told whatever is in it")
{
	struct run_result result = result_base();
	_cleanup_json_ cJSON *document = NULL;
	_cleanup_free_ char *text = NULL;
	struct event event;
	const cJSON *told;

	memset(&event, 0xff, sizeof(event));
	event.reason = REASON_DEVICE;
	event.hook = EVENT_DEVICE;
	result.denials[REASON_DEVICE - 1].count = 1;
	run_result_note_event(&result, &event);
	event = (struct event){ .reason = REASON_DEVICE, .hook = EVENT_DEVICE, .time_ns = 1 };
	result.events_since_ns = 2;
	run_result_note_event(&result, &event);
	ASSERT_OK(result_json_print(&result, &text));
	document = document_parse(text, "the text");
	expect_valid("run-result.v1", document);
	told = document_get(cJSON_GetArrayItem(document_get(document, "denials"), 0), "first");
	EXPECT_STREQ(document_get(cJSON_GetArrayItem(told, 0), "family")->valuestring, "65535");
	EXPECT_EQ(document_get(cJSON_GetArrayItem(told, 1), "at_ns")->valuedouble, 0);
	EXPECT_TRUE(cJSON_IsNull(document_get(cJSON_GetArrayItem(told, 1), "pid")));
}

TEST("every reason and every outcome makes a valid result")
{
	for (unsigned int outcome = 0; outcome < RUN_OUTCOME_COUNT; outcome++) {
		struct run_result result = result_base();
		_cleanup_json_ cJSON *document = NULL;
		_cleanup_free_ char *text = NULL;

		result.outcome = (enum run_outcome)outcome;
		result.output_dir = NULL;
		for (unsigned int i = 1; i < REASON_COUNT; i++)
			result.denials[i - 1].count = i;
		ASSERT_OK(result_json_print(&result, &text));
		document = document_parse(text, "the text");
		expect_valid("run-result.v1", document);
		EXPECT_EQ(cJSON_GetArraySize(document_get(document, "denials")), REASON_COUNT - 1);
	}
}

static struct plan_mount mounts[] = {
	{ .kind = PLAN_MOUNT_TMPFS, .target = "/", .size_bytes = 16777216, .mode = 0755 },
	{ .kind = PLAN_MOUNT_SYSTEM, .target = "/usr", .source = "/usr" },
	{ .kind = PLAN_MOUNT_SYMLINK, .target = "/bin", .source = "usr/bin" },
	{ .kind = PLAN_MOUNT_DEVICE, .target = "/dev/null", .source = "/dev/null", .major = 1, .minor = 3 },
	{ .kind = PLAN_MOUNT_OUT, .target = "/out" },
};
static char *argv[] = { "/bin/sh", "-c", "make", NULL };
static char *envp[] = { "PATH=/usr/bin:/bin", "HOME=/out", NULL };

static struct plan plan_base(void)
{
	return (struct plan){
		.session_id = "sbs_01KBDRJ0G0A1B2C3D4E5F6G7H8",
		.request_id = "req_01KBDRJ0G0JKMNPQRSTVWXYZ01",
		.output_name = "7d444840-9dc0-4c1a-9d0b-8e2f0a1b2c3d",
		.slot = 3,
		.uid_base = 1879244800,
		.uid_count = 65536,
		.capabilities = 0x81,
		.policy = { .cpu_cap_ns = 60 * NSEC_PER_SEC, .money_cap_ucents = POLICY_UNLIMITED },
		.time_box_ns = 600 * NSEC_PER_SEC,
		.rates = { .cpu_second_ucents = 1500 },
		.limits = { .memory_bytes = 2147483648, .pids = 1024 },
		.mounts = mounts,
		.n_mounts = ARRAY_SIZE(mounts),
		.argv = argv,
		.envp = envp,
		.cwd = "/out",
		.hostname = "sandbox",
	};
}

static const struct seccomp_rule call_rules[] = {
	{ .name = "personality",
	  .verdict = { SECCOMP_ACTION_ALLOW, 0 },
	  .n_compares = 1,
	  .compares = { { 0, SECCOMP_OP_MASKED_EQ, 0xffffffff, 0 } } },
	{ .name = "personality", .verdict = { SECCOMP_ACTION_ERRNO, 1 } },
};
static const struct seccomp_plan calls = {
	.fallback = { SECCOMP_ACTION_ALLOW, 0 },
	.rules = call_rules,
	.n_rules = ARRAY_SIZE(call_rules),
};

TEST("a plan with a network is the example")
{
	struct spec spec = { .egress = SPEC_EGRESS_PUBLIC };
	struct plan plan = plan_base();
	_cleanup_free_ char *text = NULL;

	plan.network.veth = true;
	strcpy(plan.network.host_ifname, "reeve3");
	inet_pton(AF_INET, "10.203.0.13", &plan.network.host_v4);
	inet_pton(AF_INET, "10.203.0.14", &plan.network.sandbox_v4);
	inet_pton(AF_INET6, "fd72:6565:7665::d", &plan.network.host_v6);
	inet_pton(AF_INET6, "fd72:6565:7665::e", &plan.network.sandbox_v6);
	ASSERT_OK(plan_json_print(&plan, &spec, &calls, &text));
	expect_example("run-plan.v1", "schemas/examples/run-plan.v1/public.json", text);
}

TEST("a plan without a network names inputs by the path that was given")
{
	char path[] = "/srv/a \xff file";
	struct spec_input input = { SPEC_INPUT_FILE, path };
	struct spec spec = { .image = "host", .inputs = &input, .n_inputs = 1 };
	struct plan_mount mount = { .kind = PLAN_MOUNT_INPUT_FILE, .target = "/in/a" };
	struct plan plan = plan_base();
	_cleanup_json_ cJSON *document = NULL;
	_cleanup_free_ char *text = NULL;

	plan.mounts = &mount;
	plan.n_mounts = 1;
	plan.seccomp_profile = "/etc/profile.json";
	ASSERT_OK(plan_json_print(&plan, &spec, &calls, &text));
	document = document_parse(text, "the text");
	expect_valid("run-plan.v1", document);
	EXPECT_TRUE(cJSON_IsNull(document_get(document, "network")));
	EXPECT_STREQ(document_get(document_get(document, "seccomp"), "profile")->valuestring,
		     "/etc/profile.json");
	EXPECT_STREQ(document_get(document_get(document, "mounts")->child, "source")->valuestring,
		     "/srv/a \xef\xbf\xbd file");
}

TEST("a fault is the example")
{
	_cleanup_spec_ struct spec spec = { 0 };
	static const char *const command[] = { "true" };
	_cleanup_free_ char *text = NULL;
	struct fault fault = { 0 };

	spec_init(&spec);
	ASSERT_OK(spec_set_image(&spec, "node"));
	ASSERT_OK(spec_set_argv(&spec, command, 1, &fault));
	ASSERT_EQ(spec_check(&spec, "/", &fault), FAULT_E_SET);
	ASSERT_OK(fault_json_print(&fault, &text));
	expect_example("fault.v1", "schemas/examples/fault.v1/unsupported.json", text);
}

TEST("the doctor's report is the example, and as bad as its worst check")
{
	static struct doctor_report report = {
		.checks = { { .name = "btf",
			      .promise = PROMISE_EGRESS,
			      .detail = "/sys/kernel/btf/vmlinux is there" },
			    { .name = "memory-controller",
			      .promise = PROMISE_MEMORY,
			      .status = DOCTOR_DEGRADED,
			      .detail = "cgroup v2 does not offer the memory controller",
			      .remedy = "boot with systemd.unified_cgroup_hierarchy=1" } },
		.n_checks = 2,
	};
	_cleanup_free_ char *text = NULL;

	ASSERT_OK(doctor_json_print(&report, &text));
	expect_example("doctor.v1", "schemas/examples/doctor.v1/degraded.json", text);
	report.checks[0].status = DOCTOR_MISSING;
	EXPECT_EQ(doctor_report_status(&report), DOCTOR_MISSING);
}
