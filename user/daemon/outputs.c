// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each sender reads its log as its client makes room, so that memory is bounded whatever its size. One that follows
 * and has sent all waits: for a log, while the request is queued; for the file to change (inotify); for the word
 * that the request is finished. What is read behind that word is the end.
 */
#include "outputs.h"

#include <errno.h>
#include <event2/event.h>
#include <string.h>
#include <sys/inotify.h>

#include "../base/str.h"
#include "log.h"

#define PIECE_BYTES (32 * 1024)

struct sender {
	struct outputs *outputs;
	struct exchange *exchange;
	char request_id[REEVE_SESSION_ID_SIZE];
	int fd, watch; /* -1 for none */
	bool errors, grows;
	uint64_t offset, left; /* left: UINT64_MAX when it follows */
	TAILQ_ENTRY(sender) entry;
};

TAILQ_HEAD(senders, sender);

struct outputs {
	struct outputs_args args;
	int inotify_fd;
	struct event *changed;
	struct senders senders;
};

static void watch_end(struct sender *sender)
{
	struct outputs *outputs = sender->outputs;
	struct sender *other;
	int watch = sender->watch;

	sender->watch = -1;
	if (watch < 0)
		return;
	/* a file has one watch, whoever asked for it */
	TAILQ_FOREACH(other, &outputs->senders, entry)
	if (other->watch == watch)
		return;
	inotify_rm_watch(outputs->inotify_fd, watch);
}

static void sender_free(struct sender *sender)
{
	watch_end(sender);
	TAILQ_REMOVE(&sender->outputs->senders, sender, entry);
	fd_close(&sender->fd);
	free(sender);
}

/* Sends what there is room for; the sender is gone when that was the end. */
static void sender_go_on(struct sender *sender)
{
	static char piece[PIECE_BYTES];
	struct exchange *exchange = sender->exchange;
	size_t room = exchange_room(exchange);
	ssize_t n = 1;

	while (room > 0 && sender->left > 0 && n > 0) {
		size_t want = room < sizeof(piece) ? room : sizeof(piece);

		want = want < sender->left ? want : (size_t)sender->left;
		n = sender->fd < 0 ? 0 : pread(sender->fd, piece, want, (off_t)sender->offset);
		if (n <= 0)
			break;
		exchange_write(exchange, piece, (size_t)n);
		sender->offset += (uint64_t)n;
		sender->left -= sender->left == UINT64_MAX ? 0 : (uint64_t)n;
		room = exchange_room(exchange);
	}
	if (sender->left == 0 || (n == 0 && sender->left == UINT64_MAX && !sender->grows)) {
		sender_free(sender);
		exchange_end(exchange);
	} else if (n < 0 || (n == 0 && sender->left != UINT64_MAX)) {
		/* less than was promised: only a cut connection says so */
		exchange_cut(exchange);
	}
}

static void on_more(struct exchange *exchange, void *arg)
{
	(void)exchange;
	sender_go_on(arg);
}

static void on_gone(void *arg)
{
	sender_free(arg);
}

static const struct http_stream stream = { .more = on_more, .gone = on_gone };

