/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every reason for a no, once: the enum, the counters' field names, the names in events, JSON and on
 * the command line, the errno that the caller sees, and the text for a person.
 *
 * The errno is EPERM for policy. Where a client does better to believe that something is not there than
 * that it was forbidden, it is the kernel's own errno for that: it then falls back at once. Never
 * ECONNREFUSED: it looks like a dead server.
 *
 * STOPS says whether the reason also stops the session: its processes are killed as they run, but for those
 * that a pause keeps frozen.
 */
#ifndef REEVE_REASON_H
#define REEVE_REASON_H

/* The kernel's numbers, which BPF has no header for; user space asserts them against <errno.h>. */
#define REASON_EPERM 1
#define REASON_EPROTONOSUPPORT 93
#define REASON_EAFNOSUPPORT 97
#define REASON_ENETUNREACH 101

/* X(NAME, name, errno, stops, text): a new reason goes to the end, the numbers are in pinned maps */
#define REASONS(X)                                                                                  \
	X(NO_SESSION, no_session, EPERM, 0, "no session owns this cgroup")                          \
	X(PROOF, proof, EPERM, 0, "start-up proof that the policy denies")                          \
	X(NOT_ARMED, not_armed, EPERM, 1, "the session is not armed")                               \
	X(PAUSED, paused, EPERM, 1, "the session is paused")                                        \
	X(WIPED, wiped, EPERM, 1, "the session was wiped")                                          \
	X(CAP_CPU, cap_cpu, EPERM, 1, "the CPU cap is used up")                                     \
	X(CAP_MONEY, cap_money, EPERM, 1, "the money cap is used up")                               \
	X(DEADLINE, deadline, EPERM, 1, "the time box is over")                                     \
	X(EGRESS_NONE, egress_none, ENETUNREACH, 0, "the egress mode is none")                      \
	X(THIS_HOST, this_host, EPERM, 0, "0.0.0.0/8 and :: mean this host")                        \
	X(LOOPBACK, loopback, EPERM, 0, "loopback outside a network namespace of its own")          \
	X(PRIVATE, private, EPERM, 0, "private network (RFC 1918, RFC 4193)")                       \
	X(SHARED, shared, EPERM, 0, "carrier-grade NAT range (RFC 6598)")                           \
	X(LINK_LOCAL, link_local, EPERM, 0, "link-local, cloud metadata (RFC 3927, RFC 4291)")      \
	X(CLOUD, cloud, EPERM, 0, "address of the cloud's own services")                            \
	X(PROTOCOL, protocol, EPERM, 0, "IETF protocol assignment")                                 \
	X(DOCUMENTATION, documentation, EPERM, 0, "documentation range")                            \
	X(BENCHMARK, benchmark, EPERM, 0, "benchmarking range (RFC 2544)")                          \
	X(TRANSITION, transition, EPERM, 0, "6to4, Teredo, NAT64 or another IPv4 embedding")        \
	X(MULTICAST, multicast, EPERM, 0, "multicast")                                              \
	X(RESERVED, reserved, EPERM, 0, "reserved or not global unicast")                           \
	X(HOST_ADDRESS, host_address, EPERM, 0, "an address of the host itself")                    \
	X(OPERATOR, operator, EPERM, 0, "denied by the operator's configuration")                   \
	X(FAMILY, family, EAFNOSUPPORT, 0, "socket family not offered")                             \
	X(SOCKET_TYPE, socket_type, EPROTONOSUPPORT, 0, "socket type or protocol not offered")      \
	X(PACKET_FORMAT, packet_format, EPERM, 0, "packet other than plain TCP or UDP")             \
	X(BIND, bind, EPERM, 0, "bind to an address that is not loopback or any")                   \
	X(INBOUND, inbound, EPERM, 0, "connection from outside the sandbox")                        \
	X(DEVICE, device, EPERM, 0, "device node not offered")                                      \
	X(SYSCTL, sysctl, EPERM, 0, "sysctl is read-only")                                          \
	X(SOCKET_OPTION, socket_option, EPERM, 0, "socket option could redirect packets")           \
	X(NAME, name, EPERM, 0, "the server's name is not allowed")                                 \
	X(NAME_HIDDEN, name_hidden, EPERM, 0, "no readable server name: none, encrypted, or split") \
	X(ADDRESS_UNKNOWN, address_unknown, EPERM, 0, "no allowed name has this address")           \
	X(PORT, port, EPERM, 0, "port not open in this egress mode")                                \
	X(DNS, dns, EPERM, 0, "encrypted or foreign DNS")

enum reason {
	REASON_OK,
#define X(NAME, name, errno_, stops, text) REASON_##NAME,
	REASONS(X)
#undef X
	REASON_COUNT,
};

/* Whether @reason also kills what still runs. */
static inline int reason_stops(enum reason reason)
{
	switch (reason) {
#define X(NAME, name, errno_, stops, text)                                                         \
	case REASON_##NAME:                                                                        \
		return stops;
		REASONS(X)
#undef X
	default:
		return 0;
	}
}

/* The positive errno that the caller of a denied call sees. */
static inline int reason_errno(enum reason reason)
{
	switch (reason) {
#define X(NAME, name, errno_, stops, text)                                                         \
	case REASON_##NAME:                                                                        \
		return REASON_##errno_;
		REASONS(X)
#undef X
	default:
		return REASON_EPERM;
	}
}

#endif
