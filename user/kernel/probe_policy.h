/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the hooks must refuse, and what they must let through, tried for real in a session's cgroup and
 * network namespace, each hook by something that no other of them stops.
 */
#ifndef REEVE_PROBE_POLICY_H
#define REEVE_PROBE_POLICY_H

#include "guard.h"

enum probe_act {
	PROBE_CONNECT_V4,
	PROBE_CONNECT_V6,
	PROBE_CONNECT_MAPPED, /* IPv4 by an IPv6 socket */
	PROBE_DATAGRAM_V4,
	PROBE_DATAGRAM_V6,
	PROBE_BIND_V4,
	PROBE_BIND_V6,
	PROBE_RAW_SOCKET,
	PROBE_SOCKET_OPTION,
	PROBE_DEVICE,
	PROBE_SYSCTL,
	PROBE_LOOPBACK_V4, /* the twins: these must succeed */
	PROBE_LOOPBACK_V6,
	PROBE_ANSWER_V4, /* a datagram of the resolver bears the address that was asked */
	PROBE_ANSWER_V6,
	PROBE_PEER_NAME_V4, /* likewise the name of a connected socket's peer */
	PROBE_PEER_NAME_V6,
	PROBE_NULL_DEVICE,
	PROBE_PACKET_OUT,   /* a connected socket, while the session is paused */
	PROBE_PACKET_IN,    /* a datagram of a socket that is not the session's, meanwhile */
	PROBE_UNIX_CONNECT, /* meanwhile */
	PROBE_UNIX_DATAGRAM,
	PROBE_ACT_COUNT,
};

struct probe_outcome {
	int err;	  /* positive errno; 0: it went through */
	uint64_t counted; /* by how much the counter of the expected reason rose */
};

/* What must have stopped it; REASON_OK for a twin. */
enum reason probe_act_reason(enum probe_act act);

/* Whether the outcome is what it must be: that errno, and counted once under that reason. */
bool probe_act_holds(enum probe_act act, const struct probe_outcome *outcome);

struct probe_stage {
	const struct guard *guard;
	uint64_t session; /* the id of its cgroup */
	int cgroup_fd;	  /* in it, or below */
	int netns_fd;	  /* with loopback only */
};

/*
 * Tries every act in one child, the policy of the session being @policy in the state that the act needs;
 * it is paused afterwards. Returns 0, -errno or FAULT_E_SET when they could not be tried, or
 * -ENOTRECOVERABLE as netns_make() does.
 */
int probe_policy(const struct probe_stage *stage, const struct policy *policy,
		 struct probe_outcome ret[PROBE_ACT_COUNT], struct fault *ret_fault);

#endif
