// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tree may be deeper than any path is long and than any stack, so it is never walked down. Everything is first
 * renamed into a directory of ours, "wiped", beside it. Of each directory there the files are unlinked, the
 * empty directories removed, and the others renamed up into "wiped"; then it is empty and goes. So every
 * directory is emptied one step below "wiped", two descriptors are open at a time, and whoever is stopped in the
 * middle has left nothing that the same walk does not find.
 *
 * Names are bytes, taken from the directory and given back to it. Flags that forbid removal are taken off, of the
 * entry and of the directory that it is in. Nothing of the session runs any more, so that nothing moves under
 * these hands but what the host's root does.
 */
#include "wipe_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/macro.h"
#include "../base/str.h"

#define WIPED "wiped"
/* Obstacles that one entry may have: flags on it and on its directory, mounts upon mounts. */
#define TRIES 64

struct walk {
	int wiped_fd;
	unsigned long hoisted; /* the last number that was a name in "wiped" */
	unsigned long gone;    /* what was removed in this pass */
	struct wipe_left left;
};

static int beneath_open(int dir_fd, const char *name, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	int fd = (int)syscall(SYS_openat2, dir_fd, name, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static void left_note(struct walk *walk, const char *directory, const char *name, int err)
{
	char shown[200];

	if (walk->left.err)
		return;
	walk->left.err = err;
	str_show(name, strlen(name), shown, sizeof(shown));
	snprintf(walk->left.path, sizeof(walk->left.path), "%s%s%s", directory,
		 *directory ? "/" : "", shown);
}

static bool flags_clear(int fd)
{
	int flags;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) || !(flags & (FS_IMMUTABLE_FL | FS_APPEND_FL)))
		return false;
	flags &= ~(FS_IMMUTABLE_FL | FS_APPEND_FL);
	return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}

/* Only files and directories have such flags, and opening anything else may do more than open it. */
static bool entry_flags_clear(int dir_fd, const char *name)
{
	_cleanup_fd_ int fd = -1;
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return false;
	fd = beneath_open(dir_fd, name, O_RDONLY | O_NONBLOCK);
	return fd >= 0 && flags_clear(fd);
}

static uint64_t mount_id(int fd)
{
	struct statx sx = {};

	return statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &sx) ? 0
										     : sx.stx_mnt_id;
}

/* Takes off what is mounted on the entry. */
static bool entry_unmount(int dir_fd, const char *name)
{
	_cleanup_fd_ int fd = openat(dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char path[64];

	if (fd < 0 || mount_id(fd) == mount_id(dir_fd))
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return umount2(path, MNT_DETACH) == 0;
}

/* Whether something stood in the way that does no longer. */
static bool obstacle_remove(int dir_fd, const char *name, int err)
{
	if (err == EPERM) {
		bool cleared = flags_clear(dir_fd);

		return entry_flags_clear(dir_fd, name) || cleared;
	}
	return (err == EBUSY || err == EXDEV) && entry_unmount(dir_fd, name);
}

/* Renames the entry up; 0 or a positive errno. */
static int entry_hoist(struct walk *walk, int dir_fd, const char *name)
{
	char number[24];

	for (;;) {
		snprintf(number, sizeof(number), "%lu", ++walk->hoisted);
		if (renameat2(dir_fd, name, walk->wiped_fd, number, RENAME_NOREPLACE) == 0)
			return 0;
		if (errno != EEXIST)
			return errno;
	}
}

/* Out of its directory by the shortest way; 0 or a positive errno. */
static int entry_try(struct walk *walk, int dir_fd, const char *name, bool hoist)
{
	if (unlinkat(dir_fd, name, 0) == 0)
		return 0;
	if (errno != EISDIR)
		return errno;
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0)
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return errno;
	return hoist ? entry_hoist(walk, dir_fd, name) : ENOTEMPTY;
}

