// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a spec may say, as an option and as a document; the rate card; names, addresses and counts.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "../../include/policy.h"
#include "../../user/model/rate.h"
#include "../../user/model/result.h"
#include "../../user/model/spec.h"
#include "../../user/model/verdict.h"
#include "../test.h"

static const char *const hello[] = { "echo", "hello" };

static struct spec spec_of(const char *const *argv, size_t n)
{
	struct fault fault = { 0 };
	struct spec spec;

	spec_init(&spec);
	ASSERT_OK(spec_set_argv(&spec, argv, n, &fault));
	return spec;
}

static void expect_fault(const struct spec *spec, const char *prefix, enum fault_code code,
			 const char *field, const char *reason)
{
	struct fault fault = { 0 };

	EXPECT_EQ(spec_check(spec, prefix, &fault), FAULT_E_SET);
	EXPECT_STREQ(fault_code_name(fault.code), fault_code_name(code));
	EXPECT_STREQ(fault.field, field);
	EXPECT_HAS(fault.reason, reason);
	EXPECT_TRUE(fault.remedy[0]);
}

TEST("the defaults are: image host, no egress, no cap, ten minutes, and they pass")
{
	_cleanup_spec_ struct spec spec = spec_of(hello, 2);
	struct fault fault = { 0 };

	EXPECT_EQ(spec.egress, SPEC_EGRESS_NONE);
	EXPECT_NULL(spec.image);
	EXPECT_EQ(spec.cpu_cap_ns, POLICY_UNLIMITED);
	EXPECT_EQ(spec.money_cap_ucents, POLICY_UNLIMITED);
	EXPECT_EQ(spec.time_box_ns, 600 * NSEC_PER_SEC);
	EXPECT_FALSE(spec.foreign);
	EXPECT_OK(spec_check(&spec, "--", &fault));
}

TEST("a command must be there, and fit what the kernel takes")
{
	_cleanup_free_ char *longest = malloc(REEVE_COMMAND_BYTES_MAX + 1);
	static const char *const empty[] = { "" };
	const char *argv[] = { "true", longest };
	_cleanup_spec_ struct spec spec = { 0 };
	struct fault fault = { 0 };

	spec_init(&spec);
	expect_fault(&spec, "--", FAULT_USAGE, "COMMAND", "there is no command");
	expect_fault(&spec, "/", FAULT_REQUEST, "/command", "there is no command");
	EXPECT_OK(spec_set_argv(&spec, empty, 1, &fault));
	expect_fault(&spec, "--", FAULT_USAGE, "COMMAND", "there is no command");

	memset(longest, 'x', REEVE_COMMAND_BYTES_MAX);
	longest[REEVE_COMMAND_BYTES_MAX] = 0;
	EXPECT_OK(spec_set_argv(&spec, argv, 2, &fault));
	expect_fault(&spec, "--", FAULT_USAGE, "COMMAND", "has 131072 bytes; the most is 131071");
	longest[REEVE_COMMAND_BYTES_MAX - 1] = 0;
	EXPECT_OK(spec_set_argv(&spec, argv, 2, &fault));
	EXPECT_OK(spec_check(&spec, "--", &fault));
	EXPECT_EQ(spec_set_argv(&spec, argv, REEVE_ARGS_MAX + 1, &fault), FAULT_E_SET);
	EXPECT_HAS(fault.reason, "1025 arguments");
}

TEST("all arguments together are bounded")
{
	_cleanup_free_ char *big = malloc(REEVE_COMMAND_BYTES_MAX);
	const char *argv[] = { big, big, big, big, big, big, big, big, "x" };
	_cleanup_spec_ struct spec spec = { 0 };
	struct fault fault = { 0 };

	memset(big, 'x', REEVE_COMMAND_BYTES_MAX - 1);
	big[REEVE_COMMAND_BYTES_MAX - 1] = 0;
	spec_init(&spec);
	EXPECT_OK(spec_set_argv(&spec, argv, 8, &fault));
	EXPECT_OK(spec_check(&spec, "--", &fault));
	EXPECT_OK(spec_set_argv(&spec, argv, 9, &fault));
	expect_fault(&spec, "--", FAULT_USAGE, "COMMAND", "the arguments have");
}

