// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening what a request names on the host.
 *
 * The descriptor is the truth, the path only the way to it. A path is resolved once, without magic links
 * (/proc/PID/fd and the like would lead to files that no path of the sender names). Where inputs are
 * confined, the resolved path is walked a second time from a descriptor of the allowed root, beneath it
 * and without any symlink, and must arrive at the same file: so a symlink may lead from one allowed place
 * to another, and whatever is swapped meanwhile is either found inside or refused.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/macro.h"

static const struct {
	mode_t type;
	const char *name;
	const char *other;
} kinds[] = {
	[SPEC_INPUT_FILE] = { S_IFREG, "a regular file",
			      "give a directory as a directory; sockets, "
			      "pipes and devices cannot be given" },
	[SPEC_INPUT_DIRECTORY] = { S_IFDIR, "a directory", "give a file as a file" },
};

static int path_open(int dir_fd, const char *path, uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_MAGICLINKS | resolve,
	};
	int fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/* The path that the kernel knows an open file by. */
static int fd_path(int fd, char ret[REEVE_PATH_MAX])
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, ret, REEVE_PATH_MAX);
	if (n < 0)
		return -errno;
	if (n == REEVE_PATH_MAX)
		return -ENAMETOOLONG;
	ret[n] = '\0';
	return ret[0] == '/' ? 0 : -ENOENT;
}

/* What follows "@root/" in @path, "." for the root itself, NULL when @path lies elsewhere. */
static const char *path_below(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (strcmp(root, "/") == 0)
		return path[1] ? path + 1 : ".";
	if (strncmp(path, root, len) != 0 || (path[len] != '/' && path[len]))
		return NULL;
	return path[len] ? path + len + 1 : ".";
}

static bool same_file(int a, int b)
{
	struct statx x, y;
	const unsigned int mask = STATX_INO | STATX_MNT_ID;

	return statx(a, "", AT_EMPTY_PATH, mask, &x) == 0 &&
	       statx(b, "", AT_EMPTY_PATH, mask, &y) == 0 && x.stx_ino == y.stx_ino &&
	       x.stx_mnt_id == y.stx_mnt_id;
}

/* Reaches @path from the allowed directory @root; -ENOENT when it lies elsewhere. */
static int open_below(const char *root, const char *path)
{
	_cleanup_fd_ int root_fd = path_open(AT_FDCWD, root, 0);
	char resolved[REEVE_PATH_MAX];
	const char *below;
	int r;

	if (root_fd < 0)
		return root_fd;
	r = fd_path(root_fd, resolved);
	if (r < 0)
		return r;
	below = path_below(path, resolved);
	return below ? path_open(root_fd, below, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS) : -ENOENT;
}

/* Replaces *fd by the same file reached from @root. */
static bool confine_to(int *fd, const char *path, const char *root)
{
	int inside = open_below(root, path);

	if (inside < 0)
		return false;
	if (!same_file(inside, *fd)) {
		close(inside);
		return false;
	}
	fd_close(fd);
	*fd = inside;
	return true;
}

static bool is_root(int fd, const char *root)
{
	_cleanup_fd_ int root_fd = path_open(AT_FDCWD, root, 0);

	return root_fd >= 0 && same_file(fd, root_fd);
}

static int confine(int *fd, const char *path, const struct input_roots *roots)
{
	for (size_t i = 0; i < roots->n_paths; i++)
		if (confine_to(fd, path, roots->paths[i]))
			return 0;
	if (roots->output_root && !is_root(*fd, roots->output_root) &&
	    confine_to(fd, path, roots->output_root))
		return 0;
	return -EACCES;
}

static void roots_text(const struct input_roots *roots, char *ret, size_t size)
{
	size_t len = 0;

	snprintf(ret, size, "nothing");
	for (size_t i = 0; i < roots->n_paths && len < size; i++)
		len += (size_t)snprintf(ret + len, size - len, "%s%s", i ? ", " : "",
					roots->paths[i]);
	if (roots->output_root && len < size)
		snprintf(ret + len, size - len, "%swhat is in %s/ID/", len ? ", " : "",
			 roots->output_root);
}

static int refuse_outside(const char *path, const struct input_roots *roots, const char *field,
			  struct fault *ret_fault)
{
	char allowed[400];

	roots_text(roots, allowed, sizeof(allowed));
	return fault_set(ret_fault, FAULT_INPUT, field,
			 "move it below an allowed directory, or add its directory to "
			 "REEVE_ALLOWED_PATHS",
			 "\"%.300s\" does not lie in the allowed directories (%s)", path, allowed);
}

static int check_kind(int fd, const struct spec_input *input, const char *field,
		      struct fault *ret_fault)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if ((st.st_mode & S_IFMT) == kinds[input->kind].type)
		return 0;
	return fault_set(ret_fault, FAULT_INPUT, field, kinds[input->kind].other,
			 "\"%.600s\" is not %s", input->path, kinds[input->kind].name);
}

static int basename_copy(const char *resolved, const struct spec_input *input, const char *field,
			 char **ret, struct fault *ret_fault)
{
	const char *name = strrchr(resolved, '/') + 1;
	char *copy;

	if (!*name)
		return fault_set(ret_fault, FAULT_INPUT, field, "name a directory below it",
				 "\"%.600s\" is the root of the host, which has no name",
				 input->path);
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

int input_open(const struct spec_input *input, const struct input_roots *roots, const char *field,
	       int *ret_fd, char **ret_basename, struct fault *ret_fault)
{
	_cleanup_fd_ int fd = path_open(AT_FDCWD, input->path, 0);
	char resolved[REEVE_PATH_MAX];
	int r = fd < 0 ? fd : fd_path(fd, resolved);

	if (r < 0)
		return fault_set_errno(ret_fault, FAULT_INPUT, field,
				       "give the absolute path of something that exists", -r,
				       "cannot open \"%.600s\"", input->path);
	if (roots && confine(&fd, resolved, roots) < 0)
		return refuse_outside(input->path, roots, field, ret_fault);
	r = check_kind(fd, input, field, ret_fault);
	if (r == 0)
		r = basename_copy(resolved, input, field, ret_basename, ret_fault);
	if (r == 0)
		*ret_fd = fd_take(&fd);
	return r;
}