static int watch_begin(struct sender *sender)
{
	char path[64];

	if (sender->fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", sender->fd);
	sender->watch = inotify_add_watch(sender->outputs->inotify_fd, path, IN_MODIFY);
	return sender->watch < 0 ? -errno : 0;
}

int outputs_send(struct outputs *outputs, struct exchange *exchange, const struct outputs_part *part)
{
	struct sender *sender = calloc(1, sizeof(*sender));
	int r;

	if (!sender)
		return -ENOMEM;
	sender->outputs = outputs;
	sender->exchange = exchange;
	sender->fd = part->fd;
	sender->watch = -1;
	sender->errors = part->errors;
	sender->grows = part->follow;
	sender->offset = part->offset;
	sender->left = part->follow ? UINT64_MAX : part->length;
	snprintf(sender->request_id, sizeof(sender->request_id), "%s", part->request_id);
	r = part->follow ? watch_begin(sender) : 0;
	if (r) {
		free(sender);
		return r;
	}
	TAILQ_INSERT_TAIL(&outputs->senders, sender, entry);
	if (exchange_stream(exchange, part->status, "application/octet-stream",
			    part->follow ? EXCHANGE_LENGTH_UNKNOWN : part->length, &stream, sender))
		sender_free(sender);
	else
		sender_go_on(sender);
	return 0;
}

/* A log that is there now is read from here on; a failure shows in what is not sent. */
static void sender_reopen(struct sender *sender)
{
	struct outputs *outputs = sender->outputs;
	int r = 0;

	if (sender->fd < 0)
		r = outputs->args.open(sender->request_id, sender->errors, &sender->fd,
				       outputs->args.arg);
	if (!r && sender->watch < 0 && sender->grows)
		r = watch_begin(sender);
	if (r)
		log_result(LOG_WARN, "cannot follow an output", r, NULL);
}

void outputs_note(struct outputs *outputs, const char *request_id, bool is_finished)
{
	struct sender *sender, *next;

	for (sender = TAILQ_FIRST(&outputs->senders); sender; sender = next) {
		next = TAILQ_NEXT(sender, entry);
		if (!sender->grows || strcmp(sender->request_id, request_id) != 0)
			continue;
		sender->grows = !is_finished;
		sender_reopen(sender);
		if (is_finished)
			watch_end(sender);
		sender_go_on(sender);
	}
}

static void watch_fired(struct outputs *outputs, int watch)
{
	struct sender *sender, *next;

	for (sender = TAILQ_FIRST(&outputs->senders); sender; sender = next) {
		next = TAILQ_NEXT(sender, entry);
		/* events lost to a full queue may have been anyone's */
		if (sender->watch >= 0 && (sender->watch == watch || watch < 0))
			sender_go_on(sender);
	}
}

static void on_changed(evutil_socket_t fd, short what, void *arg)
{
	char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	(void)what;
	while ((n = read(fd, events, sizeof(events))) > 0)
		for (char *at = events; at < events + n;) {
			const struct inotify_event *event = (const struct inotify_event *)at;

			at += sizeof(*event) + event->len;
			watch_fired(arg, event->wd);
		}
}

int outputs_new(struct event_base *base, const struct outputs_args *args, struct outputs **ret)
{
	struct outputs *outputs = calloc(1, sizeof(*outputs));
	int r = 0;

	if (!outputs)
		return -ENOMEM;
	TAILQ_INIT(&outputs->senders);
	outputs->args = *args;
	outputs->inotify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (outputs->inotify_fd < 0)
		r = -errno;
	else
		outputs->changed = event_new(base, outputs->inotify_fd, EV_READ | EV_PERSIST,
					     on_changed, outputs);
	if (!r && (!outputs->changed || event_add(outputs->changed, NULL)))
		r = -ENOMEM;
	if (r) {
		outputs_free(&outputs);
		return r;
	}
	*ret = outputs;
	return 0;
}

/* Behind http_free(): its streams are gone by then. */
void outputs_free(struct outputs **outputs)
{
	if (!*outputs)
		return;
	if ((*outputs)->changed)
		event_free((*outputs)->changed);
	fd_close(&(*outputs)->inotify_fd);
	free(*outputs);
	*outputs = NULL;
}

static bool number_take(const char **at, uint64_t *ret)
{
	char digits[24];
	size_t n = strspn(*at, "0123456789");

	if (n == 0 || n >= sizeof(digits))
		return false;
	memcpy(digits, *at, n);
	digits[n] = 0;
	*at += n;
	return str_to_u64(digits, INT64_MAX, ret);
}

int outputs_range(const char *range, uint64_t size, uint64_t *ret_offset, uint64_t *ret_length)
{
	uint64_t first = 0, last = UINT64_MAX;
	bool has_first, has_last;

	if (strncmp(range, "bytes=", 6) != 0)
		return 0;
	range += 6;
	has_first = number_take(&range, &first);
	if (*range++ != '-')
		return 0;
	has_last = number_take(&range, &last);
	if (*range || (!has_first && !has_last) || (has_first && has_last && last < first))
		return 0;
	if (!has_first) {
		/* the last so many */
		first = last < size ? size - last : 0;
		last = UINT64_MAX;
	}
	if (first >= size)
		return -ERANGE;
	*ret_offset = first;
	*ret_length = (last < size ? last : size - 1) - first + 1;
	return 1;
}
