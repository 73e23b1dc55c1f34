/* SPDX-License-Identifier: GPL-2.0-only */
/* A client of the daemon for commands: one call at a time, blocking. */
#ifndef REEVE_CLIENT_H
#define REEVE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/fault.h"

struct client;

/* Returns 0, -ENOMEM, or FAULT_E_SET when there is no daemon, or none for this user. */
int client_open(const char *socket, struct client **ret, struct fault *ret_fault);
void client_close(struct client **client);
#define _cleanup_client_ _cleanup_(client_close)

struct client_call {
	const char *verb, *path; /* the path with its query, escaped */
	const char *body;	 /* a JSON document, or NULL */
	size_t n_body;
	const char *key;   /* Idempotency-Key, or NULL */
	const char *match; /* If-Match, or NULL */
};

struct client_reply {
	int status;
	char etag[64]; /* "" for none */
	char *body;    /* with a zero behind it */
	size_t n_body;
};
void client_reply_deinit(struct client_reply *reply);
#define _cleanup_client_reply_ _cleanup_(client_reply_deinit)

/*
 * Returns 0 with a reply of success; FAULT_E_SET with what the daemon, or the way to it, had to say; or -ENOMEM. A
 * connection that the daemon closed between two calls is made anew.
 */
int client_do(struct client *client, const struct client_call *call, struct client_reply *ret,
	      struct fault *ret_fault);

/*
 * The same for a reply that comes in pieces: each goes to @fn, which ends it with what is not 0. Returns 0 when the
 * reply was whole or ended so, or as client_do().
 */
int client_follow(struct client *client, const char *path,
		  int (*fn)(const char *bytes, size_t n, void *arg), void *arg,
		  struct fault *ret_fault);

/* Appends @text to the path @ret, escaping what is no plain character of one. False when it does not fit. */
bool client_path_add(char *ret, size_t size, const char *text);

#endif
