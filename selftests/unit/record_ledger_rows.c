// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of the ledger: what was put is what is got, in every member and at its extremes. Structs are
 * filled byte by byte before, so that a member that no column carries is seen by itself.
 */
#include <errno.h>
#include <sqlite3.h>
#include <time.h>

#include "../../include/policy.h"
#include "../ledger.h"

/* A text that fills its array, of every byte but zero. */
static void fill_text(char *text, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		text[i] = (char)(i % 255 + 1);
	text[size - 1] = 0;
}

#define FILL_TEXT(text) fill_text(text, sizeof(text))

static void fill_desk(struct desk *ret, int byte)
{
	memset(ret, byte, sizeof(*ret));
	FILL_TEXT(ret->id);
	FILL_TEXT(ret->task_id);
	FILL_TEXT(ret->task_title);
	FILL_TEXT(ret->owner);
	FILL_TEXT(ret->site.slug);
	ret->state = DESK_STATE_COUNT - 1;
	ret->queue = DESK_QUEUE_COUNT - 1;
	ret->clock = DESK_CLOCK_WALL;
	ret->egress = SPEC_EGRESS_PUBLIC;
	ret->armed = ret->site.kept = true;
	__builtin_clear_padding(ret);
}

static void fill_request(struct desk_request *ret, int byte)
{
	memset(ret, byte, sizeof(*ret));
	FILL_TEXT(ret->id);
	snprintf(ret->session_id, sizeof(ret->session_id), "%s", ledger_desk(1).id);
	memset(ret->session_id + strlen(ret->session_id), 0, 2);
	FILL_TEXT(ret->output_name);
	FILL_TEXT(ret->fault.field);
	FILL_TEXT(ret->fault.reason);
	FILL_TEXT(ret->fault.remedy);
	ret->state = DESK_REQUEST_FINISHED;
	ret->outcome = RUN_OUTCOME_COUNT - 1;
	ret->fault.code = FAULT_INTERNAL;
	ret->open = true;
	ret->position = byte == 0xff ? INT64_MAX : ret->position;
	__builtin_clear_padding(ret);
}

static void expect_desk(struct ledger *ledger, struct desk *desk)
{
	struct desk got;

	memset(&got, 0x55, sizeof(got));
	EXPECT_OK(ledger_put_desk(ledger, desk));
	ASSERT_OK(ledger_get_desk(ledger, desk->id, &got));
	__builtin_clear_padding(&got);
	EXPECT_MEMEQ(desk, &got, sizeof(got));
}

static void expect_request(struct ledger *ledger, struct desk_request *request)
{
	struct desk_request got;

	memset(&got, 0x55, sizeof(got));
	EXPECT_OK(ledger_put_request(ledger, request));
	ASSERT_OK(ledger_get_request(ledger, request->id, &got));
	__builtin_clear_padding(&got);
	EXPECT_MEMEQ(request, &got, sizeof(got));
}

static const int bytes[] = { 0x01, 0x7f, 0x80, 0xa5, 0xff };

TEST("a session comes back in every member, at its extremes and over itself")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct desk desk = ledger_desk(1);

	ASSERT_OK(ledger_begin(ledger));
	expect_desk(ledger, &desk);
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		fill_desk(&desk, bytes[i]);
		expect_desk(ledger, &desk);
	}
	for (unsigned int i = 0; i < DESK_STATE_COUNT; i++) {
		desk.state = (enum desk_state)i;
		desk.queue = (enum desk_queue)(i % DESK_QUEUE_COUNT);
		desk.egress = (enum spec_egress)(i % 3);
		desk.clock = (enum desk_clock)(i % 2);
		desk.armed = i % 2;
		expect_desk(ledger, &desk);
	}
	EXPECT_OK(ledger_commit(ledger));
}

TEST("a request comes back in every member, at its extremes and over itself")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct desk_request request = ledger_request(1, 1);

	ledger_put_both(ledger);
	ASSERT_OK(ledger_begin(ledger));
	expect_request(ledger, &request);
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		fill_request(&request, bytes[i]);
		expect_request(ledger, &request);
	}
	request.exit_code = INT32_MIN;
	request.signal = INT32_MAX;
	for (unsigned int i = 0; i < RUN_OUTCOME_COUNT; i++) {
		request.outcome = (enum run_outcome)i;
		request.state = (enum desk_request_state)(i % 4);
		request.fault.code = (enum fault_code)(i % (FAULT_INTERNAL + 1));
		expect_request(ledger, &request);
	}
	EXPECT_OK(ledger_commit(ledger));
}

