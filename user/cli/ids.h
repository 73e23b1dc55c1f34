/* SPDX-License-Identifier: GPL-2.0-only */
/* Ids of sessions and requests by their beginnings, and lists that come in pages. */
#ifndef REEVE_IDS_H
#define REEVE_IDS_H

#include "../daemon/client.h"

#define ID_SIZE 64

/*
 * Completes @text, an id or the beginning of one alone. Returns 0, -ENOMEM, or FAULT_E_SET: there is none, or several, which
 * are named.
 */
int ids_find_session(struct client *client, const char *text, char ret[ID_SIZE],
		     struct fault *ret_fault);
int ids_find_request(struct client *client, const char *text, char ret[ID_SIZE],
		     struct fault *ret_fault);

/* From a function that was given an item: no more of them. */
#define IDS_E_ENOUGH 2

/*
 * Gives @fn each document of the list at @path, those behind @after. Returns 0; or what @fn returned, but for IDS_E_ENOUGH;
 * or as client_do().
 */
int ids_each(struct client *client, const char *path, const char *after,
	     int (*fn)(const char *item, size_t n, void *arg), void *arg, struct fault *ret_fault);

/* Gives @fn the id of each session. */
int ids_each_session(struct client *client, int (*fn)(const char *id, void *arg), void *arg,
		     struct fault *ret_fault);

#endif
