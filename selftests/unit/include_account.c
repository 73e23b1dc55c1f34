// SPDX-License-Identifier: GPL-2.0-only
/*
 * The account against arithmetic in 128 bits, and the order in which a session's state, caps and time box
 * end it. The same text runs in the kernel; what it says of numbers is tested here once.
 *
 * The bounds are those of limits.h and of what a machine can do: a rate of 2^32 - 1, 10^9 CPU seconds, a
 * time box of a week, 2^60 bytes, money settled up to the largest cap.
 */
#include "../test.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../include/account.h"

#define NS_PER_MIN 60000000000ull
#define CPU_NS_MAX (REEVE_CPU_SECONDS_MAX * ACCOUNT_NSEC_PER_SEC)
#define WALL_NS_MAX (REEVE_TIME_BOX_SECONDS_MAX * ACCOUNT_NSEC_PER_SEC)
#define BYTES_MAX (1ull << 60)
#define MONEY_MAX (REEVE_MONEY_CENTS_MAX * REEVE_UCENTS_PER_CENT)

typedef unsigned __int128 wide;

static uint64_t random_state;

static uint64_t random_next(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Small numbers are as likely as large ones. */
static uint64_t random_below(uint64_t bound)
{
	return (random_next() >> random_next() % 64) % bound;
}

static wide money_wide(const struct policy *policy, const struct usage *usage, uint64_t now_ns)
{
	wide wall_ns = policy->wall_settled_ns;

	if (policy->running_since_ns && now_ns > policy->running_since_ns)
		wall_ns += now_ns - policy->running_since_ns;
	return (wide)policy->money_settled_ucents +
	       (wide)usage->cpu_ns * policy->rates.cpu_second_ucents / 1000000000 +
	       wall_ns / 1000 * policy->rates.wall_minute_ucents / 60000000 +
	       (wide)usage->bytes_out * policy->rates.egress_gib_ucents / 1073741824;
}

static struct policy open_policy(void)
{
	return (struct policy){
		.state = POLICY_OPEN,
		.egress = POLICY_EGRESS_PUBLIC,
		.cpu_cap_ns = POLICY_UNLIMITED,
		.money_cap_ucents = POLICY_UNLIMITED,
		.deadline_ns = POLICY_UNLIMITED,
	};
}

TEST("money is what arithmetic in 128 bits says, rounded down by item")
{
	random_state = 20261201;
	for (int i = 0; i < 300000; i++) {
		struct policy policy = open_policy();
		struct usage usage = {
			.cpu_ns = random_below(CPU_NS_MAX + 1),
			.bytes_out = random_below(BYTES_MAX + 1),
		};
		uint64_t now = random_below(WALL_NS_MAX + 1);

		policy.money_settled_ucents = random_below(MONEY_MAX + 1);
		policy.wall_settled_ns = random_below(WALL_NS_MAX + 1);
		policy.running_since_ns = random_next() % 4 ? random_below(now + 1) : 0;
		policy.rates.cpu_second_ucents = random_below(REEVE_RATE_UCENTS_MAX + 1);
		policy.rates.wall_minute_ucents = random_below(REEVE_RATE_UCENTS_MAX + 1);
		policy.rates.egress_gib_ucents = random_below(REEVE_RATE_UCENTS_MAX + 1);
		ASSERT_TRUE(money_wide(&policy, &usage, now) ==
			    account_money_ucents(&policy, &usage, now));
	}
}

TEST("at every maximum at once the account still fits 64 bits and is exact")
{
	struct policy policy = open_policy();
	struct usage usage = { .cpu_ns = CPU_NS_MAX, .bytes_out = BYTES_MAX };

	policy.rates = (struct policy_rates){ REEVE_RATE_UCENTS_MAX, REEVE_RATE_UCENTS_MAX,
					      REEVE_RATE_UCENTS_MAX };
	policy.money_settled_ucents = MONEY_MAX;
	policy.wall_settled_ns = WALL_NS_MAX;
	policy.running_since_ns = 1;
	EXPECT_LE(money_wide(&policy, &usage, WALL_NS_MAX), UINT64_MAX);
	EXPECT_EQ(account_money_ucents(&policy, &usage, WALL_NS_MAX),
		  money_wide(&policy, &usage, WALL_NS_MAX));
}

static void price_exact(uint64_t units, uint64_t per, uint64_t rate)
{
	EXPECT_EQ(account_price(units, per, rate), (wide)units * rate / per);
}

TEST("a price is exact beside every whole unit and at the largest remainder")
{
	static const uint64_t pers[] = { ACCOUNT_NSEC_PER_SEC, ACCOUNT_USEC_PER_MIN, 1ull << 32 };
	static const uint64_t rates[] = {
		0, 1, 2, 999999999, REEVE_RATE_UCENTS_MAX - 1, REEVE_RATE_UCENTS_MAX
	};

	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < 6; j++)
			for (uint64_t whole = 0; whole < 4; whole++) {
				price_exact(whole * pers[i], pers[i], rates[j]);
				price_exact(whole * pers[i] + 1, pers[i], rates[j]);
				price_exact((whole + 1) * pers[i] - 1, pers[i], rates[j]);
			}
}

