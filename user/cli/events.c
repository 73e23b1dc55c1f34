// SPDX-License-Identifier: GPL-2.0-only
/*
 * "reeve events": a stream that never ends by itself. What is kept is all up to the number that the first word of a stream says,
 * and is read from the stream of all sessions, since that of one need never come to that number. A follower
 * remembers the last number, and asks for what is behind it when the daemon comes back.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/str.h"
#include "call.h"
#include "ids.h"
#include "render.h"
#include "render_desk.h"
#include "sse.h"

struct events_options {
	struct call_options call; /* first: the common options write here */
	bool follow, has_after;
	uint64_t after;
};

static int set_follow(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct events_options *)to)->follow = true;
	return 0;
}

static int set_after(void *to, const char *value, struct fault *ret_fault)
{
	struct events_options *options = to;

	options->has_after = true;
	if (str_to_u64(value, INT64_MAX, &options->after))
		return 0;
	return fault_set(ret_fault, FAULT_USAGE, "--after", "give the number of an event",
			 "\"%.64s\" is none", value);
}

const struct option_row events_options[] = {
	{ "follow", NULL, "what happens from now on, until it is interrupted", set_follow, 'f' },
	{ "after", "NUMBER", "what is behind the event of that number", set_after },
	{},
};

struct watch {
	const struct events_options *options;
	struct client *client;
	struct sse sse;
	char session[ID_SIZE]; /* "" for all */
	uint64_t last, end;    /* the number last had, and the one to end with */
	bool has_last;
	struct fault *fault;
};

static int show(struct watch *watch, const struct sse_event *event)
{
	_cleanup_document_ struct document *document = NULL;
	int r = document_read(event->data, event->n_data, &document, watch->fault);

	if (r)
		return r;
	if (strcmp(event->type, "gap") == 0)
		fprintf(stderr, "reeve: events %" PRIu64 " to %" PRIu64 " are kept no longer\n",
			document_number(document, "/after") + 1,
			document_number(document, "/next") - 1);
	else if (watch->session[0] &&
		 strcmp(document_text(document, "/session_id"), watch->session) != 0)
		return 0;
	else if (watch->options->call.json)
		printf("%s\n", event->data);
	else
		render_event_line(event->id, document);
	/* a reader that went away has had enough */
	return fflush(stdout) ? -errno : 0;
}

static int on_event(const struct sse_event *event, void *arg)
{
	struct watch *watch = arg;
	int r = 0;

	if (event->n_data && event->id <= watch->end)
		r = show(watch, event);
	watch->last = event->id;
	watch->has_last = true;
	return r ? r : event->id >= watch->end ? IDS_E_ENOUGH : 0;
}

static int on_bytes(const char *bytes, size_t n, void *arg)
{
	struct watch *watch = arg;

	return sse_feed(&watch->sse, bytes, n, on_event, watch);
}

struct stream {
	struct watch *watch;
	int r;
};

/* The client only knows that it was stopped: why is kept here. */
static int on_part(const char *bytes, size_t n, void *arg)
{
	struct stream *stream = arg;

	stream->r = on_bytes(bytes, n, stream->watch);
	return stream->r;
}

static int stream_read(struct watch *watch, const char *path)
{
	struct stream stream = { .watch = watch };
	char full[192];
	int r;

	sse_reset(&watch->sse);
	if (watch->has_last)
		snprintf(full, sizeof(full), "%s?after=%" PRIu64, path, watch->last);
	else
		snprintf(full, sizeof(full), "%s", path);
	r = client_follow(watch->client, full, on_part, &stream, watch->fault);
	return r ? r : stream.r;
}

/* To the newest one that there was at the beginning. */
static int kept(struct watch *watch)
{
	int r;

	watch->end = 0;
	r = stream_read(watch, "/v1/events");
	if (r != IDS_E_ENOUGH)
		return r;
	watch->end = watch->last;
	watch->last = watch->options->after;
	if (watch->last >= watch->end)
		return 0;
	r = stream_read(watch, "/v1/events");
	return r == IDS_E_ENOUGH ? 0 : r;
}

static int follow(struct watch *watch)
{
	char path[128] = "/v1/events";
	bool told = false;

	watch->end = UINT64_MAX;
	watch->has_last = watch->options->has_after;
	watch->last = watch->options->after;
	if (watch->session[0])
		snprintf(path, sizeof(path), "/v1/sessions/%s/events", watch->session);
	for (;;) {
		uint64_t last = watch->last;
		int r = stream_read(watch, path);

		if (r && !call_is_lost(&watch->options->call, r, watch->fault))
			return r;
		if (r && (!told || watch->last != last))
			render_fault(watch->fault);
		told = r;
		*watch->fault = (struct fault){};
		usleep(CALL_RETRY_US);
	}
}

int command_events(int argc, char **argv)
{
	const struct command *command = command_find("events");
	_cleanup_client_ struct client *client = NULL;
	struct events_options options = {};
	struct fault fault = {};
	struct watch watch = { .options = &options, .fault = &fault };
	int rest = 0, code;
	int r = call_options_init(&options.call);

	if (!r)
		r = command_parse(command, argc, argv, &options, &rest, &fault);
	if (!r && rest + 1 < argc)
		r = fault_set(&fault, FAULT_USAGE, argv[rest + 1], "see \"reeve events --help\"",
			      "reeve events takes one session");
	if (!r)
		r = client_open(options.call.socket, &client, &fault);
	watch.client = client;
	if (!r && rest < argc)
		r = ids_find_session(client, argv[rest], watch.session, &fault);
	if (!r)
		r = options.follow ? follow(&watch) : kept(&watch);
	sse_deinit(&watch.sse);
	code = call_end(command, &options.call, r == -EPIPE ? 0 : r, &fault);
	call_options_deinit(&options.call);
	return code;
}
