// SPDX-License-Identifier: GPL-2.0-only
/*
 * Followers: each event once and in order, from the ledger and live, over reconnects, under load, and for a client that
 * reads slowly or not at all. Driven through the daemon's own client.
 */
#include "../daemon_desk.h"

#include "../../user/daemon/client.h"

#define EVENTS 600

static const struct http_limits usual = HTTP_LIMITS_INIT;
static char heard[8 * 1024 * 1024];

/* POSTs; the value of @key in the reply is in @ret, for what is not NULL. */
static void post(struct client *client, const char *path, const char *body, const char *key,
		 char ret[64])
{
	const struct client_call call = {
		.verb = "POST", .path = path, .body = body, .n_body = body ? strlen(body) : 0
	};
	_cleanup_client_reply_ struct client_reply reply = { 0 };
	struct fault fault = { 0 };
	const char *at;
	int r = client_do(client, &call, &reply, &fault);

	if (r)
		printf("%s: %d %s: %s\n", path, r, fault.field, fault.reason);
	ASSERT_OK(r);
	at = key ? strstr(reply.body, key) : NULL;
	if (key) {
		ASSERT_NOT_NULL(at);
		sscanf(at + strlen(key) + 3, "%63[^\"]", ret);
	}
}

static struct client *begin(const struct http_limits *limits, char id[64])
{
	struct client *client = NULL;
	struct fault fault = { 0 };

	daemon_start(limits);
	ASSERT_OK(client_open(daemon_socket, &client, &fault));
	post(client, "/v1/sessions", DESK_CREATE, "session_id", id);
	return client;
}

static void charge(struct client *client, const char *id, unsigned int n)
{
	char path[128], body[128];

	snprintf(path, sizeof(path), "/v1/sessions/%s/charges", id);
	snprintf(body, sizeof(body), "{\"charge_id\":\"c%u\",\"money_ucents\":1}", n);
	post(client, path, body, NULL, NULL);
}

static int follow(const char *path, const char *last)
{
	int fd = daemon_dial();
	char text[512];

	snprintf(text, sizeof(text), "GET %s HTTP/1.0\r\n%s%s%s\r\n", path,
		 last ? "Last-Event-ID: " : "", last ? last : "", last ? "\r\n" : "");
	daemon_say(fd, text);
	return fd;
}

/* Checks that ids rise by one from behind @last; returns the last whole event's. */
static unsigned long numbers(const char *text, unsigned long last)
{
	for (const char *at = text; (at = strstr(at, "\nid: ")); at++) {
		unsigned long id = strtoul(at + 5, NULL, 10);
		const char *end = strstr(at + 1, "\n\n");

		/* the first is what the client has already; the last may be cut */
		if (!end || !memmem(at, (size_t)(end - at), "\nevent: ", 8))
			continue;
		ASSERT_EQ(id, last + 1);
		last = id;
	}
	return last;
}

TEST("nothing is lost or doubled between the ledger and what is live, over reconnects under load",
     .seconds = 120)
{
	char id[64], last_text[24] = "0";
	struct client *client = begin(&usual, id);
	unsigned long last = 0;
	unsigned int n = 0;

	while (last < EVENTS + 1) {
		int fd = follow("/v1/events", last_text);

		heard[0] = 0;
		for (unsigned int i = 0; i < 37 && n < EVENTS; i++)
			charge(client, id, n++);
		/* cut somewhere, in the middle of an event as well */
		daemon_hear(fd, n % 2 ? "\"request\"" : "\nid: ", n < EVENTS ? 20 : 300, heard,
			    n < EVENTS ? 3000 + n * 7 : sizeof(heard));
		close(fd);
		last = numbers(heard, last);
		snprintf(last_text, sizeof(last_text), "%lu", last);
	}
	EXPECT_EQ(last, EVENTS + 1);
	client_close(&client);
	daemon_stop();
}

