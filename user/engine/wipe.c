// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel first, then files: what is alive could make new ones. Every step can be done again, and the proof looks
 * at what is there, whoever removed the rest.
 *
 * Two wipers of one session would be in each other's way, and one that is left over would take the files of the
 * next request: a wiper dies with its starter and holds a lock on the session's directory.
 */
#include "wipe.h"

#include <dirent.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "offshoot.h"
#include "wipe_tree.h"
#include "workspace.h"

#define NAME "reeve-wiper"
#define REMEDY "remove it, or what keeps it there, and wipe the session again"

struct outcome {
	int r;
	struct fault fault;
};

struct wipe {
	struct wipe_args args;
	struct event *readable;
	int fd; /* the wiper's outcome comes here */
	pid_t pid;
};

/* Undoes the escapes of /proc/self/mountinfo, in place: \ooo. */
static void mountinfo_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		unsigned int byte;

		if (*from == '\\' && sscanf(from + 1, "%3o", &byte) == 1) {
			*to++ = (char)byte;
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/* A place at or below @path that something is mounted on. */
static int mount_find(const char *path, char ret[REEVE_PATH_MAX])
{
	_cleanup_file_ FILE *f = fopen("/proc/self/mountinfo", "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0, n = strlen(path);
	char at[REEVE_PATH_MAX];

	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0) {
		if (sscanf(line, "%*s %*s %*s %*s %4095s", at) != 1)
			continue;
		mountinfo_unescape(at);
		if (strncmp(at, path, n) != 0 || (at[n] && at[n] != '/'))
			continue;
		memcpy(ret, at, sizeof(at));
		return 0;
	}
	return -ENOENT;
}

static int fault_left(struct fault *ret_fault, const struct session *session, int err,
		      const char *what)
{
	return fault_set_errno(ret_fault, FAULT_WIPE, session->id, REMEDY, err, "%s is left", what);
}

static int path_of(int fd, char ret[REEVE_PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, ret, REEVE_PATH_MAX - 1);
	if (n < 0)
		return -errno;
	ret[n] = '\0';
	return 0;
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int directory_prove_empty(const struct session *session, int fd, struct fault *ret_fault)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(dir_close) DIR *dir = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return fault_left(ret_fault, session, EEXIST, entry->d_name);
	return 0;
}

static int files_remove(const struct session *session, int fd, struct fault *ret_fault)
{
	struct wipe_left left = {};
	char what[sizeof(left.path) + REEVE_PATH_MAX], path[REEVE_PATH_MAX];
	int r = path_of(fd, path);

	if (!r)
		r = wipe_tree(fd, &left);
	if (!r && left.err) {
		snprintf(what, sizeof(what), "%s/%s", path, left.path);
		return fault_left(ret_fault, session, left.err, what);
	}
	if (!r)
		r = directory_prove_empty(session, fd, ret_fault);
	if (r)
		return r;
	r = mount_find(path, what);
	if (!r)
		return fault_left(ret_fault, session, EBUSY, what);
	return r == -ENOENT ? 0 : r;
}

/* The session's directory itself goes with the session. */
static int workspace_remove(const struct session *session, const char *state_dir, bool final,
			    struct fault *ret_fault)
{
	_cleanup_fd_ int fd = workspace_dir_open(state_dir, session->id);
	char path[REEVE_PATH_MAX];
	int r;

	if (fd == -ENOENT)
		return 0;
	if (fd < 0 || flock(fd, LOCK_EX))
		return fd < 0 ? fd : -errno;
	r = files_remove(session, fd, ret_fault);
	if (r || !final)
		return r;
	r = path_of(fd, path);
	if (!r && rmdir(path))
		r = -errno;
	return r ? fault_left(ret_fault, session, -r, path) : 0;
}

static int all_remove(struct session *session, const char *state_dir, bool final,
		      struct fault *ret_fault)
{
	int r = session_clear(session, ret_fault);

	if (!r)
		r = workspace_remove(session, state_dir, final, ret_fault);
	if (!r)
		r = session_check_clear(session, ret_fault);
	if (!r && !final)
		r = workspace_make(state_dir, session->id, session->slot.number, ret_fault);
	return r;
}

int wipe_perform(struct session *session, const char *state_dir, bool final, struct fault *ret_fault)
{
	int r = session_reload(session);

	if (!r)
		r = session_set_state(session, POLICY_WIPED);
	if (!r)
		r = all_remove(session, state_dir, final, ret_fault);
	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_WIPE, session->id, REMEDY, -r,
				       "what is left of session %s cannot be told", session->id);
	/* whoever found it: of a wipe it is what makes it fail */
	if (r)
		ret_fault->code = FAULT_WIPE;
	return r;
}

