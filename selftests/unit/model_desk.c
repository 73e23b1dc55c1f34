// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state machine of sessions: what each event does in each place, once for a session of which nothing
 * is special, written out as a matrix; then each condition; then every row against itself, so that none is
 * there that nothing reaches.
 */
#include <stdlib.h>

#include "../desk_made.h"

/* Effects as letters, in the order of enum desk_effect. */
#define LETTERS "QSFTKRBWEd"

/* A cell: where the session stands then ("=": the same), a colon and the effects; or the refusal's code. */
static const struct {
	enum desk_event event;
	const char *cells[DESK_PLACE_COUNT]; /* idle armed running paused wiping wiped ending ended */
} matrix[] = {
#define OVER "session.ended", "session.ended"
#define BROKEN "internal"
	{ DESK_EVENT_SUBMIT, { "=:Q", "=:Qd", "=:Q", "=:Q", "=:Q", "=:Q", OVER } },
	{ DESK_EVENT_GO,
	  { "armed:Bd", "=:", "=:", "session.paused", "session.paused", "armed:Bd", OVER } },
	{ DESK_EVENT_DISPATCH, { "=:", "running:SB", "=:", "=:", "=:", "=:", "=:", "=:" } },
	{ DESK_EVENT_FINISH, { BROKEN, BROKEN, "=:SB", "=:B", "=:B", BROKEN, "=:", BROKEN } },
	{ DESK_EVENT_CAP, { "=:", "=:", "=:", "=:", "=:", "=:", "=:", "=:" } },
	{ DESK_EVENT_PAUSE,
	  { "session.not_armed", "paused:B", "paused:FB", "=:", "session.not_armed",
	    "session.not_armed", OVER } },
	{ DESK_EVENT_RESUME,
	  { "session.not_armed", "=:", "=:", "running:TB", "session.not_armed", "session.not_armed",
	    OVER } },
	{ DESK_EVENT_CHANGE_CAP, { "=:B", "=:B", "=:B", "=:B", "=:B", "=:B", OVER } },
	{ DESK_EVENT_CHANGE_BOX, { "=:", "=:", "=:", "=:", "=:", "=:", OVER } },
	{ DESK_EVENT_WIPE,
	  { "wiping:BW", "wiping:BW", "wiping:KBW", "wiping:KBW", "=:BW", "wiping:BW", "=:WE",
	    "session.ended" } },
	{ DESK_EVENT_WIPE_PROVED,
	  { BROKEN, BROKEN, BROKEN, BROKEN, "wiped:B", BROKEN, "=:", BROKEN } },
	{ DESK_EVENT_WIPE_FAILED, { BROKEN, BROKEN, BROKEN, BROKEN, "=:", BROKEN, "=:", BROKEN } },
	{ DESK_EVENT_END,
	  { "ending:RBWE", "ending:RBWE", "ending:KRBWE", "ending:KRBWE", "ending:RBWE",
	    "ending:RBWE", "=:WE", "=:" } },
	{ DESK_EVENT_END_PROVED,
	  { BROKEN, BROKEN, BROKEN, BROKEN, BROKEN, BROKEN, "ended:", BROKEN } },
	{ DESK_EVENT_ENFORCEMENT_LOST,
	  { "=:", "paused:B", "paused:KB", "=:KB", "=:", "=:", "=:", "=:" } },
	{ DESK_EVENT_REBOOT, { "=:B", "paused:B", "paused:KB", "=:KB", "=:BW", "=:B", "=:WE", "=:" } },
};

static void effects_text(unsigned int effects, char ret[16])
{
	for (unsigned int i = 0; i < strlen(LETTERS); i++)
		if (effects & 1u << i)
			*ret++ = LETTERS[i];
	*ret = 0;
}

/* What a step does, in the form of a cell; the desk after it is left in @desk. */
static void cell_text(struct desk *desk, enum desk_event event, const struct desk_facts *facts,
		      char ret[64])
{
	enum desk_place place = desk_place(desk);
	const struct desk before = *desk;
	unsigned int effects = 0;
	struct fault fault = { 0 };
	char letters[16];
	int r = desk_step(desk, event, facts, &effects, &fault);

	desk_expect_invariants(desk, &before);
	if (r) {
		EXPECT_EQ(r, FAULT_E_SET);
		EXPECT_MEMEQ(desk, &before, sizeof(before));
		EXPECT_TRUE(fault.reason[0] && fault.remedy[0] && fault.field[0] == '/');
		EXPECT_HAS_NOT(fault.reason, "(null)");
		snprintf(ret, 64, "%s", fault_code_name(fault.code));
		return;
	}
	EXPECT_EQ(fault.code, FAULT_NONE);
	effects_text(effects, letters);
	snprintf(ret, 64, "%s:%s",
		 desk_place(desk) == place ? "=" : desk_place_name(desk_place(desk)), letters);
}

