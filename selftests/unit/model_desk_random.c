// SPDX-License-Identifier: GPL-2.0-only
/*
 * 100,000 random lives of sessions. What each step did is written to a second model of the same in Python,
 * model_desk_peer.py, which does it by its own rules, compares, and checks what must always hold. The
 * stream has a fixed seed. Nine sequences of ten follow the effects as an engine would: what is queued
 * waits, what is started runs until it finishes; in the tenth the facts are arbitrary.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "../desk_made.h"

#define SEQUENCES 100000
#define OWN UINT64_MAX
#define PEER "selftests/unit/model_desk_peer.py"

/* Behind the events of desk_step.h, what changes the account. */
enum {
	STEP_METER = DESK_EVENT_COUNT,
	STEP_CHARGE,
	STEP_RESERVE,
	STEP_NEW,
};

struct record {
	uint64_t step, a, b, now_ms, enforced, queued, running, pad[2];
	uint64_t code, effects, state, queue, armed, armed_at, started_at, wiped_at, ended_at,
		revision, money_ucents, reserved_ucents, steps, cents, seconds;
};

_Static_assert(sizeof(struct record) == 24 * 8, "the peer's layout");

struct life {
	struct desk desk;
	struct desk_facts facts;
	bool own; /* the facts follow from the effects */
};

static uint64_t state = 0x9e3779b97f4a7c15ull;

static uint64_t below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % n;
}

static void life_begin(struct life *life, struct record *ret)
{
	*ret = (struct record){
		.step = STEP_NEW,
		.a = below(8) ? below(400) : 0,
		.b = 1 + below(3),
		.now_ms = below(4) == 0, /* here: the clock, and two rates */
		.enforced = below(3) ? below(2000000) : 0,
		.queued = below(3) ? below(1000000) : 0,
	};
	life->desk = desk_made(DESK_AT_IDLE);
	life->desk.revision = 1;
	life->desk.cap = (struct desk_cap){ ret->a, ret->b };
	life->desk.clock = ret->now_ms ? DESK_CLOCK_WALL : DESK_CLOCK_CPU;
	life->desk.rates.cpu_second_ucents = ret->enforced;
	life->desk.rates.step_ucents = ret->queued;
	life->facts = (struct desk_facts){ .enforced = true };
	life->own = below(10);
}

/* What an engine asks for often comes often, so that lives get somewhere. */
static unsigned int step_choose(const struct life *life)
{
	static const uint8_t likely[] = { DESK_EVENT_SUBMIT,	  DESK_EVENT_SUBMIT,
					  DESK_EVENT_GO,	  DESK_EVENT_DISPATCH,
					  DESK_EVENT_RESUME,	  STEP_METER,
					  DESK_EVENT_WIPE_PROVED, DESK_EVENT_END_PROVED,
					  DESK_EVENT_CAP,	  DESK_EVENT_FINISH };

	if (life->desk.state == DESK_IDLE && below(2))
		return below(2) ? DESK_EVENT_GO : DESK_EVENT_SUBMIT;
	return below(2) ? likely[below(sizeof(likely))] : (unsigned int)below(STEP_NEW);
}

static void numbers_choose(const struct desk *desk, struct record *record)
{
	switch (record->step) {
	case DESK_EVENT_CHANGE_CAP:
		record->a = below(20) ? below(600) : REEVE_WHOLE_MAX + 1;
		record->b = below(5);
		break;
	case DESK_EVENT_CHANGE_BOX:
		record->a = below(40);
		record->b = below(3);
		break;
	case STEP_METER:
		record->a = desk->spend.cpu_ns + below(40 * NSEC_PER_SEC);
		record->b = below(20) ? desk->spend.wall_ns + below(40 * NSEC_PER_SEC) : 0;
		break;
	case STEP_CHARGE:
		record->a = below(100 * REEVE_UCENTS_PER_CENT);
		record->b = below(3);
		break;
	case STEP_RESERVE:
		record->a = below(200 * REEVE_UCENTS_PER_CENT);
		break;
	}
}