TEST("an image that is not installed, or is none, is never run as another")
{
	_cleanup_spec_ struct spec spec = spec_of(hello, 2);
	struct fault fault = { 0 };

	EXPECT_OK(spec_set_image(&spec, "anaconda"));
	expect_fault(&spec, "/", FAULT_UNSUPPORTED, "/image",
		     "image anaconda is not installed; installed: host");
	expect_fault(&spec, "--", FAULT_UNSUPPORTED, "--image", "not installed");
	EXPECT_OK(spec_set_image(&spec, "ubu\x1bntu"));
	expect_fault(&spec, "--", FAULT_USAGE, "--image",
		     "'ubu\\x1bntu'; the images are host, node, python");
	EXPECT_OK(spec_set_image(&spec, "host"));
	EXPECT_OK(spec_check(&spec, "/", &fault));
}

TEST("public egress and files of the host never come together")
{
	_cleanup_spec_ struct spec spec = spec_of(hello, 2);
	struct fault fault = { 0 };

	EXPECT_OK(spec_set_egress(&spec, SPEC_EGRESS_PUBLIC, &fault));
	EXPECT_OK(spec_check(&spec, "--", &fault));
	EXPECT_OK(spec_add_input(&spec, SPEC_INPUT_FILE, "/etc/hostname", &fault));
	expect_fault(&spec, "--", FAULT_USAGE, "--egress", "never given together");
	EXPECT_OK(spec_set_egress(&spec, SPEC_EGRESS_NONE, &fault));
	EXPECT_OK(spec_check(&spec, "--", &fault));
}

TEST("the caller can narrow a document's egress and never widen it")
{
	_cleanup_spec_ struct spec spec = spec_of(hello, 2);
	struct fault fault = { 0 };

	spec.foreign = true;
	spec.egress = SPEC_EGRESS_PACKAGE_MANAGERS;
	EXPECT_EQ(spec_set_egress(&spec, SPEC_EGRESS_PUBLIC, &fault), FAULT_E_SET);
	EXPECT_STREQ(fault.reason, "public is wider than the request's package-managers");
	EXPECT_EQ(spec.egress, SPEC_EGRESS_PACKAGE_MANAGERS);
	fault = (struct fault){ 0 };
	EXPECT_OK(spec_set_egress(&spec, SPEC_EGRESS_NONE, &fault));
	EXPECT_EQ(spec.egress, SPEC_EGRESS_NONE);
	EXPECT_EQ(spec_set_egress(&spec, SPEC_EGRESS_PACKAGE_MANAGERS, &fault), FAULT_E_SET);
}

TEST("inputs are absolute paths, named by their place when they are not")
{
	static const struct {
		const char *path, *reason;
	} cases[] = {
		{ "etc/hostname", "'etc/hostname' is not an absolute path" },
		{ "", "'' is not an absolute path" },
		{ "//", "'//' is the whole file system" },
	};
	_cleanup_free_ char *deep = malloc(REEVE_PATH_MAX + 1);
	struct fault fault = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_spec_ struct spec spec = spec_of(hello, 2);

		EXPECT_OK(spec_add_input(&spec, SPEC_INPUT_FILE, "/a", &fault));
		EXPECT_OK(spec_add_input(&spec, SPEC_INPUT_DIRECTORY, "/b", &fault));
		EXPECT_OK(spec_add_input(&spec, SPEC_INPUT_DIRECTORY, cases[i].path, &fault));
		expect_fault(&spec, "/", FAULT_REQUEST, "/directories/1", cases[i].reason);
		expect_fault(&spec, "--", FAULT_USAGE, "--directory", cases[i].reason);
	}
	memset(deep, '/', REEVE_PATH_MAX);
	memcpy(deep + REEVE_PATH_MAX - 1, "a", 2);
	{
		_cleanup_spec_ struct spec spec = spec_of(hello, 2);

		EXPECT_OK(spec_add_input(&spec, SPEC_INPUT_FILE, deep, &fault));
		expect_fault(&spec, "/", FAULT_REQUEST, "/files/0", "is longer than a path can be");
	}
}

TEST("the number of inputs is bounded")
{
	_cleanup_spec_ struct spec spec = spec_of(hello, 2);
	struct fault fault = { 0 };

	for (int i = 0; i < REEVE_INPUTS_MAX; i++)
		EXPECT_OK(spec_add_input(&spec, SPEC_INPUT_FILE, "/a", &fault));
	EXPECT_EQ(spec_add_input(&spec, SPEC_INPUT_DIRECTORY, "/a", &fault), FAULT_E_SET);
	EXPECT_STREQ(fault.field, "--directory");
	EXPECT_HAS(fault.reason, "more than 64");
	EXPECT_EQ(spec.n_inputs, REEVE_INPUTS_MAX);
}

