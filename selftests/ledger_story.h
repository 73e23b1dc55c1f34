/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A story whose n-th chapter is one transaction over every kind of row. However it is broken off,
 * what is in the ledger must be a whole number of chapters.
 */
#ifndef REEVE_SELFTESTS_LEDGER_STORY_H
#define REEVE_SELFTESTS_LEDGER_STORY_H

#include "ledger.h"

#define STORY_SPEC_BYTES 20000

static inline int story_rows(struct ledger *ledger, unsigned int n)
{
	static char spec[STORY_SPEC_BYTES];
	static const uint8_t digest[32];
	struct desk desk = ledger_desk(1);
	struct desk_request request = ledger_request(1, n);
	struct ledger_charge charge = { .money_ucents = n };
	struct ledger_event event = { .type = "charge", .body = spec, .n_body = 100 };
	struct ledger_reply reply = { .status = 200, .body = spec, .n_body = 10 };
	uint64_t number;
	int r;

	desk.revision = n;
	snprintf(charge.id, sizeof(charge.id), "%u", n);
	snprintf(event.session_id, sizeof(event.session_id), "%s", desk.id);
	snprintf(spec, sizeof(spec), "%u", n);
	r = ledger_put_desk(ledger, &desk);
	r = r ? r : ledger_next_position(ledger, &number);
	request.position = number;
	r = r ? r : ledger_put_request(ledger, &request);
	r = r ? r : ledger_put_spec(ledger, request.id, spec, sizeof(spec));
	r = r ? r : ledger_add_charge(ledger, desk.id, &charge);
	r = r ? r : ledger_put_reply(ledger, charge.id, digest, n, &reply);
	return r ? r : ledger_add_event(ledger, &event, &number);
}

/* Chapter @n, durable when this returns 0. */
static inline int story_tell(struct ledger *ledger, unsigned int n)
{
	int r = ledger_begin(ledger);

	if (r)
		return r;
	r = story_rows(ledger, n);
	if (r) {
		ledger_rollback(ledger);
		return r;
	}
	return ledger_commit(ledger);
}

static inline void story_expect_chapter(struct ledger *ledger, unsigned int n, bool told)
{
	static const uint8_t digest[32];
	struct desk_request request = ledger_request(1, n), got;
	struct ledger_reply reply = {};
	struct ledger_charge charge;
	char id[16], *spec = NULL;
	size_t n_spec = 0;

	snprintf(id, sizeof(id), "%u", n);
	EXPECT_EQ(ledger_get_request(ledger, request.id, &got), told ? 0 : LEDGER_E_NONE);
	EXPECT_EQ(ledger_get_charge(ledger, request.session_id, id, &charge),
		  told ? 0 : LEDGER_E_NONE);
	EXPECT_EQ(ledger_get_reply(ledger, id, digest, &reply), told ? LEDGER_E_REPLAY : 0);
	EXPECT_EQ(ledger_get_spec(ledger, request.id, &spec, &n_spec), told ? 0 : LEDGER_E_NONE);
	EXPECT_EQ(n_spec, told ? STORY_SPEC_BYTES : 0);
	if (told) {
		EXPECT_EQ(got.position, n);
		EXPECT_STREQ(spec, id);
	}
	free(spec);
	ledger_reply_deinit(&reply);
}

static inline int story_count(const struct ledger_event *event, void *arg)
{
	EXPECT_EQ(event->seq, ++*(unsigned int *)arg);
	return 0;
}

/* How many chapters there are, each of the last few whole and nothing of the next. */
static inline unsigned int story_chapters(struct ledger *ledger)
{
	struct desk desk = {};
	uint64_t oldest = 0, newest = 0;
	unsigned int n, seen;
	int r = ledger_get_desk(ledger, ledger_desk(1).id, &desk);

	EXPECT_EQ(r, desk.revision ? 0 : LEDGER_E_NONE);
	n = (unsigned int)desk.revision;
	EXPECT_OK(ledger_event_range(ledger, &oldest, &newest));
	EXPECT_EQ(newest, n);
	seen = n > 5 ? n - 5 : 0;
	EXPECT_OK(ledger_each_event(ledger, NULL, seen, 100, story_count, &seen));
	EXPECT_EQ(seen, n);
	for (unsigned int i = n > 3 ? n - 2 : 1; i <= n; i++)
		story_expect_chapter(ledger, i, true);
	story_expect_chapter(ledger, n + 1, false);
	return n;
}

#endif
