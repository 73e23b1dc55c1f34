// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the plan's rows to mounts, in a mount namespace that the host's user namespace owns: whatever
 * becomes of the ids inside, nobody in the sandbox can change or undo a mount.
 *
 * Until the pivot the new root is mounted over the child's /sys, which every host has and no step needs,
 * and is the working directory. The layers of input directories are attached below it first, for an
 * overlay takes its layers from mounts of its own namespace only; they go with the old root, the overlay
 * holds a private clone.
 *
 * Detached mounts are cloned by the parent, in whose mount namespace the descriptors were opened; who
 * holds the tree's descriptor owns it, and placing it closes that.
 */
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/macro.h"
#include "mount_rows.h"

#define STAGE "/sys"
#define BIT(kind) (1u << (kind))

static int tree_clone(int fd, uint64_t attr, int userns_fd, int *ret_tree)
{
	struct mount_attr set = {
		.attr_set = attr,
		.propagation = MS_PRIVATE,
		.userns_fd = attr & MOUNT_ATTR_IDMAP ? (uint64_t)userns_fd : 0,
	};
	_cleanup_fd_ int tree =
		open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);

	if (tree < 0 || mount_setattr(tree, "", AT_EMPTY_PATH, &set, sizeof(set)) < 0)
		return -errno;
	*ret_tree = fd_take(&tree);
	return 0;
}

int mount_clone_input(int fd, int userns_fd, int *ret_tree)
{
	const uint64_t attr = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	int r = tree_clone(fd, attr | MOUNT_ATTR_IDMAP, userns_fd, ret_tree);

	/* A file system without idmapped mounts: what the world may read is readable inside. */
	if (r == -EINVAL)
		r = tree_clone(fd, attr, -1, ret_tree);
	return r;
}

int mount_clone_output(int fd, int *ret_tree)
{
	return tree_clone(fd, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, -1, ret_tree);
}

/* The rows of @kinds in the plan's order; those of the root itself have steps of their own. */
static int rows_perform(struct child *c, unsigned int kinds)
{
	for (size_t i = 0; i < c->plan->n_mounts; i++) {
		const struct plan_mount *m = &c->plan->mounts[i];
		int r;

		if (!(kinds & BIT(m->kind)) || m->target[1] == '\0')
			continue;
		r = mount_rows[m->kind](c, m, m->target + 1);
		if (r < 0)
			return r;
	}
	return 0;
}

int mount_make_private(struct child *c)
{
	(void)c;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? -errno : 0;
}

static int layers_stage(struct child *c)
{
	for (size_t i = 0; i < c->plan->n_mounts; i++) {
		const struct plan_mount *m = &c->plan->mounts[i];

		if (m->kind != PLAN_MOUNT_INPUT_DIRECTORY)
			continue;
		if (move_mount(c->input_trees[m->input], "", AT_FDCWD, STAGE,
			       MOVE_MOUNT_F_EMPTY_PATH) < 0)
			return -errno;
	}
	return 0;
}

int mount_root(struct child *c)
{
	const struct plan_mount *m = &c->plan->mounts[0];
	int r;

	if (m->kind != PLAN_MOUNT_TMPFS || strcmp(m->target, "/") != 0)
		return -EINVAL;
	r = layers_stage(c);
	if (r == 0)
		r = mount_tmpfs(c, m, STAGE);
	if (r == 0 && chdir(STAGE) < 0)
		r = -errno;
	return r;
}

int mount_system(struct child *c)
{
	return rows_perform(c, BIT(PLAN_MOUNT_SYSTEM) | BIT(PLAN_MOUNT_SYMLINK) |
				       BIT(PLAN_MOUNT_TEXT) | BIT(PLAN_MOUNT_DIRECTORY));
}

int mount_devices(struct child *c)
{
	return rows_perform(c, BIT(PLAN_MOUNT_DEVICE) | BIT(PLAN_MOUNT_DEVPTS));
}

int mount_proc(struct child *c)
{
	return rows_perform(c, BIT(PLAN_MOUNT_PROC) | BIT(PLAN_MOUNT_READ_ONLY) |
				       BIT(PLAN_MOUNT_MASK_FILE) | BIT(PLAN_MOUNT_MASK_DIRECTORY));
}

int mount_inputs(struct child *c)
{
	return rows_perform(c, BIT(PLAN_MOUNT_INPUT_FILE) | BIT(PLAN_MOUNT_INPUT_DIRECTORY));
}

int mount_output(struct child *c)
{
	return rows_perform(c, BIT(PLAN_MOUNT_OUT) | BIT(PLAN_MOUNT_WORK) | BIT(PLAN_MOUNT_SITE));
}

int mount_scratch(struct child *c)
{
	return rows_perform(c, BIT(PLAN_MOUNT_TMPFS));
}

int mount_pivot(struct child *c)
{
	(void)c;
	/* The old root comes to lie on top of the new one, and is what "." names then. */
	if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return -errno;
	return 0;
}

int mount_seal_root(struct child *c)
{
	(void)c;
	return mount_attributes_set("/", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0);
}
