// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock of the run directory lives as long as the daemon, so that there is one daemon for it. Under the lock a
 * new socket is bound to a name of its own, given its owner and mode while nobody can connect yet, and
 * moved into place: a client finds the old one, or the new one as it must be, and never none.
 *
 * The mode of the socket already keeps strangers out. The peer's credentials are asked as well, since modes of directories and
 * sockets of a service manager are somebody else's work; they are those of connect(), whoever has the descriptor since.
 */
#include "door.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <grp.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../engine/engine.h"
#include "log.h"
#include "service.h"

#define BACKLOG 512
#define ACCEPTS_MAX 32
#define GROUPS_MAX 65536
/* Until descriptors may be free again. */
#define REST_MS 100
#define LOCK_WAIT_MS 1000
#define LOCK_ASKED_MS 10

struct door {
	struct door_args args;
	struct event *accept, *rest;
	int fd, lock_fd;
	gid_t gid;
	/* of the socket at the path, when it was made here */
	bool is_made;
	dev_t device;
	ino_t inode;
	bool is_told;
};

static bool group_has(int fd, gid_t gid)
{
	_cleanup_free_ gid_t *groups = NULL;
	socklen_t n = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &n) == 0 || errno != ERANGE ||
	    n > GROUPS_MAX * sizeof(gid_t))
		return false;
	groups = malloc(n);
	if (!groups || getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &n))
		return false;
	for (size_t i = 0; i < n / sizeof(gid_t); i++)
		if (groups[i] == gid)
			return true;
	return false;
}

bool door_peer_is_allowed(int fd, gid_t gid)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n))
		return false;
	return peer.uid == 0 || peer.uid == geteuid() || peer.gid == gid || group_has(fd, gid);
}

/* Without a free descriptor accept() fails for ever: others are given a moment to close theirs. */
static void rest(struct door *door, int err)
{
	struct timeval tv = { 0, REST_MS * 1000 };

	if (!door->is_told)
		log_line(LOG_WARN, "cannot accept connections: %s", strerror(err));
	door->is_told = true;
	event_del(door->accept);
	event_add(door->rest, &tv);
}

static void on_rest(evutil_socket_t fd, short what, void *arg)
{
	struct door *door = arg;

	(void)fd;
	(void)what;
	event_add(door->accept, NULL);
}

static void on_accept(evutil_socket_t socket, short what, void *arg)
{
	struct door *door = arg;

	(void)what;
	for (unsigned int i = 0; i < ACCEPTS_MAX; i++) {
		int fd = accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR))
			return;
		if (fd < 0) {
			rest(door, errno);
			return;
		}
		door->is_told = false;
		door->args.take(fd, door_peer_is_allowed(fd, door->gid), door->args.arg);
	}
}

