// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which sockets may exist and which options may be set on them. The kernel calls the create hook for
 * inet sockets alone; seccomp holds the other families. Unix sockets live in the session's own mount
 * and network namespaces; their hooks only ask whether the session may run.
 */
#include "session.bpf.h"
#include <linux/in.h>
#include <linux/in6.h>

#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define AF_UNIX 1

#define SOL_IP 0
#define SOL_IPV6 41
#define PAGE_SIZE 4096

static __always_inline enum reason socket_reason(const struct bpf_sock *ctx)
{
	if (ctx->family != AF_INET && ctx->family != AF_INET6)
		return REASON_FAMILY;
	if (ctx->type == SOCK_STREAM && ctx->protocol == IPPROTO_TCP)
		return REASON_OK;
	if (ctx->type == SOCK_DGRAM && ctx->protocol == IPPROTO_UDP)
		return REASON_OK;
	return REASON_SOCKET_TYPE;
}

/* Sockets may be made in every state: they are useless until the session is open. */
SEC("cgroup/sock_create")
int reeve_socket(struct bpf_sock *ctx)
{
	struct attempt attempt = {
		.hook = EVENT_SOCKET,
		.family = ctx->family,
		.protocol = ctx->protocol,
	};
	struct session session;

	session_of_current(&session);
	return verdict_call(&session, &attempt,
			    session.policy ? socket_reason(ctx) : REASON_NO_SESSION);
}

/* Options that reroute a packet, forge its source, or let the caller write its headers. */
static __always_inline int option_is_denied(int level, int optname)
{
	if (level == SOL_IP)
		return optname == IP_OPTIONS || optname == IP_HDRINCL || optname == IP_FREEBIND ||
		       optname == IP_TRANSPARENT;
	if (level != SOL_IPV6)
		return 0;
	switch (optname) {
	case IPV6_2292HOPOPTS:
	case IPV6_2292DSTOPTS:
	case IPV6_2292RTHDR:
	case IPV6_2292PKTOPTIONS:
	case IPV6_HDRINCL:
	case IPV6_HOPOPTS:
	case IPV6_RTHDRDSTOPTS:
	case IPV6_RTHDR:
	case IPV6_DSTOPTS:
	case IPV6_TRANSPARENT:
	case IPV6_FREEBIND:
		return 1;
	default:
		return 0;
	}
}

SEC("cgroup/setsockopt")
int reeve_sockopt(struct bpf_sockopt *ctx)
{
	struct attempt attempt = { .hook = EVENT_SOCKOPT, .protocol = ctx->optname };
	enum reason reason = REASON_OK;
	struct session session;

	session_of_current(&session);
	if (!session.policy)
		reason = REASON_NO_SESSION;
	else if (option_is_denied(ctx->level, ctx->optname))
		reason = REASON_SOCKET_OPTION;
	/* a longer value was not copied whole: 0 tells the kernel to take the caller's own */
	if (ctx->optlen > PAGE_SIZE)
		ctx->optlen = 0;
	return verdict_call(&session, &attempt, reason);
}

static __always_inline int unix_verdict(enum event_hook hook)
{
	struct attempt attempt = { .hook = hook, .family = AF_UNIX };
	struct session session;
	enum reason reason;

	session_of_current(&session);
	reason = session_state(&session, bpf_ktime_get_coarse_ns());
	return verdict_call(&session, &attempt, reason);
}

/* Since 6.7 (kernel commit 859051dd165e); the loader leaves them out where the kernel has no such hook. */
SEC("reeve/connect_unix")
int reeve_unix_conn(struct bpf_sock_addr *ctx)
{
	return unix_verdict(EVENT_CONNECT);
}

SEC("reeve/sendmsg_unix")
int reeve_unix_send(struct bpf_sock_addr *ctx)
{
	return unix_verdict(EVENT_SENDMSG);
}
