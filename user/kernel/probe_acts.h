/* SPDX-License-Identifier: GPL-2.0-only */
/* The acts of a probe, each a few system calls; run by probe_policy.c alone. */
#ifndef REEVE_PROBE_ACTS_H
#define REEVE_PROBE_ACTS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "dnssock.h"
#include "probe_policy.h"

/* How long a datagram over loopback may take; what was denied takes all of it. */
#define PROBE_ARRIVAL_MS 20

/* The child that acts. */
struct acting {
	const struct probe_stage *stage;
	struct policy policy;
	struct probe_outcome *outcomes; /* shared with the parent */
	int outside_fd;			/* made outside of the session */
	const struct dnssock *resolver; /* likewise, in the resolver's place */
	int in_fd, out_fd;		/* the session's: bound, and connected to the bound one */
	int unix_fd, unix_peer_fd;	/* the peer is bound to unix_name */
	struct sockaddr_in in;
	struct sockaddr_un unix_name;
	socklen_t unix_len;
};

struct probe_act_row {
	int (*run)(struct acting *a); /* 0 or -errno */
	enum policy_state state;
	enum reason reason; /* that must stop it; REASON_OK: none */
};

/* By enum probe_act, in the order of the states, so that each is entered once. */
extern const struct probe_act_row probe_acts[PROBE_ACT_COUNT];

/* The sockets of @a but the one from outside; while the session is open. Returns 0 or -errno. */
int probe_acts_prepare(struct acting *a);

/* A socket that does not block. Returns the descriptor or -errno. */
int probe_acts_socket(int family, int type, int protocol);

/* Of probe_resolver.c: what the session sees of who answers for a name server that it asks. */
int probe_act_answer_v4(struct acting *a);
int probe_act_answer_v6(struct acting *a);
int probe_act_peer_name_v4(struct acting *a);
int probe_act_peer_name_v6(struct acting *a);

#endif
