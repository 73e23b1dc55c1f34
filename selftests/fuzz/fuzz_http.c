// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes as a client of the daemon: into one end of a socket pair, all at once or, by the first byte, in pieces. Whatever
 * they are, each reply begins as one, and the connection comes to its end.
 */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../user/daemon/change.h"
#include "../../user/daemon/daemon_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct daemon daemon_;
static char state_dir[] = "/tmp/reeve-fuzz-XXXXXX";
static char command[64];

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void remove_state(void)
{
	hall_close(&daemon_.hall);
	daemon_deinit(&daemon_);
	event_base_free(daemon_.base);
	must(system(command) == 0);
}

static void begin(void)
{
	static const char *const doctor[] = { "/bin/true", NULL };
	static const struct engine_config config = { .run_dir = state_dir, .output_root = state_dir };
	static const struct daemon_args args = { .config = &config,
						 .state_dir = state_dir,
						 .doctor = doctor };
	struct http_limits limits = HTTP_LIMITS_INIT;
	const struct hall_args hall = { .config = &config,
					.state_dir = state_dir,
					.describe = daemon_describe,
					.notify = daemon_notify,
					.arg = &daemon_ };
	struct fault fault = { 0 };

	signal(SIGPIPE, SIG_IGN);
	must(mkdtemp(state_dir));
	snprintf(command, sizeof(command), "rm -rf %s", state_dir);
	limits.read_ms = 50;
	limits.idle_ms = 50;
	daemon_.base = event_base_new();
	daemon_.args = &args;
	must(hall_open(daemon_.base, &hall, &daemon_.hall, &fault) == 0);
	must(daemon_init(&daemon_, daemon_.base, &args, &limits) == 0);
	atexit(remove_state);
}

static void turn(void)
{
	event_base_loop(daemon_.base, EVLOOP_NONBLOCK);
}

/* Reads what there is; true at the end of the connection. */
static bool drain(int fd, bool *first)
{
	char text[4096];
	ssize_t n;

	while ((n = recv(fd, text, sizeof(text), MSG_DONTWAIT)) > 0) {
		must(!*first || (n >= 9 && memcmp(text, "HTTP/1.1 ", 9) == 0));
		*first = false;
	}
	return n == 0 || errno != EAGAIN;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	size_t step = size && bytes[0] >= 0x80 ? (size_t)(bytes[0] & 0x7f) + 1 : size + 1;
	int fds[2], turns = 0;
	bool first = true;

	if (!daemon_.base)
		begin();
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	must(http_take(daemon_.http, fds[1]) == 0);
	for (size_t at = 0; at < size; at += step) {
		size_t n = size - at < step ? size - at : step;

		if (send(fds[0], bytes + at, n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
		turn();
		drain(fds[0], &first);
	}
	shutdown(fds[0], SHUT_WR);
	while (!drain(fds[0], &first) && turns++ < 200)
		turn();
	close(fds[0]);
	/* a wipe that was asked for is proved, a reply that is owed goes nowhere */
	for (turns = 0; turns < 400 && http_counts(daemon_.http)->connections; turns++) {
		turn();
		usleep(500);
	}
	must(http_counts(daemon_.http)->connections == 0 && http_counts(daemon_.http)->streams == 0);
	return 0;
}
