/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the examination of the host in a process of its own, so that nobody waits for it but who asked. */
#ifndef REEVE_EXAMINER_H
#define REEVE_EXAMINER_H

#include <stddef.h>

struct event_base;
struct examiner;

/* @argv prints the document to its stdout; the strings are the caller's and outlive the examiner. */
int examiner_new(struct event_base *base, const char *const *argv, struct examiner **ret);
/* Ends what is running; who waits is not told. */
void examiner_free(struct examiner **examiner);

/*
 * @done gets the document, or NULL when there was none in time. One examination serves all that ask while it runs.
 * Returns 0 or -errno.
 */
int examiner_ask(struct examiner *examiner, void (*done)(const char *text, size_t n, void *arg),
		 void *arg);

#endif
