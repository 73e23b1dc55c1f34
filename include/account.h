/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session has spent, and whether it may still run: one text for the hooks, the meter and user
 * space, so that the kernel stops a session at the same micro-cent that the account shows.
 */
#ifndef REEVE_ACCOUNT_H
#define REEVE_ACCOUNT_H

#include "policy.h"
#include "reason.h"
#include "usage.h"

#define ACCOUNT_NSEC_PER_SEC 1000000000ull
#define ACCOUNT_NSEC_PER_USEC 1000ull
#define ACCOUNT_USEC_PER_MIN 60000000ull
#define ACCOUNT_GIB_SHIFT 30

/* units * rate / per without a 128-bit product: @per is at most 2^32 and so is the rate */
static inline __u64 account_price(__u64 units, __u64 per, __u64 rate_ucents)
{
	return units / per * rate_ucents + units % per * rate_ucents / per;
}

/* What the session has spent by @now_ns (CLOCK_MONOTONIC), in micro-cents, rounded down by item. */
static inline __u64 account_money_ucents(const struct policy *policy, const struct usage *usage,
					 __u64 now_ns)
{
	__u64 wall_ns = policy->wall_settled_ns;
	__u64 gib = usage->bytes_out >> ACCOUNT_GIB_SHIFT;
	__u64 rest = usage->bytes_out & ((1ull << ACCOUNT_GIB_SHIFT) - 1);

	/* the clocks of two processors may differ by a little: never a negative span */
	if (policy->running_since_ns && now_ns > policy->running_since_ns)
		wall_ns += now_ns - policy->running_since_ns;
	return policy->money_settled_ucents +
	       account_price(usage->cpu_ns, ACCOUNT_NSEC_PER_SEC, policy->rates.cpu_second_ucents) +
	       account_price(wall_ns / ACCOUNT_NSEC_PER_USEC, ACCOUNT_USEC_PER_MIN,
			     policy->rates.wall_minute_ucents) +
	       gib * policy->rates.egress_gib_ucents +
	       (rest * policy->rates.egress_gib_ucents >> ACCOUNT_GIB_SHIFT);
}

/* A money cap of 0 allows free work: the first paid unit trips it. */
static inline int account_money_reached(__u64 money_ucents, __u64 cap_ucents)
{
	return money_ucents >= cap_ucents && money_ucents > 0;
}

/* Whether the session may run and send at all at @now_ns (CLOCK_MONOTONIC). */
static inline enum reason account_state(const struct policy *policy, const struct usage *usage,
					__u64 now_ns)
{
	switch (policy->state) {
	case POLICY_OPEN:
		break;
	case POLICY_PROOF:
		return REASON_PROOF;
	case POLICY_PAUSED:
		return REASON_PAUSED;
	case POLICY_WIPED:
		return REASON_WIPED;
	case POLICY_CLOSED:
	default:
		return REASON_NOT_ARMED;
	}
	if (usage->cpu_ns >= policy->cpu_cap_ns)
		return REASON_CAP_CPU;
	if (now_ns >= policy->deadline_ns)
		return REASON_DEADLINE;
	if (policy->money_cap_ucents != POLICY_UNLIMITED &&
	    account_money_reached(account_money_ucents(policy, usage, now_ns),
				  policy->money_cap_ucents))
		return REASON_CAP_MONEY;
	return REASON_OK;
}

#endif
