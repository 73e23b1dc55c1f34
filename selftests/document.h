/* SPDX-License-Identifier: GPL-2.0-only */
/* Documents and schemas for tests: what cannot be read ends the test, and says what it was. */
#ifndef REEVE_SELFTESTS_DOCUMENT_H
#define REEVE_SELFTESTS_DOCUMENT_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "../user/base/io.h"
#include "../user/wire/json.h"
#include "../user/wire/schema.h"
#include "schemas.h"
#include "test.h"

#define DOCUMENT_BYTES_MAX (4 * 1024 * 1024)

static inline char *document_bytes(const char *path)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *bytes = NULL;
	size_t n;

	if (fd < 0)
		printf("%s\n", path);
	ASSERT_GE(fd, 0);
	ASSERT_OK(io_read_all(fd, DOCUMENT_BYTES_MAX, &bytes, &n));
	return bytes;
}

static inline cJSON *document_parse(const char *text, const char *name)
{
	static const struct json_origin origin = { FAULT_REQUEST, "the document", "mend it" };
	struct fault fault = { 0 };
	cJSON *tree = NULL;

	if (json_parse(text, strlen(text), &origin, &tree, &fault))
		printf("%s: %s\n", name, fault.reason);
	ASSERT_NOT_NULL(tree);
	return tree;
}

static inline cJSON *document_read(const char *path)
{
	_cleanup_free_ char *text = document_bytes(path);

	return document_parse(text, path);
}

static inline const cJSON *document_get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* The text of one of the project's schemas. */
static inline const char *document_schema_text(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++)
		if (strcmp(schemas[i].name, name) == 0)
			return schemas[i].text;
	printf("%s\n", name);
	ASSERT_TRUE(false);
	return NULL;
}

static inline struct schema *document_schema(const char *text)
{
	struct schema *schema = NULL;
	struct fault fault = { 0 };

	if (schema_new(text, strlen(text), &schema, &fault))
		printf("%s\n", fault.reason);
	ASSERT_NOT_NULL(schema);
	return schema;
}

#endif
