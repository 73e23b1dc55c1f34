// SPDX-License-Identifier: GPL-2.0-only
/*
 * libbpf reads the ring; this turns its records into events. A record of another size is another
 * build's and is dropped: the pins of another build are refused before it comes to that.
 */
#include "events.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

struct events {
	struct ring_buffer *ring;
	void (*fn)(const struct event *event, void *arg);
	void *arg;
};

static int record_read(void *arg, void *data, size_t size)
{
	struct events *events = arg;

	if (size == sizeof(struct event))
		events->fn(data, events->arg);
	return 0;
}

int events_new(int ring_fd, void (*fn)(const struct event *event, void *arg), void *arg,
	       struct events **ret)
{
	struct events *events = calloc(1, sizeof(*events));

	if (!events)
		return -ENOMEM;
	events->fn = fn;
	events->arg = arg;
	events->ring = ring_buffer__new(ring_fd, record_read, events, NULL);
	if (!events->ring) {
		int r = -errno;

		free(events);
		return r;
	}
	*ret = events;
	return 0;
}

void events_free(struct events *events)
{
	if (!events)
		return;
	ring_buffer__free(events->ring);
	free(events);
}

int events_fd(const struct events *events)
{
	return ring_buffer__epoll_fd(events->ring);
}

int events_drain(struct events *events)
{
	int r = ring_buffer__consume(events->ring);

	return r < 0 ? r : 0;
}
