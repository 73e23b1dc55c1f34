// SPDX-License-Identifier: GPL-2.0-only
/* What a session's spend is read from: meters of earlier boots, and all charges. */
#include "../../user/record/ledger_meter.h"

#include <errno.h>

#include "../ledger.h"

TEST("the meter of earlier boots is nothing until it is put, and then what was put last")
{
	struct desk_meter meter = { 1, 2, 3, 4 }, put = { 5000000000, 0, 6, UINT64_MAX };
	struct ledger *ledger = ledger_here();

	ledger_put_both(ledger);
	EXPECT_OK(ledger_get_meter(ledger, ledger_desk(1).id, &meter));
	EXPECT_EQ(meter.cpu_ns + meter.wall_ns + meter.bytes_out + meter.bytes_in, 0);
	EXPECT_EQ(ledger_put_meter(ledger, ledger_desk(1).id, &put), -EINVAL);
	for (int i = 0; i < 2; i++) {
		put.cpu_ns++;
		ASSERT_OK(ledger_begin(ledger));
		EXPECT_OK(ledger_put_meter(ledger, ledger_desk(1).id, &put));
		ASSERT_OK(ledger_commit(ledger));
	}
	ledger_close(&ledger);
	ledger = ledger_here();
	EXPECT_OK(ledger_get_meter(ledger, ledger_desk(1).id, &meter));
	EXPECT_MEMEQ(&meter, &put, sizeof(meter));
	ledger_close(&ledger);
}

static int charge_sum(const struct ledger_charge *charge, void *arg)
{
	uint64_t *sum = arg;

	*sum += charge->money_ucents;
	return *sum > 6 ? 7 : 0;
}

TEST("all charges of a session are walked, and none of another's")
{
	struct ledger_charge charge = { .steps = 1 };
	struct ledger *ledger = ledger_here();
	struct desk other = ledger_desk(2);
	uint64_t sum = 0;

	ledger_put_both(ledger);
	ASSERT_OK(ledger_begin(ledger));
	ASSERT_OK(ledger_put_desk(ledger, &other));
	for (unsigned int i = 1; i <= 3; i++) {
		snprintf(charge.id, sizeof(charge.id), "%u", i);
		charge.money_ucents = i;
		ASSERT_OK(ledger_add_charge(ledger, ledger_desk(1).id, &charge));
	}
	ASSERT_OK(ledger_add_charge(ledger, other.id, &charge));
	ASSERT_OK(ledger_commit(ledger));
	EXPECT_OK(ledger_each_charge(ledger, ledger_desk(1).id, charge_sum, &sum));
	EXPECT_EQ(sum, 6);
	EXPECT_EQ(ledger_each_charge(ledger, other.id, charge_sum, &sum), 7);
	ledger_close(&ledger);
}
