// SPDX-License-Identifier: GPL-2.0-only
/*
 * One function for each kind of row in a plan. The working directory is the new root, @target relative
 * to it; sources are the host's paths or, for all that a request names, detached mounts cloned from
 * checked descriptors. Every place in the new root was made here, so no target can lead elsewhere.
 *
 * A device is verified after it was mounted, at its target: what is there is what was planned.
 *
 * An input directory is not bound but becomes the lower layer of a read-only overlay: a unix socket or
 * FIFO reached through a bind is the host's own, in an overlay it is another inode.
 */
#include "mount_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../base/macro.h"

#define BYTES_PER_INODE 4096
#define OPTIONS_SIZE 160

/* A growing string of mount options; what does not fit makes it unusable, never shorter. */
struct options {
	char text[OPTIONS_SIZE];
	size_t len;
};

static void options_add(struct options *o, const char *text)
{
	size_t len = strlen(text);

	if (o->len + len >= sizeof(o->text)) {
		o->len = sizeof(o->text);
		return;
	}
	memcpy(o->text + o->len, text, len + 1);
	o->len += len;
}

static void options_add_number(struct options *o, const char *key, uint64_t value, unsigned int base)
{
	char digits[24], *p = digits + sizeof(digits) - 1;

	*p = '\0';
	do
		*--p = (char)('0' + value % base);
	while (value /= base);
	options_add(o, key);
	options_add(o, p);
}

int mount_attributes_set(const char *path, uint64_t attr, unsigned int flags)
{
	struct mount_attr set = { .attr_set = attr };

	return mount_setattr(AT_FDCWD, path, flags, &set, sizeof(set)) < 0 ? -errno : 0;
}

