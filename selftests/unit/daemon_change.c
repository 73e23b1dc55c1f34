// SPDX-License-Identifier: GPL-2.0-only
/* Changes and their replies: keys, revisions, refusals, wipes that are awaited, and what a request prints. */
#include "../daemon_desk.h"

#include "../../user/daemon/client.h"

static const struct http_limits usual = HTTP_LIMITS_INIT;
static struct client *client;
static struct client_reply reply;
static struct fault fault;
static char session[64], path_text[256];

static const char *path(const char *behind)
{
	snprintf(path_text, sizeof(path_text), "/v1/sessions/%s%s", session, behind);
	return path_text;
}

static int call(const char *verb, const char *at, const char *body, const char *key, const char *match)
{
	const struct client_call made = { verb, at, body, body ? strlen(body) : 0, key, match };

	client_reply_deinit(&reply);
	fault = (struct fault){ 0 };
	return client_do(client, &made, &reply, &fault);
}

static void take(const char *key, char ret[64])
{
	const char *at = reply.body ? strstr(reply.body, key) : NULL;

	ASSERT_NOT_NULL(at);
	sscanf(at + strlen(key) + 3, "%63[^\"]", ret);
}

static void begin(void)
{
	daemon_start(&usual);
	ASSERT_OK(client_open(daemon_socket, &client, &fault));
	ASSERT_OK(call("POST", "/v1/sessions", DESK_CREATE, NULL, NULL));
	take("session_id", session);
}

static void end(void)
{
	client_reply_deinit(&reply);
	client_close(&client);
	daemon_stop();
}

static void expect_refused(int r, enum fault_code code)
{
	EXPECT_EQ(r, FAULT_E_SET);
	EXPECT_STREQ(fault_code_name(fault.code), fault_code_name(code));
}

TEST("the same key and body change once and are answered alike, also by the next daemon",
     .seconds = 60)
{
	static const char order[] = "{\"argv\":[\"hold\"]}";
	char first[64], again[64];

	begin();
	ASSERT_OK(call("POST", path("/requests"), order, "k1", NULL));
	EXPECT_EQ(reply.status, 201);
	take("request_id", first);
	ASSERT_OK(call("POST", path("/requests"), order, "k1", NULL));
	EXPECT_EQ(reply.status, 201);
	take("request_id", again);
	EXPECT_STREQ(first, again);
	expect_refused(call("POST", path("/requests"), "{\"argv\":[\"other\"]}", "k1", NULL),
		       FAULT_IDEMPOTENCY_CONFLICT);
	expect_refused(call("POST", path("/go"), NULL, "k1", NULL), FAULT_IDEMPOTENCY_CONFLICT);
	ASSERT_OK(call("POST", path("/requests"), order, NULL, NULL));
	take("request_id", again);
	EXPECT_STRNE(first, again);
	ASSERT_OK(call("GET", path("/desk"), NULL, NULL, NULL));
	EXPECT_HAS(reply.body, "\"queued\":2,");
	/* killed: what was replied is known all the same */
	kill(daemon_pid, SIGKILL);
	waitpid(daemon_pid, NULL, 0);
	daemon_pid = fork();
	if (daemon_pid == 0)
		exit(daemon_serve(&usual));
	for (int i = 0; i < 500 && call("POST", path("/requests"), order, "k1", NULL); i++)
		usleep(10000);
	take("request_id", again);
	EXPECT_STREQ(first, again);
	end();
}

TEST("a refusal is not kept under its key", .seconds = 30)
{
	begin();
	expect_refused(call("POST", path("/pause"), NULL, "k", NULL), FAULT_NOT_ARMED);
	ASSERT_OK(call("POST", path("/go"), NULL, NULL, NULL));
	EXPECT_OK(call("POST", path("/pause"), NULL, "k", NULL));
	EXPECT_HAS(reply.body, "\"state\":\"paused\"");
	end();
}

