// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the host has of the paths that the image "host" shows. Planning asks for nothing else of the
 * host's file system, and the sandbox performs exactly what was planned: a path that vanishes in between
 * fails the start.
 */
#include "hostroot.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static int entry_read(const char *path, struct plan_host_entry *ret)
{
	struct plan_host_entry entry = { .kind = PLAN_HOST_ABSENT };
	struct stat st;
	ssize_t n;

	if (lstat(path, &st) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return -errno;
	} else if (S_ISLNK(st.st_mode)) {
		n = readlink(path, entry.link, sizeof(entry.link) - 1);
		if (n < 0)
			return -errno;
		if (n == sizeof(entry.link) - 1)
			return -ENAMETOOLONG;
		entry.kind = PLAN_HOST_SYMLINK;
	} else if (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)) {
		entry.kind = PLAN_HOST_PRESENT;
	}
	*ret = entry;
	return 0;
}

int hostroot_read(struct plan_host_entry *ret, size_t n)
{
	size_t n_paths;
	const char *const *paths = plan_host_root(&n_paths);

	if (n != n_paths)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		int r = entry_read(paths[i], &ret[i]);

		if (r < 0)
			return r;
	}
	return 0;
}
