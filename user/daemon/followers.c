// SPDX-License-Identifier: GPL-2.0-only
/*
 * A subscriber is a cursor: the number of the last event that it was given or that was not for it. What is published
 * goes to it at once when it is the next number and there is room; otherwise the subscriber is behind, and reads on from
 * the ledger as its client makes room. So there is no seam between the two to lose or double an event at, a slow
 * client costs a bounded buffer, and numbers that other processes wrote are found all the same.
 *
 * A client that takes nothing at all is cut by its connection and comes back with the last number it saw. The first thing it is
 * sent is that number, so that it has one from the start.
 */
#include "followers.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <inttypes.h>
#include <string.h>

#include "../record/ledger.h"
#include "log.h"

#define BATCH 64
/* A client has its whole room again before it is given more than this. */
#define ROOM_MIN 4096

struct subscriber {
	struct followers *followers;
	struct exchange *exchange;
	char session_id[REEVE_SESSION_ID_SIZE]; /* "" for all */
	uint64_t cursor;
	bool is_behind;
	TAILQ_ENTRY(subscriber) entry;
};

TAILQ_HEAD(subscribers, subscriber);

struct followers {
	struct ledger *ledger;
	struct event *heartbeat;
	struct evbuffer *text; /* of the event that is being written */
	struct subscribers subscribers;
	unsigned int n_subscribers;
};

static void text_send(struct subscriber *subscriber)
{
	struct evbuffer *text = subscriber->followers->text;
	size_t n = evbuffer_get_length(text);

	exchange_write(subscriber->exchange, evbuffer_pullup(text, -1), n);
	evbuffer_drain(text, n);
}

/* A line of data for each line of the body: its reader puts them together again. */
static void item_send(struct subscriber *subscriber, const struct followers_item *item)
{
	struct evbuffer *text = subscriber->followers->text;
	const char *at = item->body, *end = item->body + item->n_body;

	evbuffer_add_printf(text, "id: %" PRIu64 "\nevent: %s\n", item->seq, item->type);
	while (end > at && end[-1] == '\n')
		end--;
	do {
		const char *line = memchr(at, '\n', (size_t)(end - at));

		line = line ? line : end;
		evbuffer_add_printf(text, "data: %.*s\n", (int)(line - at), at);
		at = line + 1;
	} while (at <= end);
	evbuffer_add(text, "\n", 1);
	text_send(subscriber);
}

static bool is_for(const struct subscriber *subscriber, const char *session_id)
{
	return !subscriber->session_id[0] || strcmp(subscriber->session_id, session_id) == 0;
}

static bool has_room(const struct subscriber *subscriber, size_t n)
{
	return exchange_is_drained(subscriber->exchange) ||
	       exchange_room(subscriber->exchange) >= n + ROOM_MIN;
}

/* Moves the cursor over what there is no more, saying so. */
static void gap_send(struct subscriber *subscriber, uint64_t next)
{
	evbuffer_add_printf(subscriber->followers->text,
			    "id: %" PRIu64 "\nevent: gap\ndata: {\"after\":%" PRIu64
			    ",\"next\":%" PRIu64 "}\n\n",
			    next - 1, subscriber->cursor, next);
	text_send(subscriber);
	subscriber->cursor = next - 1;
}

struct batch {
	struct subscriber *subscriber;
	size_t n;
	bool is_full;
};

static int batch_take(const struct ledger_event *event, void *arg)
{
	struct batch *batch = arg;
	struct subscriber *subscriber = batch->subscriber;
	struct followers_item item = { event->seq, event->session_id, event->type, event->body,
				       event->n_body };

	batch->is_full = !has_room(subscriber, event->n_body);
	if (batch->is_full)
		return 1;
	batch->n++;
	item_send(subscriber, &item);
	subscriber->cursor = event->seq;
	return 0;
}

/* Returns 1 when there is more to read, 0 when all was read or there is no room. */
static int batch_read(struct subscriber *subscriber)
{
	struct ledger *ledger = subscriber->followers->ledger;
	struct batch batch = { .subscriber = subscriber };
	uint64_t oldest, newest;
	int r = ledger_event_range(ledger, &oldest, &newest);

	if (r)
		return r;
	if (subscriber->cursor > newest)
		gap_send(subscriber, newest + 1);
	if (newest == subscriber->cursor) {
		subscriber->is_behind = false;
		return 0;
	}
	if (subscriber->cursor + 1 < oldest)
		gap_send(subscriber, oldest);
	r = ledger_each_event(ledger, subscriber->session_id[0] ? subscriber->session_id : NULL,
			      subscriber->cursor, BATCH, batch_take, &batch);
	if (r < 0)
		return r;
	subscriber->is_behind = batch.is_full;
	if (batch.is_full)
		return 0;
	/* the others up to the newest that was there before are somebody else's */
	if (batch.n < BATCH && subscriber->cursor < newest)
		subscriber->cursor = newest;
	return 1;
}