static void facts_choose(struct life *life, struct record *record)
{
	life->facts.now_ms += 1 + below(5);
	life->facts.enforced = below(8);
	if (!life->own) {
		life->facts.queued = below(4) ? below(4) : 30 + below(4);
		life->facts.running = below(2);
	}
	record->now_ms = life->facts.now_ms;
	record->enforced = life->facts.enforced;
	record->queued = life->own ? OWN : life->facts.queued;
	record->running = life->facts.running;
}

static void event_give(struct life *life, struct record *record)
{
	struct desk changed = life->desk;
	struct desk_facts *facts = &life->facts;
	struct fault fault = { 0 };
	unsigned int effects = 0;

	if (record->step == DESK_EVENT_CHANGE_CAP)
		changed.cap = (struct desk_cap){ record->a, record->b };
	if (record->step == DESK_EVENT_CHANGE_BOX) {
		changed.time_box_minutes = record->a;
		changed.step_budget = record->b;
	}
	if (desk_step(&changed, (enum desk_event)record->step, facts, &effects, &fault) == 0)
		life->desk = changed;
	record->code = fault.code;
	record->effects = effects;
	if (record->step == DESK_EVENT_FINISH && !fault.code)
		facts->running = false;
	if (effects & DESK_DO_REFUSE_QUEUED)
		facts->queued = 0;
	facts->queued += (effects & DESK_DO_QUEUE) != 0;
	facts->queued -= (effects & DESK_DO_START) != 0;
	facts->running |= (effects & DESK_DO_START) != 0;
}

static void account_give(struct life *life, struct record *record)
{
	struct desk *desk = &life->desk;
	struct fault fault = { 0 };

	if (record->step == STEP_METER)
		desk_take_meter(desk, &(struct desk_meter){ record->a, record->b, 0, 0 });
	if (record->step == STEP_CHARGE) {
		desk_take_charge(desk, &(struct desk_charge){ record->a, 0 }, 0);
		desk_take_steps(desk, record->b);
	}
	if (record->step == STEP_RESERVE && desk_reserve(desk, record->a, &fault))
		record->code = fault.code;
}

static void life_step(struct life *life, struct record *ret)
{
	const struct desk *desk = &life->desk;

	*ret = (struct record){ .step = step_choose(life) };
	numbers_choose(desk, ret);
	facts_choose(life, ret);
	if (ret->step < DESK_EVENT_COUNT)
		event_give(life, ret);
	else
		account_give(life, ret);
	ret->state = desk->state;
	ret->queue = desk->queue;
	ret->armed = desk->armed;
	ret->armed_at = desk->armed_at_ms;
	ret->started_at = desk->started_at_ms;
	ret->wiped_at = desk->wiped_at_ms;
	ret->ended_at = desk->ended_at_ms;
	ret->revision = desk->revision;
	ret->money_ucents = desk->spend.money_ucents;
	ret->reserved_ucents = desk->spend.reserved_ucents;
	ret->steps = desk->spend.steps;
	ret->cents = desk_money_cents(desk);
	ret->seconds = desk_seconds(desk);
}

static void codes_write(FILE *peer)
{
	for (unsigned int code = 0; code <= FAULT_INTERNAL; code++)
		fprintf(peer, "%s ", fault_code_name((enum fault_code)code));
	fputc('\n', peer);
}

TEST("100,000 random lives go as a second model in another language has them", .seconds = 120)
{
	struct life life;
	struct record record;
	FILE *peer;

	if (system("command -v python3 >/dev/null") != 0)
		SKIP("python3 is not installed");
	signal(SIGPIPE, SIG_IGN);
	fflush(stdout);
	peer = popen("exec python3 -B " PEER " 100000 2>&1", "w");
	ASSERT_NOT_NULL(peer);
	codes_write(peer);
	for (unsigned int i = 0; i < SEQUENCES; i++) {
		unsigned int length = i % 100 ? 3 + (unsigned int)below(9) : 100;

		life_begin(&life, &record);
		fwrite(&record, sizeof(record), 1, peer);
		while (length--) {
			life_step(&life, &record);
			if (fwrite(&record, sizeof(record), 1, peer) != 1)
				break;
		}
	}
	EXPECT_EQ(pclose(peer), 0);
}
