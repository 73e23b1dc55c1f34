// SPDX-License-Identifier: GPL-2.0-only
/*
 * A copy is made aside and put in place by one rename, so that who reads a site sees the one before or the one after.
 *
 * The names in /site are hostile: every one is opened below its directory's descriptor, through no symlink and into
 * no other mount, and is looked at by descriptor. What is no regular file is left out. The bounds count
 * while copying, for what is there may change meanwhile.
 */
#include "hall_site.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../base/io.h"
#include "wipe_tree.h"
#include "workspace.h"

#define PIECE_BYTES (64 * 1024)

struct copy {
	uint64_t bytes_left;
	unsigned int files, files_left, depth;
	char piece[PIECE_BYTES];
};

void hall_site_slug(const char *session_id, char ret[DESK_SLUG_SIZE])
{
	size_t i = 0;

	/* behind "sbs_": a label of a host name, if need be */
	for (const char *c = session_id + 4; *c && i < DESK_SLUG_SIZE - 1; c++)
		ret[i++] = (char)tolower((unsigned char)*c);
	ret[i] = '\0';
}

static int beneath_open(int dir_fd, const char *name, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	int fd = (int)syscall(SYS_openat2, dir_fd, name, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static int sites_open(const char *state_dir, bool create)
{
	_cleanup_fd_ int state_fd = open(state_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (state_fd < 0)
		return -errno;
	if (create && mkdirat(state_fd, "site", 0755) && errno != EEXIST)
		return -errno;
	return beneath_open(state_fd, "site", O_RDONLY | O_DIRECTORY);
}

static int file_copy(struct copy *copy, int from, int to)
{
	ssize_t n;

	while ((n = read(from, copy->piece, sizeof(copy->piece))) > 0) {
		int r = io_write_all(to, copy->piece, (size_t)n);

		if (r)
			return r;
		if ((uint64_t)n > copy->bytes_left)
			return -EFBIG;
		copy->bytes_left -= (uint64_t)n;
	}
	return n < 0 ? -errno : 0;
}

static int file_take(struct copy *copy, int from, int to_dir, const char *name)
{
	_cleanup_fd_ int to = -1;
	struct stat st;

	if (fstat(from, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return 0;
	if ((uint64_t)st.st_size > copy->bytes_left || !copy->files_left)
		return -EFBIG;
	copy->files_left--;
	copy->files++;
	to = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (to < 0 || fchmod(to, 0644))
		return -errno;
	return file_copy(copy, from, to);
}

static int dir_copy(struct copy *copy, int from, int to);

static int dir_take(struct copy *copy, int from_dir, int to_dir, const char *name)
{
	_cleanup_fd_ int from = beneath_open(from_dir, name, O_RDONLY | O_DIRECTORY), to = -1;
	int r;

	if (from < 0)
		return from == -ENOENT ? 0 : from;
	if (!copy->depth || !copy->files_left)
		return -EFBIG;
	copy->files_left--;
	if (mkdirat(to_dir, name, 0755))
		return -errno;
	to = beneath_open(to_dir, name, O_RDONLY | O_DIRECTORY);
	if (to < 0 || fchmod(to, 0755))
		return to < 0 ? to : -errno;
	copy->depth--;
	r = dir_copy(copy, from, to);
	copy->depth++;
	return r;
}

/* Opening a FIFO or a socket must not wait, and a device is never opened: only what is known to be a file. */
static int entry_take(struct copy *copy, int from_dir, int to_dir, const char *name)
{
	_cleanup_fd_ int fd = -1;
	struct stat st;

	if (fstatat(from_dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode))
		return dir_take(copy, from_dir, to_dir, name);
	if (!S_ISREG(st.st_mode))
		return 0;
	fd = beneath_open(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fd == -ENOENT || fd == -ELOOP || fd == -ENXIO ? 0 : fd;
	return file_take(copy, fd, to_dir, name);
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static DIR *entries_open(int fd)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return again < 0 ? NULL : fdopendir(again);
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int dir_copy(struct copy *copy, int from, int to)
{
	_cleanup_(dir_close) DIR *dir = entries_open(from);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return -errno;
	while (!r && (entry = readdir(dir)))
		if (!is_dots(entry->d_name))
			r = entry_take(copy, from, to, entry->d_name);
	return r;
}

static int tree_remove(int dir_fd, const char *name)
{
	_cleanup_fd_ int fd = beneath_open(dir_fd, name, O_RDONLY | O_DIRECTORY);
	struct wipe_left left = {};
	int r;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	r = wipe_tree(fd, &left);
	if (!r && left.err)
		r = -left.err;
	if (!r && unlinkat(dir_fd, name, AT_REMOVEDIR))
		r = -errno;
	return r;
}

static int put_in_place(int sites_fd, const char *new, const char *slug)
{
	if (renameat2(sites_fd, new, sites_fd, slug, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EEXIST || renameat2(sites_fd, new, sites_fd, slug, RENAME_EXCHANGE))
		return -errno;
	/* what it took the place of */
	return tree_remove(sites_fd, new);
}

static int site_copy(const char *state_dir, const char *session_id, int to, struct copy *copy,
		     struct fault *ret_fault)
{
	_cleanup_workspace_ struct workspace workspace = WORKSPACE_INIT;
	int r = workspace_open(state_dir, session_id, &workspace, ret_fault);

	if (!r)
		r = dir_copy(copy, workspace.site_fd, to);
	if (r == -EFBIG)
		return fault_set(ret_fault, FAULT_LIMIT, "/site",
				 "leave less there, or remove what is not to be published",
				 "a site is at most %u files and directories, %u deep, of %llu bytes",
				 REEVE_SITE_FILES_MAX, REEVE_SITE_DEPTH_MAX,
				 (unsigned long long)REEVE_SITE_BYTES_MAX);
	return r;
}

int hall_site_publish(const char *state_dir, const char *session_id, const char *request_id,
		      struct fault *ret_fault)
{
	_cleanup_fd_ int sites_fd = sites_open(state_dir, true), to = -1;
	char new[sizeof(HALL_SITE_NEW) + REEVE_SESSION_ID_SIZE], slug[DESK_SLUG_SIZE];
	_cleanup_free_ struct copy *copy = calloc(1, sizeof(*copy));
	int r;

	if (sites_fd < 0 || !copy)
		return sites_fd < 0 ? sites_fd : -ENOMEM;
	*copy = (struct copy){ REEVE_SITE_BYTES_MAX, 0, REEVE_SITE_FILES_MAX, REEVE_SITE_DEPTH_MAX,
			       "" };
	snprintf(new, sizeof(new), HALL_SITE_NEW "%s", request_id);
	hall_site_slug(session_id, slug);
	r = tree_remove(sites_fd, new);
	if (!r && mkdirat(sites_fd, new, 0755))
		r = -errno;
	if (r)
		return r;
	to = beneath_open(sites_fd, new, O_RDONLY | O_DIRECTORY);
	r = to < 0 ? to : fchmod(to, 0755) ? -errno : 0;
	if (!r)
		r = site_copy(state_dir, session_id, to, copy, ret_fault);
	if (!r && copy->files)
		return put_in_place(sites_fd, new, slug);
	tree_remove(sites_fd, new);
	return r;
}

uint64_t hall_site_inode(const char *state_dir, const char *slug)
{
	_cleanup_fd_ int sites_fd = sites_open(state_dir, false);
	struct stat st;

	if (sites_fd < 0 || fstatat(sites_fd, slug, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	return st.st_ino;
}

int hall_site_remove(const char *state_dir, const char *slug)
{
	_cleanup_fd_ int sites_fd = sites_open(state_dir, false);

	if (sites_fd < 0)
		return sites_fd == -ENOENT ? 0 : sites_fd;
	return tree_remove(sites_fd, slug);
}

int hall_site_sweep(const char *state_dir, bool (*keep)(const char *name, void *arg), void *arg)
{
	_cleanup_fd_ int sites_fd = sites_open(state_dir, false);
	_cleanup_(dir_close) DIR *dir = sites_fd < 0 ? NULL : entries_open(sites_fd);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return sites_fd == -ENOENT ? 0 : sites_fd < 0 ? sites_fd : -errno;
	while (!r && (entry = readdir(dir)))
		if (!is_dots(entry->d_name) && !keep(entry->d_name, arg))
			r = tree_remove(sites_fd, entry->d_name);
	return r;
}
