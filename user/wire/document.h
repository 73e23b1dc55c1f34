/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Documents for who shows them and has no JSON of its own: read by pointer, and put together member by member. Whether
 * one is valid is its receiver's business.
 */
#ifndef REEVE_DOCUMENT_H
#define REEVE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/fault.h"

struct document;

/* Returns 0, -ENOMEM, or FAULT_E_SET for what is no JSON. */
int document_read(const char *bytes, size_t n, struct document **ret, struct fault *ret_fault);
/* An empty object. Returns 0 or -ENOMEM. */
int document_new(struct document **ret);
void document_free(struct document **document);
#define _cleanup_document_ _cleanup_(document_free)

/*
 * What stands at a JSON pointer. Nothing, null and a value of another type are "", 0 and false; what document_put() has put is
 * a text.
 */
const char *document_text(const struct document *document, const char *pointer);
uint64_t document_number(const struct document *document, const char *pointer);
bool document_is_true(const struct document *document, const char *pointer);
bool document_has(const struct document *document, const char *pointer); /* and no null */
size_t document_count(const struct document *document, const char *pointer);

/*
 * Gives @fn each item of the array "items" as it stands in the text, until it returns what is not 0, which is
 * returned. @bytes is what document_read() has passed.
 */
int document_each_item(const char *bytes, int (*fn)(const char *item, size_t n, void *arg),
		       void *arg);

enum document_kind {
	DOCUMENT_TEXT,
	DOCUMENT_NUMBER, /* a text when it is none: the receiver says what is wrong with it */
	DOCUMENT_TRUE,	 /* whatever the value */
};

/*
 * Puts @value at @pointer, making the objects on the way; the later one of two holds. Returns 0, -ENOMEM, or -EILSEQ
 * for a value that is no UTF-8 and could not arrive as it is.
 */
int document_put(struct document *document, const char *pointer, enum document_kind kind,
		 const char *value);
int document_put_list(struct document *document, const char *key, char *const *values, size_t n);

/* In one line with a newline at its end; *ret is freed by the caller. Returns 0 or -ENOMEM. */
int document_print(const struct document *document, char **ret);

#endif