static void catch_up(struct subscriber *subscriber)
{
	int r;

	subscriber->is_behind = true;
	do
		r = batch_read(subscriber);
	while (r > 0);
	if (r < 0)
		log_result(LOG_ERROR, "cannot read events", r, NULL);
}

static void on_more(struct exchange *exchange, void *arg)
{
	struct subscriber *subscriber = arg;

	(void)exchange;
	if (subscriber->is_behind)
		catch_up(subscriber);
}

static void on_gone(void *arg)
{
	struct subscriber *subscriber = arg;

	TAILQ_REMOVE(&subscriber->followers->subscribers, subscriber, entry);
	subscriber->followers->n_subscribers--;
	free(subscriber);
}

static const struct http_stream stream = { .more = on_more, .gone = on_gone };

int followers_subscribe(struct followers *followers, struct exchange *exchange,
			const char *session_id, const struct followers_from *from)
{
	struct subscriber *subscriber = calloc(1, sizeof(*subscriber));
	uint64_t oldest, newest;
	int r = subscriber ? ledger_event_range(followers->ledger, &oldest, &newest) : -ENOMEM;

	if (r) {
		free(subscriber);
		return r;
	}
	subscriber->followers = followers;
	subscriber->exchange = exchange;
	subscriber->cursor = from->has_after ? from->after : newest;
	snprintf(subscriber->session_id, sizeof(subscriber->session_id), "%s",
		 session_id ? session_id : "");
	if (exchange_stream(exchange, 200, "text/event-stream", EXCHANGE_LENGTH_UNKNOWN, &stream,
			    subscriber)) {
		free(subscriber);
		return 0;
	}
	TAILQ_INSERT_TAIL(&followers->subscribers, subscriber, entry);
	followers->n_subscribers++;
	evbuffer_add_printf(followers->text, "id: %" PRIu64 "\n\n", subscriber->cursor);
	text_send(subscriber);
	catch_up(subscriber);
	return 0;
}

void followers_publish(struct followers *followers, const struct followers_item *item)
{
	struct subscriber *subscriber;

	TAILQ_FOREACH(subscriber, &followers->subscribers, entry)
	{
		if (subscriber->is_behind || item->seq <= subscriber->cursor)
			continue;
		if (item->seq != subscriber->cursor + 1 || !has_room(subscriber, item->n_body)) {
			catch_up(subscriber);
			continue;
		}
		if (is_for(subscriber, item->session_id))
			item_send(subscriber, item);
		subscriber->cursor = item->seq;
	}
}

/* Shows both ends that the other is there; and finds what another process has put into the ledger. */
static void on_heartbeat(evutil_socket_t fd, short what, void *arg)
{
	struct followers *followers = arg;
	struct subscriber *subscriber;

	(void)fd;
	(void)what;
	TAILQ_FOREACH(subscriber, &followers->subscribers, entry)
	{
		if (!subscriber->is_behind)
			catch_up(subscriber);
		if (exchange_is_drained(subscriber->exchange))
			exchange_write(subscriber->exchange, ":\n\n", 3);
	}
}

int followers_new(struct event_base *base, struct ledger *ledger, unsigned int heartbeat_ms,
		  struct followers **ret)
{
	struct timeval tv = { heartbeat_ms / 1000, (heartbeat_ms % 1000) * 1000 };
	struct followers *followers = calloc(1, sizeof(*followers));

	if (!followers)
		return -ENOMEM;
	TAILQ_INIT(&followers->subscribers);
	followers->ledger = ledger;
	followers->text = evbuffer_new();
	followers->heartbeat = event_new(base, -1, EV_PERSIST, on_heartbeat, followers);
	if (!followers->text || !followers->heartbeat || event_add(followers->heartbeat, &tv)) {
		followers_free(&followers);
		return -ENOMEM;
	}
	*ret = followers;
	return 0;
}

/* Behind http_free(): its streams are gone by then. */
void followers_free(struct followers **followers)
{
	if (!*followers)
		return;
	if ((*followers)->heartbeat)
		event_free((*followers)->heartbeat);
	if ((*followers)->text)
		evbuffer_free((*followers)->text);
	free(*followers);
	*followers = NULL;
}

unsigned int followers_count(const struct followers *followers)
{
	return followers->n_subscribers;
}