static struct desk_facts facts_at(enum desk_place place)
{
	return (struct desk_facts){
		.now_ms = DESK_MADE_AT_MS + 9000,
		.queued = 1,
		.running = place == DESK_AT_RUNNING || place == DESK_AT_PAUSED,
		.enforced = true,
	};
}

TEST("each event does in each place what the matrix says, and each illegal pair is refused untouched")
{
	EXPECT_EQ(ARRAY_SIZE(matrix), DESK_EVENT_COUNT);
	for (unsigned int i = 0; i < ARRAY_SIZE(matrix); i++)
		for (unsigned int place = 0; place < DESK_PLACE_COUNT; place++) {
			struct desk desk = desk_made((enum desk_place)place);
			struct desk_facts facts = facts_at((enum desk_place)place);
			char got[64];

			cell_text(&desk, matrix[i].event, &facts, got);
			if (strcmp(got, matrix[i].cells[place]) != 0)
				printf("%s on %s:\n", desk_event_name(matrix[i].event),
				       desk_place_name((enum desk_place)place));
			EXPECT_STREQ(got, matrix[i].cells[place]);
		}
}

static void expect_step(struct desk *desk, enum desk_event event, const struct desk_facts *facts,
			const char *want)
{
	char got[64];

	cell_text(desk, event, facts, got);
	EXPECT_STREQ(got, want);
}

static void expect_at(enum desk_place place, enum desk_event event, struct desk_facts facts,
		      const char *want)
{
	struct desk desk = desk_made(place);

	expect_step(&desk, event, &facts, want);
}

TEST("a queue takes 32 requests and no more")
{
	struct desk_facts facts = facts_at(DESK_AT_RUNNING);

	facts.queued = 31;
	expect_at(DESK_AT_RUNNING, DESK_EVENT_SUBMIT, facts, "=:Q");
	facts.queued = 32;
	expect_at(DESK_AT_RUNNING, DESK_EVENT_SUBMIT, facts, "queue.full");
	expect_at(DESK_AT_IDLE, DESK_EVENT_SUBMIT, facts, "queue.full");
}

TEST("nothing starts where a must does not hold")
{
	struct desk_facts facts = facts_at(DESK_AT_IDLE);

	facts.enforced = false;
	expect_at(DESK_AT_IDLE, DESK_EVENT_GO, facts, "enforcement.unavailable");
	expect_at(DESK_AT_WIPED, DESK_EVENT_GO, facts, "enforcement.unavailable");
	expect_at(DESK_AT_ARMED, DESK_EVENT_DISPATCH, facts, "enforcement.unavailable");
	expect_at(DESK_AT_PAUSED, DESK_EVENT_RESUME, facts, "enforcement.unavailable");
	expect_at(DESK_AT_RUNNING, DESK_EVENT_FINISH, facts, "paused:B");
	facts.queued = 0;
	expect_at(DESK_AT_ARMED, DESK_EVENT_DISPATCH, facts, "=:");
	expect_at(DESK_AT_RUNNING, DESK_EVENT_FINISH, facts, "armed:B");
}

TEST("with nothing queued an armed session stays armed, and a paused one comes back armed")
{
	struct desk_facts facts = { .now_ms = DESK_MADE_AT_MS, .enforced = true };

	expect_at(DESK_AT_ARMED, DESK_EVENT_DISPATCH, facts, "=:");
	expect_at(DESK_AT_RUNNING, DESK_EVENT_FINISH, facts, "armed:B");
	expect_at(DESK_AT_PAUSED, DESK_EVENT_RESUME, facts, "armed:Bd");
}

