// SPDX-License-Identifier: GPL-2.0-only
/* Events: numbered from 1 without a gap, followed from any number, forgotten from the oldest. */
#include "../ledger.h"

static uint64_t add(struct ledger *ledger, unsigned int session, const char *body)
{
	struct ledger_event event = { .at_ms = 5, .type = "session.changed", .body = body };
	uint64_t seq = 0;

	ledger_id(LEDGER_SESSION, session, event.session_id);
	event.n_body = strlen(body);
	EXPECT_OK(ledger_add_event(ledger, &event, &seq));
	return seq;
}

static int note(const struct ledger_event *event, void *arg)
{
	char *text = arg;

	snprintf(text + strlen(text), 200 - strlen(text), "%llu%s ", (unsigned long long)event->seq,
		 event->body);
	return strcmp(event->body, "stop") == 0 ? 42 : 0;
}

static void expect_events(struct ledger *ledger, const char *session, uint64_t after, size_t max,
			  const char *seen)
{
	char got[200] = "";

	EXPECT_OK(ledger_each_event(ledger, session, after, max, note, got));
	EXPECT_STREQ(got, seen);
}

static void expect_range(struct ledger *ledger, uint64_t oldest, uint64_t newest)
{
	uint64_t got_oldest = 7, got_newest = 7;

	EXPECT_OK(ledger_event_range(ledger, &got_oldest, &got_newest));
	EXPECT_EQ(got_oldest, oldest);
	EXPECT_EQ(got_newest, newest);
}

static void forget(struct ledger *ledger, uint64_t keep)
{
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_forget_events(ledger, keep));
	ASSERT_OK(ledger_commit(ledger));
}

TEST("events are numbered without a gap, across a rollback and a new handle")
{
	struct ledger *ledger = ledger_here();

	expect_range(ledger, 0, 0);
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_EQ(add(ledger, 1, "a"), 1);
	EXPECT_EQ(add(ledger, 1, "b"), 2);
	ASSERT_OK(ledger_commit(ledger));
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_EQ(add(ledger, 1, "lost"), 3);
	ledger_rollback(ledger);
	ledger_close(&ledger);
	ledger = ledger_here();
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_EQ(add(ledger, 1, "c"), 3);
	ASSERT_OK(ledger_commit(ledger));
	expect_range(ledger, 1, 3);
	expect_events(ledger, NULL, 0, 100, "1a 2b 3c ");
	ledger_close(&ledger);
}

TEST("a follower gets what is behind its number, of all sessions or of one, and no more than it asks for")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	char one[REEVE_SESSION_ID_SIZE], got[200] = "";

	ledger_id(LEDGER_SESSION, 1, one);
	ASSERT_OK(ledger_begin(ledger));
	for (unsigned int i = 0; i < 6; i++)
		add(ledger, i % 2, i == 4 ? "stop" : "");
	ASSERT_OK(ledger_commit(ledger));
	expect_events(ledger, one, 0, 100, "2 4 6 ");
	expect_events(ledger, one, 2, 1, "4 ");
	expect_events(ledger, NULL, 2, 2, "3 4 ");
	expect_events(ledger, NULL, 0, 0, "");
	expect_events(ledger, NULL, 6, 100, "");
	expect_events(ledger, NULL, UINT64_MAX, 100, "");
	expect_events(ledger, NULL, INT64_MAX, 100, "");
	expect_events(ledger, "sbs_other", 0, 100, "");
	EXPECT_EQ(ledger_each_event(ledger, NULL, 3, 100, note, got), 42);
	EXPECT_STREQ(got, "4 5stop ");
}

TEST("the oldest events are forgotten, and their numbers are not given again")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();

	ASSERT_OK(ledger_begin(ledger));
	for (unsigned int i = 0; i < 10; i++)
		add(ledger, 1, "");
	ASSERT_OK(ledger_commit(ledger));
	forget(ledger, UINT64_MAX);
	forget(ledger, 10);
	expect_range(ledger, 1, 10);
	forget(ledger, 3);
	expect_range(ledger, 8, 10);
	forget(ledger, 0);
	expect_range(ledger, 0, 0);
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_EQ(add(ledger, 1, ""), 11);
	ASSERT_OK(ledger_commit(ledger));
	expect_range(ledger, 11, 11);
}

static int compare(const struct ledger_event *event, void *arg)
{
	const struct ledger_event *want = arg;

	EXPECT_EQ(event->seq, 1);
	EXPECT_EQ(event->at_ms, want->at_ms);
	EXPECT_STREQ(event->session_id, want->session_id);
	EXPECT_STREQ(event->type, want->type);
	ASSERT_EQ(event->n_body, want->n_body);
	EXPECT_MEMEQ(event->body, want->body, want->n_body);
	EXPECT_EQ(event->body[event->n_body], 0);
	return 0;
}

TEST("an event comes back byte for byte, at its extremes")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct ledger_event event = { .at_ms = UINT64_MAX };
	_cleanup_free_ char *body = malloc(REEVE_REQUEST_BYTES_MAX);
	uint64_t seq;

	memset(event.session_id, 'x', sizeof(event.session_id) - 1);
	memset(event.type, 'y', sizeof(event.type) - 1);
	for (size_t i = 0; i < REEVE_REQUEST_BYTES_MAX; i++)
		body[i] = (char)(i * 5);
	event.body = body;
	event.n_body = REEVE_REQUEST_BYTES_MAX;
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_add_event(ledger, &event, &seq));
	ASSERT_OK(ledger_commit(ledger));
	EXPECT_OK(ledger_each_event(ledger, NULL, 0, 10, compare, &event));
}