static int entry_remove(struct walk *walk, int dir_fd, const char *name, bool hoist)
{
	int err = entry_try(walk, dir_fd, name, hoist);

	for (int i = 0; i < TRIES && err && err != ENOENT && obstacle_remove(dir_fd, name, err); i++)
		err = entry_try(walk, dir_fd, name, hoist);
	if (err == ENOENT)
		err = 0;
	walk->gone += !err;
	return err;
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* One pass over the directory @fd, which is taken over. A pass that removes nothing is the last. */
static int dir_pass(struct walk *walk, int fd, const char *directory, bool *ret_empty,
		    int (*each)(struct walk *walk, int dir_fd, const char *name,
				const char *directory))
{
	_cleanup_(dir_close) DIR *dir = fdopendir(fd);
	struct dirent *entry;
	bool empty = true;

	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	for (;;) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			break;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		empty = each(walk, dirfd(dir), entry->d_name, directory) == 0 && empty;
	}
	*ret_empty = empty && !errno;
	return -errno;
}

static int inner_remove(struct walk *walk, int dir_fd, const char *name, const char *directory)
{
	int err = entry_remove(walk, dir_fd, name, true);

	if (err)
		left_note(walk, directory, name, err);
	return err;
}

/* Empties a directory of "wiped" as far as it goes. A pass may miss what the one before it moved the others by. */
static void dir_empty(struct walk *walk, const char *name)
{
	unsigned long before;
	char directory[280];
	bool empty;
	int r;

	snprintf(directory, sizeof(directory), WIPED "/%s", name);
	do {
		int fd = beneath_open(walk->wiped_fd, name, O_RDONLY | O_DIRECTORY);

		before = walk->gone;
		r = fd < 0 ? fd : dir_pass(walk, fd, directory, &empty, inner_remove);
	} while (!r && walk->gone != before);
	if (r)
		left_note(walk, WIPED, name, -r);
}

static int outer_remove(struct walk *walk, int dir_fd, const char *name, const char *directory)
{
	int err = entry_remove(walk, dir_fd, name, false);

	if (err == ENOTEMPTY) {
		dir_empty(walk, name);
		err = entry_remove(walk, dir_fd, name, false);
	}
	if (err)
		left_note(walk, directory, name, err);
	return err;
}

/* Everything but "wiped" itself goes into it. */
static int top_hoist(struct walk *walk, int dir_fd, const char *name, const char *directory)
{
	int err;

	if (strcmp(name, WIPED) == 0)
		return 0;
	err = entry_hoist(walk, dir_fd, name);
	for (int i = 0; i < TRIES && err && obstacle_remove(dir_fd, name, err); i++)
		err = entry_hoist(walk, dir_fd, name);
	if (err && err != ENOENT)
		left_note(walk, directory, name, err);
	return err;
}

static int walk_begin(struct walk *walk, int dir_fd)
{
	bool empty;
	int fd;

	flags_clear(dir_fd);
	if (mkdirat(dir_fd, WIPED, 0700) && errno != EEXIST)
		return -errno;
	walk->wiped_fd = beneath_open(dir_fd, WIPED, O_RDONLY | O_DIRECTORY);
	if (walk->wiped_fd < 0)
		return walk->wiped_fd;
	flags_clear(walk->wiped_fd);
	fd = beneath_open(dir_fd, ".", O_RDONLY | O_DIRECTORY);
	return fd < 0 ? fd : dir_pass(walk, fd, "", &empty, top_hoist);
}

int wipe_tree(int dir_fd, struct wipe_left *ret_left)
{
	struct walk walk = { .wiped_fd = -1 };
	int r = walk_begin(&walk, dir_fd);
	struct wipe_left top = walk.left;
	bool empty = false;

	do {
		int fd = r ? r : beneath_open(walk.wiped_fd, ".", O_RDONLY | O_DIRECTORY);

		walk.gone = 0;
		/* what an earlier pass could not remove may have gone in a later one */
		walk.left = top;
		r = fd < 0 ? fd : dir_pass(&walk, fd, WIPED, &empty, outer_remove);
	} while (!r && walk.gone);
	fd_close(&walk.wiped_fd);
	if (!r && !walk.left.err && unlinkat(dir_fd, WIPED, AT_REMOVEDIR))
		r = -errno;
	if (r)
		return r;
	*ret_left = walk.left;
	return 0;
}
