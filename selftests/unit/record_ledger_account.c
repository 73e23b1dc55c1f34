// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a repetition must not count twice: charges, idempotency keys; and what is told of denials.
 */
#include "../ledger.h"

static int add(struct ledger *ledger, const char *id, uint64_t ucents, uint64_t steps, bool reserved)
{
	struct ledger_charge charge = { .money_ucents = ucents, .steps = steps, .reserved = reserved };
	char session[REEVE_SESSION_ID_SIZE];
	int r;

	snprintf(charge.id, sizeof(charge.id), "%s", id);
	ledger_id(LEDGER_SESSION, 1, session);
	ASSERT_OK(ledger_begin(ledger));
	r = ledger_add_charge(ledger, session, &charge);
	ASSERT_OK(ledger_commit(ledger));
	return r;
}

static void expect_charge(struct ledger *ledger, const char *id, uint64_t ucents, uint64_t steps,
			  bool reserved)
{
	struct ledger_charge got = {};
	char session[REEVE_SESSION_ID_SIZE];

	ledger_id(LEDGER_SESSION, 1, session);
	ASSERT_OK(ledger_get_charge(ledger, session, id, &got));
	EXPECT_STREQ(got.id, id);
	EXPECT_EQ(got.money_ucents, ucents);
	EXPECT_EQ(got.steps, steps);
	EXPECT_EQ(got.reserved, reserved);
}

TEST("a charge counts once: repeated it is a replay, with other amounts a conflict")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();

	ledger_put_both(ledger);
	EXPECT_OK(add(ledger, "a", 5, 1, false));
	EXPECT_EQ(add(ledger, "a", 5, 1, false), LEDGER_E_REPLAY);
	EXPECT_EQ(add(ledger, "a", 6, 1, false), LEDGER_E_CONFLICT);
	EXPECT_EQ(add(ledger, "a", 5, 2, false), LEDGER_E_CONFLICT);
	EXPECT_EQ(add(ledger, "a", 5, 1, true), LEDGER_E_CONFLICT);
	EXPECT_OK(add(ledger, "b", UINT64_MAX, UINT64_MAX, false));
	EXPECT_EQ(add(ledger, "b", UINT64_MAX, UINT64_MAX, false), LEDGER_E_REPLAY);
	expect_charge(ledger, "a", 5, 1, false);
	expect_charge(ledger, "b", UINT64_MAX, UINT64_MAX, false);
}

TEST("a charge settles the reservation of its id, and either is still known when it is repeated")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();

	ledger_put_both(ledger);
	EXPECT_OK(add(ledger, "a", 9, 2, true));
	EXPECT_EQ(add(ledger, "a", 9, 2, true), LEDGER_E_REPLAY);
	EXPECT_EQ(add(ledger, "a", 8, 2, true), LEDGER_E_CONFLICT);
	expect_charge(ledger, "a", 9, 2, true);
	EXPECT_OK(add(ledger, "a", 7, 1, false));
	expect_charge(ledger, "a", 7, 1, false);
	EXPECT_EQ(add(ledger, "a", 7, 1, false), LEDGER_E_REPLAY);
	EXPECT_EQ(add(ledger, "a", 9, 2, true), LEDGER_E_REPLAY);
	EXPECT_EQ(add(ledger, "a", 7, 1, true), LEDGER_E_CONFLICT);
	EXPECT_EQ(add(ledger, "a", 9, 2, false), LEDGER_E_CONFLICT);
	expect_charge(ledger, "a", 7, 1, false);
}

TEST("a charge comes back in every member, and belongs to its session")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct ledger_charge charge, got = {};
	struct desk other = ledger_desk(2);
	char session[REEVE_SESSION_ID_SIZE];

	ledger_put_both(ledger);
	ledger_id(LEDGER_SESSION, 1, session);
	memset(&charge, 0xa5, sizeof(charge));
	charge.id[sizeof(charge.id) - 1] = charge.note[sizeof(charge.note) - 1] = 0;
	charge.reserved = true;
	__builtin_clear_padding(&charge);
	ASSERT_OK(ledger_begin(ledger));
	ASSERT_OK(ledger_put_desk(ledger, &other));
	EXPECT_OK(ledger_add_charge(ledger, session, &charge));
	EXPECT_EQ(ledger_get_charge(ledger, other.id, charge.id, &got), LEDGER_E_NONE);
	charge.note[0] = 'x';
	EXPECT_EQ(ledger_add_charge(ledger, session, &charge), LEDGER_E_REPLAY);
	charge.note[0] = (char)0xa5;
	EXPECT_OK(ledger_add_charge(ledger, other.id, &charge));
	ASSERT_OK(ledger_commit(ledger));
	ASSERT_OK(ledger_get_charge(ledger, session, charge.id, &got));
	__builtin_clear_padding(&got);
	EXPECT_MEMEQ(&got, &charge, sizeof(got));
}

static int put_reply(struct ledger *ledger, const char *key, const uint8_t *digest, uint64_t at_ms,
		     const char *body, size_t n)
{
	struct ledger_reply reply = { .status = 201, .body = (char *)body, .n_body = n };
	int r;

	ASSERT_OK(ledger_begin(ledger));
	r = ledger_put_reply(ledger, key, digest, at_ms, &reply);
	ASSERT_OK(ledger_commit(ledger));
	return r;
}

