// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of complaints of one check. While the check walks down, where it is in the document is a
 * chain of links on its stack; only when there is something to say about a place is it made into a
 * JSON pointer. The list is bounded, so that a large document that is wrong everywhere does not
 * become a larger answer: what is above the bound is counted. The list owns its texts.
 */
#include "schema_error.h"

#include <errno.h>
#include <string.h>

#include "../../include/limits.h"

static void place_print(FILE *out, const struct place *place)
{
	const char *key;

	if (!place)
		return;
	place_print(out, place->up);
	fputc('/', out);
	if (!place->key)
		fprintf(out, "%zu", place->index);
	for (key = place->key; key && *key; key++) {
		if (*key == '~' || *key == '/')
			fputs(*key == '~' ? "~0" : "~1", out);
		else
			fputc(*key, out);
	}
}

static char *place_text(const struct place *place)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return NULL;
	if (place)
		place_print(out, place);
	else
		fputc('/', out);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void error_deinit(struct schema_error *error)
{
	free(error->path);
	free(error->message);
	free(error->property);
}

int schema_errors_add(struct schema_errors *errors, const struct place *place, char *message,
		      char *property)
{
	struct schema_error error = { NULL, message, property };
	struct schema_error *items = NULL;

	if (errors->n_items == REEVE_SCHEMA_ERRORS_MAX) {
		errors->n_dropped++;
		error_deinit(&error);
		return 0;
	}
	error.path = place_text(place);
	if (error.path && error.message)
		items = reallocarray(errors->items, errors->n_items + 1, sizeof(*items));
	if (!items) {
		error_deinit(&error);
		return -ENOMEM;
	}
	errors->items = items;
	items[errors->n_items++] = error;
	return 0;
}

void schema_errors_cut(struct schema_errors *errors, size_t n_items, size_t n_dropped)
{
	while (errors->n_items > n_items)
		error_deinit(&errors->items[--errors->n_items]);
	errors->n_dropped = n_dropped;
}

void schema_errors_deinit(struct schema_errors *errors)
{
	schema_errors_cut(errors, 0, 0);
	free(errors->items);
	*errors = (struct schema_errors){ 0 };
}
