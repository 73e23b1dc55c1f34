// SPDX-License-Identifier: GPL-2.0-only
/*
 * Seccomp profiles in the OCI format and in moby's: what the plan says, what is refused and how the
 * fault tells of it. The compiler of plans has tests of its own.
 */
#include "../test.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/limits.h"
#include "../../user/wire/oci_seccomp.h"

#define ALLOW_READ "\"syscalls\": [{\"names\": [\"read\"], \"action\": \"SCMP_ACT_ALLOW\"}]"
#define DENY "\"defaultAction\": \"SCMP_ACT_ERRNO\""
#define ENTRY(text) "{" DENY ", \"syscalls\": [{\"names\": [\"read\"], " text "}]}"
#define ALLOW(text) ENTRY("\"action\": \"SCMP_ACT_ALLOW\", " text)
#define ARGS(text) ALLOW("\"args\": [" text "]")

static const struct oci_seccomp_host host = {
	.arch = SECCOMP_ARCH_X86_64,
	.capabilities = 1ull << CAP_CHOWN | 1ull << CAP_SETUID,
	.kernel_major = 6,
	.kernel_minor = 1,
};

static struct seccomp_plan parse(const char *text)
{
	struct seccomp_plan plan = { 0 };
	struct fault fault = { 0 };
	int r = oci_seccomp_parse(text, strlen(text), &host, &plan, &fault);

	printf("%s\n%s %s\n", text, fault.field, fault.reason);
	ASSERT_EQ(r, 0);
	return plan;
}

/* The fault of @text: at @field, with @part in its reason. */
static void refuse(const char *text, const char *field, const char *part)
{
	struct seccomp_plan plan = { .n_rules = 77 };
	struct fault fault = { 0 };
	int r = oci_seccomp_parse(text, strlen(text), &host, &plan, &fault);

	printf("%.300s\n", text);
	ASSERT_EQ(r, FAULT_E_SET);
	EXPECT_EQ(plan.n_rules, 77);
	EXPECT_EQ(fault.code, FAULT_REQUEST);
	EXPECT_STREQ(fault.field, field);
	EXPECT_HAS(fault.reason, part);
	EXPECT_STRNE(fault.remedy, "");
}

static size_t count_rules(const char *text)
{
	_cleanup_seccomp_plan_ struct seccomp_plan plan = parse(text);

	return plan.n_rules;
}

TEST("a profile becomes rules, one for each name of each entry, in order")
{
	_cleanup_seccomp_plan_ struct seccomp_plan plan = parse(
		"{\"defaultAction\": \"SCMP_ACT_ERRNO\", \"defaultErrnoRet\": 38,"
		" \"architectures\": [\"SCMP_ARCH_X86_64\", \"SCMP_ARCH_X86\", \"SCMP_ARCH_X32\"],"
		" \"syscalls\": ["
		"  {\"names\": [\"read\", \"write\"], \"action\": \"SCMP_ACT_ALLOW\"},"
		"  {\"names\": [\"clone\"], \"action\": \"SCMP_ACT_ALLOW\","
		"   \"args\": [{\"index\": 0, \"value\": 2114060288, \"valueTwo\": 0,"
		"               \"op\": \"SCMP_CMP_MASKED_EQ\"},"
		"              {\"index\": 5, \"value\": 9007199254740991, \"op\": \"SCMP_CMP_LT\"}]},"
		"  {\"names\": [\"mount\"], \"action\": \"SCMP_ACT_KILL\"},"
		"  {\"names\": [\"clone3\"], \"action\": \"SCMP_ACT_ERRNO\", \"errnoRet\": 0}]}");

	EXPECT_EQ(plan.fallback.action, SECCOMP_ACTION_ERRNO);
	EXPECT_EQ(plan.fallback.data, ENOSYS);
	EXPECT_EQ(plan.architectures, 1u << SECCOMP_ARCH_X86_64);
	EXPECT_EQ(plan.n_known[SECCOMP_ARCH_X86_64], 0);
	ASSERT_EQ(plan.n_rules, 5);
	EXPECT_STREQ(plan.rules[0].name, "read");
	EXPECT_STREQ(plan.rules[1].name, "write");
	EXPECT_EQ(plan.rules[1].verdict.action, SECCOMP_ACTION_ALLOW);
	EXPECT_EQ(plan.rules[1].verdict.data, 0);
	ASSERT_EQ(plan.rules[2].n_compares, 2);
	EXPECT_EQ(plan.rules[2].compares[0].op, SECCOMP_OP_MASKED_EQ);
	EXPECT_EQ(plan.rules[2].compares[0].mask, 2114060288);
	EXPECT_EQ(plan.rules[2].compares[0].value, 0);
	EXPECT_EQ(plan.rules[2].compares[1].arg, 5);
	EXPECT_EQ(plan.rules[2].compares[1].op, SECCOMP_OP_LT);
	EXPECT_EQ(plan.rules[2].compares[1].value, 9007199254740991);
	EXPECT_EQ(plan.rules[3].verdict.action, SECCOMP_ACTION_KILL_THREAD);
	EXPECT_EQ(plan.rules[4].verdict.data, 0);
}