TEST("caps, rates and the time box have bounds")
{
	_cleanup_spec_ struct spec spec = spec_of(hello, 2);
	struct fault fault = { 0 };

	spec.cpu_cap_ns = 0;
	expect_fault(&spec, "/", FAULT_USAGE, "--cpu-seconds", "0 ns is out of range");
	spec.cpu_cap_ns = REEVE_CPU_SECONDS_MAX * NSEC_PER_SEC + 1;
	expect_fault(&spec, "--", FAULT_USAGE, "--cpu-seconds", "at most 1000000000 seconds");
	spec.cpu_cap_ns = REEVE_CPU_SECONDS_MAX * NSEC_PER_SEC;
	EXPECT_OK(spec_check(&spec, "--", &fault));

	spec.money_cap_ucents = 5 * REEVE_UCENTS_PER_CENT;
	expect_fault(&spec, "--", FAULT_USAGE, "--money-cents", "without a rate");
	spec.money_cap_ucents = 0;
	EXPECT_OK(spec_check(&spec, "--", &fault));
	spec.rates.egress_gib_ucents = REEVE_RATE_UCENTS_MAX + 1;
	expect_fault(&spec, "--", FAULT_USAGE, "--rate", "egress_gib costs 4294967296");
	spec.rates.egress_gib_ucents = REEVE_RATE_UCENTS_MAX;
	spec.money_cap_ucents = REEVE_MONEY_CENTS_MAX * REEVE_UCENTS_PER_CENT;
	EXPECT_OK(spec_check(&spec, "--", &fault));
	spec.money_cap_ucents++;
	expect_fault(&spec, "--", FAULT_USAGE, "--money-cents", "at most 1000000000 cents");
	spec.money_cap_ucents = POLICY_UNLIMITED;

	spec.time_box_ns = 0;
	expect_fault(&spec, "/", FAULT_USAGE, "--time-box", "0 ns is out of range");
	spec.time_box_ns = REEVE_TIME_BOX_SECONDS_MAX * NSEC_PER_SEC;
	EXPECT_OK(spec_check(&spec, "--", &fault));
	spec.time_box_ns++;
	expect_fault(&spec, "--", FAULT_USAGE, "--time-box", "at most 604800 seconds");
}

TEST("a rate card names each of its units once, in whole micro-cents")
{
	struct rate_card card = { 0 };
	struct fault fault = { 0 };

	EXPECT_OK(rate_card_parse("request=7,cpu_second=4294967295", "--rate", &card, &fault));
	EXPECT_EQ(card.request_ucents, 7);
	EXPECT_EQ(card.cpu_second_ucents, REEVE_RATE_UCENTS_MAX);
	EXPECT_EQ(card.step_ucents, 0);
	EXPECT_OK(rate_card_parse("wall_minute=1,step=2,egress_gib=0", "--rate", &card, &fault));
	EXPECT_EQ(card.wall_minute_ucents, 1);
	EXPECT_EQ(card.step_ucents, 2);
	EXPECT_EQ(card.cpu_second_ucents, 0);
}

TEST("a rate card that is none changes nothing and says why")
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{ "", "'' is not UNIT=N" },
		{ "cpu_second", "'cpu_second' is not UNIT=N" },
		{ "cpu=1", "'cpu=1' names no unit; the units are cpu_second, wall_minute" },
		{ "step=1,", "'' is not UNIT=N" },
		{ "step=1,step=1", "step is given twice" },
		{ "step=", "'step=' has no whole number" },
		{ "step=01", "'step=01' has no whole number" },
		{ "step=-1", "has no whole number from 0 to 4294967295" },
		{ "step=1.5", "has no whole number" },
		{ "step=4294967296", "has no whole number" },
		{ "step=99999999999999999999999999999999999999999", "has no whole number" },
		{ "=1", "names no unit" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rate_card card = { .step_ucents = 42 };
		struct fault fault = { 0 };

		EXPECT_EQ(rate_card_parse(cases[i].text, "--rate", &card, &fault), FAULT_E_SET);
		EXPECT_STREQ(fault.field, "--rate");
		EXPECT_HAS(fault.reason, cases[i].reason);
		EXPECT_EQ(card.step_ucents, 42);
	}
}

