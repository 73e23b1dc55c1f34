/* SPDX-License-Identifier: GPL-2.0-only */
/* A daemon around the acted hall in a process of its own, and raw bytes to and from it. */
#ifndef REEVE_SELFTESTS_DAEMON_DESK_H
#define REEVE_SELFTESTS_DAEMON_DESK_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "../user/daemon/daemon.h"
#include "test.h"

#define DESK_OWNER "usr_01JAB2C3D4E5F6G7H8J9K0MNPQ"
#define DESK_CREATE                                                                                \
	"{\"task\":{\"id\":\"t1\",\"title\":\"Chat plays\"},\"owner\":\"" DESK_OWNER "\","         \
	"\"step_budget\":40,\"cap\":{\"money_cents\":500,\"minutes\":30}}"

static char daemon_dir[90], daemon_socket[96];
static pid_t daemon_pid;

static inline struct sockaddr_un daemon_address(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", daemon_socket);
	return address;
}

static inline int daemon_dial(void)
{
	struct sockaddr_un address = daemon_address();
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static inline int daemon_serve(const struct http_limits *limits)
{
	static const char *const doctor[] = { "/bin/echo", "{}", NULL };
	char run_dir[192], state_dir[192];
	const struct engine_config config = { .run_dir = run_dir, .output_root = state_dir };
	const struct daemon_args args = { .config = &config,
					  .socket = daemon_socket,
					  .state_dir = state_dir,
					  .doctor = doctor,
					  .limits = limits };
	struct fault fault = { 0 };
	int r;

	snprintf(run_dir, sizeof(run_dir), "%s/run", daemon_dir);
	snprintf(state_dir, sizeof(state_dir), "%s/state", daemon_dir);
	r = daemon_run(&args, &fault);
	if (r)
		printf("the daemon: %d %s\n", r, fault.reason);
	return r ? 1 : 0;
}

/* Starts the daemon and waits until it listens. */
static inline void daemon_start(const struct http_limits *limits)
{
	int fd = -1;

	snprintf(daemon_dir, sizeof(daemon_dir), "%s/daemon-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	ASSERT_NOT_NULL(mkdtemp(daemon_dir));
	snprintf(daemon_socket, sizeof(daemon_socket), "%s/s", daemon_dir);
	fflush(NULL);
	daemon_pid = fork();
	/* its end is an ordinary one, so that leaks are told */
	if (daemon_pid == 0)
		exit(daemon_serve(limits));
	for (int i = 0; fd < 0 && i < 1000; i++) {
		fd = daemon_dial();
		if (fd < 0)
			usleep(10000);
	}
	ASSERT_GE(fd, 0);
	close(fd);
}

static inline void daemon_stop(void)
{
	int status = -1;

	kill(daemon_pid, SIGTERM);
	waitpid(daemon_pid, &status, 0);
	EXPECT_EQ(status, 0);
}

static inline void daemon_say(int fd, const char *text)
{
	EXPECT_EQ(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* Reads until @part has come, the end, or @ms are over; what was read is in @ret, with a zero. */
static inline bool daemon_hear(int fd, const char *part, int ms, char *ret, size_t size)
{
	size_t n = strlen(ret);
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	while (!(part && strstr(ret, part)) && n + 1 < size && poll(&ready, 1, ms) == 1) {
		ssize_t got = recv(fd, ret + n, size - 1 - n, 0);

		if (got <= 0)
			return !part && (got == 0 || errno == ECONNRESET);
		n += (size_t)got;
		ret[n] = 0;
	}
	return part && strstr(ret, part);
}

#endif
