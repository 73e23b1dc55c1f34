// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blocking reads into one buffer, parsed by what the daemon parses with. What the daemon sends is not trusted more than
 * its bounds: a head, and a body of a bounded size, or pieces that are handed on.
 *
 * A call is sent again, on a new connection, only when the daemon closed the old one before a byte of a reply: it does so with
 * connections at rest. A change that must not be made twice has a key.
 */
#include "client.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../wire/problem_json.h"
#include "http_chunks.h"
#include "http_head.h"

#define INPUT_BYTES (64 * 1024)
#define REPLY_BYTES_MAX (16 * 1024 * 1024)
#define HEAD_FIELDS_MAX 1024

#define CLIENT_E_CLOSED 2 /* before a byte of the reply */
#define CLIENT_E_STOPPED 3

struct client {
	char *socket;
	int fd;
	char input[INPUT_BYTES];
	size_t n_input;
	char head_text[REEVE_HTTP_HEAD_BYTES_MAX + 1];
	struct http_head head;
};

typedef int sink_fn(const char *bytes, size_t n, void *arg);

static int trouble(const struct client *client, int err, struct fault *ret_fault)
{
	return fault_set_errno(ret_fault, FAULT_HOST, client->socket, "see the log of reeve daemon",
			       err, "the daemon's reply did not arrive");
}

static int garbled(const struct client *client, struct fault *ret_fault)
{
	return fault_set(ret_fault, FAULT_HOST, client->socket, "see what listens there",
			 "the reply is none of a reeve daemon");
}

static int dial(struct client *client, struct fault *ret_fault)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int err;

	fd_close(&client->fd);
	client->n_input = 0;
	if (strlen(client->socket) >= sizeof(address.sun_path))
		return fault_set(ret_fault, FAULT_USAGE, "--socket", "give a shorter path",
				 "%s is too long for a socket", client->socket);
	strcpy(address.sun_path, client->socket);
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd >= 0 && connect(client->fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	err = errno;
	fd_close(&client->fd);
	return fault_set_errno(ret_fault, FAULT_HOST, client->socket,
			       err == EACCES ? "become a member of the socket's group, or root"
					     : "start it: reeve daemon",
			       err, "the daemon cannot be reached");
}

int client_open(const char *socket, struct client **ret, struct fault *ret_fault)
{
	struct client *client = calloc(1, sizeof(*client));
	int r;

	if (!client)
		return -ENOMEM;
	client->fd = -1;
	client->socket = strdup(socket);
	r = client->socket ? dial(client, ret_fault) : -ENOMEM;
	if (r) {
		client_close(&client);
		return r;
	}
	*ret = client;
	return 0;
}

void client_close(struct client **client)
{
	if (!*client)
		return;
	fd_close(&(*client)->fd);
	free((*client)->socket);
	free(*client);
	*client = NULL;
}

void client_reply_deinit(struct client_reply *reply)
{
	free(reply->body);
	reply->body = NULL;
}

static int send_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return -errno;
		bytes += sent > 0 ? sent : 0;
		n -= sent > 0 ? (size_t)sent : 0;
	}
	return 0;
}

static void field_add(char *text, size_t size, const char *name, const char *value)
{
	size_t n = strlen(text);

	if (value)
		snprintf(text + n, size - n, "%s: %s\r\n", name, value);
}

static int call_send(struct client *client, const struct client_call *call, struct fault *ret_fault)
{
	char head[REEVE_PATH_MAX + HEAD_FIELDS_MAX], length[24];
	int r;

	snprintf(length, sizeof(length), "%zu", call->n_body);
	r = snprintf(head, REEVE_PATH_MAX, "%s %s HTTP/1.1\r\nHost: reeve\r\n", call->verb,
		     call->path);
	if (r < 0 || r >= REEVE_PATH_MAX ||
	    (call->key && strlen(call->key) > REEVE_IDEMPOTENCY_KEY_MAX))
		return fault_set(ret_fault, FAULT_USAGE, "", "shorten it", "the call is too long");
	field_add(head, sizeof(head), "Idempotency-Key", call->key);
	field_add(head, sizeof(head), "If-Match", call->match);
	field_add(head, sizeof(head), "Content-Type", call->body ? "application/json" : NULL);
	field_add(head, sizeof(head), "Content-Length", call->body ? length : NULL);
	snprintf(head + strlen(head), sizeof(head) - strlen(head), "\r\n");
	r = send_all(client->fd, head, strlen(head));
	if (!r && call->body)
		r = send_all(client->fd, call->body, call->n_body);
	/* the daemon may have refused already, and said why */
	return r == -EPIPE ? 0 : r < 0 ? trouble(client, -r, ret_fault) : r;
}

