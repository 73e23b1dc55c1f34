/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_IO_H
#define REEVE_IO_H

#include <stddef.h>

#define IO_E_TOO_BIG 1
#define IO_E_KIND 2 /* neither a regular file nor a pipe */

/*
 * Opens a file that is read to its end at once: a regular one, or a pipe that the caller was given (/dev/stdin,
 * /dev/fd/N). Never waits: not for the writer of a FIFO, nor for what a file of the kernel may have to say
 * later. Returns 0, -errno or IO_E_KIND.
 */
int io_open_document(const char *path, int *ret_fd);

/*
 * Reads @fd to its end: *ret gets the bytes and a zero behind them, to be freed, *ret_n their
 * number. Returns 0, -errno, or IO_E_TOO_BIG when there are more than @max; no more than @max + 1
 * are read.
 */
int io_read_all(int fd, size_t max, char **ret, size_t *ret_n);

/* Writes all of @bytes, going on after short writes and signals. Returns 0 or -errno. */
int io_write_all(int fd, const void *bytes, size_t n);

#endif
