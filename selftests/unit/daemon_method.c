// SPDX-License-Identifier: GPL-2.0-only
/* The table of methods: that each route is there, is found and is described; and that each code has its status. */
#include <string.h>

#include "../../user/daemon/method.h"
#include "../../user/daemon/problem.h"
#include "../document.h"

#define SESSION "/v1/sessions/{id}"
#define REQUEST "/v1/requests/{rid}"

static const char *const routes[][2] = {
	{ "POST", "/v1/sessions" },
	{ "GET", "/v1/sessions" },
	{ "GET", SESSION },
	{ "PATCH", SESSION },
	{ "GET", SESSION "/desk" },
	{ "POST", SESSION "/go" },
	{ "POST", SESSION "/pause" },
	{ "POST", SESSION "/resume" },
	{ "POST", SESSION "/wipe" },
	{ "POST", SESSION "/end" },
	{ "POST", SESSION "/requests" },
	{ "GET", SESSION "/requests" },
	{ "POST", SESSION "/charges" },
	{ "POST", SESSION "/authorize" },
	{ "POST", SESSION "/site/keep" },
	{ "GET", SESSION "/events" },
	{ "GET", REQUEST },
	{ "POST", REQUEST "/cancel" },
	{ "POST", REQUEST "/steps" },
	{ "POST", REQUEST "/finish" },
	{ "GET", REQUEST "/stdout" },
	{ "GET", REQUEST "/stderr" },
	{ "GET", "/v1/events" },
	{ "GET", "/metrics" },
	{ "GET", "/v1/doctor" },
	{ "GET", "/openapi.json" },
	{ "POST", "/v1/validate/{contract}" },
};

static int route(const char *verb, const char *path, const struct method **ret, char id[64],
		 char allow[64])
{
	struct fault fault = { 0 };

	return method_route(verb, path, ret, id, allow, &fault) ? (int)fault.code : 0;
}

TEST("every route of the interface is found, and no other is in the table")
{
	const struct method *method = NULL;
	char id[64], allow[METHOD_ALLOW_SIZE];

	EXPECT_EQ(n_methods, ARRAY_SIZE(routes));
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		printf("%s %s\n", routes[i][0], routes[i][1]);
		ASSERT_EQ(route(routes[i][0], routes[i][1], &method, id, allow), 0);
		EXPECT_STREQ(method->path, routes[i][1]);
		EXPECT_STREQ(method->verb, routes[i][0]);
		EXPECT_TRUE(strcmp(method->verb, "POST") != 0 || (method->traits & METHOD_KEY) ||
			    strncmp(method->path, "/v1/validate", 12) == 0);
	}
}

TEST("paths are matched whole, and other methods of a path are named")
{
	const struct method *method;
	char id[64], allow[METHOD_ALLOW_SIZE];

	EXPECT_EQ(route("GET", "/v1/sessions/sbs_1", &method, id, allow), 0);
	EXPECT_STREQ(id, "sbs_1");
	EXPECT_EQ(route("HEAD", "/v1/sessions/sbs%5f1/desk", &method, id, allow), 0);
	EXPECT_STREQ(id, "sbs_1");
	EXPECT_EQ(route("GET", "/v1/sessions/", &method, id, allow), FAULT_PATH_UNKNOWN);
	EXPECT_EQ(route("GET", "/v1/sessions/a/b", &method, id, allow), FAULT_PATH_UNKNOWN);
	EXPECT_EQ(route("GET", "/v1/sessions/a/desk/", &method, id, allow), FAULT_PATH_UNKNOWN);
	EXPECT_EQ(route("GET", "//v1/sessions", &method, id, allow), FAULT_PATH_UNKNOWN);
	EXPECT_EQ(route("GET", "/v1/sessions/%00", &method, id, allow), FAULT_PATH_UNKNOWN);
	EXPECT_EQ(route("GET", "/v1/sessions/..%2f..", &method, id, allow), 0);
	EXPECT_EQ(route("PUT", "/v1/sessions", &method, id, allow), FAULT_METHOD_UNKNOWN);
	EXPECT_STREQ(allow, "POST, GET, HEAD");
	EXPECT_EQ(route("get", "/metrics", &method, id, allow), FAULT_METHOD_UNKNOWN);
	EXPECT_STREQ(allow, "GET, HEAD");
}

TEST("every code has a status, and the stable ones have theirs")
{
#define X(NAME, code)                                                                              \
	EXPECT_GE(problem_status(FAULT_##NAME), 400);                                              \
	EXPECT_LT(problem_status(FAULT_##NAME), 600);
	FAULT_CODES(X)
#undef X
	EXPECT_EQ(problem_status(FAULT_QUEUE_CLOSED), 409);
	EXPECT_EQ(problem_status(FAULT_QUEUE_FULL), 429);
	EXPECT_EQ(problem_status(FAULT_SESSION_UNKNOWN), 404);
	EXPECT_EQ(problem_status(FAULT_PRECONDITION), 412);
	EXPECT_EQ(problem_status(FAULT_DOCUMENT), 422);
	EXPECT_EQ(problem_status(FAULT_ENFORCEMENT), 503);
	EXPECT_EQ(problem_status(FAULT_WIPE), 500);
}

TEST("the description has every method, and every reference in it leads somewhere")
{
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ cJSON *tree = NULL;
	const cJSON *paths, *schemas_of, *path;
	size_t n = 0;

	ASSERT_OK(method_openapi(&text));
	tree = document_parse(text, "openapi");
	EXPECT_STREQ(cJSON_GetStringValue(document_get(tree, "openapi")), "3.1.0");
	paths = document_get(tree, "paths");
	for (const struct method *method = methods; method->name; method++) {
		const cJSON *found = document_get(paths, method->path);
		char verb[8] = "";

		for (size_t i = 0; method->verb[i]; i++)
			verb[i] = (char)(method->verb[i] | 0x20);
		found = found ? document_get(found, verb) : NULL;
		ASSERT_NOT_NULL(found);
		EXPECT_STREQ(cJSON_GetStringValue(document_get(found, "operationId")), method->name);
	}
	cJSON_ArrayForEach(path, paths)
		n += (size_t)cJSON_GetArraySize(path);
	EXPECT_EQ(n, n_methods);
	schemas_of = document_get(document_get(tree, "components"), "schemas");
	for (const char *at = text; (at = strstr(at, "\"#/components/schemas/")); at++) {
		char name[64];

		ASSERT_EQ(sscanf(at, "\"#/components/schemas/%63[^\"]", name), 1);
		ASSERT_NOT_NULL(document_get(schemas_of, name));
	}
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++)
		EXPECT_NOT_NULL(document_get(schemas_of, schemas[i].name));
}