TEST("a wipe or an end is not proved while a request is active, and a second one does not start")
{
	struct desk_facts facts = facts_at(DESK_AT_RUNNING);

	expect_at(DESK_AT_WIPING, DESK_EVENT_WIPE_PROVED, facts, "internal");
	expect_at(DESK_AT_ENDING, DESK_EVENT_WIPE_PROVED, facts, "internal");
	expect_at(DESK_AT_ENDING, DESK_EVENT_END_PROVED, facts, "internal");
	expect_at(DESK_AT_ENDING, DESK_EVENT_END, facts, "=:KWE");
	expect_at(DESK_AT_ARMED, DESK_EVENT_DISPATCH, facts, "internal");
}

static void expect_spent(enum desk_place place, enum desk_event event, const char *want)
{
	struct desk desk = desk_made(place);
	struct desk_facts facts = facts_at(place);

	desk.spend.money_ucents = 1000 * REEVE_UCENTS_PER_CENT;
	expect_step(&desk, event, &facts, want);
}

TEST("a cap that is reached stops every way to run, whoever notices first")
{
	struct desk desk = desk_made(DESK_AT_RUNNING);
	struct desk_facts facts = facts_at(DESK_AT_RUNNING);

	expect_spent(DESK_AT_IDLE, DESK_EVENT_SUBMIT, "queue.closed");
	expect_spent(DESK_AT_RUNNING, DESK_EVENT_SUBMIT, "queue.closed");
	expect_spent(DESK_AT_IDLE, DESK_EVENT_GO, "session.cap_spent");
	expect_spent(DESK_AT_WIPED, DESK_EVENT_GO, "session.cap_spent");
	expect_spent(DESK_AT_PAUSED, DESK_EVENT_RESUME, "session.cap_spent");
	expect_spent(DESK_AT_ARMED, DESK_EVENT_DISPATCH, "paused:RB");
	expect_spent(DESK_AT_RUNNING, DESK_EVENT_FINISH, "paused:RB");
	expect_spent(DESK_AT_PAUSED, DESK_EVENT_FINISH, "=:RB");
	expect_spent(DESK_AT_IDLE, DESK_EVENT_CAP, "=:RB");
	expect_spent(DESK_AT_ARMED, DESK_EVENT_CAP, "paused:RB");
	expect_spent(DESK_AT_RUNNING, DESK_EVENT_CAP, "paused:FKRB");
	expect_spent(DESK_AT_PAUSED, DESK_EVENT_CAP, "=:KRB");
	expect_spent(DESK_AT_WIPING, DESK_EVENT_CAP, "=:RB");
	expect_spent(DESK_AT_WIPED, DESK_EVENT_CAP, "=:RB");
	expect_spent(DESK_AT_ENDING, DESK_EVENT_CAP, "=:");

	desk.spend.cpu_ns = 3600 * NSEC_PER_SEC;
	expect_step(&desk, DESK_EVENT_CAP, &facts, "paused:FKRB");
	EXPECT_EQ(desk.queue, DESK_QUEUE_CAP_MINUTES);
	facts.running = false;
	expect_step(&desk, DESK_EVENT_CAP, &facts, "=:");
}

TEST("raising the cap opens the queue that the cap closed, and lowering it trips at once")
{
	struct desk desk = desk_made(DESK_AT_RUNNING);
	struct desk_facts facts = facts_at(DESK_AT_RUNNING);

	desk.spend.money_ucents = 400 * REEVE_UCENTS_PER_CENT;
	desk.spend.cpu_ns = 100 * NSEC_PER_SEC;
	desk.cap.money_cents = 400;
	expect_step(&desk, DESK_EVENT_CHANGE_CAP, &facts, "paused:FKRB");
	EXPECT_EQ(desk.queue, DESK_QUEUE_CAP_MONEY);
	EXPECT_EQ(desk.revision, 8);
	facts.running = false;
	desk.cap = (struct desk_cap){ .money_cents = 401, .minutes = 1 };
	expect_step(&desk, DESK_EVENT_CHANGE_CAP, &facts, "=:RB");
	EXPECT_EQ(desk.queue, DESK_QUEUE_CAP_MINUTES);
	desk.cap.minutes = 2;
	expect_step(&desk, DESK_EVENT_CHANGE_CAP, &facts, "=:B");
	EXPECT_EQ(desk.queue, DESK_QUEUE_OPEN);
	expect_step(&desk, DESK_EVENT_RESUME, &facts, "armed:Bd");
}

