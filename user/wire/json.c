// SPDX-License-Identifier: GPL-2.0-only
/*
 * Documents as cJSON trees. A tree exists only for a text that json_scan has passed, so that what
 * is checked here is what a text alone does not show: a key that comes twice, a number that no
 * double holds.
 *
 * Integers go out as raw text, since a double keeps 53 bits of them. Text of unknown origin goes
 * out as valid UTF-8: each byte that is no part of a character becomes U+FFFD, and so does a zero,
 * which readers in C would take for the end. The json_add_* functions return false when memory is
 * out; the tree is then incomplete and only good for json_free.
 */
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../base/str.h"
#include "../base/utf8.h"

static int key_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, because a document of 1 MiB has room for 100,000 keys. */
static int keys_check(const cJSON *object, const struct json_origin *origin, struct fault *ret_fault)
{
	size_t n = (size_t)cJSON_GetArraySize(object), i = 0;
	_cleanup_free_ const char **keys = NULL;
	const cJSON *member;
	char shown[64];

	if (n < 2)
		return 0;
	keys = malloc(n * sizeof(*keys));
	if (!keys)
		return -ENOMEM;
	cJSON_ArrayForEach(member, object)
		keys[i++] = member->string;
	qsort(keys, n, sizeof(*keys), key_compare);
	for (i = 1; i < n; i++) {
		if (strcmp(keys[i - 1], keys[i]) != 0)
			continue;
		str_show(keys[i], strlen(keys[i]), shown, sizeof(shown));
		return fault_set(ret_fault, origin->code, "/", "give each key once",
				 "%s has the key \"%s\" twice in one object", origin->what, shown);
	}
	return 0;
}

/* Recursion is bounded by the depth that json_scan let pass. */
static int tree_check(const cJSON *tree, const struct json_origin *origin, struct fault *ret_fault)
{
	const cJSON *item;
	int r;

	if (cJSON_IsNumber(tree) && !isfinite(tree->valuedouble))
		return fault_set(ret_fault, origin->code, "/", origin->remedy,
				 "%s has a number that is too large", origin->what);
	r = cJSON_IsObject(tree) ? keys_check(tree, origin, ret_fault) : 0;
	if (r)
		return r;
	cJSON_ArrayForEach(item, tree) {
		r = tree_check(item, origin, ret_fault);
		if (r)
			return r;
	}
	return 0;
}

int json_parse(const char *bytes, size_t n, const struct json_origin *origin, cJSON **ret,
	       struct fault *ret_fault)
{
	_cleanup_json_ cJSON *tree = NULL;
	int r;

	r = json_scan(bytes, n, origin, ret_fault);
	if (r)
		return r;
	tree = cJSON_ParseWithLength(bytes, n);
	if (!tree)
		return -ENOMEM;
	r = tree_check(tree, origin, ret_fault);
	if (r)
		return r;
	*ret = tree;
	tree = NULL;
	return 0;
}

bool json_add_u64(cJSON *object, const char *key, uint64_t value)
{
	char number[24];

	snprintf(number, sizeof(number), "%" PRIu64, value);
	return cJSON_AddRawToObject(object, key, number);
}

bool json_add_u64_or_null(cJSON *object, const char *key, uint64_t value, uint64_t none)
{
	return value == none ? json_add_null(object, key) : json_add_u64(object, key, value);
}

bool json_add_bool(cJSON *object, const char *key, bool value)
{
	return cJSON_AddBoolToObject(object, key, value);
}

bool json_add_null(cJSON *object, const char *key)
{
	return cJSON_AddNullToObject(object, key);
}

/* A copy as valid UTF-8 without zeros; never more characters than @bytes has bytes. */
static char *text_clean(const char *bytes, size_t n)
{
	char *clean = malloc(n * UTF8_BYTES_MAX + 1), *at = clean;
	uint32_t code_point;
	size_t len;

	if (!clean)
		return NULL;
	while (n > 0) {
		len = utf8_decode(bytes, n, &code_point);
		if (len && code_point) {
			memcpy(at, bytes, len);
			at += len;
		} else {
			at += utf8_encode(UTF8_REPLACEMENT, at);
			len = 1;
		}
		bytes += len;
		n -= len;
	}
	*at = 0;
	return clean;
}

bool json_add_bytes(cJSON *object, const char *key, const char *bytes, size_t n)
{
	_cleanup_free_ char *clean = text_clean(bytes, n);

	return clean && cJSON_AddStringToObject(object, key, clean);
}

bool json_add_text(cJSON *object, const char *key, const char *value)
{
	return value ? json_add_bytes(object, key, value, strlen(value)) : json_add_null(object, key);
}

bool json_append_text(cJSON *array, const char *value)
{
	_cleanup_free_ char *clean = text_clean(value, strlen(value));
	cJSON *item = clean ? cJSON_CreateString(clean) : NULL;

	/* takes the item over; false, without a leak, when there is none */
	return cJSON_AddItemToArray(array, item);
}

void json_show(const cJSON *value, char *ret, size_t size)
{
	_cleanup_free_ char *text = cJSON_PrintUnformatted(value);

	str_show(text ? text : "?", text ? strlen(text) : 1, ret, size);
}

void json_free(cJSON **tree)
{
	cJSON_Delete(*tree);
	*tree = NULL;
}

int json_print(const cJSON *tree, bool pretty, char **ret)
{
	char *text = pretty ? cJSON_Print(tree) : cJSON_PrintUnformatted(tree), *line;
	size_t n;

	if (!text)
		return -ENOMEM;
	n = strlen(text);
	line = realloc(text, n + 2);
	if (!line) {
		free(text);
		return -ENOMEM;
	}
	memcpy(line + n, "\n", 2);
	*ret = line;
	return 0;
}
