// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values as JSON Schema sees them, where that is not as cJSON sees them: 1.0 is an integer, two
 * numbers are equal only when they are the same double (cJSON allows a rounding error), and the two
 * booleans are one type. Nothing is kept.
 */
#include "schema_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/macro.h"

static bool data_is_integer(const cJSON *data)
{
	return cJSON_IsNumber(data) && floor(data->valuedouble) == data->valuedouble;
}

bool data_is(const cJSON *data, const char *type)
{
	static const struct {
		const char *name;
		int bits;
	} types[] = {
		{ "array", cJSON_Array },   { "boolean", cJSON_True | cJSON_False },
		{ "null", cJSON_NULL },	    { "number", cJSON_Number },
		{ "object", cJSON_Object }, { "string", cJSON_String },
	};
	size_t i;

	if (strcmp(type, "integer") == 0)
		return data_is_integer(data);
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].name, type) == 0)
			return data->type & types[i].bits;
	return false;
}

bool data_equal(const cJSON *a, const cJSON *b)
{
	const cJSON *x = a->child, *y = b->child;

	if ((a->type & 0xff) != (b->type & 0xff))
		return false;
	if (cJSON_IsNumber(a))
		return a->valuedouble == b->valuedouble;
	if (cJSON_IsString(a))
		return strcmp(a->valuestring, b->valuestring) == 0;
	if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
		return false;
	for (; x; x = x->next) {
		if (cJSON_IsObject(a))
			y = cJSON_GetObjectItemCaseSensitive(b, x->string);
		if (!y || !data_equal(x, y))
			return false;
		y = y->next;
	}
	return true;
}

const char *data_number_text(double number, char ret[DATA_NUMBER_SIZE])
{
	int places = 1;

	if (fabs(number) < 1e21 && floor(number) == number) {
		snprintf(ret, DATA_NUMBER_SIZE, "%.0f", number);
		return ret;
	}
	do
		snprintf(ret, DATA_NUMBER_SIZE, "%.*g", places, number);
	while (strtod(ret, NULL) != number && ++places <= 17);
	return ret;
}