TEST("every action and every operator has its own meaning")
{
	for (int i = 0; i < SECCOMP_ACTION_COUNT; i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "{\"defaultAction\": \"SCMP_ACT_KILL_PROCESS\", \"syscalls\": [{\"names\": "
			 "[\"read\"], \"action\": \"%s\"}]}",
			 seccomp_action_name((enum seccomp_action)i));
		_cleanup_seccomp_plan_ struct seccomp_plan plan = parse(text);
		EXPECT_EQ(plan.rules[0].verdict.action, i);
	}
	for (int i = 0; i < SECCOMP_OP_COUNT; i++) {
		char text[512];

		snprintf(text, sizeof(text), ARGS("{\"index\": 1, \"value\": 7, \"op\": \"%s\"}"),
			 seccomp_op_name((enum seccomp_op)i));
		_cleanup_seccomp_plan_ struct seccomp_plan plan = parse(text);
		EXPECT_EQ(plan.rules[0].compares[0].op, i);
	}
}

TEST("an errno that is not given is EPERM")
{
	_cleanup_seccomp_plan_ struct seccomp_plan plan =
		parse(ENTRY("\"action\": \"SCMP_ACT_TRACE\""));

	EXPECT_EQ(plan.fallback.data, EPERM);
	EXPECT_EQ(plan.rules[0].verdict.data, EPERM);
}

TEST("what is empty may be missing, null or empty")
{
	EXPECT_EQ(count_rules("{" DENY "}"), 0);
	EXPECT_EQ(count_rules("{" DENY ", \"syscalls\": null, \"architectures\": [], \"flags\": []}"),
		  0);
	EXPECT_EQ(count_rules(ALLOW("\"args\": null, \"comment\": \"\", \"includes\": {}, "
				    "\"excludes\": null")),
		  1);
}

TEST("moby's map of architectures and single names are read")
{
	EXPECT_EQ(count_rules("{" DENY ", \"archMap\": [{\"architecture\": \"SCMP_ARCH_S390X\", "
			      "\"subArchitectures\": null}, {\"architecture\": \"SCMP_ARCH_X86_64\", "
			      "\"subArchitectures\": [\"SCMP_ARCH_X86\"]}], \"syscalls\": [{\"name\": "
			      "\"read\", \"action\": \"SCMP_ACT_ALLOW\"}]}"),
		  1);
}

