// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of an event stream as HTML has them, but that a line ends with a newline alone, as the daemon sends it. Lines of
 * data are put together; an event that carries only an id is given as well, for a follower begins at it.
 */
#include "sse.h"

#include <errno.h>
#include <string.h>

#include "../base/macro.h"
#include "../base/str.h"

#define BYTES_MAX (16 * 1024 * 1024)

static int add(char **text, size_t *n_text, const char *bytes, size_t n)
{
	char *grown = *n_text + n > BYTES_MAX ? NULL : realloc(*text, *n_text + n + 1);

	if (!grown)
		return -ENOMEM;
	memcpy(grown + *n_text, bytes, n);
	*text = grown;
	*n_text += n;
	grown[*n_text] = 0;
	return 0;
}

/* What stands behind "NAME:" and one blank, or NULL. */
static const char *value_of(const char *line, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(line, name, n) != 0 || line[n] != ':')
		return NULL;
	return line + n + (line[n + 1] == ' ' ? 2 : 1);
}

static int line_take(struct sse *sse, const char *line)
{
	const char *value;

	value = value_of(line, "id");
	if (value)
		str_to_u64(value, INT64_MAX, &sse->id);
	value = value_of(line, "event");
	if (value)
		snprintf(sse->type, sizeof(sse->type), "%s", value);
	value = value_of(line, "data");
	if (!value)
		return 0;
	if (sse->n_data && add(&sse->data, &sse->n_data, "\n", 1))
		return -ENOMEM;
	return add(&sse->data, &sse->n_data, value, strlen(value));
}

static int event_give(struct sse *sse, int (*fn)(const struct sse_event *event, void *arg), void *arg)
{
	const struct sse_event event = {
		.id = sse->id,
		.type = sse->type,
		.data = sse->data ? sse->data : "",
		.n_data = sse->n_data,
	};
	int r = fn(&event, arg);

	sse_reset(sse);
	return r;
}

void sse_reset(struct sse *sse)
{
	sse->n_line = sse->n_data = 0;
	sse->type[0] = 0;
	if (sse->data)
		sse->data[0] = 0;
}

int sse_feed(struct sse *sse, const char *bytes, size_t n,
	     int (*fn)(const struct sse_event *event, void *arg), void *arg)
{
	int r = 0;

	while (!r && n > 0) {
		const char *end = memchr(bytes, '\n', n);
		size_t len = end ? (size_t)(end - bytes) : n;

		r = add(&sse->line, &sse->n_line, bytes, len);
		bytes += len + (end ? 1 : 0);
		n -= len + (end ? 1 : 0);
		if (r || !end)
			continue;
		if (sse->n_line == 0)
			r = event_give(sse, fn, arg);
		else
			r = line_take(sse, sse->line);
		sse->n_line = 0;
	}
	return r;
}

void sse_deinit(struct sse *sse)
{
	free(sse->line);
	free(sse->data);
	*sse = (struct sse){};
}