/* Every directory above @path; few rows need it, so it is called when something was found missing. */
static int parents_make(const char *path)
{
	char copy[REEVE_PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof(copy))
		return -ENAMETOOLONG;
	memcpy(copy, path, len + 1);
	for (char *slash = strchr(copy, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/* Makes the directory or empty file that something is mounted on. */
static int place_make(const char *path, mode_t type)
{
	int r;

	for (bool again = true;; again = false) {
		r = S_ISDIR(type) ? mkdir(path, 0755) : mknod(path, S_IFREG | 0444, 0);
		if (r == 0 || errno == EEXIST)
			return 0;
		if (errno != ENOENT || !again)
			return -errno;
		r = parents_make(path);
		if (r < 0)
			return r;
	}
}

static int tree_attach(int *tree, const char *path)
{
	if (move_mount(*tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return -errno;
	fd_close(tree);
	return 0;
}

/* The root keeps the host's owner, whom no id inside stands for; what lies below is the sandbox's own. */
int mount_tmpfs(const struct child *c, const struct plan_mount *m, const char *target)
{
	struct options o = { .len = 0 };

	options_add_number(&o, "size=", m->size_bytes, 10);
	options_add_number(&o, ",nr_inodes=", m->size_bytes / BYTES_PER_INODE, 10);
	options_add_number(&o, ",mode=", m->mode, 8);
	if (m->target[1]) {
		options_add_number(&o, ",uid=", c->plan->uid_base, 10);
		options_add_number(&o, ",gid=", c->plan->uid_base, 10);
	}
	return mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, o.text) < 0 ? -errno : 0;
}

static int row_tmpfs(struct child *c, const struct plan_mount *m, const char *target)
{
	int r = place_make(target, S_IFDIR);

	return r < 0 ? r : mount_tmpfs(c, m, target);
}

static int row_system(struct child *c, const struct plan_mount *m, const char *target)
{
	const uint64_t attr = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	struct stat st;
	int r;

	(void)c;
	if (stat(m->source, &st) < 0)
		return -errno;
	r = place_make(target, st.st_mode & S_IFMT);
	if (r < 0)
		return r;
	if (mount(m->source, target, NULL, MS_BIND | MS_REC, NULL) < 0)
		return -errno;
	return mount_attributes_set(target, attr, AT_RECURSIVE);
}

static int row_symlink(struct child *c, const struct plan_mount *m, const char *target)
{
	int r;

	(void)c;
	if (symlink(m->source, target) == 0)
		return 0;
	if (errno != ENOENT)
		return -errno;
	r = parents_make(target);
	return r < 0 ? r : symlink(m->source, target) < 0 ? -errno : 0;
}

static int row_text(struct child *c, const struct plan_mount *m, const char *target)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	_cleanup_fd_ int fd = open(target, flags, 0644);
	size_t len = strlen(m->source);
	ssize_t n;

	(void)c;
	if (fd < 0 && errno == ENOENT && parents_make(target) == 0)
		fd = open(target, flags, 0644);
	if (fd < 0)
		return -errno;
	n = write(fd, m->source, len);
	return n < 0 ? -errno : (size_t)n == len ? 0 : -ENOSPC;
}

static int row_directory(struct child *c, const struct plan_mount *m, const char *target)
{
	(void)c;
	(void)m;
	return place_make(target, S_IFDIR);
}

static int is_device(const char *path, unsigned int major, unsigned int minor)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return -errno;
	return S_ISCHR(st.st_mode) && st.st_rdev == makedev(major, minor) ? 0 : -ENODEV;
}

/* Read-only stops changes to the host's node, times included; a device takes writes all the same. */
static int device_bind(const char *source, const char *target, unsigned int major, unsigned int minor)
{
	const uint64_t attr = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
	int r;

	if (mount(source, target, NULL, MS_BIND, NULL) < 0)
		return -errno;
	r = mount_attributes_set(target, attr, 0);
	return r < 0 ? r : is_device(target, major, minor);
}

static int row_device(struct child *c, const struct plan_mount *m, const char *target)
{
	int r = place_make(target, S_IFREG);

	(void)c;
	return r < 0 ? r : device_bind(m->source, target, m->major, m->minor);
}

static int row_devpts(struct child *c, const struct plan_mount *m, const char *target)
{
	int r = place_make(target, S_IFDIR);

	(void)c;
	(void)m;
	if (r < 0)
		return r;
	r = mount("devpts", target, "devpts", MS_NOSUID | MS_NOEXEC,
		  "newinstance,ptmxmode=0666,mode=0620");
	return r < 0 ? -errno : 0;
}

/* hidepid=ptraceable knows no exempt group: a process sees those that it could trace, its own. */
static int row_proc(struct child *c, const struct plan_mount *m, const char *target)
{
	int r = place_make(target, S_IFDIR);

	(void)c;
	(void)m;
	if (r < 0)
		return r;
	r = mount("proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=ptraceable");
	return r < 0 ? -errno : 0;
}

/* A kernel without the file leaves nothing to mask. */
static int row_mask_file(struct child *c, const struct plan_mount *m, const char *target)
{
	int r = device_bind(m->source, target, m->major, m->minor);

	(void)c;
	return r == -ENOENT && access(target, F_OK) < 0 && errno == ENOENT ? 0 : r;
}

static int row_mask_directory(struct child *c, const struct plan_mount *m, const char *target)
{
	(void)c;
	(void)m;
	if (mount("tmpfs", target, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  "size=4k,nr_inodes=2,mode=555") == 0)
		return 0;
	return errno == ENOENT ? 0 : -errno;
}

static int row_read_only(struct child *c, const struct plan_mount *m, const char *target)
{
	(void)c;
	(void)m;
	if (mount(target, target, NULL, MS_BIND, NULL) < 0)
		return errno == ENOENT ? 0 : -errno;
	return mount_attributes_set(target, MOUNT_ATTR_RDONLY, 0);
}

static int row_input_file(struct child *c, const struct plan_mount *m, const char *target)
{
	int r = place_make(target, S_IFREG);

	return r < 0 ? r : tree_attach(&c->input_trees[m->input], target);
}

static int row_input_directory(struct child *c, const struct plan_mount *m, const char *target)
{
	_cleanup_fd_ int empty = -1;
	struct options o = { .len = 0 };
	int r = place_make(target, S_IFDIR);

	if (r < 0)
		return r;
	empty = open("sys", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (empty < 0)
		return -errno;
	options_add_number(&o, "lowerdir=/proc/self/fd/", (uint64_t)c->input_trees[m->input], 10);
	options_add_number(&o, ":/proc/self/fd/", (uint64_t)empty, 10);
	options_add(&o, ",redirect_dir=nofollow,metacopy=off");
	if (mount("overlay", target, "overlay", MS_RDONLY | MS_NOSUID | MS_NODEV, o.text) < 0)
		return -errno;
	fd_close(&c->input_trees[m->input]);
	return 0;
}

static int own_attach(int *tree, const char *target)
{
	int r = place_make(target, S_IFDIR);

	return r < 0 ? r : tree_attach(tree, target);
}

static int row_out(struct child *c, const struct plan_mount *m, const char *target)
{
	(void)m;
	return own_attach(&c->own_trees[CHILD_OUT], target);
}

static int row_work(struct child *c, const struct plan_mount *m, const char *target)
{
	(void)m;
	return own_attach(&c->own_trees[CHILD_WORK], target);
}

static int row_site(struct child *c, const struct plan_mount *m, const char *target)
{
	(void)m;
	return own_attach(&c->own_trees[CHILD_SITE], target);
}

int (*const mount_rows[])(struct child *c, const struct plan_mount *m, const char *target) = {
	[PLAN_MOUNT_TMPFS] = row_tmpfs,
	[PLAN_MOUNT_SYSTEM] = row_system,
	[PLAN_MOUNT_SYMLINK] = row_symlink,
	[PLAN_MOUNT_TEXT] = row_text,
	[PLAN_MOUNT_DEVICE] = row_device,
	[PLAN_MOUNT_INPUT_FILE] = row_input_file,
	[PLAN_MOUNT_INPUT_DIRECTORY] = row_input_directory,
	[PLAN_MOUNT_OUT] = row_out,
	[PLAN_MOUNT_WORK] = row_work,
	[PLAN_MOUNT_SITE] = row_site,
	[PLAN_MOUNT_PROC] = row_proc,
	[PLAN_MOUNT_DEVPTS] = row_devpts,
	[PLAN_MOUNT_MASK_FILE] = row_mask_file,
	[PLAN_MOUNT_MASK_DIRECTORY] = row_mask_directory,
	[PLAN_MOUNT_READ_ONLY] = row_read_only,
	[PLAN_MOUNT_DIRECTORY] = row_directory,
};
