// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rate card: how many micro-cents one unit of each kind costs. The option's text names its
 * units, so that no order is to be remembered and a card of one unit is one word. A unit given
 * twice is refused: of two prices the reader would have to guess which one counts. The bound of a
 * rate is what keeps the account's products inside 64 bits; it is checked for cards from every
 * source.
 */
#include "rate.h"

#include <inttypes.h>
#include <string.h>

#include "../base/str.h"

#define RATE_REMEDY "give UNIT=N[,UNIT=N]..., N in micro-cents"
#define RATE_UNIT_NAMES "cpu_second, wall_minute, step, request, egress_gib"

static const struct {
	const char *name;
	size_t offset;
} units[] = {
#define X(unit) { #unit, offsetof(struct rate_card, unit##_ucents) },
	RATE_UNITS(X)
#undef X
};

static uint64_t *rate_of(struct rate_card *card, size_t unit)
{
	return (uint64_t *)((char *)card + units[unit].offset);
}

static uint64_t rate_get(const struct rate_card *card, size_t unit)
{
	return *(const uint64_t *)((const char *)card + units[unit].offset);
}

static size_t rate_unit_find(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == n && memcmp(units[i].name, name, n) == 0)
			break;
	return i;
}

/* Reads one "unit=N" of @n bytes. */
static int rate_item_parse(const char *item, size_t n, const char *field, unsigned int *seen,
			   struct rate_card *card, struct fault *ret_fault)
{
	const char *equals = memchr(item, '=', n);
	char number[32], shown[64];
	size_t unit, digits;

	str_show(item, n, shown, sizeof(shown));
	if (!equals)
		return fault_set(ret_fault, FAULT_USAGE, field, RATE_REMEDY, "'%s' is not UNIT=N",
				 shown);
	unit = rate_unit_find(item, (size_t)(equals - item));
	if (unit == ARRAY_SIZE(units))
		return fault_set(ret_fault, FAULT_USAGE, field, RATE_REMEDY,
				 "'%s' names no unit; the units are " RATE_UNIT_NAMES, shown);
	if (*seen & 1u << unit)
		return fault_set(ret_fault, FAULT_USAGE, field, "name each unit once",
				 "%s is given twice", units[unit].name);
	*seen |= 1u << unit;

	digits = n - (size_t)(equals + 1 - item);
	if (digits < sizeof(number)) {
		memcpy(number, equals + 1, digits);
		number[digits] = 0;
		if (str_to_u64(number, REEVE_RATE_UCENTS_MAX, rate_of(card, unit)))
			return 0;
	}
	return fault_set(ret_fault, FAULT_USAGE, field, RATE_REMEDY,
			 "'%s' has no whole number from 0 to %llu behind '='", shown,
			 REEVE_RATE_UCENTS_MAX);
}

int rate_card_parse(const char *text, const char *field, struct rate_card *ret,
		    struct fault *ret_fault)
{
	struct rate_card card = { 0 };
	unsigned int seen = 0;
	size_t n;
	int r;

	for (;;) {
		n = strcspn(text, ",");
		r = rate_item_parse(text, n, field, &seen, &card, ret_fault);
		if (r)
			return r;
		if (!text[n])
			break;
		text += n + 1;
	}
	*ret = card;
	return 0;
}

int rate_card_check(const struct rate_card *card, const char *field, struct fault *ret_fault)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (rate_get(card, i) > REEVE_RATE_UCENTS_MAX)
			return fault_set(ret_fault, FAULT_USAGE, field, RATE_REMEDY,
					 "%s costs %" PRIu64 " micro-cents; the most is %llu",
					 units[i].name, rate_get(card, i), REEVE_RATE_UCENTS_MAX);
	return 0;
}

bool rate_card_is_free(const struct rate_card *card)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (rate_get(card, i) > 0)
			return false;
	return true;
}
