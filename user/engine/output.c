// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pump has one buffer. It reads when the buffer is empty, writes the log at once, and reads again only
 * when the watcher has taken everything. The watcher's descriptor is shared with other processes (a
 * terminal, a pipeline), so its flags are not touched: a write asks not to wait, or is of at most PIPE_BUF
 * bytes, which does not block after the descriptor was found writable (pipe(7)).
 */
#include "output.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "../base/io.h"

#define PUMP_BYTES 65536

struct output_pump {
	struct event *readable, *writable;
	int pipe_fd, log_fd, watch_fd;
	bool watch_is_file; /* always writable, and epoll does not take it */
	size_t have, written;
	void (*ended)(int err, void *arg);
	void *arg;
	char buffer[]; /* PUMP_BYTES; not cleared: a page that no output reaches is never touched */
};

static int log_make(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0 || fchmod(fd, 0644))
		return -errno;
	return fd;
}

int output_dir_make(const char *root, const char *name, struct output_dir *ret,
		    struct fault *ret_fault)
{
	static const char remedy[] = "give a directory that root can write, with --output-root";
	_cleanup_output_dir_ struct output_dir dir = OUTPUT_DIR_INIT;
	_cleanup_fd_ int root_fd = -1;

	/* the last part is made, as by mkdir: a mistyped path is not */
	if (mkdir(root, 0711) && errno != EEXIST)
		return fault_set_errno(ret_fault, FAULT_HOST, "--output-root", remedy, errno, "%s",
				       root);
	root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0 || mkdirat(root_fd, name, 0700))
		return fault_set_errno(ret_fault, FAULT_HOST, "--output-root", remedy, errno,
				       "%s/%s", root, name);
	snprintf(dir.path, sizeof(dir.path), "%s/%s", root, name);
	dir.fd = openat(root_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir.fd >= 0)
		dir.stdout_fd = log_make(dir.fd, "stdout.log");
	if (dir.stdout_fd >= 0)
		dir.stderr_fd = log_make(dir.fd, "stderr.log");
	if (dir.stderr_fd < 0 || fchmod(dir.fd, 01777))
		return fault_set_errno(ret_fault, FAULT_HOST, "--output-root", remedy, errno, "%s",
				       dir.path);
	*ret = dir;
	dir = (struct output_dir)OUTPUT_DIR_INIT;
	return 0;
}

void output_dir_deinit(struct output_dir *dir)
{
	fd_close(&dir->fd);
	fd_close(&dir->stdout_fd);
	fd_close(&dir->stderr_fd);
}

static void pump_end(struct output_pump *pump, int err)
{
	event_del(pump->readable);
	if (pump->writable)
		event_del(pump->writable);
	fd_close(&pump->pipe_fd);
	pump->ended(err, pump->arg);
}

static void pump_wait_readable(struct output_pump *pump)
{
	if (pump->writable)
		event_del(pump->writable);
	event_add(pump->readable, NULL);
}

void output_pump_unwatch(struct output_pump *pump)
{
	pump->watch_fd = -1;
	if (pump->pipe_fd >= 0)
		pump_wait_readable(pump);
}

/*
 * Writes what does not block: all of it where the file knows RWF_NOWAIT (pipes since 6.4, kernel commit
 * afed6271f5b0), else as much as a writable pipe surely takes.
 */
static ssize_t watcher_write(const struct output_pump *pump)
{
	struct iovec rest = { (void *)(pump->buffer + pump->written), pump->have - pump->written };
	ssize_t n;

	if (pump->watch_is_file)
		return write(pump->watch_fd, rest.iov_base, rest.iov_len);
	n = pwritev2(pump->watch_fd, &rest, 1, -1, RWF_NOWAIT);
	if (n >= 0 || errno != EOPNOTSUPP)
		return n;
	return write(pump->watch_fd, rest.iov_base,
		     rest.iov_len < PIPE_BUF ? rest.iov_len : PIPE_BUF);
}

static void pump_watcher(struct output_pump *pump)
{
	ssize_t n = watcher_write(pump);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) {
		output_pump_unwatch(pump);
		return;
	}
	pump->written += (size_t)n;
	if (pump->written == pump->have)
		pump_wait_readable(pump);
}

static void pump_writable(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	pump_watcher(arg);
}

static void pump_readable(int fd, short what, void *arg)
{
	struct output_pump *pump = arg;
	ssize_t n = read(fd, pump->buffer, PUMP_BYTES);
	int r;

	(void)what;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		pump_end(pump, n < 0 ? -errno : 0);
		return;
	}
	r = io_write_all(pump->log_fd, pump->buffer, (size_t)n);
	if (r) {
		pump_end(pump, r);
		return;
	}
	pump->have = (size_t)n;
	pump->written = 0;
	if (pump->watch_fd < 0)
		return;
	if (pump->watch_is_file) {
		while (pump->watch_fd >= 0 && pump->written < pump->have)
			pump_watcher(pump);
		return;
	}
	event_del(pump->readable);
	event_add(pump->writable, NULL);
}

/* Files, block devices and some character devices, /dev/null among them, are refused with EPERM. */
static bool fd_is_always_writable(int fd)
{
	_cleanup_fd_ int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLOUT };

	return epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) && errno == EPERM;
}

int output_pump_new(struct event_base *base, int pipe_fd, int log_fd, int watch_fd,
		    void (*ended)(int err, void *arg), void *arg, struct output_pump **ret)
{
	struct output_pump *pump = malloc(sizeof(*pump) + PUMP_BYTES);

	if (!pump) {
		fd_close(&pipe_fd);
		return -ENOMEM;
	}
	memset(pump, 0, sizeof(*pump));
	pump->pipe_fd = pipe_fd;
	pump->log_fd = log_fd;
	pump->watch_fd = watch_fd;
	pump->watch_is_file = watch_fd >= 0 && fd_is_always_writable(watch_fd);
	pump->ended = ended;
	pump->arg = arg;
	pump->readable = event_new(base, pipe_fd, EV_READ | EV_PERSIST, pump_readable, pump);
	if (watch_fd >= 0 && !pump->watch_is_file)
		pump->writable =
			event_new(base, watch_fd, EV_WRITE | EV_PERSIST, pump_writable, pump);
	if (!pump->readable || event_add(pump->readable, NULL)) {
		output_pump_free(pump);
		return -ENOMEM;
	}
	*ret = pump;
	return 0;
}

void output_pump_free(struct output_pump *pump)
{
	if (!pump)
		return;
	if (pump->readable)
		event_free(pump->readable);
	if (pump->writable)
		event_free(pump->writable);
	fd_close(&pump->pipe_fd);
	free(pump);
}
