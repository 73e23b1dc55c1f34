// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every way out that is known, tried by one process each, from wherever this program is started: in the
 * sandbox, or on the host to see what the kernel has. selftests/live/ways.sh says what stops each.
 *
 *	ways inside OUTSIDE... [NAME...]
 *	                            tries all, or these; prints "NAME ADDRESS RESULT" a line, RESULT being "ok"
 *	                            or an errno's name. Then "waiting", and after SIGUSR1 who came in by then.
 *	                            Lines "at NAME ADDRESS PORT PROTOCOL" tell where it listens meanwhile
 *	ways has NAME               whether it goes at all, where nothing is in its way, by the exit code
 *	ways knock                  tries to come in at each "at" line of its standard input
 *	ways before PROCS           sends by sockets that it made before it moves into the cgroup of that file
 *	ways serve OUTSIDE...       the outside: gives sockets to whoever comes to its unix sockets
 *	ways inherit COMMAND...     starts a command with connected sockets in its hands
 *
 * OUTSIDE is DIRECTORY NAME PROCS PID: a directory of the outside, what it calls itself and a cgroup of its
 * own, the file of a cgroup that is not the session's, its process.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../ways/forged.h"
#include "../ways/inet.h"
#include "../ways/kernel.h"
#include "../ways/local.h"
#include "../ways/namespaces.h"
#include "../ways/options.h"
#include "../ways/ring.h"
#include "../ways/target.h"
#include "../ways/works.h"
#include "../ways/xdp.h"

#define WAIT_SECONDS 8
#define KNOCK_MS 60
#define V4 1
#define V6 2
#define BOTH (V4 | V6)

struct outside outside;

static int no_try(const struct target *t)
{
	(void)t;
	errno = ENOSYS;
	return -1;
}