TEST("spend never falls while time, CPU and bytes go on")
{
	struct policy policy = open_policy();
	struct usage usage = {};
	uint64_t now = 1, before = 0, money;

	random_state = 7;
	policy.running_since_ns = 1;
	policy.rates = (struct policy_rates){ 3, 1000003, 77777 };
	for (int i = 0; i < 100000; i++) {
		usage.cpu_ns += random_below(1u << 30);
		usage.bytes_out += random_below(1u << 30);
		now += random_below(1u << 30);
		money = account_money_ucents(&policy, &usage, now);
		ASSERT_GE(money, before);
		before = money;
	}
	EXPECT_GT(before, 0);
}

TEST("wall time before the start, and a clock that lags another processor's, cost nothing")
{
	struct policy policy = open_policy();
	struct usage usage = {};

	policy.rates.wall_minute_ucents = REEVE_RATE_UCENTS_MAX;
	EXPECT_EQ(account_money_ucents(&policy, &usage, WALL_NS_MAX), 0);
	policy.running_since_ns = 1000;
	EXPECT_EQ(account_money_ucents(&policy, &usage, 1000), 0);
	EXPECT_EQ(account_money_ucents(&policy, &usage, 999), 0);
	EXPECT_EQ(account_money_ucents(&policy, &usage, 0), 0);
	policy.rates.wall_minute_ucents = 60;
	EXPECT_EQ(account_money_ucents(&policy, &usage, 1000 + NS_PER_MIN), 60);
	policy.wall_settled_ns = NS_PER_MIN;
	EXPECT_EQ(account_money_ucents(&policy, &usage, 1000 + NS_PER_MIN), 120);
	policy.running_since_ns = 0;
	EXPECT_EQ(account_money_ucents(&policy, &usage, 1000 + NS_PER_MIN), 60);
}

TEST("a money cap is reached at the cap, and a cap of 0 by the first micro-cent")
{
	EXPECT_FALSE(account_money_reached(0, 0));
	EXPECT_TRUE(account_money_reached(1, 0));
	EXPECT_FALSE(account_money_reached(0, 1));
	EXPECT_TRUE(account_money_reached(1, 1));
	EXPECT_FALSE(account_money_reached(MONEY_MAX - 1, MONEY_MAX));
	EXPECT_TRUE(account_money_reached(MONEY_MAX, MONEY_MAX));
	EXPECT_TRUE(account_money_reached(UINT64_MAX, MONEY_MAX));
}

static enum reason state_at(const struct policy *policy, const struct usage *usage, uint64_t now_ns)
{
	return account_state(policy, usage, now_ns);
}

TEST("each state has its reason, and a state that is none is not armed")
{
	static const struct {
		unsigned int state;
		enum reason reason;
	} rows[] = {
		{ POLICY_CLOSED, REASON_NOT_ARMED }, { POLICY_PROOF, REASON_PROOF },
		{ POLICY_OPEN, REASON_OK },	     { POLICY_PAUSED, REASON_PAUSED },
		{ POLICY_WIPED, REASON_WIPED },	     { POLICY_WIPED + 1, REASON_NOT_ARMED },
		{ INT_MAX, REASON_NOT_ARMED },	     { UINT_MAX, REASON_NOT_ARMED },
	};
	struct usage usage = {};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct policy policy = open_policy();

		policy.state = (enum policy_state)rows[i].state;
		EXPECT_EQ(state_at(&policy, &usage, 1), rows[i].reason);
	}
}

TEST("an empty policy denies, in every state that it could be flipped to")
{
	struct usage usage = {};

	for (int state = POLICY_CLOSED; state <= POLICY_WIPED; state++) {
		struct policy policy = { .state = (enum policy_state)state };

		EXPECT_NE(state_at(&policy, &usage, 1), REASON_OK);
	}
}

TEST("each end begins exactly at its bound and not one unit before")
{
	struct policy policy = open_policy();
	struct usage usage = { .cpu_ns = 999 };

	policy.cpu_cap_ns = 1000;
	EXPECT_EQ(state_at(&policy, &usage, 1), REASON_OK);
	usage.cpu_ns = 1000;
	EXPECT_EQ(state_at(&policy, &usage, 1), REASON_CAP_CPU);

	policy = open_policy();
	policy.deadline_ns = 1000;
	EXPECT_EQ(state_at(&policy, &usage, 999), REASON_OK);
	EXPECT_EQ(state_at(&policy, &usage, 1000), REASON_DEADLINE);

	policy = open_policy();
	policy.money_cap_ucents = 10;
	policy.rates.cpu_second_ucents = 1;
	usage.cpu_ns = 10 * ACCOUNT_NSEC_PER_SEC - 1;
	EXPECT_EQ(state_at(&policy, &usage, 1), REASON_OK);
	usage.cpu_ns++;
	EXPECT_EQ(state_at(&policy, &usage, 1), REASON_CAP_MONEY);
}

