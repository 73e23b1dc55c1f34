// SPDX-License-Identifier: GPL-2.0-only
/*
 * A slot file is never unlinked while reeve runs on the host: a lock on a name that another process
 * removes and makes again would be two locks. It is emptied instead.
 *
 * The lock says who is alive, but a child that was just cloned has it too, until it closes what it
 * inherited or dies with its owner. So the owner's pid stands in the record: where the owner is dead and
 * the lock is not free, it will be in a moment. The pid alone decides nothing; it may be another
 * process's by now, or one of another pid namespace.
 */
#include "slot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <unistd.h>

#define RECORD_SIZE 96
#define KEPT "kept"
/* How long the children of a dead owner are given to die, and how often they are asked. */
#define ORPHANS_MS 500
#define ORPHANS_ASKED_US 500
/* Above it is the one that doctor's trials borrow. */
#define SLOT_KEPT_FIRST (REEVE_SLOTS_MAX - 2)

int slot_read(int fd, struct slot_record *ret)
{
	struct slot_record record = {};
	char text[RECORD_SIZE], mark[8] = "";
	unsigned long long id = 0;
	int pid = 0;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	/* a record cut short by a crash names its session at least, or nobody */
	if (n > 0 && sscanf(text, "%31s %llu %d %7s", record.session_id, &id, &pid, mark) < 1)
		return -EUCLEAN;
	record.cgroup_id = id;
	record.owner = pid;
	record.kept = strcmp(mark, KEPT) == 0;
	*ret = record;
	return 0;
}

int slot_set_cgroup(const struct slot *slot, const char *session_id, uint64_t cgroup_id)
{
	char text[RECORD_SIZE];
	int n = snprintf(text, sizeof(text), "%s %llu %d%s\n", session_id,
			 (unsigned long long)cgroup_id, getpid(), slot->kept ? " " KEPT : "");

	return pwrite(slot->fd, text, (size_t)n, 0) == n ? 0 : -EIO;
}

/* Dead also when its parent has not taken its zombie yet. */
static bool process_is_dead(pid_t pid)
{
	_cleanup_fd_ int fd = pidfd_open(pid, 0);
	struct pollfd end = { .fd = fd, .events = POLLIN };

	return fd < 0 ? errno == ESRCH : poll(&end, 1, 0) > 0;
}

/* Whether the slot is somebody's; when not, the lock is now this descriptor's. */
static bool slot_is_alive(int fd)
{
	struct slot_record record;

	if (slot_read(fd, &record) == 0 && record.kept)
		return true;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return false;
	if (slot_read(fd, &record) || record.owner <= 0 || !process_is_dead(record.owner))
		return true;
	for (unsigned int us = 0; us < ORPHANS_MS * 1000; us += ORPHANS_ASKED_US) {
		usleep(ORPHANS_ASKED_US);
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return false;
	}
	return true;
}

static int slot_file_open(const struct engine *engine, unsigned int number, int flags)
{
	char name[16];
	int fd;

	snprintf(name, sizeof(name), "%u", number);
	fd = openat(engine->slots_fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
	return fd < 0 ? -errno : fd;
}

/* Takes the slot for @session_id; -EBUSY when it is another's. */
static int slot_try(const struct engine *engine, const char *session_id, unsigned int number,
		    struct slot *ret)
{
	_cleanup_fd_ int fd = slot_file_open(engine, number, O_CREAT);
	struct slot_record record;
	int r;

	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return -EBUSY;
	r = slot_read(fd, &record);
	if (r)
		return r;
	/* an owner that died after the sweep: the next sweep's */
	if (record.session_id[0])
		return -EBUSY;
	ret->number = number;
	ret->fd = fd_take(&fd);
	return slot_set_cgroup(ret, session_id, 0);
}

static int fault_taken(struct fault *ret_fault)
{
	return fault_set(ret_fault, FAULT_BUSY, "session",
			 "wait for one to end; \"reeve doctor\" counts them",
			 "all %d slots for sessions are taken", REEVE_SLOTS_MAX);
}

int slot_take(const struct engine *engine, const char *session_id, struct slot *ret,
	      struct fault *ret_fault)
{
	for (unsigned int i = 0; i < REEVE_SLOTS_MAX; i++) {
		int r = slot_try(engine, session_id, i, ret);

		if (r != -EBUSY)
			return r;
	}
	return fault_taken(ret_fault);
}

int slot_take_kept(const struct engine *engine, const char *session_id, unsigned int wanted,
		   struct slot *ret, struct fault *ret_fault)
{
	struct slot slot = { .fd = -1, .kept = true };
	unsigned int number = wanted == SLOT_ANY ? SLOT_KEPT_FIRST + 1 : wanted + 1;
	int r;

	do {
		r = slot_try(engine, session_id, --number, &slot);
	} while (r == -EBUSY && number > 0 && wanted == SLOT_ANY);
	if (r == -EBUSY && wanted != SLOT_ANY)
		return fault_set(ret_fault, FAULT_BUSY, session_id, "end the session that has it",
				 "the files of session %s are those of slot %u, which is taken",
				 session_id, wanted);
	if (r)
		return r == -EBUSY ? fault_taken(ret_fault) : r;
	*ret = slot;
	return 0;
}

int slot_open_kept(const struct engine *engine, const char *session_id, unsigned int number,
		   struct slot *ret)
{
	_cleanup_fd_ int fd = slot_file_open(engine, number, 0);
	struct slot_record record;
	int r = fd < 0 ? fd : slot_read(fd, &record);

	if (r < 0)
		return r;
	if (!record.kept || strcmp(record.session_id, session_id) != 0)
		return -ENOENT;
	*ret = (struct slot){ .number = number, .fd = fd_take(&fd), .kept = true };
	return 0;
}

void slot_release(struct slot *slot)
{
	/* an emptied record that cannot be written is found and emptied by the next sweep */
	if (slot->fd >= 0 && ftruncate(slot->fd, 0) == 0)
		slot->number = 0;
	fd_close(&slot->fd);
}

void slot_abandon(struct slot *slot)
{
	fd_close(&slot->fd);
}

static void dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

int slot_each(int slots_fd, int (*fn)(unsigned int slot, int fd, bool alive, void *arg), void *arg)
{
	int again = openat(slots_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(dir_close) DIR *dir = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return -errno;
	while (!r && (entry = readdir(dir))) {
		_cleanup_fd_ int fd = -1;

		if (entry->d_name[0] == '.')
			continue;
		fd = openat(slots_fd, entry->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		r = fn((unsigned int)strtoul(entry->d_name, NULL, 10), fd, slot_is_alive(fd), arg);
	}
	return r;
}
