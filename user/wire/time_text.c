// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times as documents have them. Four digits of year are all that the form has, so that a clock beyond its
 * last millisecond shows that one, and the document stays valid.
 */
#include "time_text.h"

#include <time.h>

#define LAST_MS 253402300799999ull /* 9999-12-31T23:59:59.999Z */

void time_text(uint64_t unix_ms, char ret[TIME_TEXT_SIZE])
{
	uint64_t ms = unix_ms < LAST_MS ? unix_ms : LAST_MS;
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(ret, TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	/* behind the nineteen characters up to the seconds */
	snprintf(ret + 19, TIME_TEXT_SIZE - 19, ".%03uZ", (unsigned int)(ms % 1000));
}

bool json_add_time(cJSON *object, const char *key, uint64_t unix_ms)
{
	char text[TIME_TEXT_SIZE];

	if (!unix_ms)
		return json_add_null(object, key);
	time_text(unix_ms, text);
	return json_add_text(object, key, text);
}