TEST("what is unlimited never ends a session")
{
	struct policy policy = open_policy();
	struct usage usage = { .cpu_ns = UINT64_MAX - 1, .bytes_out = UINT64_MAX };

	policy.money_settled_ucents = UINT64_MAX;
	EXPECT_EQ(state_at(&policy, &usage, UINT64_MAX - 1), REASON_OK);
}

TEST("a state that denies goes before every cap, and the CPU cap before time and money")
{
	struct policy policy = { .state = POLICY_OPEN, .money_settled_ucents = 1 };
	struct usage usage = {};

	EXPECT_EQ(state_at(&policy, &usage, 1), REASON_CAP_CPU);
	policy.cpu_cap_ns = 1;
	EXPECT_EQ(state_at(&policy, &usage, 1), REASON_DEADLINE);
	policy.deadline_ns = 2;
	EXPECT_EQ(state_at(&policy, &usage, 1), REASON_CAP_MONEY);
	policy.state = POLICY_PAUSED;
	usage.cpu_ns = 5;
	EXPECT_EQ(state_at(&policy, &usage, 9), REASON_PAUSED);
}

/* Numbers of the kernel's API, as errno.h of the machine that compiles this has them. */
_Static_assert(REASON_EPERM == EPERM, "EPERM");
_Static_assert(REASON_EPROTONOSUPPORT == EPROTONOSUPPORT, "EPROTONOSUPPORT");
_Static_assert(REASON_EAFNOSUPPORT == EAFNOSUPPORT, "EAFNOSUPPORT");
_Static_assert(REASON_ENETUNREACH == ENETUNREACH, "ENETUNREACH");

static const struct reason_row {
	const char *name, *text;
	int err, stops;
} reason_rows[] = {
#define X(NAME, name, errno_, stops, text) { #name, text, errno_, stops },
	REASONS(X)
#undef X
};

TEST("every reason has the errno of its row, which no caller takes for a dead server or a success")
{
	for (int reason = 1; reason < REASON_COUNT; reason++) {
		EXPECT_EQ(reason_errno((enum reason)reason), reason_rows[reason - 1].err);
		EXPECT_NE(reason_errno((enum reason)reason), ECONNREFUSED);
		EXPECT_NE(reason_errno((enum reason)reason), ETIMEDOUT);
		EXPECT_GT(reason_errno((enum reason)reason), 0);
		EXPECT_EQ(reason_stops((enum reason)reason), reason_rows[reason - 1].stops);
	}
	EXPECT_EQ(reason_errno((enum reason)REASON_COUNT), EPERM);
	EXPECT_EQ(reason_errno((enum reason) - 1), EPERM);
	EXPECT_EQ(reason_stops(REASON_OK), 0);
	EXPECT_EQ(reason_stops((enum reason) - 1), 0);
}

TEST("the reasons that stop a session are its states that forbid to run, the caps and the time box")
{
	unsigned int stops = 0;

	for (int reason = 1; reason < REASON_COUNT; reason++)
		stops += (unsigned int)reason_rows[reason - 1].stops;
	EXPECT_EQ(stops, 6);
	EXPECT_TRUE(reason_stops(REASON_NOT_ARMED) && reason_stops(REASON_PAUSED));
	EXPECT_TRUE(reason_stops(REASON_WIPED) && reason_stops(REASON_CAP_CPU) &&
		    reason_stops(REASON_CAP_MONEY) && reason_stops(REASON_DEADLINE));
}

TEST("each reason counts in the field of its own name")
{
#define X(NAME, name, errno_, stops, text)                                                         \
	EXPECT_EQ(offsetof(struct denials, name), (REASON_##NAME - 1) * sizeof(__u64));
	REASONS(X)
#undef X
}

TEST("no two reasons share a name or a text")
{
	for (size_t i = 0; i < REASON_COUNT - 1; i++) {
		EXPECT_EQ(strspn(reason_rows[i].name, "abcdefghijklmnopqrstuvwxyz_"),
			  strlen(reason_rows[i].name));
		for (size_t j = 0; j < i; j++) {
			EXPECT_STRNE(reason_rows[i].name, reason_rows[j].name);
			EXPECT_STRNE(reason_rows[i].text, reason_rows[j].text);
		}
	}
}
