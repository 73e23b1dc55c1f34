// SPDX-License-Identifier: GPL-2.0-only
/*
 * "reeve request output": bytes as they are, or shown on a terminal. What was had is counted, so that a follower whose daemon
 * went away goes on behind it. A stream may end before its request does: it is the last one when the request was finished
 * before it began.
 */
#include "output.h"

#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/io.h"
#include "call.h"
#include "ids.h"
#include "render.h"
#include "text_show.h"

#define PART_BYTES 4096

struct output_options {
	struct call_options call; /* first: the common options write here */
	bool follow, errors;
};

static int set_follow(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct output_options *)to)->follow = true;
	return 0;
}

static int set_errors(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct output_options *)to)->errors = true;
	return 0;
}

const struct option_row output_options[] = {
	{ "follow", NULL, "and what comes from now on, until it is finished", set_follow, 'f' },
	{ "stderr", NULL, "what it printed to stderr instead", set_errors },
	{},
};

struct printer {
	struct text_stream stream;
	bool shows; /* on a terminal */
	uint64_t had;
	int error;
};

static void part_print(struct printer *printer, const char *bytes, size_t n)
{
	char shown[TEXT_SHOWN_SIZE(PART_BYTES)];

	if (printer->shows) {
		n = text_stream_show(&printer->stream, bytes, n, shown);
		bytes = shown;
	}
	if (!printer->error)
		printer->error = io_write_all(STDOUT_FILENO, bytes, n);
}

static int print(const char *bytes, size_t n, void *arg)
{
	struct printer *printer = arg;

	printer->had += n;
	while (n > 0 && !printer->error) {
		size_t part = n < PART_BYTES ? n : PART_BYTES;

		part_print(printer, bytes, part);
		bytes += part;
		n -= part;
	}
	return printer->error;
}

static int is_finished(struct client *client, const char *id, bool *ret, struct fault *ret_fault)
{
	_cleanup_client_reply_ struct client_reply reply = {};
	_cleanup_document_ struct document *request = NULL;
	char path[128];
	const struct client_call call = { .verb = "GET", .path = path };
	int r;

	snprintf(path, sizeof(path), "/v1/requests/%s", id);
	r = client_do(client, &call, &reply, ret_fault);
	if (!r)
		r = document_read(reply.body, reply.n_body, &request, ret_fault);
	if (!r)
		*ret = strcmp(document_text(request, "/state"), "finished") == 0;
	return r;
}

static int once(const struct output_options *options, struct client *client, const char *id,
		struct printer *printer, struct fault *ret_fault)
{
	char path[192];

	snprintf(path, sizeof(path), "/v1/requests/%s/%s?offset=%llu&follow=%d", id,
		 options->errors ? "stderr" : "stdout", (unsigned long long)printer->had,
		 options->follow);
	return client_follow(client, path, print, printer, ret_fault);
}

static int follow(const struct output_options *options, struct client *client, const char *id,
		  struct printer *printer, struct fault *ret_fault)
{
	bool finished = false, told = false;
	int r = 0;

	while (!finished && !printer->error) {
		uint64_t had = printer->had;
		struct fault fault = {};

		r = is_finished(client, id, &finished, &fault);
		if (!r)
			r = once(options, client, id, printer, &fault);
		if (r && !call_is_lost(&options->call, r, &fault)) {
			*ret_fault = fault;
			return r;
		}
		finished = finished && !r;
		if (r && !told)
			render_fault(&fault);
		told = r;
		if (!finished && printer->had == had)
			usleep(CALL_RETRY_US);
	}
	return r;
}

int command_output(int argc, char **argv)
{
	const struct command *command = command_find("request output");
	struct output_options options = {};
	struct printer printer = {};
	_cleanup_client_ struct client *client = NULL;
	struct fault fault = {};
	char id[ID_SIZE];
	int rest = 0, code;
	int r = call_options_init(&options.call);

	if (!r)
		r = command_parse(command, argc, argv, &options, &rest, &fault);
	if (!r && argc - rest != 1)
		r = fault_set(&fault, FAULT_USAGE, "REQUEST", "see \"reeve request output --help\"",
			      "give one request");
	printer.shows = isatty(STDOUT_FILENO) && !options.call.json;
	if (!r)
		r = client_open(options.call.socket, &client, &fault);
	if (!r)
		r = ids_find_request(client, argv[rest], id, &fault);
	if (!r)
		r = options.follow ? follow(&options, client, id, &printer, &fault)
				   : once(&options, client, id, &printer, &fault);
	if (!r && printer.shows)
		part_print(&printer, "", 0);
	/* a reader that went away has had enough */
	if (!r && printer.error != -EPIPE)
		r = printer.error;
	code = call_end(command, &options.call, r, &fault);
	call_options_deinit(&options.call);
	return code;
}