TEST("egress modes and images have one name each")
{
	enum spec_egress egress = SPEC_EGRESS_PUBLIC;

	EXPECT_TRUE(spec_egress_find("none", &egress));
	EXPECT_EQ(egress, SPEC_EGRESS_NONE);
	EXPECT_FALSE(spec_egress_find("open", &egress));
	EXPECT_EQ(egress, SPEC_EGRESS_NONE);
	EXPECT_STREQ(spec_egress_name(SPEC_EGRESS_PACKAGE_MANAGERS), "package-managers");
	EXPECT_TRUE(spec_image_is_known("webgamedev"));
	EXPECT_FALSE(spec_image_is_known("web"));
}

TEST("reasons and hooks are looked up, and what is none has no name")
{
	EXPECT_STREQ(reason_name(REASON_OK), "ok");
	EXPECT_STREQ(reason_name(REASON_CAP_CPU), "cap_cpu");
	EXPECT_STREQ(reason_text(REASON_PAUSED), "the session is paused");
	EXPECT_NULL(reason_name(REASON_COUNT));
	EXPECT_NULL(reason_text((enum reason) - 1));
	EXPECT_STREQ(event_hook_name(EVENT_METER), "meter");
	EXPECT_NULL(event_hook_name((enum event_hook)(EVENT_METER + 1)));
	for (unsigned int i = 0; i < REASON_COUNT; i++)
		EXPECT_NOT_NULL(reason_name((enum reason)i));
	for (unsigned int i = 0; i <= EVENT_METER; i++)
		EXPECT_NOT_NULL(event_hook_name((enum event_hook)i));
}

TEST("an event tells the address that was given and the one that was judged")
{
	struct event event = { .family = AF_INET6 };
	char text[EVENT_ADDRESS_SIZE];

	inet_pton(AF_INET6, "64:ff9b::10.0.0.1", event.given);
	inet_pton(AF_INET6, "::ffff:10.0.0.1", event.decoded);
	event_given_text(&event, text);
	EXPECT_STREQ(text, "64:ff9b::a00:1");
	event_decoded_text(&event, text);
	EXPECT_STREQ(text, "10.0.0.1");

	inet_pton(AF_INET6, "fd00:ec2::254", event.decoded);
	event_decoded_text(&event, text);
	EXPECT_STREQ(text, "fd00:ec2::254");

	event.family = AF_INET;
	memset(event.given, 0xaa, sizeof(event.given));
	inet_pton(AF_INET, "192.168.1.2", event.given);
	event_given_text(&event, text);
	EXPECT_STREQ(text, "192.168.1.2");
	event.family = AF_NETLINK;
	event_given_text(&event, text);
	EXPECT_STREQ(text, "");
	event_decoded_text(&event, text);
	EXPECT_STREQ(text, "");
}

TEST("a result counts by the counters and keeps the first events of each reason")
{
	static struct run_result result;
	struct usage usage = { .cpu_ns = 5, .bytes_out = 6, .bytes_in = 7, .events_lost = 8 };
	struct event event = { .reason = REASON_PRIVATE };

	usage.denials.private = 9;
	usage.denials.socket_option = 1;
	run_result_set_usage(&result, &usage);
	EXPECT_EQ(result.cpu_ns, 5);
	EXPECT_EQ(result.bytes_out, 6);
	EXPECT_EQ(result.bytes_in, 7);
	EXPECT_EQ(result.events_lost, 8);
	EXPECT_EQ(result.denials[REASON_PRIVATE - 1].count, 9);
	EXPECT_EQ(result.denials[REASON_SOCKET_OPTION - 1].count, 1);

	for (event.pid = 1; event.pid < 20; event.pid++)
		run_result_note_event(&result, &event);
	EXPECT_EQ(result.denials[REASON_PRIVATE - 1].n_first, REEVE_DENIALS_FIRST);
	EXPECT_EQ(result.denials[REASON_PRIVATE - 1].first[4].pid, 5);
	event.reason = REASON_COUNT;
	run_result_note_event(&result, &event);
	event.reason = REASON_OK;
	run_result_note_event(&result, &event);
}