TEST("bounds are kept whoever changes a session")
{
	struct desk desk = desk_made(DESK_AT_IDLE);
	struct desk_facts facts = facts_at(DESK_AT_IDLE);

	desk.cap.minutes = 0;
	expect_step(&desk, DESK_EVENT_CHANGE_CAP, &facts, "document.invalid");
	desk.cap.minutes = 1;
	desk.cap.money_cents = REEVE_WHOLE_MAX + 1;
	expect_step(&desk, DESK_EVENT_CHANGE_CAP, &facts, "document.invalid");
	desk.cap.money_cents = 0;
	expect_step(&desk, DESK_EVENT_CHANGE_CAP, &facts, "=:B");
	desk.time_box_minutes = 4;
	expect_step(&desk, DESK_EVENT_CHANGE_BOX, &facts, "document.invalid");
	desk.time_box_minutes = 31;
	expect_step(&desk, DESK_EVENT_CHANGE_BOX, &facts, "document.invalid");
	desk.time_box_minutes = 30;
	expect_step(&desk, DESK_EVENT_CHANGE_BOX, &facts, "=:");
	desk.step_budget = 0;
	expect_step(&desk, DESK_EVENT_CHANGE_BOX, &facts, "document.invalid");
}

TEST("a value out of its bounds is named")
{
	struct desk desk = desk_made(DESK_AT_IDLE);
	struct desk_facts facts = facts_at(DESK_AT_IDLE);
	struct fault cap = { 0 }, box = { 0 }, steps = { 0 };
	unsigned int effects;

	desk.cap.minutes = 0;
	desk.step_budget = 0;
	desk_step(&desk, DESK_EVENT_CHANGE_CAP, &facts, &effects, &cap);
	EXPECT_STREQ(cap.field, "/cap");
	desk_step(&desk, DESK_EVENT_CHANGE_BOX, &facts, &effects, &steps);
	EXPECT_STREQ(steps.field, "/step_budget");
	desk.time_box_minutes = 31;
	desk_step(&desk, DESK_EVENT_CHANGE_BOX, &facts, &effects, &box);
	EXPECT_STREQ(box.field, "/time_box_minutes");
}

TEST("a queue that enforcement closed opens with Go or resume, once every must holds again")
{
	struct desk desk = desk_made(DESK_AT_RUNNING);
	struct desk_facts facts = facts_at(DESK_AT_RUNNING);

	facts.enforced = false;
	expect_step(&desk, DESK_EVENT_ENFORCEMENT_LOST, &facts, "paused:KB");
	EXPECT_EQ(desk.queue, DESK_QUEUE_ENFORCEMENT);
	expect_step(&desk, DESK_EVENT_SUBMIT, &facts, "queue.closed");
	expect_step(&desk, DESK_EVENT_CHANGE_CAP, &facts, "=:B");
	EXPECT_EQ(desk.queue, DESK_QUEUE_ENFORCEMENT);
	facts = (struct desk_facts){ .now_ms = DESK_MADE_AT_MS, .enforced = true };
	expect_step(&desk, DESK_EVENT_RESUME, &facts, "armed:Bd");
	EXPECT_EQ(desk.queue, DESK_QUEUE_OPEN);
}