TEST("on disk a number is the signed one of the same bits, an enum its name")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct desk desk = ledger_desk(1);
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;

	desk.cap.money_cents = POLICY_UNLIMITED;
	desk.spend.cpu_ns = 1ull << 63;
	ASSERT_OK(ledger_begin(ledger));
	ASSERT_OK(ledger_put_desk(ledger, &desk));
	ASSERT_OK(ledger_commit(ledger));
	ASSERT_OK(sqlite3_open(ledger_path, &db));
	ASSERT_OK(sqlite3_prepare_v2(db, "SELECT cap_money_cents, cpu_ns, state, egress FROM sessions",
				     -1, &statement, NULL));
	ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
	EXPECT_EQ(sqlite3_column_int64(statement, 0), -1);
	EXPECT_EQ(sqlite3_column_int64(statement, 1), INT64_MIN);
	EXPECT_STREQ((const char *)sqlite3_column_text(statement, 2), "idle");
	EXPECT_STREQ((const char *)sqlite3_column_text(statement, 3), "none");
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

static void alter(const char *text)
{
	sqlite3 *db = NULL;

	ASSERT_OK(sqlite3_open(ledger_path, &db));
	ASSERT_OK(sqlite3_exec(db, text, NULL, NULL, NULL));
	sqlite3_close(db);
}

TEST("a value on disk that does not fit its member is damage, and the caller's row untouched")
{
	static const char *const changes[] = {
		"UPDATE sessions SET state = 'asleep'",
		"UPDATE sessions SET armed = 2",
		"UPDATE sessions SET armed = -1",
		"UPDATE sessions SET owner = 'usr_0123456789012345678901234567'",
		"UPDATE sessions SET task_id = 'a' || char(0) || 'b'",
	};
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct desk desk = ledger_desk(1), got = { .revision = 77 };

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		ASSERT_OK(ledger_begin(ledger));
		ASSERT_OK(ledger_put_desk(ledger, &desk));
		ASSERT_OK(ledger_commit(ledger));
		alter(changes[i]);
		EXPECT_EQ(ledger_get_desk(ledger, desk.id, &got), -EUCLEAN);
		EXPECT_EQ(got.revision, 77);
		EXPECT_STREQ(got.id, "");
		ASSERT_OK(ledger_begin(ledger));
		EXPECT_EQ(ledger_get_desk(ledger, desk.id, &got), -EUCLEAN);
		EXPECT_EQ(ledger_put_desk(ledger, &desk), -EUCLEAN);
		EXPECT_EQ(ledger_commit(ledger), -EUCLEAN);
	}
}

TEST("a value in memory that no row can hold is refused, and the transaction with it")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct desk good = ledger_desk(1), bad = ledger_desk(2);

	bad.state = DESK_STATE_COUNT;
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_put_desk(ledger, &good));
	EXPECT_EQ(ledger_put_desk(ledger, &bad), -EINVAL);
	EXPECT_EQ(ledger_put_desk(ledger, &good), -EINVAL);
	EXPECT_EQ(ledger_commit(ledger), -EINVAL);
	EXPECT_EQ(ledger_get_desk(ledger, good.id, &bad), LEDGER_E_NONE);

	bad = ledger_desk(2);
	memset(bad.owner, 'x', sizeof(bad.owner));
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_EQ(ledger_put_desk(ledger, &bad), -EINVAL);
	ledger_rollback(ledger);
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_put_desk(ledger, &good));
	EXPECT_OK(ledger_commit(ledger));
}

TEST("counts of fewer reasons, as an older program wrote them, are filled with zeros")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct desk_request got = {};

	ledger_put_both(ledger);
	alter("UPDATE requests SET denials = x'0807060504030201'");
	EXPECT_OK(ledger_get_request(ledger, ledger_request(1, 1).id, &got));
	EXPECT_EQ(got.denials[0], 0x0102030405060708);
	EXPECT_EQ(got.denials[1], 0);
	alter("UPDATE requests SET denials = x'08070605040302'");
	EXPECT_EQ(ledger_get_request(ledger, ledger_request(1, 1).id, &got), -EUCLEAN);
}

static int note_desk(const struct desk *desk, void *arg)
{
	char *text = arg;

	snprintf(text + strlen(text), 200 - strlen(text), "%s ", desk->id + 28);
	return desk->revision == 1 ? 42 : 0;
}

struct walk {
	struct ledger *ledger;
	unsigned int n;
};

static int walk_again(const struct desk *desk, void *arg)
{
	struct walk *walk = arg;
	struct desk changed = *desk;
	char inner[200] = "";

	walk->n++;
	changed.step_budget = walk->n;
	EXPECT_OK(ledger_put_desk(walk->ledger, &changed));
	EXPECT_OK(ledger_each_desk(walk->ledger, note_desk, inner));
	EXPECT_STREQ(inner, "01 02 03 04 ");
	return 0;
}

