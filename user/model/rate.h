/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rate card as text and within its bounds. What a use costs is computed in include/account.h.
 */
#ifndef REEVE_RATE_H
#define REEVE_RATE_H

#include "spec.h"

/*
 * X(unit): the member of struct rate_card and the JSON key are unit_ucents, the option says unit=N
 */
#define RATE_UNITS(X)                                                                              \
	X(cpu_second)                                                                              \
	X(wall_minute)                                                                             \
	X(step)                                                                                    \
	X(request)                                                                                 \
	X(egress_gib)

/*
 * Reads "unit=N[,unit=N]...", N in micro-cents; a unit that is not named costs nothing. Returns 0
 * or FAULT_E_SET with @field: an unknown unit, one given twice, no number, or one above its bound.
 */
int rate_card_parse(const char *text, const char *field, struct rate_card *ret,
		    struct fault *ret_fault);

/* Whether every rate is within its bound. Returns 0 or FAULT_E_SET. */
int rate_card_check(const struct rate_card *card, const char *field, struct fault *ret_fault);

bool rate_card_is_free(const struct rate_card *card);

#endif
