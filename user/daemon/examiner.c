// SPDX-License-Identifier: GPL-2.0-only
/*
 * One child at most. It is over when its output is: then it is killed, whatever it still does, and reaped at
 * once, so that no signal handler is needed. Its output and its time are bounded.
 */
#include "examiner.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/wait.h>

#include "../base/macro.h"
#include "log.h"

#define OUTPUT_BYTES_MAX (256 * 1024)
#define SECONDS_MAX 60

extern char **environ;

struct asker {
	void (*done)(const char *text, size_t n, void *arg);
	void *arg;
	STAILQ_ENTRY(asker) entry;
};

STAILQ_HEAD(askers, asker);

struct examiner {
	struct event_base *base;
	const char *const *argv;
	struct askers askers;
	pid_t pid; /* 0: none is running */
	int fd;
	struct event *readable;
	char *text;
	size_t n;
};

static void child_end(struct examiner *examiner)
{
	if (examiner->readable)
		event_free(examiner->readable);
	examiner->readable = NULL;
	fd_close(&examiner->fd);
	if (examiner->pid > 0) {
		kill(examiner->pid, SIGKILL);
		waitpid(examiner->pid, NULL, 0);
	}
	examiner->pid = 0;
}

static void tell(struct examiner *examiner, bool is_whole)
{
	struct askers askers = STAILQ_HEAD_INITIALIZER(askers);
	struct asker *asker;
	char *text = examiner->text;
	size_t n = examiner->n;

	STAILQ_CONCAT(&askers, &examiner->askers);
	examiner->text = NULL;
	examiner->n = 0;
	while ((asker = STAILQ_FIRST(&askers))) {
		STAILQ_REMOVE_HEAD(&askers, entry);
		asker->done(is_whole && n ? text : NULL, n, asker->arg);
		free(asker);
	}
	free(text);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct examiner *examiner = arg;
	ssize_t n = 0;

	if (what & EV_READ)
		n = read(fd, examiner->text + examiner->n, OUTPUT_BYTES_MAX - examiner->n);
	if (n > 0) {
		examiner->n += (size_t)n;
		return;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (what & EV_TIMEOUT)
		log_line(LOG_WARN, "the examination of the host took too long");
	child_end(examiner);
	tell(examiner, (what & EV_READ) && n == 0 && examiner->n < OUTPUT_BYTES_MAX);
}

static int child_spawn(struct examiner *examiner, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int r;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	r = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!r)
		r = posix_spawn(&examiner->pid, examiner->argv[0], &actions, &attr,
				(char *const *)examiner->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	if (r)
		examiner->pid = 0;
	return -r;
}

static int start(struct examiner *examiner)
{
	struct timeval tv = { SECONDS_MAX, 0 };
	_cleanup_fd_ int out = -1;
	int fds[2], r;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	examiner->fd = fds[0];
	out = fds[1];
	fcntl(examiner->fd, F_SETFL, O_NONBLOCK);
	examiner->text = malloc(OUTPUT_BYTES_MAX);
	examiner->readable =
		event_new(examiner->base, examiner->fd, EV_READ | EV_PERSIST, on_readable, examiner);
	r = examiner->text && examiner->readable ? child_spawn(examiner, out) : -ENOMEM;
	if (!r)
		r = event_add(examiner->readable, &tv) ? -ENOMEM : 0;
	if (r) {
		child_end(examiner);
		free(examiner->text);
		examiner->text = NULL;
	}
	return r;
}

int examiner_ask(struct examiner *examiner, void (*done)(const char *text, size_t n, void *arg),
		 void *arg)
{
	struct asker *asker = malloc(sizeof(*asker));
	int r = asker ? 0 : -ENOMEM;

	if (!r && !examiner->pid)
		r = start(examiner);
	if (r) {
		free(asker);
		return r;
	}
	*asker = (struct asker){ .done = done, .arg = arg };
	STAILQ_INSERT_TAIL(&examiner->askers, asker, entry);
	return 0;
}

int examiner_new(struct event_base *base, const char *const *argv, struct examiner **ret)
{
	struct examiner *examiner = calloc(1, sizeof(*examiner));

	if (!examiner)
		return -ENOMEM;
	examiner->base = base;
	examiner->argv = argv;
	examiner->fd = -1;
	STAILQ_INIT(&examiner->askers);
	*ret = examiner;
	return 0;
}

void examiner_free(struct examiner **examiner)
{
	struct asker *asker;

	if (!*examiner)
		return;
	child_end(*examiner);
	while ((asker = STAILQ_FIRST(&(*examiner)->askers))) {
		STAILQ_REMOVE_HEAD(&(*examiner)->askers, entry);
		free(asker);
	}
	free((*examiner)->text);
	free(*examiner);
	*examiner = NULL;
}
