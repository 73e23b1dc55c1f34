/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is written down of a no: a counter for each reason, and one event in the session's ring. An event
 * that does not fit is counted as lost; the counters stay exact.
 */
#ifndef REEVE_REPORT_BPF_H
#define REEVE_REPORT_BPF_H

#include "maps.bpf.h"
#include <bpf/bpf_endian.h>

#include "decide.h"

#define AF_INET 2
#define AF_INET6 10

struct session {
	__u64 cgroup;
	struct policy *policy;
	struct usage *usage; /* never NULL after session_find() but on a host without its key 0 */
};

/* What a hook saw, for the event. */
struct attempt {
	enum event_hook hook;
	__u16 family;
	__u16 port;
	__u32 protocol;
	struct decide_addr given; /* IPv4 as v4-mapped */
};

static __always_inline void session_count(struct session *session, enum reason reason)
{
	__u32 index = reason - 1;

	if (!session->usage)
		return;
	/* a reason that the operator wrote into a map may be any number */
	if (index >= REASON_COUNT - 1)
		index = REASON_OPERATOR - 1;
	barrier_var(index);
	if (index < REASON_COUNT - 1)
		__sync_fetch_and_add((__u64 *)&session->usage->denials + index, 1);
}

static __always_inline struct decide_addr addr_from_be(const __be32 *be)
{
	struct decide_addr addr = {
		(__u64)bpf_ntohl(be[0]) << 32 | bpf_ntohl(be[1]),
		(__u64)bpf_ntohl(be[2]) << 32 | bpf_ntohl(be[3]),
	};

	return addr;
}

static __always_inline void event_addr(__u8 *to, const struct decide_addr *addr)
{
	__u64 hi = bpf_cpu_to_be64(addr->hi), lo = bpf_cpu_to_be64(addr->lo);

	__builtin_memcpy(to, &hi, 8);
	__builtin_memcpy(to + 8, &lo, 8);
}

static __always_inline void event_given(struct event *event, const struct attempt *attempt)
{
	__u64 first = (__u64)bpf_htonl((__u32)attempt->given.lo);

	if (attempt->family != AF_INET) {
		event_addr(event->given, &attempt->given);
		return;
	}
	__builtin_memset(event->given, 0, sizeof(event->given));
	__builtin_memcpy(event->given, &first, 4);
}

/* Not inlined: one copy an object keeps the hooks short. @process says whether current is the sender. */
static __noinline int session_report(struct session *session, struct attempt *attempt,
				     enum reason reason, int process)
{
	struct decide_addr decoded = decide_decode(&attempt->given);
	struct event *event;
	void *ring;

	/* a cgroup without a session has nobody who would read; its counter tells */
	if (!session->policy || !session->usage)
		return 0;
	ring = bpf_map_lookup_elem(&events, &session->policy->ring);
	event = ring ? bpf_ringbuf_reserve(ring, sizeof(*event), 0) : NULL;
	if (!event) {
		__sync_fetch_and_add(&session->usage->events_lost, 1);
		return 0;
	}
	event->time_ns = bpf_ktime_get_ns();
	event->cgroup = session->cgroup;
	event->generation = session->policy->generation;
	event->reason = reason;
	event->hook = attempt->hook;
	event->family = attempt->family;
	event->port = attempt->port;
	event->protocol = attempt->protocol;
	event->pad = 0;
	event->pid = 0;
	__builtin_memset(event->comm, 0, sizeof(event->comm));
	event_given(event, attempt);
	event_addr(event->decoded, &decoded);
	if (process) {
		event->pid = bpf_get_current_pid_tgid() >> 32;
		bpf_get_current_comm(event->comm, sizeof(event->comm));
	}
	bpf_ringbuf_submit(event, 0);
	return 0;
}

#endif
