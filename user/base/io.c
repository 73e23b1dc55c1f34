// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole reads and writes on a descriptor. A read is bounded by its caller: a file that never ends,
 * or one that grows while it is read, costs max + 1 bytes and no more. The buffer starts small and
 * doubles, so that a bound of 1 MiB does not cost 1 MiB for a request of 100 bytes. The bytes
 * belong to the caller.
 */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "macro.h"

#define IO_FIRST_BYTES 4096

static int io_grow(char **bytes, size_t *size, size_t max)
{
	size_t wanted = *size ? *size * 2 : IO_FIRST_BYTES;
	char *more;

	/* one byte to see that there is too much, one for the zero */
	if (wanted > max + 2)
		wanted = max + 2;
	more = realloc(*bytes, wanted);
	if (!more)
		return -ENOMEM;
	*bytes = more;
	*size = wanted;
	return 0;
}

/* A FIFO has a name in some file system, and what its writers do is not the caller's. */
static bool is_pipe(int fd, const struct stat *st)
{
	struct statfs fs;

	return S_ISFIFO(st->st_mode) && fstatfs(fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC;
}

int io_open_document(const char *path, int *ret_fd)
{
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode)) {
		if (!is_pipe(fd, &st))
			return IO_E_KIND;
		if (fcntl(fd, F_SETFL, 0))
			return -errno;
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int io_read_all(int fd, size_t max, char **ret, size_t *ret_n)
{
	_cleanup_free_ char *bytes = NULL;
	size_t size = 0, n = 0;
	ssize_t got;
	int r;

	for (;;) {
		if (n + 1 >= size) {
			r = io_grow(&bytes, &size, max);
			if (r)
				return r;
		}
		got = read(fd, bytes + n, size - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		n += (size_t)got;
		if (n > max)
			return IO_E_TOO_BIG;
	}
	bytes[n] = 0;
	*ret = bytes;
	*ret_n = n;
	bytes = NULL;
	return 0;
}

int io_write_all(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;
	ssize_t put;

	while (n > 0) {
		put = write(fd, at, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		at += put;
		n -= (size_t)put;
	}
	return 0;
}
