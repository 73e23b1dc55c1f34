/* SPDX-License-Identifier: GPL-2.0-only */
/* What requests print, on its way to clients: a part of a log, or all of it as it grows. */
#ifndef REEVE_OUTPUTS_H
#define REEVE_OUTPUTS_H

#include "http.h"

struct event_base;
struct outputs;

struct outputs_args {
	/* Opens a log for reading: 0 with *ret_fd, which is -1 while there is none yet; or -errno. */
	int (*open)(const char *request_id, bool errors, int *ret_fd, void *arg);
	void *arg;
};

int outputs_new(struct event_base *base, const struct outputs_args *args, struct outputs **ret);
void outputs_free(struct outputs **outputs);

struct outputs_part {
	const char *request_id;
	bool errors;
	int fd; /* taken over when 0 is returned; -1 for a log that there is none of yet */
	uint64_t offset, length;
	bool follow; /* past @length, until the request is finished */
	int status;
};

/* Takes the exchange over. Returns 0 or -errno, the exchange then untouched. */
int outputs_send(struct outputs *outputs, struct exchange *exchange, const struct outputs_part *part);

/* Something happened to the request: it may have a log now, or one that grows no more. */
void outputs_note(struct outputs *outputs, const char *request_id, bool is_finished);

/*
 * The part of @size bytes that a Range field asks for. Returns 1 with it, 0 when the whole is to be sent (RFC 9110 lets
 * a server pass over several parts and other units), -ERANGE when there is no such part.
 */
int outputs_range(const char *range, uint64_t size, uint64_t *ret_offset, uint64_t *ret_length);

#endif
