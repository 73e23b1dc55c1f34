/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_TIME_TEXT_H
#define REEVE_TIME_TEXT_H

#include "json.h"

#define TIME_TEXT_SIZE 25

/* Milliseconds since 1970 as YYYY-MM-DDTHH:MM:SS.mmmZ, the only form that leaves reeve. */
void time_text(uint64_t unix_ms, char ret[TIME_TEXT_SIZE]);

/* The same as a member; null for 0. False when memory is out. */
bool json_add_time(cJSON *object, const char *key, uint64_t unix_ms);

#endif
