/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What BPF writes and user space reads: the map "usages", keyed like "policies", and the events in the
 * ring buffer of the session's owner. Counters only rise. Key 0 holds what was denied to cgroups without a session.
 */
#ifndef REEVE_USAGE_H
#define REEVE_USAGE_H

#include <linux/types.h>
#include "limits.h"
#include "reason.h"

/* One counter a reason, named so that bpftool prints the names; indexed by enum reason - 1. */
struct denials {
#define X(NAME, name, errno_, stops, text) __u64 name;
	REASONS(X)
#undef X
};

struct usage {
	__u64 cpu_ns;
	__u64 bytes_out; /* IP bytes, headers included, loopback not */
	__u64 bytes_in;
	__u64 events_lost;
	__u64 stopped_generation; /* the policy generation whose cap or deadline was reached */
	__u64 kills;
	struct denials denials;
};

enum event_hook {
	EVENT_CONNECT,
	EVENT_SENDMSG,
	EVENT_BIND,
	EVENT_SOCKET,
	EVENT_PACKET_OUT,
	EVENT_PACKET_IN,
	EVENT_LINK, /* the session's network device on the host */
	EVENT_DEVICE,
	EVENT_SYSCTL,
	EVENT_SOCKOPT,
	EVENT_METER, /* a cap or the deadline was reached */
};

struct event {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 cgroup;  /* the session's */
	__u64 generation;
	enum reason reason;
	enum event_hook hook;
	__u32 pid; /* thread group id; 0 where the hook has no process */
	__u16 family;
	__u16 port;	  /* host byte order; 0 where there is none */
	__u8 given[16];	  /* the address as the caller gave it; IPv4 in the first four bytes */
	__u8 decoded[16]; /* the address that was judged, IPv4 as ::ffff:a.b.c.d */
	__u32 protocol;
	char comm[REEVE_COMM_SIZE];
	__u32 pad;
};

_Static_assert(sizeof(struct denials) == (REASON_COUNT - 1) * 8, "a counter a reason");
_Static_assert(sizeof(struct usage) == 48 + sizeof(struct denials), "no padding in maps");
_Static_assert(sizeof(struct event) == 96, "no padding in events");

#endif