TEST("an entry applies when all that it includes is so")
{
	static const struct {
		const char *text;
		size_t rules;
	} rows[] = {
		{ ALLOW("\"includes\": {\"caps\": [\"CAP_CHOWN\"]}"), 1 },
		{ ALLOW("\"includes\": {\"caps\": [\"CAP_CHOWN\", \"CAP_SETUID\"]}"), 1 },
		{ ALLOW("\"includes\": {\"caps\": [\"CAP_CHOWN\", \"CAP_SYS_ADMIN\"]}"), 0 },
		{ ALLOW("\"includes\": {\"caps\": [\"CAP_CHECKPOINT_RESTORE\"]}"), 0 },
		{ ALLOW("\"includes\": {\"arches\": [\"amd64\", \"x32\"]}"), 1 },
		{ ALLOW("\"includes\": {\"arches\": [\"arm64\"]}"), 0 },
		{ ALLOW("\"includes\": {\"arches\": []}"), 1 },
		{ ALLOW("\"includes\": {\"minKernel\": \"4.8\"}"), 1 },
		{ ALLOW("\"includes\": {\"minKernel\": \"6.1\"}"), 1 },
		{ ALLOW("\"includes\": {\"minKernel\": \"6.2\"}"), 0 },
		{ ALLOW("\"includes\": {\"minKernel\": \"10.0\"}"), 0 },
		{ ALLOW("\"includes\": {\"caps\": [\"CAP_CHOWN\"], \"arches\": [\"s390\"]}"), 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		EXPECT_EQ(count_rules(rows[i].text), rows[i].rules);
}

TEST("an entry does not apply when anything that it excludes is so")
{
	static const struct {
		const char *text;
		size_t rules;
	} rows[] = {
		{ ALLOW("\"excludes\": {\"caps\": [\"CAP_CHOWN\"]}"), 0 },
		{ ALLOW("\"excludes\": {\"caps\": [\"CAP_SYS_ADMIN\", \"CAP_SETUID\"]}"), 0 },
		{ ALLOW("\"excludes\": {\"caps\": [\"CAP_SYS_ADMIN\"]}"), 1 },
		{ ALLOW("\"excludes\": {\"arches\": [\"amd64\"]}"), 0 },
		{ ALLOW("\"excludes\": {\"arches\": [\"s390\", \"s390x\"]}"), 1 },
		{ ALLOW("\"excludes\": {\"minKernel\": \"5.0\"}"), 0 },
		{ ALLOW("\"excludes\": {\"minKernel\": \"6.2\"}"), 1 },
		{ ALLOW("\"includes\": {\"caps\": [\"CAP_CHOWN\"]}, \"excludes\": {\"caps\": "
			"[\"CAP_SETUID\"]}"),
		  0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		EXPECT_EQ(count_rules(rows[i].text), rows[i].rules);
}

TEST("capabilities are known by the kernel's numbers")
{
	static const struct {
		const char *name;
		int number;
	} rows[] = { { "CAP_CHOWN", CAP_CHOWN },
		     { "CAP_NET_RAW", CAP_NET_RAW },
		     { "CAP_SYS_ADMIN", CAP_SYS_ADMIN },
		     { "CAP_SYS_TIME", CAP_SYS_TIME },
		     { "CAP_SETFCAP", CAP_SETFCAP },
		     { "CAP_SYSLOG", CAP_SYSLOG },
		     { "CAP_BPF", CAP_BPF },
		     { "CAP_CHECKPOINT_RESTORE", CAP_CHECKPOINT_RESTORE } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct oci_seccomp_host other = host;
		struct seccomp_plan plan = { 0 };
		struct fault fault = { 0 };
		char text[512];

		snprintf(text, sizeof(text), ALLOW("\"includes\": {\"caps\": [\"%s\"]}"),
			 rows[i].name);
		other.capabilities = 1ull << rows[i].number;
		ASSERT_OK(oci_seccomp_parse(text, strlen(text), &other, &plan, &fault));
		EXPECT_EQ(plan.n_rules, 1);
		seccomp_plan_deinit(&plan);
		other.capabilities = ~other.capabilities;
		ASSERT_OK(oci_seccomp_parse(text, strlen(text), &other, &plan, &fault));
		EXPECT_EQ(plan.n_rules, 0);
		seccomp_plan_deinit(&plan);
	}
}

TEST("an unknown key is refused where it stands, with those that are allowed")
{
	refuse("{" DENY ", \"listenerPath\": \"/x\"}", "/", "listenerPath");
	refuse("{" DENY ", \"listenerPath\": \"/x\"}", "/", "defaultErrnoRet");
	refuse(ALLOW("\"errno\": \"EPERM\""), "/syscalls/0", "errnoRet");
	refuse(ARGS("{\"index\": 0, \"value\": 1, \"op\": \"SCMP_CMP_EQ\", \"mask\": 1}"),
	       "/syscalls/0/args/0", "valueTwo");
	refuse(ALLOW("\"includes\": {\"kernel\": \"4.8\"}"), "/syscalls/0/includes", "minKernel");
	refuse("{" DENY ", \"archMap\": [{\"arch\": 1}]}", "/archMap/0", "subArchitectures");
	refuse("{" DENY ", \"\\u001b[31m\": 1}", "/", "\\x1b[31m");
}

TEST("an unknown word is refused with its value and those that are allowed")
{
	refuse("{\"defaultAction\": \"SCMP_ACT_NOTIFY\"}", "/defaultAction", "SCMP_ACT_NOTIFY");
	refuse("{\"defaultAction\": \"ERRNO\"}", "/defaultAction", "SCMP_ACT_KILL_PROCESS");
	refuse("{\"defaultAction\": \"\"}", "/defaultAction", "the value is \"\"");
	refuse("{\"defaultAction\": \" \"}", "/defaultAction", "the value is");
	refuse("{\"defaultAction\": \"SCMP_ACT_ALLOW SCMP_ACT_LOG\"}", "/defaultAction", "allowed");
	refuse("{\"defaultAction\": 5}", "/defaultAction", "the value is 5");
	refuse(ENTRY("\"action\": \"SCMP_ACT_NOTIFY\""), "/syscalls/0/action", "SCMP_ACT_TRACE");
	refuse(ARGS("{\"index\": 0, \"value\": 1, \"op\": \"SCMP_CMP_IN\"}"),
	       "/syscalls/0/args/0/op", "SCMP_CMP_MASKED_EQ");
	refuse(ALLOW("\"includes\": {\"caps\": [\"CAP_CHOWN\", \"CAP_X\"]}"),
	       "/syscalls/0/includes/caps/1", "CAP_X");
	refuse(ALLOW("\"excludes\": {\"arches\": [\"z80\"]}"), "/syscalls/0/excludes/arches/0",
	       "amd64");
	refuse(ALLOW("\"includes\": {\"minKernel\": \"new\"}"), "/syscalls/0/includes/minKernel",
	       "4.8");
	refuse(ALLOW("\"includes\": {\"minKernel\": 4.8}"), "/syscalls/0/includes/minKernel", "4.8");
	refuse("{" DENY ", \"architectures\": [\"SCMP_ARCH_Z80\"]}", "/architectures/0", "Z80");
	refuse("{" DENY ", \"flags\": [\"SECCOMP_FILTER_FLAG_LOG\"]}", "/flags/0",
	       "SECCOMP_FILTER_FLAG_TSYNC");
}

TEST("a number outside its bounds is refused with them")
{
	refuse(ARGS("{\"index\": 6, \"value\": 1, \"op\": \"SCMP_CMP_EQ\"}"),
	       "/syscalls/0/args/0/index", "from 0 to 5");
	refuse(ARGS("{\"index\": -1, \"value\": 1, \"op\": \"SCMP_CMP_EQ\"}"),
	       "/syscalls/0/args/0/index", "-1");
	refuse(ARGS("{\"index\": 0, \"value\": 1.5, \"op\": \"SCMP_CMP_EQ\"}"),
	       "/syscalls/0/args/0/value", "1.5");
	refuse(ARGS("{\"index\": 0, \"value\": 9007199254740992, \"op\": \"SCMP_CMP_EQ\"}"),
	       "/syscalls/0/args/0/value", "9007199254740991");
	refuse(ARGS("{\"index\": 0, \"value\": \"1\", \"op\": \"SCMP_CMP_EQ\"}"),
	       "/syscalls/0/args/0/value", "whole number");
	refuse("{" DENY ", \"defaultErrnoRet\": 4096}", "/defaultErrnoRet", "from 0 to 4095");
	refuse(ENTRY("\"action\": \"SCMP_ACT_ERRNO\", \"errnoRet\": -1"), "/syscalls/0/errnoRet",
	       "-1");
}

TEST("what is missing is named")
{
	refuse("{}", "/", "defaultAction");
	refuse("{" DENY ", \"syscalls\": [{\"action\": \"SCMP_ACT_ALLOW\"}]}", "/syscalls/0",
	       "\"names\"");
	refuse("{" DENY ", \"syscalls\": [{\"names\": [\"read\"]}]}", "/syscalls/0", "\"action\"");
	refuse(ARGS("{\"index\": 0, \"value\": 1}"), "/syscalls/0/args/0", "\"op\"");
	refuse(ALLOW("\"name\": \"write\""), "/syscalls/0", "not both");
	refuse("{" DENY ", \"syscalls\": [{\"names\": [], \"action\": \"SCMP_ACT_ALLOW\"}]}",
	       "/syscalls/0/names", "one name or more");
	refuse("{" DENY ", \"archMap\": [{\"subArchitectures\": []}]}", "/archMap/0", "architecture");
}

TEST("a value of another type is refused")
{
	refuse("[]", "/", "an object");
	refuse("{" DENY ", \"syscalls\": {}}", "/syscalls", "an array");
	refuse("{" DENY ", \"syscalls\": [7]}", "/syscalls/0", "an object");
	refuse("{" DENY ", \"syscalls\": [{\"names\": \"read\", \"action\": \"SCMP_ACT_ALLOW\"}]}",
	       "/syscalls/0/names", "an array");
	refuse(ALLOW("\"comment\": 7"), "/syscalls/0/comment", "a string");
	refuse("{" DENY ", \"archMap\": {\"x\": 1}}", "/archMap", "an array");
	refuse("{\"defaultAction\": null}", "/defaultAction", "null");
}

TEST("a name that no system call can have is refused")
{
	static const char *const names[] = {
		"\"\"",	       "\"Read\"", "\"read write\"",
		"\"../read\"", "7",	   "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\""
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "{" DENY ", \"syscalls\": [{\"names\": [\"read\", %s], \"action\": "
			 "\"SCMP_ACT_ALLOW\"}]}",
			 names[i]);
		refuse(text, "/syscalls/0/names/1", "system call");
	}
}

TEST("what runtimes read differently is refused")
{
	refuse(ARGS("{\"index\": 1, \"value\": 1, \"op\": \"SCMP_CMP_EQ\"}, "
		    "{\"index\": 1, \"value\": 2, \"op\": \"SCMP_CMP_EQ\"}"),
	       "/syscalls/0/args/1", "compared twice");
	refuse("{" DENY ", \"syscalls\": ["
	       "{\"names\": [\"read\", \"write\"], \"action\": \"SCMP_ACT_ALLOW\"}, "
	       "{\"names\": [\"write\"], \"action\": \"SCMP_ACT_LOG\"}]}",
	       "/syscalls", "\"write\"");
	refuse("{" DENY ", \"syscalls\": ["
	       "{\"name\": \"read\", \"action\": \"SCMP_ACT_ERRNO\", \"errnoRet\": 1}, "
	       "{\"name\": \"read\", \"action\": \"SCMP_ACT_ERRNO\", \"errnoRet\": 2}]}",
	       "/syscalls", "not defined");
	refuse(ARGS("{\"index\": 1, \"value\": 1, \"valueTwo\": 2, \"op\": \"SCMP_CMP_EQ\"}"),
	       "/syscalls/0/args/0", "SCMP_CMP_MASKED_EQ");
	refuse(ARGS("{\"index\": 1, \"value\": 1, \"valueTwo\": 2, \"op\": \"SCMP_CMP_MASKED_EQ\"}"),
	       "/syscalls/0/args/0", "nothing equals it");
	refuse(ALLOW("\"errnoRet\": 1"), "/syscalls/0", "no errno");
	refuse("{\"defaultAction\": \"SCMP_ACT_ALLOW\", \"defaultErrnoRet\": 1}", "/", "no errno");
	refuse("{" DENY ", " DENY "}", "/", "twice");
	refuse("{\"defaultAction\": \"SCMP_ACT_ERRNO\\u0000\"}", "/", "");
}

TEST("the same rule twice is no contradiction")
{
	EXPECT_EQ(count_rules("{" DENY ", \"syscalls\": ["
			      "{\"names\": [\"read\"], \"action\": \"SCMP_ACT_ALLOW\"}, "
			      "{\"names\": [\"read\"], \"action\": \"SCMP_ACT_ALLOW\"}]}"),
		  2);
}

TEST("a profile for other architectures is refused")
{
	refuse("{" DENY
	       ", \"architectures\": [\"SCMP_ARCH_AARCH64\", \"SCMP_ARCH_X86\"], " ALLOW_READ "}",
	       "/", "SCMP_ARCH_X86_64");
	refuse("{" DENY ", \"archMap\": [{\"architecture\": \"SCMP_ARCH_ARM\"}]}", "/",
	       "SCMP_ARCH_X86_64");
	refuse("{" DENY ", \"architectures\": [\"SCMP_ARCH_X86_64\"], \"archMap\": "
	       "[{\"architecture\": \"SCMP_ARCH_X86_64\"}]}",
	       "/archMap", "exclude");
	refuse("{" DENY ", \"archMap\": [{\"architecture\": \"SCMP_ARCH_X86_64\"}], "
	       "\"architectures\": [\"SCMP_ARCH_X86_64\"]}",
	       "/architectures", "exclude");
}

TEST("an entry that does not apply is checked as well")
{
	refuse(ALLOW("\"excludes\": {\"arches\": [\"amd64\"]}, \"args\": [{}]"),
	       "/syscalls/0/args/0", "\"index\"");
}

TEST("text that is no JSON, or too long, is refused")
{
	static char text[REEVE_SECCOMP_BYTES_MAX + 2];

	refuse("", "/", "");
	refuse("{" DENY, "/", "");
	refuse("{" DENY "} x", "/", "");
	memset(text, ' ', sizeof(text) - 1);
	refuse(text, "/", "262145 bytes");
}

TEST("rules are bounded by number, however short their text")
{
	const size_t size = 64 * 1024;
	_cleanup_free_ char *text = malloc(size);
	size_t len = (size_t)snprintf(text, size, "{" DENY ", \"syscalls\": [{\"names\": [\"a\"");

	for (int i = 1; i < REEVE_SECCOMP_RULES_MAX; i++)
		len += (size_t)snprintf(text + len, size - len, ",\"a\"");
	snprintf(text + len, size - len, "], \"action\": \"SCMP_ACT_ALLOW\"}]}");
	EXPECT_EQ(count_rules(text), REEVE_SECCOMP_RULES_MAX);
	snprintf(text + len, size - len, ",\"a\"], \"action\": \"SCMP_ACT_ALLOW\"}]}");
	refuse(text, "/syscalls/0", "4096");
}