TEST("sessions are walked in the order of ids until told to stop, and may be changed meanwhile")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct walk walk = { .ledger = ledger };
	char seen[200] = "";

	ASSERT_OK(ledger_begin(ledger));
	EXPECT_OK(ledger_each_desk(ledger, note_desk, seen));
	EXPECT_STREQ(seen, "");
	for (unsigned int i = 4; i > 0; i--) {
		struct desk desk = ledger_desk(i);

		ASSERT_OK(ledger_put_desk(ledger, &desk));
	}
	EXPECT_OK(ledger_each_desk(ledger, walk_again, &walk));
	EXPECT_EQ(walk.n, 4);
	struct desk last = ledger_desk(3);

	last.revision = 1;
	ASSERT_OK(ledger_put_desk(ledger, &last));
	EXPECT_EQ(ledger_each_desk(ledger, note_desk, seen), 42);
	EXPECT_STREQ(seen, "01 02 03 ");
	EXPECT_OK(ledger_commit(ledger));
}

static int note_request(const struct desk_request *request, void *arg)
{
	char *text = arg;

	snprintf(text + strlen(text), 200 - strlen(text), "%s ", request->id + 28);
	return 0;
}

TEST("requests are walked by session in the order of submission, with no two at one position")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct desk desk = ledger_desk(1), other = ledger_desk(2);
	struct desk_request request;
	char seen[200] = "";

	ASSERT_OK(ledger_begin(ledger));
	ASSERT_OK(ledger_put_desk(ledger, &desk));
	ASSERT_OK(ledger_put_desk(ledger, &other));
	for (unsigned int i = 0; i < 6; i++) {
		request = ledger_request(1 + i % 2, i);
		request.position = 5 - i;
		ASSERT_OK(ledger_put_request(ledger, &request));
	}
	EXPECT_OK(ledger_each_request(ledger, desk.id, note_request, seen));
	EXPECT_STREQ(seen, "04 02 00 ");
	request = ledger_request(1, 9);
	request.position = 1;
	EXPECT_EQ(ledger_put_request(ledger, &request), -EINVAL);
	ledger_rollback(ledger);
}

TEST("a request of a session that is not there, and an order of no request, are refused")
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	struct desk_request request = ledger_request(1, 1);

	ASSERT_OK(ledger_begin(ledger));
	EXPECT_EQ(ledger_put_request(ledger, &request), -EINVAL);
	ledger_rollback(ledger);
	ASSERT_OK(ledger_begin(ledger));
	EXPECT_EQ(ledger_put_spec(ledger, request.id, "{}", 2), -EINVAL);
	ledger_rollback(ledger);
}

TEST("an order comes back byte for byte, empty, with zeros, and at a request's greatest length")
{
	static const size_t sizes[] = { 0, 1, 4096, REEVE_REQUEST_BYTES_MAX };
	_cleanup_free_ char *order = malloc(REEVE_REQUEST_BYTES_MAX);
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	char id[REEVE_SESSION_ID_SIZE], *got = NULL;
	size_t n = 7;

	ledger_put_both(ledger);
	ledger_id(LEDGER_REQUEST, 1, id);
	EXPECT_EQ(ledger_get_spec(ledger, id, &got, &n), LEDGER_E_NONE);
	EXPECT_NULL(got);
	for (size_t i = 0; i < REEVE_REQUEST_BYTES_MAX; i++)
		order[i] = (char)(i * 7);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_OK(ledger_begin(ledger));
		EXPECT_OK(ledger_put_spec(ledger, id, order, sizes[i]));
		EXPECT_OK(ledger_commit(ledger));
		ASSERT_OK(ledger_get_spec(ledger, id, &got, &n));
		ASSERT_EQ(n, sizes[i]);
		EXPECT_MEMEQ(got, order, n);
		EXPECT_EQ(got[n], 0);
		free(got);
	}
}

/* The time that the processor spent on @n sessions from @first, each put and got. */
static double spent(struct ledger *ledger, unsigned int first, unsigned int n)
{
	struct timespec from, to;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (unsigned int i = first; i < first + n; i++) {
		struct desk desk = ledger_desk(i), got;

		ASSERT_OK(ledger_put_desk(ledger, &desk));
		ASSERT_OK(ledger_get_desk(ledger, desk.id, &got));
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	return (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3;
}

static double cheapest(struct ledger *ledger, unsigned int first)
{
	double least = 1e9;

	for (unsigned int i = 0; i < 10; i++) {
		double now = spent(ledger, first + 50 * i, 50) / 50;

		least = now < least ? now : least;
	}
	return least;
}

static int count_desk(const struct desk *desk, void *arg)
{
	(void)desk;
	++*(unsigned int *)arg;
	return 0;
}

TEST("among 10,000 sessions one is put and got in the time that it takes among a few", .seconds = 60)
{
	_cleanup_ledger_ struct ledger *ledger = ledger_here();
	double few, many;
	unsigned int n = 0;

	ASSERT_OK(ledger_begin(ledger));
	few = cheapest(ledger, 0);
	spent(ledger, 500, 9000);
	many = cheapest(ledger, 9500);
	ASSERT_OK(ledger_commit(ledger));
	printf("%.1f us a session among few, %.1f us among 10,000\n", few, many);
	EXPECT_LT(many, 4 * few);
	EXPECT_OK(ledger_each_desk(ledger, count_desk, &n));
	EXPECT_EQ(n, 10000);
}