/* Names in it can be used by who knows them and are not listed; what is in it is closed to others. */
static int lock_take(struct door *door, struct fault *ret_fault)
{
	static const char remedy[] = "stop the other daemon, or give this one another --run-dir";
	const char *run_dir = door->args.run_dir;
	_cleanup_fd_ int dir = -1;

	if (mkdir(run_dir, 0711) && errno != EEXIST)
		return fault_set_errno(ret_fault, FAULT_HOST, "--run-dir",
				       "make it, or name another", errno, "%s", run_dir);
	dir = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || fchmod(dir, 0711))
		return fault_set_errno(ret_fault, FAULT_HOST, "--run-dir",
				       "name a directory of your own", errno, "%s", run_dir);
	door->lock_fd =
		openat(dir, ENGINE_DAEMON_LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (door->lock_fd < 0)
		return -errno;
	/* one that was killed holds it until it is gone */
	for (unsigned int ms = 0; ms < LOCK_WAIT_MS; ms += LOCK_ASKED_MS) {
		if (flock(door->lock_fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		usleep(LOCK_ASKED_MS * 1000);
	}
	return fault_set(ret_fault, FAULT_BUSY, "--run-dir", remedy,
			 "a daemon is running already with the run directory %s", run_dir);
}

static int address_make(const char *path, struct sockaddr_un *ret, struct fault *ret_fault)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (path[0] != '/' || strlen(path) >= sizeof(ret->sun_path))
		return fault_set(ret_fault, FAULT_USAGE, "--socket", "give a shorter path",
				 "%s is not an absolute path of at most %zu bytes", path,
				 sizeof(ret->sun_path) - 1);
	strcpy(ret->sun_path, path);
	return 0;
}

/* What stands at the path must be a socket that nobody listens on. */
static int place_check(const struct sockaddr_un *address, struct fault *ret_fault)
{
	static const char remedy[] = "give another --socket, or remove what is there";
	_cleanup_fd_ int fd = -1;
	struct stat st;

	if (lstat(address->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return fault_set(ret_fault, FAULT_HOST, "--socket", remedy,
				 "%s is there and is no socket", address->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 || errno == EAGAIN)
		return fault_set(ret_fault, FAULT_BUSY, "--socket", remedy,
				 "somebody listens on %s already", address->sun_path);
	return 0;
}

static int group_find(const char *name, gid_t *ret, struct fault *ret_fault)
{
	const struct group *group = name ? getgrnam(name) : NULL;

	if (name && !group)
		return fault_set(ret_fault, FAULT_USAGE, "--group",
				 "make it with groupadd(8), or name another",
				 "there is no group %s", name);
	*ret = group ? group->gr_gid : getegid();
	return 0;
}

static int socket_bind(struct door *door, const struct sockaddr_un *address)
{
	struct sockaddr_un fresh = *address;
	size_t n = strlen(fresh.sun_path);
	struct stat st;
	int r = 0;

	/* one character more may not fit: the last one is replaced */
	fresh.sun_path[n - 1] = fresh.sun_path[n - 1] == '~' ? '#' : '~';
	door->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (door->fd < 0)
		return -errno;
	unlink(fresh.sun_path);
	if (bind(door->fd, (struct sockaddr *)&fresh, sizeof(fresh)))
		return -errno;
	if (chown(fresh.sun_path, (uid_t)-1, door->gid) || chmod(fresh.sun_path, 0660) ||
	    lstat(fresh.sun_path, &st) || listen(door->fd, BACKLOG) ||
	    rename(fresh.sun_path, address->sun_path))
		r = -errno;
	if (r) {
		unlink(fresh.sun_path);
		return r;
	}
	door->is_made = true;
	door->device = st.st_dev;
	door->inode = st.st_ino;
	return 0;
}

static int socket_make(struct door *door, struct fault *ret_fault)
{
	struct sockaddr_un address;
	int r = address_make(door->args.socket, &address, ret_fault);

	if (!r)
		r = place_check(&address, ret_fault);
	if (!r)
		r = group_find(door->args.group, &door->gid, ret_fault);
	if (!r)
		r = socket_bind(door, &address);
	if (r < 0)
		r = fault_set_errno(ret_fault, FAULT_HOST, "--socket",
				    "name a path that can be made", -r, "%s", door->args.socket);
	return r;
}

/* A manager's socket: the group that may connect is the one that the manager gave it. */
static int socket_adopt(struct door *door, struct fault *ret_fault)
{
	struct sockaddr_un address;
	socklen_t n = sizeof(address);
	struct stat st;

	if (door->args.group)
		return group_find(door->args.group, &door->gid, ret_fault);
	door->gid = getegid();
	if (getsockname(door->fd, (struct sockaddr *)&address, &n) == 0 &&
	    n > offsetof(struct sockaddr_un, sun_path) && address.sun_path[0] == '/' &&
	    lstat(address.sun_path, &st) == 0 && S_ISSOCK(st.st_mode))
		door->gid = st.st_gid;
	return 0;
}

int door_open(struct event_base *base, const struct door_args *args, struct door **ret,
	      struct fault *ret_fault)
{
	struct door *door = calloc(1, sizeof(*door));
	int r;

	if (!door)
		return -ENOMEM;
	door->args = *args;
	door->fd = door->lock_fd = -1;
	r = lock_take(door, ret_fault);
	if (!r)
		r = service_take_socket(&door->fd, ret_fault);
	if (!r)
		r = door->fd >= 0 ? socket_adopt(door, ret_fault) : socket_make(door, ret_fault);
	if (!r) {
		door->accept = event_new(base, door->fd, EV_READ | EV_PERSIST, on_accept, door);
		door->rest = evtimer_new(base, on_rest, door);
		if (!door->accept || !door->rest || event_add(door->accept, NULL))
			r = -ENOMEM;
	}
	if (r) {
		door_close(&door);
		return r;
	}
	*ret = door;
	return 0;
}

void door_close(struct door **door)
{
	struct door *l = *door;
	struct stat st;

	if (!l)
		return;
	if (l->accept)
		event_free(l->accept);
	if (l->rest)
		event_free(l->rest);
	if (l->is_made && lstat(l->args.socket, &st) == 0 && st.st_dev == l->device &&
	    st.st_ino == l->inode)
		unlink(l->args.socket);
	fd_close(&l->fd);
	fd_close(&l->lock_fd);
	free(l);
	*door = NULL;
}
