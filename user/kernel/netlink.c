// SPDX-License-Identifier: GPL-2.0-only
/*
 * The few lines that every user of netlink needs. Messages are put together with libnl's core and
 * name the kernel's own attributes. libnl-route, which would hide them, costs each start of the
 * program 240 us as a shared library and 70 us linked in, for its tables of object types; the core
 * 70 and 20. And neither knows nf_tables.
 *
 * libnl folds the kernel's errno into fewer numbers of its own, so the error callback keeps the
 * original here. One request is under way on a socket at a time.
 */
#include "netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <sys/socket.h>

#define DRAIN_BYTES (32 * 1024)

struct answer {
	int (*fn)(struct nlmsghdr *header, void *arg);
	void *arg;
	int result; /* of @fn */
	int error;  /* of the kernel */
	bool done;
};

int netlink_open(int protocol, struct nl_sock **ret)
{
	_cleanup_netlink_ struct nl_sock *sock = nl_socket_alloc();

	if (!sock)
		return -ENOMEM;
	errno = 0;
	if (nl_connect(sock, protocol) < 0)
		return errno ? -errno : -ENOTCONN;
	nl_socket_disable_msg_peek(sock);
	nl_socket_set_msg_buf_size(sock, DRAIN_BYTES);
	*ret = sock;
	sock = NULL;
	return 0;
}

void netlink_close(struct nl_sock **sock)
{
	nl_socket_free(*sock);
	*sock = NULL;
}

void netlink_msg_free(struct nl_msg **msg)
{
	nlmsg_free(*msg);
	*msg = NULL;
}

struct nl_msg *netlink_msg(int type, int flags, const void *header, size_t n)
{
	_cleanup_msg_ struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);
	struct nl_msg *ret = msg;

	if (!msg || nlmsg_append(msg, (void *)header, n, NLMSG_ALIGNTO) < 0)
		return NULL;
	msg = NULL;
	return ret;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct answer *answer = arg;
	int r = answer->fn ? answer->fn(nlmsg_hdr(msg), answer->arg) : 0;

	if (r < 0 && !answer->result)
		answer->result = r;
	return NL_OK;
}

static int on_end(struct nl_msg *msg, void *arg)
{
	struct answer *answer = arg;

	(void)msg;
	answer->done = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	struct answer *answer = arg;

	(void)from;
	answer->error = error->error;
	answer->done = true;
	return NL_STOP;
}

static int ask(struct nl_sock *sock, struct nl_msg *msg, struct answer *answer)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int r = 0;

	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, answer);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, answer);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, answer);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, answer);
	errno = 0;
	if (nl_send_auto(sock, msg) < 0)
		r = errno ? -errno : -EIO;
	while (r >= 0 && !answer->done)
		r = nl_recvmsgs(sock, cb);
	nl_cb_put(cb);
	if (answer->error)
		return answer->error;
	if (r == -NLE_DUMP_INTR)
		return -EAGAIN;
	if (r < 0)
		return errno ? -errno : -EIO;
	return answer->result;
}

int netlink_do(struct nl_sock *sock, struct nl_msg *msg)
{
	struct answer answer = {};

	if (!msg)
		return -ENOMEM;
	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	return ask(sock, msg, &answer);
}

int netlink_ask(struct nl_sock *sock, struct nl_msg *msg,
		int (*fn)(struct nlmsghdr *header, void *arg), void *arg)
{
	struct answer answer = { .fn = fn, .arg = arg };

	if (!msg)
		return -ENOMEM;
	/* A dump ends with NLMSG_DONE, a single answer with the acknowledgement. */
	if (!(nlmsg_hdr(msg)->nlmsg_flags & NLM_F_DUMP))
		nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	return ask(sock, msg, &answer);
}

int netlink_listen(int protocol, const unsigned int *groups, int *ret_fd)
{
	_cleanup_fd_ int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	struct sockaddr_nl self = { .nl_family = AF_NETLINK };

	if (fd < 0 || bind(fd, (struct sockaddr *)&self, sizeof(self)) < 0)
		return -errno;
	for (; *groups; groups++)
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, groups, sizeof(*groups)) < 0)
			return -errno;
	*ret_fd = fd_take(&fd);
	return 0;
}

static bool any_matters(void *bytes, int n, bool (*fn)(struct nlmsghdr *header))
{
	bool matters = false;

	for (struct nlmsghdr *h = bytes; nlmsg_ok(h, n); h = nlmsg_next(h, &n))
		matters |= fn(h);
	return matters;
}

int netlink_drain(int fd, bool (*fn)(struct nlmsghdr *header), bool *ret_matters)
{
	_Alignas(struct nlmsghdr) char bytes[DRAIN_BYTES];
	bool matters = false;

	for (;;) {
		struct sockaddr_nl from = {};
		socklen_t from_len = sizeof(from);
		ssize_t n = recvfrom(fd, bytes, sizeof(bytes), MSG_TRUNC, (struct sockaddr *)&from,
				     &from_len);

		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != ENOBUFS)
			return -errno;
		/* ENOBUFS: the kernel dropped some. Cut short: what is missing may matter. */
		if (n < 0 || n > (ssize_t)sizeof(bytes))
			matters = true;
		else if (from.nl_pid == 0)
			matters |= any_matters(bytes, (int)n, fn);
	}
	*ret_matters = matters;
	return 0;
}
