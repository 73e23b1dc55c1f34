// SPDX-License-Identifier: GPL-2.0-only
/* Whole reads and writes: bounded, and going on where the kernel gives only a part. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../../user/base/io.h"
#include "../../user/base/macro.h"
#include "../test.h"

#define LARGE (100 * 1000)

static int file_of(size_t n)
{
	_cleanup_free_ char *bytes = malloc(n + 1);
	int fd = memfd_create("file", MFD_CLOEXEC);

	memset(bytes, 'x', n);
	ASSERT_GE(fd, 0);
	ASSERT_OK(io_write_all(fd, bytes, n));
	ASSERT_EQ(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int read_of(size_t n, size_t max, size_t *ret_n)
{
	_cleanup_fd_ int fd = file_of(n);
	_cleanup_free_ char *bytes = NULL;
	int r = io_read_all(fd, max, &bytes, ret_n);

	EXPECT_EQ(bytes != NULL, r == 0);
	if (r == 0)
		EXPECT_EQ(strlen(bytes), *ret_n);
	return r;
}

TEST("a file is read whole up to its bound, and no byte above it")
{
	static const size_t sizes[] = { 0, 1, 4094, 4095, 4096, 4097, LARGE };
	size_t n = 7;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_OK(read_of(sizes[i], sizes[i], &n));
		EXPECT_EQ(n, sizes[i]);
		EXPECT_OK(read_of(sizes[i], 1024 * 1024, &n));
		EXPECT_EQ(n, sizes[i]);
		EXPECT_EQ(read_of(sizes[i] + 1, sizes[i], &n), IO_E_TOO_BIG);
		EXPECT_EQ(n, sizes[i]);
	}
}

TEST("a file that never ends costs its bound")
{
	_cleanup_fd_ int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char *bytes = NULL;
	size_t n;

	EXPECT_EQ(io_read_all(fd, LARGE, &bytes, &n), IO_E_TOO_BIG);
	EXPECT_NULL(bytes);
}

TEST("what cannot be read or written is an errno")
{
	_cleanup_fd_ int directory = open("/", O_RDONLY | O_CLOEXEC), full = -1;
	char *bytes = NULL;
	size_t n;

	EXPECT_EQ(io_read_all(directory, LARGE, &bytes, &n), -EISDIR);
	EXPECT_EQ(io_read_all(-1, LARGE, &bytes, &n), -EBADF);
	EXPECT_NULL(bytes);
	full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	EXPECT_EQ(io_write_all(full, "x", 1), -ENOSPC);
}

TEST("a pipe that takes little at a time gets everything")
{
	_cleanup_free_ char *sent = calloc(1, 10 * LARGE), *got = NULL;
	int ends[2];
	size_t n = 0;

	ASSERT_OK(pipe(ends));
	if (fork() == 0) {
		close(ends[0]);
		_exit(io_write_all(ends[1], sent, 10 * LARGE) != 0);
	}
	close(ends[1]);
	EXPECT_OK(io_read_all(ends[0], 10 * LARGE, &got, &n));
	EXPECT_EQ(n, 10 * LARGE);
	close(ends[0]);
}

TEST("what is opened as a document is a regular file or a pipe of the caller's, and opening waits for nobody",
     .seconds = 5)
{
	char name[] = "/tmp/reeve-io-XXXXXX", path[64];
	int pipe_fds[2], fd = -1;

	ASSERT_NOT_NULL(mkdtemp(name));
	EXPECT_EQ(io_open_document(name, &fd), -EISDIR);
	EXPECT_EQ(io_open_document("/dev/zero", &fd), IO_E_KIND);
	snprintf(path, sizeof(path), "%s/x", name);
	EXPECT_EQ(io_open_document(path, &fd), -ENOENT);
	ASSERT_OK(mkfifo(path, 0600));
	EXPECT_EQ(io_open_document(path, &fd), IO_E_KIND);
	EXPECT_EQ(fd, -1);
	ASSERT_OK(unlink(path));
	ASSERT_OK(rmdir(name));
	EXPECT_OK(io_open_document("/proc/self/exe", &fd));
	fd_close(&fd);
	ASSERT_OK(pipe(pipe_fds));
	snprintf(path, sizeof(path), "/dev/fd/%d", pipe_fds[0]);
	EXPECT_OK(io_open_document(path, &fd));
	EXPECT_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	fd_close(&fd);
	fd_close(&pipe_fds[0]);
	fd_close(&pipe_fds[1]);
}
