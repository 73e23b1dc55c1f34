// SPDX-License-Identifier: GPL-2.0-only
/*
 * The documents that "reeve run" prints, against their schemas: results of every kind of end, faults, and
 * the plan. The program is run as a child, as any caller would run it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "../../user/base/io.h"
#include "../../user/wire/schema.h"
#include "../test.h"

#define PLACE_FMT                                                                                  \
	"--parent reeve-json-%d --pin-dir /sys/fs/bpf/json --run-dir %s/json-run "                 \
	"--output-root %s/json-out"
#define TEXT_MAX (4 * 1024 * 1024)

static void place_text(char *ret, size_t size)
{
	const char *tmp = getenv("TMPDIR");

	tmp = tmp ? tmp : "/tmp";
	snprintf(ret, size, PLACE_FMT, getppid(), tmp, tmp);
}

static const char *reeve_path(void)
{
	const char *path = getenv("REEVE");

	return path ? path : "build/reeve";
}

/* Runs "reeve COMMAND PLACE ARGUMENTS" by the shell; returns its exit code and its standard output. */
static int reeve(const char *command, const char *arguments, char **ret_text)
{
	char place[1024], line[4096];
	FILE *pipe;
	size_t n;

	place_text(place, sizeof(place));
	snprintf(line, sizeof(line), "exec %s %s %s %s </dev/null", reeve_path(), command, place,
		 arguments);
	pipe = popen(line, "re");
	ASSERT_NOT_NULL(pipe);
	ASSERT_OK(io_read_all(fileno(pipe), TEXT_MAX, ret_text, &n));
	return WEXITSTATUS(pclose(pipe));
}

TEARDOWN
{
	char place[1024], line[2048], *text = NULL;

	EXPECT_EQ(reeve("gc", "--all", &text), 0);
	free(text);
	place_text(place, sizeof(place));
	snprintf(line, sizeof(line), "rm -rf %s/json-out",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	EXPECT_OK(system(line));
}

static cJSON *json_checked(const char *text, const char *schema_path)
{
	_cleanup_schema_errors_ struct schema_errors errors = {};
	_cleanup_schema_ struct schema *schema = NULL;
	_cleanup_file_ FILE *f = fopen(schema_path, "re");
	struct fault fault = {};
	cJSON *document = cJSON_Parse(text);
	char *schema_text;
	size_t n;

	ASSERT_NOT_NULL(f);
	ASSERT_OK(io_read_all(fileno(f), TEXT_MAX, &schema_text, &n));
	ASSERT_OK(schema_new(schema_text, n, &schema, &fault));
	free(schema_text);
	if (!document)
		printf("not JSON: %s\n", text);
	ASSERT_NOT_NULL(document);
	EXPECT_OK(schema_check(schema, document, &errors));
	for (size_t i = 0; i < errors.n_items; i++)
		printf("%s: %s\n", errors.items[i].path, errors.items[i].message);
	return document;
}

static const char *text_of(const cJSON *document, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(document, key);

	return cJSON_IsString(item) ? item->valuestring : "(no text)";
}

static double number_of(const cJSON *document, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(document, key);

	return cJSON_IsNumber(item) ? item->valuedouble : -1;
}

static bool is_null(const cJSON *document, const char *key)
{
	return cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(document, key));
}

static cJSON *result_of(const char *arguments, int code)
{
	char *text = NULL, all[2048];
	cJSON *document;

	snprintf(all, sizeof(all), "--json %s", arguments);
	printf("%s\n", arguments);
	EXPECT_EQ(reeve("run", all, &text), code);
	document = json_checked(text, "schemas/run-result.v1.json");
	free(text);
	return document;
}

TEST("the result of a command that ends by itself is valid and tells all of it")
{
	cJSON *document = result_of("-- /bin/sh -c 'echo out; echo err >&2; exit 5'", 5);

	EXPECT_STREQ(text_of(document, "outcome"), "exited");
	EXPECT_EQ(number_of(document, "exit_code"), 5);
	EXPECT_TRUE(is_null(document, "signal"));
	EXPECT_EQ(number_of(document, "steps"), 1);
	EXPECT_GE(number_of(document, "cpu_ns"), 100000);
	EXPECT_GE(number_of(document, "wall_ns"), 100000);
	EXPECT_STREQ(text_of(document, "stdout"), "out\n");
	EXPECT_STREQ(text_of(document, "stderr"), "err\n");
	EXPECT_OK(access(text_of(document, "output_dir"), F_OK));
	cJSON_Delete(document);
}

