// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that a long-lived one forks for work of their own. They have its memory and none of what it serves:
 * a connection or a lock of it that lived on here would never end. Standard error stays, for it is where a
 * process tells why it died.
 */
#include "offshoot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

pid_t offshoot_fork(void)
{
	sigset_t all, before;
	pid_t pid;
	int err;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	err = errno;
	if (pid != 0)
		sigprocmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return pid;
}

static int fd_compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int others_close(int *kept, size_t n)
{
	int from = STDERR_FILENO + 1;

	qsort(kept, n, sizeof(*kept), fd_compare);
	for (size_t i = 0; i < n; i++) {
		if (kept[i] > from &&
		    close_range((unsigned int)from, (unsigned int)kept[i] - 1, 0) < 0)
			return -errno;
		if (kept[i] >= from)
			from = kept[i] + 1;
	}
	return close_range((unsigned int)from, ~0u, 0) < 0 ? -errno : 0;
}

static int descriptors_close(const struct engine *engine, const int *kept, size_t n_kept)
{
	const int fixed[] = { engine->run_fd, engine->slots_fd, engine->parent_fd,
			      engine->guard.link_out_fd, engine->guard.link_in_fd };
	const size_t n = ARRAY_SIZE(fixed) + GUARD_MAP_COUNT + n_kept;
	_cleanup_free_ int *all = calloc(n, sizeof(*all));

	if (!all)
		return -ENOMEM;
	memcpy(all, fixed, sizeof(fixed));
	memcpy(all + ARRAY_SIZE(fixed), engine->guard.maps, sizeof(engine->guard.maps));
	if (n_kept)
		memcpy(all + n - n_kept, kept, n_kept * sizeof(*kept));
	return others_close(all, n);
}

static int signals_reset(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) ? -errno : 0;
}

int offshoot_begin(const struct engine *engine, const int *kept, size_t n_kept, const char *name)
{
	_cleanup_fd_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int r;

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return -errno;
	fd_close(&null);
	r = descriptors_close(engine, kept, n_kept);
	if (!r)
		r = signals_reset();
	prctl(PR_SET_NAME, name);
	setsid();
	return r;
}