static _Noreturn void wiper_main(const struct wipe_args *args, int outcome_fd, pid_t starter)
{
	struct outcome outcome = {};
	const int kept[] = { outcome_fd, args->session->cgroup_fd };

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != starter)
		_exit(1);
	outcome.r = offshoot_begin(args->session->engine, kept, ARRAY_SIZE(kept), NAME);
	if (!outcome.r)
		outcome.r = wipe_perform(args->session, args->state_dir, args->final, &outcome.fault);
	_exit(write(outcome_fd, &outcome, sizeof(outcome)) == sizeof(outcome) ? 0 : 1);
}

static void wiper_reap(struct wipe *wipe)
{
	if (wipe->pid > 0)
		while (waitpid(wipe->pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	wipe->pid = -1;
}

static void outcome_readable(int fd, short what, void *arg)
{
	struct wipe *wipe = arg;
	struct outcome outcome = {};
	ssize_t n = read(fd, &outcome, sizeof(outcome));

	(void)what;
	if (n < 0 && errno == EINTR)
		return;
	event_del(wipe->readable);
	wiper_reap(wipe);
	if (n != sizeof(outcome) || outcome.r < 0)
		outcome.r = fault_set_errno(&outcome.fault, FAULT_WIPE, wipe->args.session->id,
					    "wipe the session again",
					    n == sizeof(outcome) ? -outcome.r : ESRCH,
					    "the wipe of session %s was not ended",
					    wipe->args.session->id);
	/* the wiper wrote the policy last */
	session_reload(wipe->args.session);
	wipe->args.done(outcome.r ? &outcome.fault : NULL, wipe->args.arg);
}

static int wiper_start(struct wipe *wipe)
{
	pid_t starter = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	wipe->fd = fds[0];
	wipe->pid = offshoot_fork();
	if (wipe->pid == 0)
		wiper_main(&wipe->args, fds[1], starter);
	fd_close(&fds[1]);
	return wipe->pid < 0 ? -errno : 0;
}

int wipe_start(struct event_base *base, const struct wipe_args *args, struct wipe **ret)
{
	struct wipe *wipe = calloc(1, sizeof(*wipe));
	int r;

	if (!wipe)
		return -ENOMEM;
	wipe->args = *args;
	wipe->fd = wipe->pid = -1;
	r = session_reload(args->session);
	if (!r)
		r = session_set_state(args->session, POLICY_WIPED);
	if (!r)
		r = wiper_start(wipe);
	if (!r) {
		wipe->readable =
			event_new(base, wipe->fd, EV_READ | EV_PERSIST, outcome_readable, wipe);
		r = wipe->readable && event_add(wipe->readable, NULL) == 0 ? 0 : -ENOMEM;
	}
	if (r) {
		wipe_free(wipe);
		return r;
	}
	*ret = wipe;
	return 0;
}

void wipe_free(struct wipe *wipe)
{
	if (!wipe)
		return;
	if (wipe->pid > 0)
		kill(wipe->pid, SIGKILL);
	wiper_reap(wipe);
	if (wipe->readable)
		event_free(wipe->readable);
	fd_close(&wipe->fd);
	free(wipe);
}
