// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue's side of the channel.
 *
 * A socket's name is longer than sockaddr_un takes, so it is reached through the run directory's descriptor.
 * Orders are sent whole or not at all and never wait. One timer watches over the answers: it runs while one is
 * owed, from the moment when the oldest became due, so that whoever hangs is noticed and is told once.
 */
#include "keeper_link.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

struct keeper_link {
	int fd;
	struct event *readable, *silence;
	struct keeper_link_args args;
	uint64_t sent, owed; /* the number of the last order, and how many are without an answer */
	bool greeted;
	union {
		struct keeper_note note;
		struct keeper_end end;
	} received;
};

static int directory_open(int run_fd, bool create)
{
	int fd;

	if (create && mkdirat(run_fd, KEEPER_DIRECTORY, 0700) && errno != EEXIST)
		return -errno;
	fd = openat(run_fd, KEEPER_DIRECTORY, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int address_make(int dir_fd, const char *request_id, struct sockaddr_un *ret)
{
	int n;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", dir_fd, request_id);
	return n < (int)sizeof(ret->sun_path) ? 0 : -ENAMETOOLONG;
}

/* A receive buffer takes the largest order twice over. */
static int socket_make(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

int keeper_socket_listen(int run_fd, const char *request_id, int *ret_fd)
{
	_cleanup_fd_ int dir_fd = directory_open(run_fd, true), fd = socket_make();
	struct sockaddr_un address;
	int r = dir_fd < 0 ? dir_fd : fd < 0 ? fd : address_make(dir_fd, request_id, &address);

	if (r)
		return r;
	if (unlinkat(dir_fd, request_id, 0) && errno != ENOENT)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) ||
	    fchmodat(dir_fd, request_id, 0600, 0) || listen(fd, 16))
		return -errno;
	*ret_fd = fd_take(&fd);
	return 0;
}

void keeper_socket_remove(int run_fd, const char *request_id)
{
	_cleanup_fd_ int dir_fd = directory_open(run_fd, false);

	if (dir_fd >= 0)
		unlinkat(dir_fd, request_id, 0);
}

/* From now on the oldest order that is without an answer has KEEPER_ANSWER_MS. */
static void silence_begin(struct keeper_link *link)
{
	const struct timeval wait = {
		.tv_sec = KEEPER_ANSWER_MS / 1000,
		.tv_usec = KEEPER_ANSWER_MS % 1000 * 1000,
	};

	if (!event_pending(link->silence, EV_TIMEOUT, NULL))
		event_add(link->silence, &wait);
}

static void silence_over(int fd, short what, void *arg)
{
	struct keeper_link *link = arg;

	(void)fd;
	(void)what;
	link->args.silent(link->args.arg);
}

static void answer_seen(struct keeper_link *link, const struct keeper_note *note)
{
	link->greeted = true;
	if (note->order && link->owed)
		link->owed--;
	event_del(link->silence);
	if (link->owed)
		silence_begin(link);
}

static void link_lose(struct keeper_link *link, int err)
{
	event_del(link->readable);
	event_del(link->silence);
	link->args.lost(err, link->args.arg);
}

static void message_read(int fd, short what, void *arg)
{
	struct keeper_link *link = arg;
	const struct keeper_note *note = &link->received.note;
	ssize_t n = recv(fd, &link->received, sizeof(link->received), MSG_DONTWAIT);

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		link_lose(link, n < 0 ? -errno : -ECONNRESET);
		return;
	}
	if (n < (ssize_t)(2 * sizeof(uint32_t)) || note->version != KEEPER_VERSION ||
	    n != (ssize_t)(note->kind == KEEPER_ENDED ? sizeof(struct keeper_end)
						      : sizeof(struct keeper_note))) {
		link_lose(link, -EPROTO);
		return;
	}
	answer_seen(link, note);
	if (note->kind == KEEPER_ENDED) {
		event_del(link->readable);
		event_del(link->silence);
		link->args.ended(&link->received.end, link->args.arg);
	} else {
		link->args.note(note, link->args.arg);
	}
}

int keeper_link_open(struct event_base *base, int run_fd, const char *request_id,
		     const struct keeper_link_args *args, struct keeper_link **ret)
{
	_cleanup_fd_ int dir_fd = directory_open(run_fd, false), fd = socket_make();
	struct sockaddr_un address;
	struct keeper_link *link;
	int r = dir_fd < 0 ? dir_fd : fd < 0 ? fd : address_make(dir_fd, request_id, &address);

	if (r)
		return r;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		return -errno;
	link = calloc(1, sizeof(*link));
	if (!link)
		return -ENOMEM;
	link->fd = fd_take(&fd);
	link->args = *args;
	link->readable = event_new(base, link->fd, EV_READ | EV_PERSIST, message_read, link);
	link->silence = evtimer_new(base, silence_over, link);
	if (!link->readable || !link->silence || event_add(link->readable, NULL)) {
		keeper_link_free(link);
		return -ENOMEM;
	}
	silence_begin(link);
	*ret = link;
	return 0;
}

void keeper_link_free(struct keeper_link *link)
{
	if (!link)
		return;
	if (link->readable)
		event_free(link->readable);
	if (link->silence)
		event_free(link->silence);
	fd_close(&link->fd);
	free(link);
}

int keeper_link_order(struct keeper_link *link, const struct keeper_order *order, const char *args,
		      size_t n_bytes, uint64_t *ret_number)
{
	struct keeper_order head = *order;
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)args, n_bytes } };
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = args ? 2 : 1 };

	head.version = KEEPER_VERSION;
	head.number = link->sent + 1;
	head.n_bytes = args ? (uint32_t)n_bytes : 0;
	if (sendmsg(link->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return -errno;
	link->sent++;
	link->owed++;
	silence_begin(link);
	if (ret_number)
		*ret_number = head.number;
	return 0;
}
