// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arguments become one call. What is wrong with a value is said by the daemon alone, whose schema it is.
 *
 * A change is sent with a key of its own, so that sending it again after a lost reply never does it twice.
 */
#include "call.h"

#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/ulid.h"
#include "../daemon/daemon.h"
#include "ids.h"

#define KEY_SIZE (sizeof("cli-") + ULID_LEN)

struct calling {
	const struct command *command;
	const struct call_options *options;
	struct client *client;
	struct fault *fault;
};

static int set_socket(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct call_options *)to)->socket = value;
	return 0;
}

static int set_json(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct call_options *)to)->json = true;
	return 0;
}

static int set_key(void *to, const char *value, struct fault *ret_fault)
{
	(void)ret_fault;
	((struct call_options *)to)->key = value;
	return 0;
}

const struct option_row socket_options[] = {
	{ "socket", "PATH", "where the daemon is (" DAEMON_SOCKET ")", set_socket },
	{},
};

const struct option_row json_options[] = {
	{ "json", NULL, "print documents as the daemon gave them, one a line", set_json },
	{},
};

const struct option_row key_options[] = {
	{ "key", "KEY", "done once, however often it is sent with KEY (a new one)", set_key },
	{},
};

int call_options_init(struct call_options *options)
{
	options->socket = DAEMON_SOCKET;
	return document_new(&options->body);
}

void call_options_deinit(struct call_options *options)
{
	document_free(&options->body);
}

static int show(const struct calling *calling, const char *text, size_t n)
{
	_cleanup_document_ struct document *document = NULL;
	int r;

	while (n && text[n - 1] == '\n')
		n--;
	if (calling->options->json) {
		printf("%.*s\n", (int)n, text);
		return ferror(stdout) ? -EIO : 0;
	}
	r = document_read(text, n, &document, calling->fault);
	if (!r)
		calling->command->call->show(document);
	return r;
}

static int show_item(const char *item, size_t n, void *arg)
{
	return show(arg, item, n);
}

static int list(const struct calling *calling, const char *path)
{
	return ids_each(calling->client, path, "", show_item, (void *)calling, calling->fault);
}

/* The path of the call, for the id @text where it has a place for one. */
static int path_make(const struct calling *calling, const char *text, char *ret, size_t size)
{
	const char *path = calling->command->call->path, *place = strchr(path, '{');
	bool is_request = place && strncmp(place, "{request}", 9) == 0;
	char id[ID_SIZE];
	int r;

	if (!place) {
		snprintf(ret, size, "%s", path);
		return 0;
	}
	r = is_request ? ids_find_request(calling->client, text, id, calling->fault)
		       : ids_find_session(calling->client, text, id, calling->fault);
	if (r)
		return r;
	snprintf(ret, size, "%.*s", (int)(place - path), path);
	if (!client_path_add(ret, size, id))
		return fault_set(calling->fault, FAULT_USAGE, text, "give an id",
				 "this is too long for one");
	snprintf(ret + strlen(ret), size - strlen(ret), "%s", strchr(place, '}') + 1);
	return 0;
}

static int list_of(const char *session_id, void *arg)
{
	const struct calling *calling = arg;
	char path[256];
	int r = path_make(calling, session_id, path, sizeof(path));

	return r ? r : list(calling, path);
}

/* With the key in hand the caller can send it again and be sure. */
static int lost(const char *key, struct fault *fault)
{
	const struct fault was = *fault;

	*fault = (struct fault){};
	return fault_set(
		fault, was.code, was.field,
		"it may have been done or not; with the same arguments and --key it is done once",
		"%s (--key %s)", was.reason, key);
}

static int ask(const struct calling *calling, const char *path)
{
	const struct call *call = calling->command->call;
	_cleanup_client_reply_ struct client_reply reply = {};
	struct client_call sent = { .verb = call->verb, .path = path };
	char key[KEY_SIZE] = "cli-";
	_cleanup_free_ char *body = NULL;
	int r = 0;

	if (call->traits & CALL_BODY) {
		r = document_print(calling->options->body, &body);
		sent.body = body;
		sent.n_body = body ? strlen(body) : 0;
	}
	if (!r && call->traits & CALL_KEY) {
		r = ulid_make(clock_realtime_ms(), key + strlen(key));
		sent.key = calling->options->key ? calling->options->key : key;
	}
	if (!r)
		r = client_do(calling->client, &sent, &reply, calling->fault);
	if (sent.key && call_is_lost(calling->options, r, calling->fault))
		return lost(sent.key, calling->fault);
	return r ? r : show(calling, reply.body, reply.n_body);
}

static int words_take(const struct calling *calling, char **words, size_t n)
{
	int r = n ? document_put_list(calling->options->body, "argv", words, n) : 0;

	if (r != -EILSEQ)
		return r;
	return fault_set(calling->fault, FAULT_USAGE, "COMMAND", "give UTF-8",
			 "an argument is no UTF-8 and would not arrive as it is");
}

static void head(const struct calling *calling)
{
	if (calling->command->call->head && !calling->options->json)
		puts(calling->command->call->head);
}

static int perform(const struct calling *calling, int argc, char **argv)
{
	const struct call *call = calling->command->call;
	int taken = strchr(call->path, '{') ? 1 : 0;
	char path[512], remedy[96];
	int r = 0;

	snprintf(remedy, sizeof(remedy), "see \"reeve %s --help\"", calling->command->name);
	if (call->traits & CALL_ALL && argc == 0) {
		head(calling);
		return ids_each_session(calling->client, list_of, (void *)calling, calling->fault);
	}
	if (argc < taken || (taken && !argv[0][0]))
		return fault_set(calling->fault, FAULT_USAGE, calling->command->usage, remedy,
				 "an id is missing");
	if (call->traits & CALL_WORDS)
		r = words_take(calling, argv + taken, (size_t)(argc - taken));
	else if (argc > taken)
		r = fault_set(calling->fault, FAULT_USAGE, argv[taken], remedy,
			      "reeve %s takes no such argument", calling->command->name);
	if (!r)
		r = path_make(calling, taken ? argv[0] : NULL, path, sizeof(path));
	if (r)
		return r;
	head(calling);
	return call->traits & CALL_LIST ? list(calling, path) : ask(calling, path);
}

int call_perform(const struct command *command, int argc, char **argv)
{
	_cleanup_call_options_ struct call_options options = {};
	_cleanup_client_ struct client *client = NULL;
	struct fault fault = {};
	int rest = 0;
	int r = call_options_init(&options);

	if (!r)
		r = command_parse(command, argc, argv, &options, &rest, &fault);
	if (!r)
		r = client_open(options.socket, &client, &fault);
	if (!r) {
		const struct calling calling = { command, &options, client, &fault };

		r = perform(&calling, argc - rest, argv + rest);
	}
	return call_end(command, &options, r, &fault);
}
