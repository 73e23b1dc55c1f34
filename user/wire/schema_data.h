/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_SCHEMA_DATA_H
#define REEVE_SCHEMA_DATA_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Whether @data is of the type that a schema calls @type. */
bool data_is(const cJSON *data, const char *type);

/* Whether two values are the same: numbers by value, objects whatever the order of their keys. */
bool data_equal(const cJSON *a, const cJSON *b);

#define DATA_NUMBER_SIZE 32

/* The number as ECMA-262 prints it, as far as schemas have such numbers. Returns @ret. */
const char *data_number_text(double number, char ret[DATA_NUMBER_SIZE]);

#endif