TEST("a follower of one session hears of no other", .seconds = 60)
{
	char id[64], other[64], path[128];
	struct client *client = begin(&usual, id);
	int fd;

	post(client, "/v1/sessions", DESK_CREATE, "session_id", other);
	snprintf(path, sizeof(path), "/v1/sessions/%s/events?after=0", id);
	fd = follow(path, NULL);
	for (unsigned int i = 0; i < 20; i++)
		charge(client, i % 2 ? id : other, i);
	charge(client, id, 99);
	heard[0] = 0;
	EXPECT_TRUE(daemon_hear(fd, "id: 23\nevent: charge", 5000, heard, sizeof(heard)));
	EXPECT_HAS_NOT(heard, other);
	EXPECT_HAS(heard, "id: 1\nevent: session.created\n");
	close(fd);
	snprintf(path, sizeof(path), "/v1/sessions/%s/events", "sbs_none");
	fd = follow(path, NULL);
	heard[0] = 0;
	EXPECT_TRUE(daemon_hear(fd, "session.unknown", 5000, heard, sizeof(heard)));
	close(fd);
	client_close(&client);
	daemon_stop();
}

TEST("without a number it begins with what is to come, and is told where it stands", .seconds = 60)
{
	char id[64];
	struct client *client = begin(&usual, id);
	int fd;

	charge(client, id, 1);
	fd = follow("/v1/events", NULL);
	heard[0] = 0;
	EXPECT_TRUE(daemon_hear(fd, "id: 2\n\n", 5000, heard, sizeof(heard)));
	charge(client, id, 2);
	EXPECT_TRUE(daemon_hear(fd, "id: 3\nevent: charge\n", 5000, heard, sizeof(heard)));
	EXPECT_HAS_NOT(heard, "session.created");
	close(fd);
	client_close(&client);
	daemon_stop();
}

TEST("a client that reads nothing is cut, costs a bounded buffer, and comes back for the rest",
     .seconds = 120)
{
	struct http_limits limits = usual;
	char id[64], last_text[24];
	struct client *client;
	unsigned long last;
	int fd, slow;

	limits.stall_ms = 500;
	limits.output_bytes = 32 * 1024;
	client = begin(&limits, id);
	slow = follow("/v1/events?after=0", NULL);
	for (unsigned int i = 0; i < EVENTS; i++)
		charge(client, id, i);
	heard[0] = 0;
	usleep(800000);
	EXPECT_TRUE(daemon_hear(slow, NULL, 5000, heard, sizeof(heard)));
	close(slow);
	/* what the kernel and the daemon hold for it, and no more */
	last = numbers(heard, 0);
	EXPECT_LT(last, EVENTS);
	EXPECT_GT(last, 10);
	snprintf(last_text, sizeof(last_text), "%lu", last);
	fd = follow("/v1/events", last_text);
	heard[0] = 0;
	EXPECT_FALSE(daemon_hear(fd, "never", 1000, heard, sizeof(heard)));
	EXPECT_EQ(numbers(heard, last), EVENTS + 1);
	close(fd);
	client_close(&client);
	daemon_stop();
}

TEST("a number from the future is told as a gap", .seconds = 60)
{
	char id[64];
	struct client *client = begin(&usual, id);
	int fd = follow("/v1/events", "1000");

	heard[0] = 0;
	EXPECT_TRUE(daemon_hear(fd, "id: 1\nevent: gap\ndata: {\"after\":1000,\"next\":2}\n\n",
				5000, heard, sizeof(heard)));
	charge(client, id, 1);
	EXPECT_TRUE(daemon_hear(fd, "id: 2\nevent: charge\n", 5000, heard, sizeof(heard)));
	close(fd);
	client_close(&client);
	daemon_stop();
}

TEST("what the ledger has forgotten is told as a gap, and the rest follows", .seconds = 60)
{
	char id[64], path[192];
	struct client *client = begin(&usual, id);
	_cleanup_ledger_ struct ledger *ledger = NULL;
	struct fault fault = { 0 };
	int fd;

	for (unsigned int i = 0; i < 9; i++)
		charge(client, id, i);
	snprintf(path, sizeof(path), "%s/state/ledger.db", daemon_dir);
	ASSERT_OK(ledger_open(path, &ledger, &fault));
	ASSERT_OK(ledger_begin(ledger));
	ASSERT_OK(ledger_forget_events(ledger, 3));
	ASSERT_OK(ledger_commit(ledger));
	fd = follow("/v1/events", "2");
	heard[0] = 0;
	EXPECT_TRUE(daemon_hear(fd, "id: 10\nevent: charge", 5000, heard, sizeof(heard)));
	EXPECT_HAS(heard,
		   "id: 7\nevent: gap\ndata: {\"after\":2,\"next\":8}\n\nid: 8\nevent: charge\n");
	close(fd);
	client_close(&client);
	daemon_stop();
}
