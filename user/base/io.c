// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole reads and writes on a descriptor. A read is bounded by its caller: a file that never ends,
 * or one that grows while it is read, costs max + 1 bytes and no more. The buffer starts small and
 * doubles, so that a bound of 1 MiB does not cost 1 MiB for a request of 100 bytes. The bytes
 * belong to the caller.
 */
#include "io.h"

#include <errno.h>
#include <stdlib.h>
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