TEST("a revision guards a change, and spares a reply", .seconds = 30)
{
	char etag[64], old[64];

	begin();
	ASSERT_OK(call("GET", path(""), NULL, NULL, NULL));
	strcpy(old, reply.etag);
	ASSERT_OK(call("PATCH", path(""), "{\"step_budget\":7}", NULL, old));
	EXPECT_HAS(reply.body, "\"step_budget\":7,");
	strcpy(etag, reply.etag);
	EXPECT_STRNE(old, etag);
	expect_refused(call("PATCH", path(""), "{\"step_budget\":8}", NULL, old), FAULT_PRECONDITION);
	expect_refused(call("POST", path("/go"), NULL, NULL, old), FAULT_PRECONDITION);
	expect_refused(call("POST", path("/go"), NULL, NULL, "\"x\""), FAULT_PRECONDITION);
	expect_refused(call("PATCH", path(""), "{\"step_budget\":0}", NULL, NULL), FAULT_DOCUMENT);
	EXPECT_OK(call("POST", path("/go"), NULL, NULL, etag));
	EXPECT_OK(call("POST", path("/pause"), NULL, NULL, "*"));
	end();
}

TEST("a wipe is answered when it is proved, a failed one says what is left, and an ended session takes nothing",
     .seconds = 30)
{
	begin();
	ASSERT_OK(call("POST", path("/go"), NULL, NULL, NULL));
	ASSERT_OK(call("POST", path("/wipe"), NULL, "w", NULL));
	EXPECT_HAS(reply.body, "\"state\":\"wiped\"");
	EXPECT_HAS_NOT(reply.body, "\"wiped_at\":null");
	ASSERT_OK(call("POST", path("/wipe"), NULL, "w", NULL));
	ASSERT_OK(call("POST", path("/end"), NULL, NULL, NULL));
	EXPECT_HAS(reply.body, "\"state\":\"ended\"");
	ASSERT_OK(call("POST", path("/end"), NULL, NULL, NULL));
	expect_refused(call("POST", path("/go"), NULL, NULL, NULL), FAULT_ENDED);
	ASSERT_OK(call("POST", "/v1/sessions",
		       "{\"task\":{\"id\":\"t\",\"title\":\"unwipeable\"},\"owner\":\"" DESK_OWNER
		       "\",\"step_budget\":4,\"cap\":{\"money_cents\":5,\"minutes\":3}}",
		       NULL, NULL));
	take("session_id", session);
	expect_refused(call("POST", path("/wipe"), NULL, NULL, NULL), FAULT_WIPE);
	EXPECT_STREQ(fault.field, "/workspace/left");
	end();
}

TEST("a client that leaves before its wipe is proved leaves nothing behind", .seconds = 30)
{
	char text[512];
	int fd;

	begin();
	ASSERT_OK(call("POST", path("/go"), NULL, NULL, NULL));
	snprintf(text, sizeof(text), "POST %s HTTP/1.1\r\nHost: a\r\n\r\n", path("/wipe"));
	fd = daemon_dial();
	daemon_say(fd, text);
	close(fd);
	for (int i = 0; i < 200; i++) {
		ASSERT_OK(call("GET", path(""), NULL, NULL, NULL));
		if (strstr(reply.body, "\"state\":\"wiped\""))
			break;
		usleep(10000);
	}
	EXPECT_HAS(reply.body, "\"state\":\"wiped\"");
	end();
}

TEST("a charge is counted once, and another one of its id is a conflict", .seconds = 30)
{
	static const char charge[] = "{\"charge_id\":\"c\",\"money_ucents\":1000000}";

	begin();
	ASSERT_OK(call("POST", path("/charges"), charge, NULL, NULL));
	EXPECT_EQ(reply.status, 201);
	ASSERT_OK(call("POST", path("/charges"), charge, NULL, NULL));
	EXPECT_EQ(reply.status, 200);
	EXPECT_HAS(reply.body, "\"charged_ucents\":1000000,");
	expect_refused(call("POST", path("/charges"), "{\"charge_id\":\"c\",\"money_ucents\":2}",
			    NULL, NULL),
		       FAULT_CHARGE_CONFLICT);
	end();
}

