/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session's spend is made of, for who reads all of it. */
#ifndef REEVE_LEDGER_METER_H
#define REEVE_LEDGER_METER_H

#include "../model/desk_account.h"
#include "ledger.h"

/*
 * The part of a session's meter that the kernel's counters do not have, of earlier boots: none is a row of zeros.
 * The wall time is not in it.
 */
int ledger_put_meter(struct ledger *ledger, const char *session_id, const struct desk_meter *meter);
int ledger_get_meter(struct ledger *ledger, const char *session_id, struct desk_meter *ret);

/* In the order of ids, until @fn returns non-zero. */
int ledger_each_charge(struct ledger *ledger, const char *session_id,
		       int (*fn)(const struct ledger_charge *charge, void *arg), void *arg);

#endif
