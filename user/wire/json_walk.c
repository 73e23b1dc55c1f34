// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers call each other down the tree, which json_parse has bounded in depth. Where a value
 * stands is a chain of places on their stacks, made into text only for a fault; the tree and the
 * places outlive neither the call nor each other. What is shown of a document is cut and made
 * printable.
 */
#include "json_walk.h"

#include <stdarg.h>
#include <string.h>

#include "../base/str.h"

static size_t at_print(const struct json_at *at, char *ret, size_t size)
{
	size_t used = at->parent ? at_print(at->parent, ret, size) : 0;
	int n = 0;

	if (used >= size)
		return used;
	if (at->key)
		n = snprintf(ret + used, size - used, "/%s", at->key);
	else if (at->parent)
		n = snprintf(ret + used, size - used, "/%zu", at->index);
	return used + (size_t)n;
}

void json_at_show(const struct json_at *at, char *ret, size_t size)
{
	snprintf(ret, size, "/");
	at_print(at, ret, size);
}

int json_refuse(struct json_walk *walk, const struct json_at *at, const char *fmt, ...)
{
	char field[sizeof(walk->fault->field)], reason[sizeof(walk->fault->reason)];
	va_list args;

	json_at_show(at, field, sizeof(field));
	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	return fault_set(walk->fault, walk->origin->code, field, walk->origin->remedy, "%s", reason);
}

int json_refuse_value(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		      const char *allowed)
{
	char shown[80];

	json_show(item, shown, sizeof(shown));
	return json_refuse(walk, at, "the value is %s; allowed is %s", shown, allowed);
}

static int refuse_key(struct json_walk *walk, const char *name, const struct json_at *at,
		      const struct json_key *keys, size_t n)
{
	char allowed[512] = "", shown[64];
	size_t len = 0;

	for (size_t i = 0; i < n && len < sizeof(allowed); i++)
		len += (size_t)snprintf(allowed + len, sizeof(allowed) - len, "%s%s", i ? ", " : "",
					keys[i].name);
	str_show(name, strlen(name), shown, sizeof(shown));
	return json_refuse(walk, at, "the key \"%s\" is not known; allowed are %s", shown, allowed);
}

int json_read_object(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		     const struct json_key *keys, size_t n, void *into)
{
	const cJSON *member;
	size_t i;
	int r;

	if (!cJSON_IsObject(item))
		return json_refuse_value(walk, item, at, "an object");
	cJSON_ArrayForEach(member, item) {
		for (i = 0; i < n && strcmp(keys[i].name, member->string) != 0; i++)
			;
		if (i == n)
			return refuse_key(walk, member->string, at, keys, n);
		if (keys[i].nullable && cJSON_IsNull(member))
			continue;
		r = keys[i].read(walk, member, &(struct json_at){ at, keys[i].name, 0 }, into);
		if (r)
			return r;
	}
	return 0;
}

int json_read_array(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		    json_read_fn *read, void *into)
{
	struct json_at element = { .parent = at };
	const cJSON *member;
	int r;

	if (!cJSON_IsArray(item))
		return json_refuse_value(walk, item, at, "an array");
	cJSON_ArrayForEach(member, item) {
		r = read(walk, member, &element, into);
		if (r)
			return r;
		element.index++;
	}
	return 0;
}

int json_read_word(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		   const char *words, unsigned int *ret)
{
	const char *text = cJSON_IsString(item) ? item->valuestring : "", *word = words;
	size_t len, n = strlen(text);
	char allowed[512];

	for (unsigned int place = 0; *word; place++) {
		len = strcspn(word, " ");
		if (len == n && memcmp(word, text, n) == 0) {
			*ret = place;
			return 0;
		}
		word += len + strspn(word + len, " ");
	}
	snprintf(allowed, sizeof(allowed), "one of %.400s%s", words,
		 strlen(words) > 400 ? "..." : "");
	return json_refuse_value(walk, item, at, allowed);
}

int json_read_number(struct json_walk *walk, const cJSON *item, const struct json_at *at,
		     uint64_t max, uint64_t *ret)
{
	double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
	char allowed[64];

	if (value >= 0 && value <= (double)max && value == (double)(uint64_t)value) {
		*ret = (uint64_t)value;
		return 0;
	}
	snprintf(allowed, sizeof(allowed), "a whole number from 0 to %llu", (unsigned long long)max);
	return json_refuse_value(walk, item, at, allowed);
}