TEST("lists come in pages that fit together", .seconds = 30)
{
	char at[128] = "/v1/sessions?limit=3", next[64];
	unsigned int n = 0, pages = 0;

	begin();
	for (unsigned int i = 1; i < 10; i++)
		ASSERT_OK(call("POST", "/v1/sessions", DESK_CREATE, NULL, NULL));
	for (;;) {
		ASSERT_OK(call("GET", at, NULL, NULL, NULL));
		pages++;
		for (const char *s = reply.body; (s = strstr(s, "\"session_id\"")); s++)
			n++;
		if (strstr(reply.body, "\"next\":null"))
			break;
		take("\"next", next);
		snprintf(at, sizeof(at), "/v1/sessions?limit=3&after=%s", next);
	}
	EXPECT_EQ(n, 10);
	EXPECT_EQ(pages, 4);
	end();
}

struct printed {
	char text[4096];
	size_t n;
};

static int print(const char *bytes, size_t n, void *arg)
{
	struct printed *printed = arg;

	memcpy(printed->text + printed->n, bytes, n);
	printed->n += n;
	return 0;
}

TEST("what a request prints is followed to its end, from the beginning or from a byte", .seconds = 30)
{
	struct printed printed = { .n = 0 };
	char request[64], at[128];

	begin();
	ASSERT_OK(call("POST", path("/go"), NULL, NULL, NULL));
	ASSERT_OK(call("POST", path("/requests"), "{\"argv\":[\"drip\",\"30\",\"10\"]}", NULL, NULL));
	take("request_id", request);
	snprintf(at, sizeof(at), "/v1/requests/%s/stdout?follow=1", request);
	ASSERT_OK(client_follow(client, at, print, &printed, &fault));
	EXPECT_HAS(printed.text, "line 30\nline 29\n");
	EXPECT_HAS(printed.text, "line 2\nline 1\n");
	EXPECT_EQ(printed.n, 21 * 8 + 9 * 7);
	printed.n = 0;
	snprintf(at, sizeof(at), "/v1/requests/%s/stdout?follow=1&offset=224", request);
	ASSERT_OK(client_follow(client, at, print, &printed, &fault));
	EXPECT_EQ(printed.n, 7);
	snprintf(at, sizeof(at), "/v1/requests/%s/stdout", "req_none");
	expect_refused(client_follow(client, at, print, &printed, &fault), FAULT_REQUEST_UNKNOWN);
	end();
}

TEST("a queued request is followed from before its start", .seconds = 30)
{
	char request[64], text[256], heard[1024] = "";
	int fd;

	begin();
	ASSERT_OK(call("POST", path("/requests"), "{\"argv\":[\"say\",\"at last\"]}", NULL, NULL));
	take("request_id", request);
	snprintf(text, sizeof(text),
		 "GET /v1/requests/%s/stdout?follow=1 HTTP/1.1\r\nHost: a\r\n\r\n", request);
	fd = daemon_dial();
	daemon_say(fd, text);
	EXPECT_TRUE(daemon_hear(fd, "\r\n\r\n", 5000, heard, sizeof(heard)));
	EXPECT_HAS_NOT(heard, "at last");
	ASSERT_OK(call("POST", path("/go"), NULL, NULL, NULL));
	EXPECT_TRUE(daemon_hear(fd, "at last\r\n0\r\n\r\n", 5000, heard, sizeof(heard)));
	close(fd);
	end();
}

TEST("steps are counted in an open request, and refused in another", .seconds = 30)
{
	char request[64], at[128];

	begin();
	ASSERT_OK(call("POST", path("/go"), NULL, NULL, NULL));
	ASSERT_OK(call("POST", path("/requests"), "{\"steps\":true}", NULL, NULL));
	take("request_id", request);
	snprintf(at, sizeof(at), "/v1/requests/%s/steps", request);
	ASSERT_OK(call("POST", at, "{\"command\":\"true\"}", NULL, NULL));
	ASSERT_OK(call("POST", at, "{\"command\":\"true\"}", "s2", NULL));
	EXPECT_HAS(reply.body, "\"steps\":2,");
	ASSERT_OK(call("POST", at, "{\"command\":\"true\"}", "s2", NULL));
	EXPECT_HAS(reply.body, "\"steps\":2,");
	snprintf(at, sizeof(at), "/v1/requests/%s/finish", request);
	ASSERT_OK(call("POST", at, NULL, NULL, NULL));
	EXPECT_HAS(reply.body, "\"state\":\"finished\"");
	end();
}