/* 1: something came; 0: the end. */
static int more(struct client *client)
{
	ssize_t n;

	do
		n = recv(client->fd, client->input + client->n_input,
			 sizeof(client->input) - client->n_input, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	client->n_input += (size_t)n;
	return n > 0;
}

static void drop(struct client *client, size_t n)
{
	client->n_input -= n;
	memmove(client->input, client->input + n, client->n_input);
}

static int head_receive(struct client *client, struct fault *ret_fault)
{
	struct http_wrong wrong;
	size_t n;
	int r;

	while (!(n = http_head_end(client->input, client->n_input))) {
		if (client->n_input > REEVE_HTTP_HEAD_BYTES_MAX)
			return garbled(client, ret_fault);
		r = more(client);
		if (r == -ECONNRESET || (r == 0 && client->n_input == 0))
			return CLIENT_E_CLOSED;
		if (r <= 0)
			return trouble(client, r ? -r : ECONNRESET, ret_fault);
	}
	if (n > REEVE_HTTP_HEAD_BYTES_MAX)
		return garbled(client, ret_fault);
	memcpy(client->head_text, client->input, n);
	client->head_text[n] = 0;
	drop(client, n);
	if (http_reply_parse(client->head_text, n, &client->head, &wrong))
		return garbled(client, ret_fault);
	return client->head.status < 200 ? head_receive(client, ret_fault) : 0;
}

static int chunks_receive(struct client *client, sink_fn *sink, void *arg, struct fault *ret_fault)
{
	struct http_chunks chunks = { 0 };
	size_t taken, n;
	const char *data;
	int r;

	while (chunks.state != HTTP_CHUNKS_DONE) {
		r = client->n_input ? 1 : more(client);
		if (r <= 0)
			return trouble(client, r ? -r : ECONNRESET, ret_fault);
		if (http_chunks_feed(&chunks, client->input, client->n_input, &taken, &data, &n))
			return garbled(client, ret_fault);
		r = n ? sink(data, n, arg) : 0;
		drop(client, taken);
		if (r)
			return r;
	}
	return 0;
}

static int length_receive(struct client *client, uint64_t left, sink_fn *sink, void *arg,
			  struct fault *ret_fault)
{
	int r;

	while (left > 0) {
		size_t n;

		r = client->n_input ? 1 : more(client);
		if (r <= 0)
			return trouble(client, r ? -r : ECONNRESET, ret_fault);
		n = client->n_input < left ? client->n_input : (size_t)left;
		r = sink(client->input, n, arg);
		drop(client, n);
		left -= n;
		if (r)
			return r;
	}
	return 0;
}

static int body_receive(struct client *client, sink_fn *sink, void *arg, struct fault *ret_fault)
{
	const struct http_head *head = &client->head;

	if (head->chunked)
		return chunks_receive(client, sink, arg, ret_fault);
	if (head->has_length || head->status == 304)
		return length_receive(client, head->length, sink, arg, ret_fault);
	/* the daemon says how long a body is, one way or the other */
	return garbled(client, ret_fault);
}

static int exchange_begin(struct client *client, const struct client_call *call,
			  struct fault *ret_fault)
{
	int r = client->fd < 0 ? dial(client, ret_fault) : 0;

	for (unsigned int tries = 0; !r && tries < 2; tries++) {
		r = call_send(client, call, ret_fault);
		if (!r)
			r = head_receive(client, ret_fault);
		if (r)
			fd_close(&client->fd);
		if (r != CLIENT_E_CLOSED)
			return r;
		r = dial(client, ret_fault);
	}
	return r ? r : trouble(client, ECONNRESET, ret_fault);
}

static int collect(const char *bytes, size_t n, void *arg)
{
	struct client_reply *reply = arg;
	char *grown;

	if (reply->n_body + n > REPLY_BYTES_MAX)
		return -EMSGSIZE;
	grown = realloc(reply->body, reply->n_body + n + 1);
	if (!grown)
		return -ENOMEM;
	memcpy(grown + reply->n_body, bytes, n);
	reply->body = grown;
	reply->n_body += n;
	reply->body[reply->n_body] = 0;
	return 0;
}

static int receive_all(struct client *client, struct client_reply *ret, struct fault *ret_fault)
{
	const char *etag = http_head_field(&client->head, "ETag");
	int r;

	ret->status = client->head.status;
	snprintf(ret->etag, sizeof(ret->etag), "%s", etag ? etag : "");
	r = collect("", 0, ret);
	if (!r)
		r = body_receive(client, collect, ret, ret_fault);
	if (r || !client->head.keep_alive)
		fd_close(&client->fd);
	if (r || ret->status < 400)
		return r;
	return problem_json_read(ret->body, ret->n_body, ret_fault) ? FAULT_E_SET
								    : garbled(client, ret_fault);
}

int client_do(struct client *client, const struct client_call *call, struct client_reply *ret,
	      struct fault *ret_fault)
{
	_cleanup_client_reply_ struct client_reply reply = {};
	int r = exchange_begin(client, call, ret_fault);

	if (!r)
		r = receive_all(client, &reply, ret_fault);
	if (r)
		return r;
	*ret = reply;
	reply.body = NULL;
	return 0;
}

struct follower {
	sink_fn *fn;
	void *arg;
};

static int hand_on(const char *bytes, size_t n, void *arg)
{
	const struct follower *follower = arg;

	return follower->fn(bytes, n, follower->arg) ? CLIENT_E_STOPPED : 0;
}

int client_follow(struct client *client, const char *path, sink_fn *fn, void *arg,
		  struct fault *ret_fault)
{
	const struct client_call call = { .verb = "GET", .path = path };
	_cleanup_client_reply_ struct client_reply reply = {};
	struct follower follower = { fn, arg };
	int r = exchange_begin(client, &call, ret_fault);

	if (!r && client->head.status >= 400)
		return receive_all(client, &reply, ret_fault);
	if (!r)
		r = body_receive(client, hand_on, &follower, ret_fault);
	if (r)
		fd_close(&client->fd);
	return r == CLIENT_E_STOPPED ? 0 : r;
}

bool client_path_add(char *ret, size_t size, const char *text)
{
	size_t n = strlen(ret);

	for (; *text; text++) {
		bool plain = isalnum((unsigned char)*text) || strchr("-._~@", *text);

		if (n + 4 > size)
			return false;
		n += (size_t)snprintf(ret + n, size - n, plain ? "%c" : "%%%02X",
				      (unsigned char)*text);
	}
	return true;
}
