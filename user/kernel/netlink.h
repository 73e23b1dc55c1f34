/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests over netlink, with the kernel's own errno as the answer. */
#ifndef REEVE_NETLINK_H
#define REEVE_NETLINK_H

#include <netlink/msg.h>
#include <netlink/netlink.h>

#include <stdbool.h>

#include "../base/macro.h"

/*
 * Opens a socket of @protocol (NETLINK_ROUTE, NETLINK_NETFILTER) in the calling thread's network
 * namespace; it stays there when the thread leaves. Returns 0 or -errno.
 */
int netlink_open(int protocol, struct nl_sock **ret);
void netlink_close(struct nl_sock **sock);
void netlink_msg_free(struct nl_msg **msg);
#define _cleanup_netlink_ _cleanup_(netlink_close)
#define _cleanup_msg_ _cleanup_(netlink_msg_free)

/*
 * A message with the fixed header @header of @n bytes in it. NULL when there is no memory; so does
 * each nla_put() on it say, whose results may be added up with | and checked once.
 */
struct nl_msg *netlink_msg(int type, int flags, const void *header, size_t n);

/* Sends @msg and waits for the kernel's answer. Returns 0 or -errno. */
int netlink_do(struct nl_sock *sock, struct nl_msg *msg);

/*
 * Sends @msg and calls @fn for each message of the answer, then waits for its end. A negative
 * result of @fn is returned once all was read. Returns 0 or -errno; -EAGAIN when the kernel's state
 * changed meanwhile, so that the answer is no consistent picture and the caller asks again.
 */
int netlink_ask(struct nl_sock *sock, struct nl_msg *msg,
		int (*fn)(struct nlmsghdr *header, void *arg), void *arg);

/*
 * A descriptor (CLOEXEC, non-blocking) that gets what the kernel tells the multicast groups @groups
 * (ends with 0). Returns 0 or -errno.
 */
int netlink_listen(int protocol, const unsigned int *groups, int *ret_fd);

/*
 * Empties such a descriptor through @fn, which says whether a message matters. *ret_matters is also
 * true when messages were lost. Returns 0 or -errno.
 */
int netlink_drain(int fd, bool (*fn)(struct nlmsghdr *header), bool *ret_matters);

#endif
