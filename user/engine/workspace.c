// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every path from the state directory down is walked by openat2, beneath it, through no symlink and into no
 * other mount. The session's directory is root's (0700), so that the sandbox's ids reach "work" and "site"
 * by their mounts alone, and nothing of the host reaches them but as root.
 */
#include "workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../../include/limits.h"

#define SESSIONS "sessions"

static int beneath_open(int dir_fd, const char *name, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	int fd = (int)syscall(SYS_openat2, dir_fd, name, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static int fault_state(struct fault *ret_fault, const char *state_dir, const char *session_id, int err)
{
	return fault_set_errno(ret_fault, FAULT_HOST, "--state-dir",
			       "give a directory of root's on a local file system, with --state-dir",
			       -err, "the workspace of session %s below %s cannot be used",
			       session_id, state_dir);
}

static int sessions_open(const char *state_dir)
{
	_cleanup_fd_ int state_fd = open(state_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return state_fd < 0 ? -errno : beneath_open(state_fd, SESSIONS, O_RDONLY);
}

int workspace_dir_open(const char *state_dir, const char *session_id)
{
	_cleanup_fd_ int sessions_fd = sessions_open(state_dir);

	return sessions_fd < 0 ? sessions_fd : beneath_open(sessions_fd, session_id, O_RDONLY);
}

/* A directory of @owner's. One that is root's was left on the way here, any other keeps what it is. */
static int part_make(int dir_fd, const char *name, uid_t owner)
{
	_cleanup_fd_ int fd = -1;
	struct stat st;

	if (mkdirat(dir_fd, name, 0700) && errno != EEXIST)
		return -errno;
	fd = beneath_open(dir_fd, name, O_RDONLY);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid != 0)
		return 0;
	/* by itself: no mode mask of the caller's is in force for it */
	return fchmod(fd, 0755) || fchown(fd, owner, owner) ? -errno : 0;
}

static int parts_make(const char *state_dir, const char *session_id, unsigned int slot)
{
	const uid_t owner = REEVE_UID_BASE + slot * REEVE_UIDS_PER_SLOT;
	_cleanup_fd_ int state_fd = open(state_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_fd_ int sessions_fd = -1, fd = -1;
	int r;

	if (state_fd < 0 || (mkdirat(state_fd, SESSIONS, 0700) && errno != EEXIST))
		return -errno;
	sessions_fd = beneath_open(state_fd, SESSIONS, O_RDONLY);
	if (sessions_fd < 0)
		return sessions_fd;
	if (mkdirat(sessions_fd, session_id, 0700) && errno != EEXIST)
		return -errno;
	fd = beneath_open(sessions_fd, session_id, O_RDONLY);
	if (fd < 0)
		return fd;
	r = part_make(fd, "work", owner);
	return r ? r : part_make(fd, "site", owner);
}

int workspace_make(const char *state_dir, const char *session_id, unsigned int slot,
		   struct fault *ret_fault)
{
	int r = parts_make(state_dir, session_id, slot);

	return r ? fault_state(ret_fault, state_dir, session_id, r) : 0;
}

int workspace_open(const char *state_dir, const char *session_id, struct workspace *ret,
		   struct fault *ret_fault)
{
	_cleanup_fd_ int fd = workspace_dir_open(state_dir, session_id);
	_cleanup_workspace_ struct workspace workspace = WORKSPACE_INIT;

	if (fd >= 0)
		workspace.work_fd = beneath_open(fd, "work", O_PATH);
	if (workspace.work_fd >= 0)
		workspace.site_fd = beneath_open(fd, "site", O_PATH);
	if (workspace.site_fd < 0)
		return fault_state(ret_fault, state_dir, session_id,
				   fd < 0		   ? fd
				   : workspace.work_fd < 0 ? workspace.work_fd
							   : workspace.site_fd);
	*ret = workspace;
	workspace = (struct workspace)WORKSPACE_INIT;
	return 0;
}

void workspace_close(struct workspace *workspace)
{
	fd_close(&workspace->work_fd);
	fd_close(&workspace->site_fd);
}

int workspace_slot(const char *state_dir, const char *session_id, unsigned int *ret)
{
	_cleanup_fd_ int fd = workspace_dir_open(state_dir, session_id);
	struct stat st;
	uint32_t n;

	if (fd < 0)
		return fd;
	if (fstatat(fd, "work", &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	n = (st.st_uid - REEVE_UID_BASE) / REEVE_UIDS_PER_SLOT;
	if (st.st_uid < REEVE_UID_BASE || n >= REEVE_SLOTS_MAX)
		return -EUCLEAN;
	*ret = n;
	return 0;
}
