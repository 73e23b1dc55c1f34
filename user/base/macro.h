/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_MACRO_H
#define REEVE_MACRO_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define NSEC_PER_SEC 1000000000ull
#define NSEC_PER_MSEC 1000000ull

#define _cleanup_(f) __attribute__((cleanup(f)))
#define _printf_(fmt, args) __attribute__((format(printf, fmt, args)))

/* Closes *fd unless it is negative, keeping errno. */
static inline void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static inline void mem_free(void *p)
{
	free(*(void **)p);
}

static inline void file_close(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_fd_ _cleanup_(fd_close)
#define _cleanup_free_ _cleanup_(mem_free)
#define _cleanup_file_ _cleanup_(file_close)

/* Hands a descriptor over: the caller's variable no longer owns it. */
static inline int fd_take(int *fd)
{
	int r = *fd;

	*fd = -1;
	return r;
}

#endif
