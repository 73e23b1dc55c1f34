// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tree behind a name, so that the layers that show documents see no cJSON. Reading never fails: what a
 * document lacks is shown as empty, since an older or newer daemon may be at the other end.
 *
 * Items of a list are cut out of the text and not printed from the tree: what one daemon gave goes on byte by
 * byte, with every digit of its numbers.
 */
#include "document.h"

#include <errno.h>
#include <string.h>

#include "../base/str.h"
#include "../base/utf8.h"
#include "json.h"

struct document {
	cJSON *root;
};

static const struct json_origin origin = { FAULT_HOST, "the reply", "see what listens there" };

int document_read(const char *bytes, size_t n, struct document **ret, struct fault *ret_fault)
{
	_cleanup_document_ struct document *document = calloc(1, sizeof(*document));
	int r = document ? json_parse(bytes, n, &origin, &document->root, ret_fault) : -ENOMEM;

	if (r)
		return r;
	*ret = document;
	document = NULL;
	return 0;
}

int document_new(struct document **ret)
{
	_cleanup_document_ struct document *document = calloc(1, sizeof(*document));

	if (document)
		document->root = cJSON_CreateObject();
	if (!document || !document->root)
		return -ENOMEM;
	*ret = document;
	document = NULL;
	return 0;
}

void document_free(struct document **document)
{
	if (!*document)
		return;
	json_free(&(*document)->root);
	free(*document);
	*document = NULL;
}

/* Keys are those of our own schemas: none has a "~" to be unescaped. */
static cJSON *find(const struct document *document, const char *pointer)
{
	cJSON *at = document->root;

	while (at && *pointer == '/') {
		char key[64];
		uint64_t index;
		size_t n = strcspn(++pointer, "/");

		if (n >= sizeof(key))
			return NULL;
		memcpy(key, pointer, n);
		key[n] = 0;
		pointer += n;
		if (cJSON_IsObject(at))
			at = cJSON_GetObjectItemCaseSensitive(at, key);
		else if (cJSON_IsArray(at) && str_to_u64(key, INT32_MAX, &index))
			at = cJSON_GetArrayItem(at, (int)index);
		else
			at = NULL;
	}
	return at;
}

const char *document_text(const struct document *document, const char *pointer)
{
	const cJSON *item = find(document, pointer);

	/* raw: a number that document_put() has put */
	return cJSON_IsString(item) || cJSON_IsRaw(item) ? item->valuestring : "";
}

uint64_t document_number(const struct document *document, const char *pointer)
{
	const cJSON *item = find(document, pointer);

	if (!cJSON_IsNumber(item) || item->valuedouble < 0)
		return 0;
	return item->valuedouble < 0x1p63 ? (uint64_t)item->valuedouble : 1ull << 63;
}

bool document_is_true(const struct document *document, const char *pointer)
{
	return cJSON_IsTrue(find(document, pointer));
}

bool document_has(const struct document *document, const char *pointer)
{
	const cJSON *item = find(document, pointer);

	return item && !cJSON_IsNull(item);
}

size_t document_count(const struct document *document, const char *pointer)
{
	const cJSON *item = find(document, pointer);

	return cJSON_IsArray(item) ? (size_t)cJSON_GetArraySize(item) : 0;
}

/* Behind the string that begins at @at. */
static const char *string_end(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		at += *at == '\\' && at[1];
	return at + (*at == '"');
}

/* The comma or the bracket that ends the value at @at. */
static const char *value_end(const char *at)
{
	unsigned int depth = 0;

	while (*at) {
		if (depth == 0 && strchr(",]}", *at))
			return at;
		if (*at == '"') {
			at = string_end(at);
			continue;
		}
		depth += strchr("[{", *at) ? 1u : 0u;
		depth -= strchr("]}", *at) ? 1u : 0u;
		at++;
	}
	return at;
}

static const char *items_begin(const char *bytes)
{
	static const char key[] = "\"items\"";
	const char *at = strchr(bytes, '{');

	while (at && *at) {
		bool is_it;

		at += 1 + strspn(at + 1, " \t\r\n");
		is_it = strncmp(at, key, sizeof(key) - 1) == 0;
		if (*at != '"')
			return NULL;
		at = string_end(at);
		at += strspn(at, " \t\r\n:");
		if (is_it)
			return *at == '[' ? at + 1 : NULL;
		at = value_end(at);
	}
	return NULL;
}

int document_each_item(const char *bytes, int (*fn)(const char *item, size_t n, void *arg), void *arg)
{
	const char *at = items_begin(bytes), *end;
	int r = 0;

	while (!r && at) {
		at += strspn(at, " \t\r\n");
		end = value_end(at);
		if (end > at)
			r = fn(at, (size_t)(end - at), arg);
		at = *end == ',' ? end + 1 : NULL;
	}
	return r;
}

static cJSON *value_make(enum document_kind kind, const char *value)
{
	struct fault fault = {};
	bool number = kind == DOCUMENT_NUMBER && (*value == '-' || (*value >= '0' && *value <= '9'));

	if (kind == DOCUMENT_TRUE)
		return cJSON_CreateTrue();
	if (number && json_scan(value, strlen(value), &origin, &fault) == 0)
		return cJSON_CreateRaw(value);
	return cJSON_CreateString(value);
}

static int member_put(cJSON *object, const char *key, cJSON *value)
{
	if (!value)
		return -ENOMEM;
	cJSON_DeleteItemFromObjectCaseSensitive(object, key);
	if (cJSON_AddItemToObject(object, key, value))
		return 0;
	cJSON_Delete(value);
	return -ENOMEM;
}

int document_put(struct document *document, const char *pointer, enum document_kind kind,
		 const char *value)
{
	cJSON *object = document->root;
	size_t n;

	if (value && !utf8_is_valid(value, strlen(value), &n))
		return -EILSEQ;
	for (pointer++; strchr(pointer, '/'); pointer += n + 1) {
		char key[64];
		cJSON *below;

		n = strcspn(pointer, "/");
		snprintf(key, sizeof(key), "%.*s", (int)n, pointer);
		below = cJSON_GetObjectItemCaseSensitive(object, key);
		object = below ? below : cJSON_AddObjectToObject(object, key);
		if (!object)
			return -ENOMEM;
	}
	return member_put(object, pointer, value_make(kind, value));
}

int document_put_list(struct document *document, const char *key, char *const *values, size_t n)
{
	cJSON *list = cJSON_CreateArray();
	size_t bad;

	for (size_t i = 0; list && i < n; i++) {
		if (!utf8_is_valid(values[i], strlen(values[i]), &bad)) {
			cJSON_Delete(list);
			return -EILSEQ;
		}
		if (!json_append_text(list, values[i])) {
			cJSON_Delete(list);
			list = NULL;
		}
	}
	return member_put(document->root, key, list);
}

int document_print(const struct document *document, char **ret)
{
	return json_print(document->root, false, ret);
}
