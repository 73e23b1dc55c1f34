// SPDX-License-Identifier: GPL-2.0-only
/*
 * The document of "reeve doctor": it follows its schema, tells every promise, and says of each check what
 * the exit code says of all.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/model/doctor.h"
#include "../document.h"

#define PLACE                                                                                      \
	"--parent", "reeve-doctor-document", "--pin-dir", "/sys/fs/bpf/doctor", "--run-dir",       \
		run_dir, "--output-root", output_root

static cJSON *examine(int *ret_code)
{
	char run_dir[256], output_root[256];
	_cleanup_free_ char *text = NULL;
	const char *reeve = getenv("REEVE"), *tmp = getenv("TMPDIR");
	int out[2], status;
	size_t n;
	pid_t pid;

	ASSERT_NOT_NULL(reeve);
	snprintf(run_dir, sizeof(run_dir), "%s/run", tmp ? tmp : "/tmp");
	snprintf(output_root, sizeof(output_root), "%s/out", tmp ? tmp : "/tmp");
	ASSERT_OK(pipe(out));
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		execl(reeve, reeve, "doctor", "--json", PLACE, (char *)NULL);
		_exit(126);
	}
	ASSERT_GT(pid, 0);
	close(out[1]);
	ASSERT_OK(io_read_all(out[0], DOCUMENT_BYTES_MAX, &text, &n));
	close(out[0]);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFEXITED(status));
	*ret_code = WEXITSTATUS(status);
	return document_parse(text, "reeve doctor --json");
}

static const char *text_of(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(document_get(object, key));
}

TEST("the document follows its schema, and its status is the exit code")
{
	static const struct {
		const char *status;
		int code;
	} codes[] = { { "ok", 0 }, { "degraded", 1 }, { "missing", 125 } };
	_cleanup_schema_ struct schema *schema = document_schema(document_schema_text("doctor.v1"));
	_cleanup_schema_errors_ struct schema_errors errors = { 0 };
	int code;
	_cleanup_json_ cJSON *document = examine(&code);
	bool known = false;

	EXPECT_OK(schema_check(schema, document, &errors));
	for (size_t i = 0; i < errors.n_items; i++)
		printf("%s: %s\n", errors.items[i].path, errors.items[i].message);
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (strcmp(text_of(document, "status"), codes[i].status) != 0)
			continue;
		EXPECT_EQ(code, codes[i].code);
		known = true;
	}
	EXPECT_TRUE(known);
}

TEST("every promise rests on a check, and no two checks have one name")
{
	int code;
	_cleanup_json_ cJSON *document = examine(&code);
	const cJSON *checks = document_get(document, "checks"), *check, *other;
	bool told[PROMISE_COUNT] = { 0 };

	cJSON_ArrayForEach(check, checks) {
		for (int i = 0; i < PROMISE_COUNT; i++)
			told[i] |= strcmp(text_of(check, "promise"), promise_name(i)) == 0;
		for (other = check->next; other; other = other->next)
			EXPECT_STRNE(text_of(check, "name"), text_of(other, "name"));
	}
	for (int i = 0; i < PROMISE_COUNT; i++) {
		if (!told[i])
			printf("%s\n", promise_name(i));
		EXPECT_TRUE(told[i]);
	}
}

TEST("what is ok has a finding and no remedy, what is not has both")
{
	int code;
	_cleanup_json_ cJSON *document = examine(&code);
	const cJSON *check;

	cJSON_ArrayForEach(check, document_get(document, "checks")) {
		bool ok = strcmp(text_of(check, "status"), "ok") == 0;

		EXPECT_STRNE(text_of(check, "detail"), "");
		EXPECT_EQ(ok, text_of(check, "remedy") == NULL);
	}
}