TEST("so is that of a signal, a cap, a time box and a command that is not there")
{
	cJSON *document = result_of("-- /bin/sh -c 'kill -9 $$'", 137);

	EXPECT_EQ(number_of(document, "signal"), 9);
	EXPECT_TRUE(is_null(document, "exit_code"));
	cJSON_Delete(document);

	document = result_of("--money-cents 0 --rate request=7,wall_minute=3 -- /bin/true", 123);
	EXPECT_STREQ(text_of(document, "outcome"), "capped");
	EXPECT_GE(number_of(document, "money_ucents"), 7);
	cJSON_Delete(document);

	document = result_of("--cpu-seconds 0.05 -- /bin/sh -c 'while :; do :; done'", 123);
	EXPECT_STREQ(text_of(cJSON_GetObjectItem(document, "cap"), "reached"), "cap_cpu");
	cJSON_Delete(document);

	document = result_of("--time-box 0.2 -- /bin/sleep 10", 124);
	EXPECT_STREQ(text_of(document, "outcome"), "timed_out");
	EXPECT_EQ(number_of(cJSON_GetObjectItem(document, "cap"), "time_box_ns"), 2e8);
	cJSON_Delete(document);

	document = result_of("-- /no/such/command", 127);
	EXPECT_EQ(number_of(document, "exit_code"), 127);
	cJSON_Delete(document);
}

TEST("denials are in it, counted, with their first events")
{
	cJSON *document = result_of("-- /bin/bash -c 'for i in 1 2 3 4 5 6 7; do "
				    "echo >/dev/tcp/10.0.0.$i/80; done; echo >/dev/udp/1.1.1.1/53; "
				    "echo >/dev/tcp/169.254.169.254/80; exit 0'",
				    0);
	const cJSON *denials = cJSON_GetObjectItem(document, "denials"), *denial, *first;
	int seen = 0;

	cJSON_ArrayForEach(denial, denials) {
		const char *reason = text_of(denial, "reason");

		seen++;
		first = cJSON_GetObjectItem(denial, "first");
		if (strcmp(reason, "private") == 0) {
			EXPECT_EQ(number_of(denial, "count"), 7);
			EXPECT_EQ(cJSON_GetArraySize(first), 5);
			first = cJSON_GetArrayItem(first, 1);
			EXPECT_STREQ(text_of(first, "address"), "10.0.0.2");
			EXPECT_STREQ(text_of(first, "hook"), "connect");
			EXPECT_STREQ(text_of(first, "comm"), "bash");
			EXPECT_EQ(number_of(first, "port"), 80);
			continue;
		}
		EXPECT_EQ(number_of(denial, "count"), 1);
		EXPECT_EQ(cJSON_GetArraySize(first), 1);
		EXPECT_TRUE(strcmp(reason, "egress_none") == 0 || strcmp(reason, "link_local") == 0);
	}
	EXPECT_EQ(seen, 3);
	EXPECT_EQ(number_of(document, "events_lost"), 0);
	cJSON_Delete(document);
}

TEST("output that is no text is shown as valid text")
{
	cJSON *document = result_of("-- /bin/sh -c 'printf \"a\\377\\000\\033[31m\\342\\202b\"; "
				    "head -c 3000000 /dev/urandom >&2'",
				    0);

	EXPECT_EQ(number_of(document, "stderr_bytes"), 3000000);
	EXPECT_HAS(text_of(document, "stdout"), "a\xef\xbf\xbd");
	cJSON_Delete(document);
}

TEST("a fault is one document as well")
{
	static const struct {
		const char *arguments, *code, *pointer;
		int exit_code;
	} rows[] = {
		{ "--cpu-seconds 0 -- /bin/true", "usage", "--cpu-seconds", 125 },
		{ "--file /nowhere -- /bin/true", "input.refused", "--file", 125 },
		{ "--image python -- /bin/true", "request.unsupported", "--image", 122 },
		{ "--egress package-managers -- /bin/true", "host.unsuitable",
		  "net.ipv4.ip_forward", 125 },
		{ "--parent / -- /bin/true", "usage", "--run-dir", 125 },
	};
	cJSON *document = result_of("-- /bin/true", 0);

	cJSON_Delete(document);
	ASSERT_OK(system("sysctl -qw net.ipv4.ip_forward=0"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char arguments[256], *text = NULL;

		snprintf(arguments, sizeof(arguments), "--json %s 2>/dev/null", rows[i].arguments);
		printf("%s\n", arguments);
		EXPECT_EQ(reeve("run", arguments, &text), rows[i].exit_code);
		document = json_checked(text, "schemas/fault.v1.json");
		EXPECT_STREQ(text_of(document, "code"), rows[i].code);
		EXPECT_STREQ(text_of(document, "pointer"), rows[i].pointer);
		cJSON_Delete(document);
		free(text);
	}
}

TEST("the plan of a dry run is valid and says what would be done")
{
	char *text = NULL;
	cJSON *document;

	EXPECT_EQ(reeve("run", "--dry-run --egress public --cpu-seconds 1.5 -- /bin/echo 'a b'",
			&text),
		  0);
	document = json_checked(text, "schemas/run-plan.v1.json");
	EXPECT_EQ(cJSON_GetArraySize(cJSON_GetObjectItem(document, "command")), 2);
	EXPECT_EQ(number_of(cJSON_GetObjectItem(document, "policy"), "cpu_cap_ns"), 15e8);
	EXPECT_GE(cJSON_GetArraySize(cJSON_GetObjectItem(document, "mounts")), 10);
	EXPECT_TRUE(cJSON_IsObject(cJSON_GetObjectItem(document, "network")));
	cJSON_Delete(document);
	free(text);
}
