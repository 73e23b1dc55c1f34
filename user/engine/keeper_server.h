/* SPDX-License-Identifier: GPL-2.0-only */
/* The keeper's side of the channel of keeper_link.h. */
#ifndef REEVE_KEEPER_SERVER_H
#define REEVE_KEEPER_SERVER_H

#include "keeper_link.h"

struct keeper_server;
struct keeper_server_args {
	/* *ret_note has its state filled in by the callee; what is returned is 0 (taken), LIFE_E_* or -errno. */
	int (*order)(const struct keeper_order *order, const char *args,
		     struct keeper_note *ret_note, void *arg);
	void (*status)(struct keeper_note *ret, void *arg);
	void *arg;
};

int keeper_server_new(struct event_base *base, int listen_fd, const struct keeper_server_args *args,
		      struct keeper_server **ret);
/* Tells everyone who is connected. */
void keeper_server_tell(struct keeper_server *server, const struct keeper_note *note);
/* Tells the end to everyone, also to those whose connection was not taken yet. */
void keeper_server_end(struct keeper_server *server, const struct keeper_end *end);
void keeper_server_free(struct keeper_server *server);

#endif