/* The place of a row makes its address: a new row goes to the end. */
static const struct way {
	const char *name;
	enum way_to to;
	int families;
	int (*run)(const struct target *t);
} ways[] = {
	{ "udp", WAY_PRIVATE, BOTH, try_udp },
	{ "udp-connected", WAY_PRIVATE, BOTH, try_udp_connected },
	{ "udp-elsewhere", WAY_PRIVATE, BOTH, try_udp_elsewhere },
	{ "udp-unspec", WAY_PRIVATE, V4, try_udp_unspec },
	{ "udp-mapped", WAY_MAPPED, V6, try_udp },
	{ "udp-mapped-connected", WAY_MAPPED, V6, try_udp_connected },
	{ "udp-scope", WAY_SCOPED, V6, try_udp },
	{ "sendmmsg", WAY_PRIVATE, BOTH, try_sendmmsg },
	{ "tcp", WAY_PRIVATE, BOTH, try_tcp },
	{ "tcp-mapped", WAY_MAPPED, V6, try_tcp },
	{ "tcp-scope", WAY_SCOPED, V6, try_tcp },
	{ "fastopen", WAY_PRIVATE, BOTH, try_fastopen },
	{ "mptcp", WAY_PRIVATE, BOTH, try_mptcp },
	{ "mptcp-public", WAY_PUBLIC, BOTH, try_mptcp },
	{ "udplite", WAY_PRIVATE, BOTH, try_udplite },
	{ "udplite-connected", WAY_PRIVATE, BOTH, try_udplite_connected },
	{ "udplite-public", WAY_PUBLIC, BOTH, try_udplite },
	{ "sctp", WAY_PRIVATE, BOTH, try_sctp },
	{ "sctp-public", WAY_PUBLIC, BOTH, try_sctp },
	{ "dccp", WAY_PRIVATE, BOTH, try_dccp },
	{ "dccp-public", WAY_PUBLIC, BOTH, try_dccp },
	{ "raw", WAY_PRIVATE, BOTH, try_raw },
	{ "raw-public", WAY_PUBLIC, BOTH, try_raw },
	{ "ping", WAY_PRIVATE, BOTH, try_ping },
	{ "packet", WAY_PRIVATE, BOTH, try_packet },
	{ "xdp", WAY_PRIVATE, BOTH, try_xdp },
	{ "ring-connect", WAY_PRIVATE, BOTH, try_ring_connect },
	{ "ring-send", WAY_PRIVATE, BOTH, try_ring_send },
	{ "ring-zero-copy", WAY_PRIVATE, BOTH, try_ring_zero_copy },
	{ "ring-socket", WAY_CALL, 0, try_ring_socket },
	{ "source-route", WAY_PRIVATE, V4, try_source_route },
	{ "record-route", WAY_PUBLIC, V4, try_record_route },
	{ "record-route-message", WAY_PUBLIC, V4, try_record_route_message },
	{ "routing-header", WAY_PRIVATE, V6, try_routing_header },
	{ "multicast", WAY_MULTICAST, BOTH, try_multicast },
	{ "broadcast", WAY_BROADCAST, V4, try_broadcast },
	{ "inherited", WAY_PRIVATE, BOTH, try_inherited },
	{ "rights-path", WAY_PRIVATE, BOTH, try_rights_path },
	{ "rights-abstract", WAY_PRIVATE, BOTH, try_rights_abstract },
	{ "getfd", WAY_PRIVATE, BOTH, try_getfd },
	{ "before-cgroup", WAY_PRIVATE, BOTH, no_try },
	{ "unix-path", WAY_CALL, 0, try_unix_path },
	{ "unix-abstract", WAY_CALL, 0, try_unix_abstract },
	{ "vsock", WAY_CALL, 0, try_vsock },
	{ "rds", WAY_CALL, 0, try_rds },
	{ "tipc", WAY_CALL, 0, try_tipc },
	{ "netlink-diag", WAY_CALL, 0, try_netlink_diag },
	{ "netlink-generic", WAY_CALL, 0, try_netlink_generic },
	{ "netlink-netfilter", WAY_CALL, 0, try_netlink_netfilter },
	{ "netlink-change", WAY_CALL, 0, try_netlink_change },
	{ "user-namespace", WAY_CALL, 0, try_user_namespace },
	{ "network-namespace", WAY_CALL, 0, try_network_namespace },
	{ "mount-cgroup", WAY_CALL, 0, try_mount_cgroup },
	{ "mount-bpf", WAY_CALL, 0, try_mount_bpf },
	{ "mount-proc", WAY_CALL, 0, try_mount_proc },
	{ "cgroup-move", WAY_CALL, 0, try_cgroup_move },
	{ "tun", WAY_CALL, 0, try_tun },
	{ "sysctl", WAY_CALL, 0, try_sysctl },
	{ "udp-public", WAY_PUBLIC, BOTH, try_udp },
	{ "tcp-public", WAY_PUBLIC, BOTH, try_tcp },
	{ "loopback", WAY_CALL, 0, try_loopback },
	{ "unix-inside", WAY_CALL, 0, try_unix_inside },
	{ "netlink-route", WAY_CALL, 0, try_netlink_route },
	{ "mount-proc-nested", WAY_CALL, 0, try_mount_proc_nested },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static const int families[] = { AF_INET, AF_INET6 };

static void way_target(const struct way *way, int family, struct target *ret)
{
	target_set(family, way->to, (unsigned int)(way - ways) + 1, ret);
}

static const struct way *way_named(const char *name)
{
	const struct way *way = ways;

	while (strcmp(way->name, name) != 0)
		way++;
	return way;
}

/* The target of a way that has its sockets made elsewhere. */
static int outside_socket(const char *name, int family)
{
	struct target target;
	int fd = socket(family, SOCK_DGRAM, 0);

	way_target(way_named(name), family, &target);
	connect(fd, &target.name.any, target.len);
	return fd;
}

static const char *told(int result)
{
	return result < 0 ? strerrorname_np(errno) : "ok";
}

/* One process each, so that one that succeeds does not change the ground for the next. */
static void way_try(const struct way *way, int family)
{
	static const char *const suffixes[] = { "4", "6" };
	struct target target;
	pid_t pid = fork();
	int status, r;

	if (pid == 0) {
		way_target(way, family, &target);
		errno = 0;
		r = way->run(&target);
		printf("%s%s %s %s\n", way->name,
		       way->to == WAY_CALL ? "" : suffixes[family == AF_INET6],
		       way->to == WAY_CALL ? "-" : target.text, told(r));
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
}

/* --- who comes in -------------------------------------------------------------------------------------- */

enum door {
	DOOR_BIND,
	DOOR_LISTEN,
	DOOR_DATAGRAM,
	DOORS,
};

static const char *const doors[DOORS] = { "bind", "listen", "listen-udp" };

struct listener {
	enum door door;
	int family, fd, err;
};

static int door_open(struct listener *l, union way_name *name, socklen_t len)
{
	l->fd = socket(l->family, l->door == DOOR_DATAGRAM ? SOCK_DGRAM : SOCK_STREAM, 0);
	if (l->door == DOOR_BIND && bind(l->fd, &name->any, len) < 0)
		return -1;
	way_name_set(l->family, l->family == AF_INET ? "0.0.0.0" : "::", name);
	name->v4.sin_port = 0;
	if (l->door == DOOR_DATAGRAM)
		return bind(l->fd, &name->any, len);
	/* without a bind, the kernel takes any address and a port */
	return listen(l->fd, 4);
}

static void door_make(enum door door, int family, struct listener *ret)
{
	socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	union way_name own = { 0 }, name;
	char text[INET6_ADDRSTRLEN];

	*ret = (struct listener){ door, family, -1, 0 };
	way_own(family, &own);
	own.v4.sin_port = 0;
	name = own;
	if (door_open(ret, &name, len) < 0)
		ret->err = errno;
	getsockname(ret->fd, &name.any, &len);
	fcntl(ret->fd, F_SETFL, O_NONBLOCK);
	inet_ntop(family, family == AF_INET ? (void *)&own.v4.sin_addr : &own.v6.sin6_addr, text,
		  sizeof(text));
	if (!ret->err)
		printf("at %s%s %s %u %s\n", doors[door], family == AF_INET ? "4" : "6", text,
		       ntohs(name.v4.sin_port), door == DOOR_DATAGRAM ? "udp" : "tcp");
}

static void door_tell(const struct listener *l)
{
	char byte;
	int r = -1;

	errno = l->err;
	if (!l->err && l->door == DOOR_DATAGRAM)
		r = (int)recv(l->fd, &byte, 1, 0);
	else if (!l->err)
		r = accept(l->fd, NULL, NULL);
	printf("%s%s - %s\n", doors[l->door], l->family == AF_INET ? "4" : "6", told(r));
}

static bool is_wanted(char **names, const char *name)
{
	bool wanted = !*names;

	for (; *names && !wanted; names++)
		wanted = strcmp(*names, name) == 0;
	return wanted;
}

static void try_all(char **names)
{
	for (const struct way *way = ways; way < ways + WAYS; way++) {
		if (!is_wanted(names, way->name))
			continue;
		if (way->families != V6)
			way_try(way, AF_INET);
		if (way->families & V6)
			way_try(way, AF_INET6);
	}
}

static int inside(const char *name, char **names)
{
	const struct timespec limit = { WAIT_SECONDS, 0 };
	struct listener listeners[DOORS * 2];
	unsigned int n = 0;
	sigset_t signals;

	prctl(PR_SET_NAME, name);
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	for (unsigned int i = 0; i < DOORS * 2; i++)
		if (is_wanted(names, doors[i / 2]))
			door_make(i / 2, families[i % 2], &listeners[n++]);
	try_all(names);
	printf("waiting\n");
	if (sigtimedwait(&signals, NULL, &limit) < 0)
		return 1;
	for (unsigned int i = 0; i < n; i++)
		door_tell(&listeners[i]);
	return 0;
}

static int knock(void)
{
	struct pollfd polls[DOORS * 2];
	char address[64], protocol[8];
	unsigned int port;
	nfds_t n = 0, left;

	while (n < DOORS * 2 && scanf("at %*s %63s %u %7s\n", address, &port, protocol) == 3) {
		struct target t = { .family = strchr(address, ':') ? AF_INET6 : AF_INET };
		int type = protocol[0] == 't' ? SOCK_STREAM : SOCK_DGRAM;

		t.len = way_name_set(t.family, address, &t.name);
		t.name.v4.sin_port = htons((uint16_t)port);
		polls[n] = (struct pollfd){ way_socket(&t, type, 0), POLLOUT, 0 };
		if (type == SOCK_DGRAM)
			way_send_connected(polls[n].fd, &t);
		else
			way_connect(polls[n++].fd, &t);
	}
	for (int ms = 0; ms < KNOCK_MS; ms += 5) {
		left = n;
		poll(polls, n, 0);
		for (nfds_t i = 0; i < n; i++)
			left -= polls[i].revents != 0;
		if (left == 0)
			break;
		usleep(5000);
	}
	return 0;
}

/* --- the outside --------------------------------------------------------------------------------------- */

static int before(const char *procs)
{
	int fds[2], fd;

	for (int i = 0; i < 2; i++)
		fds[i] = outside_socket("before-cgroup", families[i]);
	fd = open(procs, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		return 1;
	for (int i = 0; i < 2; i++)
		send(fds[i], "x", 1, 0);
	return 0;
}

static void give(int to, const int fds[4])
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = { 0 };
	struct iovec iov = { (void *)"x", 1 };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(4 * sizeof(int));
	memcpy(CMSG_DATA(header), fds, 4 * sizeof(int));
	sendmsg(to, &message, MSG_NOSIGNAL);
}

static int serve(void)
{
	struct pollfd polls[2];
	struct sockaddr_un name;
	int fds[4];

	for (int i = 0; i < 4; i++)
		fds[i] = outside_socket(i < 2 ? "rights-path" : "rights-abstract", families[i % 2]);
	for (int i = 0; i < 2; i++) {
		socklen_t len = outside_name(i, &name);

		dup2(outside_socket("getfd", families[i]), OUTSIDE_FD + i);
		polls[i] = (struct pollfd){ socket(AF_UNIX, SOCK_STREAM, 0), POLLIN, 0 };
		if (bind(polls[i].fd, (struct sockaddr *)&name, len) < 0 || listen(polls[i].fd, 8) < 0)
			return 1;
	}
	snprintf(name.sun_path, sizeof(name.sun_path), "%s/socket", outside.dir);
	chmod(name.sun_path, 0666);
	printf("serving\n");
	fflush(stdout);
	while (poll(polls, 2, -1) > 0) {
		for (int i = 0; i < 2; i++) {
			int fd = polls[i].revents ? accept(polls[i].fd, NULL, NULL) : -1;

			if (fd >= 0)
				give(fd, fds);
			close(fd);
		}
	}
	return 0;
}

static int has(const char *name)
{
	const struct way *way = way_named(name);
	struct target target;

	way_target(way, AF_INET, &target);
	if (way->run(&target) >= 0)
		return 0;
	/* EBUSY: the pair of devices of older kernels takes no frames of AF_XDP */
	return errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT || errno == ESOCKTNOSUPPORT ||
	       errno == EBUSY;
}

static int inherit(char **argv)
{
	for (int i = 0; i < 2; i++)
		dup2(outside_socket("inherited", families[i]), OUTSIDE_FD + i);
	execv(argv[0], argv);
	return 127;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc >= 5) {
		outside = (struct outside){ argv[2], argv[3], argv[4], 0 };
		outside.pid = argc > 5 ? atoi(argv[5]) : 0;
	}
	if (strcmp(what, "inside") == 0 && argc >= 6)
		return inside(outside.name, argv + 6);
	if (strcmp(what, "serve") == 0 && argc == 5)
		return serve();
	if (strcmp(what, "before") == 0 && argc == 3)
		return before(argv[2]);
	if (strcmp(what, "has") == 0 && argc == 3)
		return has(argv[2]);
	if (strcmp(what, "knock") == 0)
		return knock();
	if (strcmp(what, "inherit") == 0 && argc > 2)
		return inherit(argv + 2);
	return 2;
}