TEST("a key gives the reply that was given to the same question, and a conflict to another")
{
	static const uint8_t digest[32] = { 1 }, other[32] = { 2 };
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct ledger_reply got = { .status = 7 };

	EXPECT_OK(ledger_get_reply(ledger, "key", digest, &got));
	EXPECT_OK(put_reply(ledger, "key", digest, 10, "a\0b", 3));
	EXPECT_EQ(ledger_get_reply(ledger, "key", other, &got), LEDGER_E_CONFLICT);
	EXPECT_EQ(got.status, 7);
	ASSERT_EQ(ledger_get_reply(ledger, "key", digest, &got), LEDGER_E_REPLAY);
	EXPECT_EQ(got.status, 201);
	ASSERT_EQ(got.n_body, 3);
	EXPECT_MEMEQ(got.body, "a\0b", 4);
	ledger_reply_deinit(&got);
	EXPECT_NULL(got.body);
	EXPECT_EQ(put_reply(ledger, "key", digest, 11, "c", 1), LEDGER_E_REPLAY);
	EXPECT_EQ(put_reply(ledger, "key", other, 11, "c", 1), LEDGER_E_CONFLICT);
	EXPECT_OK(put_reply(ledger, "empty", digest, 11, NULL, 0));
	ASSERT_EQ(ledger_get_reply(ledger, "empty", digest, &got), LEDGER_E_REPLAY);
	EXPECT_EQ(got.n_body, 0);
	ledger_reply_deinit(&got);
}

TEST("replies are forgotten by age")
{
	static const uint8_t digest[32] = { 1 };
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct ledger_reply got = {};

	EXPECT_OK(put_reply(ledger, "old", digest, 10, "", 0));
	EXPECT_OK(put_reply(ledger, "new", digest, 20, "", 0));
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_forget_replies(ledger, 20));
	ASSERT_OK(ledger_commit(ledger));
	EXPECT_OK(ledger_get_reply(ledger, "old", digest, &got));
	ASSERT_EQ(ledger_get_reply(ledger, "new", digest, &got), LEDGER_E_REPLAY);
	ledger_reply_deinit(&got);
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_forget_replies(ledger, UINT64_MAX));
	ASSERT_OK(ledger_commit(ledger));
	EXPECT_OK(ledger_get_reply(ledger, "new", digest, &got));
}

static void fill_denials(struct run_result *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->events_since_ns = UINT64_MAX;
	ret->has_names = true;
	memset(&ret->names.counts, 0xa5, sizeof(ret->names.counts));
	for (unsigned int i = 0; i < REASON_COUNT - 1; i++) {
		struct run_denials *denials = &ret->denials[i];

		denials->count = UINT64_MAX - i;
		denials->n_first = i % (REEVE_DENIALS_FIRST + 1);
		for (size_t j = 0; j < denials->n_first; j++) {
			memset(&denials->first[j], 0xff - (int)i, sizeof(struct event));
			denials->first[j].reason = (enum reason)(i + 1);
			denials->first[j].hook = (enum event_hook)(i % (EVENT_METER + 1));
			denials->first[j].comm[REEVE_COMM_SIZE - 1] = 0;
			denials->first[j].pad = 0;
		}
	}
	ret->names.n_first = REEVE_DENIALS_FIRST;
	for (unsigned int i = 0; i < REEVE_DENIALS_FIRST; i++) {
		struct run_name *name = &ret->names.first[i];

		memset(name, 'a' + (int)i, sizeof(*name));
		name->reason = REASON_NAME;
		name->name[sizeof(name->name) - 1] = name->address[sizeof(name->address) - 1] = 0;
		__builtin_clear_padding(name);
	}
}

static void expect_denials(struct ledger *ledger, const char *id, const struct run_result *result)
{
	struct run_result *got = malloc(sizeof(*got));

	memset(got, 0x55, sizeof(*got));
	ASSERT_OK(ledger_get_denials(ledger, id, got));
	EXPECT_EQ(got->events_since_ns, result->events_since_ns);
	EXPECT_EQ(got->has_names, result->has_names);
	EXPECT_MEMEQ(got->denials, result->denials, sizeof(got->denials));
	EXPECT_MEMEQ(&got->names, &result->names, sizeof(got->names));
	EXPECT_EQ(got->cpu_ns, 0x5555555555555555);
	free(got);
}

TEST("denials come back event by event, beside the counts of the request's row, and are replaced whole")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct desk_request request = ledger_request(1, 1);
	struct run_result *result = malloc(sizeof(*result));

	ledger_put_both(ledger);
	fill_denials(result);
	EXPECT_EQ(ledger_get_denials(ledger, request.id, result), LEDGER_E_NONE);
	for (unsigned int i = 0; i < REASON_COUNT - 1; i++)
		request.denials[i] = result->denials[i].count;
	ASSERT_OK(ledger_begin(ledger));
	ASSERT_OK(ledger_put_request(ledger, &request));
	ASSERT_OK(ledger_put_denials(ledger, request.id, result));
	ASSERT_OK(ledger_commit(ledger));
	expect_denials(ledger, request.id, result);

	memset(result, 0, sizeof(*result));
	memset(request.denials, 0, sizeof(request.denials));
	ASSERT_OK(ledger_begin(ledger));
	ASSERT_OK(ledger_put_request(ledger, &request));
	ASSERT_OK(ledger_put_denials(ledger, request.id, result));
	ASSERT_OK(ledger_commit(ledger));
	expect_denials(ledger, request.id, result);
	free(result);
}