TEST("a session's whole life has its times and its revision")
{
	struct desk desk = desk_made(DESK_AT_IDLE);
	struct desk_facts facts = { .now_ms = 10, .enforced = true };

	expect_step(&desk, DESK_EVENT_SUBMIT, &facts, "=:Q");
	facts.queued = 1;
	expect_step(&desk, DESK_EVENT_GO, &facts, "armed:Bd");
	EXPECT_EQ(desk.armed_at_ms, 10);
	facts.now_ms = 20;
	expect_step(&desk, DESK_EVENT_GO, &facts, "=:");
	expect_step(&desk, DESK_EVENT_DISPATCH, &facts, "running:SB");
	EXPECT_EQ(desk.started_at_ms, 20);
	facts = (struct desk_facts){ .now_ms = 30, .enforced = true, .running = true };
	expect_step(&desk, DESK_EVENT_PAUSE, &facts, "paused:FB");
	expect_step(&desk, DESK_EVENT_RESUME, &facts, "running:TB");
	expect_step(&desk, DESK_EVENT_WIPE, &facts, "wiping:KBW");
	EXPECT_FALSE(desk.armed);
	EXPECT_EQ(desk.wiped_at_ms, 0);
	expect_step(&desk, DESK_EVENT_FINISH, &facts, "=:B");
	facts.running = false;
	expect_step(&desk, DESK_EVENT_WIPE_FAILED, &facts, "=:");
	EXPECT_EQ(desk.state, DESK_PAUSED);
	expect_step(&desk, DESK_EVENT_WIPE, &facts, "=:BW");
	expect_step(&desk, DESK_EVENT_WIPE_PROVED, &facts, "wiped:B");
	EXPECT_EQ(desk.wiped_at_ms, 30);
	facts.now_ms = 40;
	facts.queued = 1;
	expect_step(&desk, DESK_EVENT_GO, &facts, "armed:Bd");
	expect_step(&desk, DESK_EVENT_DISPATCH, &facts, "running:SB");
	EXPECT_EQ(desk.started_at_ms, 20);
	expect_step(&desk, DESK_EVENT_END, &facts, "ending:RBWE");
	facts.now_ms = 50;
	expect_step(&desk, DESK_EVENT_WIPE_PROVED, &facts, "=:");
	expect_step(&desk, DESK_EVENT_END_PROVED, &facts, "ended:");
	EXPECT_EQ(desk.ended_at_ms, 50);
	EXPECT_EQ(desk.wiped_at_ms, 50);
	expect_step(&desk, DESK_EVENT_END, &facts, "=:");
	EXPECT_EQ(desk.revision, 7 + 13);
}

/* Every combination of what the conditions ask, as bits of @n. */
static void vary(unsigned int n, struct desk *desk, struct desk_facts *facts)
{
	static const enum desk_queue queues[] = { DESK_QUEUE_OPEN, DESK_QUEUE_CAP_MONEY,
						  DESK_QUEUE_ENFORCEMENT, DESK_QUEUE_OPEN };

	*facts = (struct desk_facts){
		.now_ms = DESK_MADE_AT_MS + 9000,
		.queued = (n & 1) + (n & 2 ? REEVE_QUEUE_MAX : 0),
		.running = n & 4,
		.enforced = n & 8,
	};
	if (n & 16)
		desk->spend.cpu_ns = 3600 * NSEC_PER_SEC;
	if (desk->queue != DESK_QUEUE_ENDED)
		desk->queue = queues[n >> 5 & 3];
	if (n & 128) {
		desk->cap.minutes = 0;
		desk->time_box_minutes = 4;
	}
}

/* The row that counts, and that the step does just what it says. */
static size_t row_expect(enum desk_place place, enum desk_event event, unsigned int n)
{
	struct desk desk = desk_made(place);
	const struct desk_row *row;
	struct desk_facts facts;
	unsigned int effects = 0;
	struct fault fault = { 0 };

	vary(n, &desk, &facts);
	row = desk_row_find(&desk, event, &facts);
	desk_step(&desk, event, &facts, &effects, &fault);
	EXPECT_EQ(fault.code, row->refusal);
	if (fault.code)
		return (size_t)(row - desk_rows);
	EXPECT_EQ(desk_place(&desk), row->to == DESK_STAYS ? place : row->to);
	EXPECT_EQ(effects & ~row->effects, 0);
	return (size_t)(row - desk_rows);
}

static bool pair_has_last_row(enum desk_place place, enum desk_event event)
{
	for (size_t i = 0; i < desk_n_rows; i++)
		if (desk_rows[i].when == DESK_IF_ALWAYS && desk_rows[i].events & 1u << event &&
		    desk_rows[i].from & 1u << place)
			return true;
	return false;
}

TEST("every row is reached, does what it says, and each pair has a row without a condition")
{
	bool *reached = calloc(desk_n_rows, sizeof(*reached));
	unsigned int pair, n;

	for (pair = 0; pair < DESK_EVENT_COUNT * DESK_PLACE_COUNT; pair++) {
		enum desk_event event = (enum desk_event)(pair / DESK_PLACE_COUNT);
		enum desk_place place = (enum desk_place)(pair % DESK_PLACE_COUNT);

		EXPECT_TRUE(pair_has_last_row(place, event));
		for (n = 0; n < 256; n++)
			reached[row_expect(place, event, n)] = true;
	}
	for (n = 0; n < desk_n_rows; n++) {
		if (!reached[n])
			printf("row %u\n", n);
		EXPECT_TRUE(reached[n]);
	}
	free(reached);
}
