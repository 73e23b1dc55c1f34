// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is told of a no: each hook is made to deny once, by a real call of a process of the session where
 * there is one, and every field of its one event is compared. Then the ring is left unread until it is
 * full: what did not fit is counted, to the last event.
 */
#include "../gate_run.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "../../user/base/clock.h"

#define COMM "event-test"
#define NO_ERRNO 0

TEARDOWN
{
	gate_net_remove();
	gate_remove();
}

static socklen_t address_of(const char *text, unsigned int port, struct sockaddr_storage *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;

	memset(ret, 0, sizeof(*ret));
	if (strchr(text, ':')) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
		ASSERT_EQ(inet_pton(AF_INET6, text, &v6->sin6_addr), 1);
		return sizeof(*v6);
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons((uint16_t)port);
	ASSERT_EQ(inet_pton(AF_INET, text, &v4->sin_addr), 1);
	return sizeof(*v4);
}

enum call {
	CONNECT,
	SENDTO,
	BIND,
};

/* The errno of one call on a new socket, 0 for a success. */
static int call_on(enum call call, int type, const char *text, unsigned int port)
{
	struct sockaddr_storage address;
	socklen_t len = address_of(text, port, &address);
	_cleanup_fd_ int fd = socket(address.ss_family, type | SOCK_CLOEXEC, 0);
	const struct sockaddr *to = (const struct sockaddr *)&address;
	long r;

	ASSERT_GE(fd, 0);
	if (call == CONNECT)
		r = connect(fd, to, len);
	else if (call == SENDTO)
		r = sendto(fd, "x", 1, 0, to, len);
	else
		r = bind(fd, to, len);
	return r < 0 ? errno : 0;
}

static int act_connect4(void)
{
	return call_on(CONNECT, SOCK_STREAM, "10.0.0.1", 80);
}

static int act_connect4_udp(void)
{
	return call_on(CONNECT, SOCK_DGRAM, "169.254.169.254", 5353);
}

static int act_connect6(void)
{
	return call_on(CONNECT, SOCK_STREAM, "fd00:ec2::254", 443);
}

static int act_connect6_nat64(void)
{
	return call_on(CONNECT, SOCK_DGRAM, "64:ff9b::10.0.0.1", 1);
}

static int act_connect6_mapped(void)
{
	return call_on(CONNECT, SOCK_STREAM, "::ffff:192.168.7.1", 65535);
}

static int act_sendmsg4(void)
{
	return call_on(SENDTO, SOCK_DGRAM, "224.0.0.251", 5353);
}

static int act_sendmsg6(void)
{
	return call_on(SENDTO, SOCK_DGRAM, "ff02::1", 5353);
}

static int act_sendmsg6_mapped(void)
{
	return call_on(SENDTO, SOCK_DGRAM, "::ffff:172.16.0.1", 9);
}

static int act_bind4(void)
{
	return call_on(BIND, SOCK_STREAM, "10.213.0.2", 8080);
}

static int act_bind6(void)
{
	return call_on(BIND, SOCK_DGRAM, "2001:db8::1", 8081);
}

static int act_raw(void)
{
	return socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6) < 0 ? errno : 0;
}

static int act_mknod(void)
{
	return mknod("/tmp/reeve-event-null", S_IFCHR | 0600, makedev(1, 3)) ? errno : 0;
}

static int act_device(void)
{
	_cleanup_fd_ int fd = open("/dev/kmsg", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? errno : 0;
}

static int act_sysctl(void)
{
	_cleanup_fd_ int fd = open("/proc/sys/net/ipv4/ip_default_ttl", O_WRONLY | O_CLOEXEC);

	return write(fd, "65", 2) < 0 ? errno : 0;
}

static int act_sockopt(void)
{
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return setsockopt(fd, IPPROTO_IP, IP_OPTIONS, "\1\1\1\1", 4) ? errno : 0;
}

/* Connected while it was allowed; then the host takes the address back, and only the packet is judged. */
static int act_packet_out(void)
{
	struct host_prefix prefix = { 128, { [10] = 0xff, 0xff, 93, 184, 216, 34 } };
	struct sockaddr_storage address;
	socklen_t len = address_of("93.184.216.34", 443, &address);
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ASSERT_OK(connect(fd, (const struct sockaddr *)&address, len));
	ASSERT_OK(guard_prefix_put(&gate.guard, 0, &prefix, REASON_HOST_ADDRESS));
	return send(fd, "x", 1, 0) < 0 ? errno : 0;
}

static int run_frame(const char *program, const char *peer)
{
	struct sockaddr_storage address;
	struct frame frame;

	address_of(peer, 0, &address);
	frame_begin(&frame, true, gate_program(program)->inbound);
	frame_ip(&frame, (const uint8_t *)&((struct sockaddr_in6 *)&address)->sin6_addr, IPPROTO_TCP);
	frame_tcp(&frame, FRAME_SYN);
	frame_end(&frame);
	EXPECT_FALSE(gate_passes(gate_program(program), &frame));
	return NO_ERRNO;
}

static int act_packet_in(void)
{
	return run_frame("reeve_ingress", "2606:2800:220::1");
}

static int act_link(void)
{
	return run_frame("reeve_link_out", "64:ff9b::100.64.0.1");
}

static int act_unix(void)
{
	struct sockaddr_un address = { AF_UNIX, "/tmp/reeve-event-none" };
	_cleanup_fd_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	gate.policy.state = POLICY_PROOF;
	gate_update();
	return connect(fd, (const struct sockaddr *)&address, sizeof(address)) ? errno : 0;
}

static const struct row {
	const char *name;
	int (*act)(void);
	enum event_hook hook;
	enum reason reason;
	int err;
	unsigned int family, port, protocol;
	const char *given, *decoded;
	bool packet; /* nobody's process */
} rows[] = {
	{ "connect4", act_connect4, EVENT_CONNECT, REASON_PRIVATE, EPERM, AF_INET, 80, IPPROTO_TCP,
	  "10.0.0.1", "::ffff:10.0.0.1", false },
	{ "connect4, UDP", act_connect4_udp, EVENT_CONNECT, REASON_LINK_LOCAL, EPERM, AF_INET, 5353,
	  IPPROTO_UDP, "169.254.169.254", "::ffff:169.254.169.254", false },
	{ "connect6", act_connect6, EVENT_CONNECT, REASON_PRIVATE, EPERM, AF_INET6, 443,
	  IPPROTO_TCP, "fd00:ec2::254", "fd00:ec2::254", false },
	{ "connect6, NAT64", act_connect6_nat64, EVENT_CONNECT, REASON_PRIVATE, EPERM, AF_INET6, 1,
	  IPPROTO_UDP, "64:ff9b::10.0.0.1", "::ffff:10.0.0.1", false },
	{ "connect6, mapped", act_connect6_mapped, EVENT_CONNECT, REASON_PRIVATE, EPERM, AF_INET6,
	  65535, IPPROTO_TCP, "::ffff:192.168.7.1", "::ffff:192.168.7.1", false },
	{ "sendmsg4", act_sendmsg4, EVENT_SENDMSG, REASON_MULTICAST, EPERM, AF_INET, 5353,
	  IPPROTO_UDP, "224.0.0.251", "::ffff:224.0.0.251", false },
	{ "sendmsg6", act_sendmsg6, EVENT_SENDMSG, REASON_MULTICAST, EPERM, AF_INET6, 5353,
	  IPPROTO_UDP, "ff02::1", "ff02::1", false },
	{ "sendmsg6, mapped", act_sendmsg6_mapped, EVENT_SENDMSG, REASON_PRIVATE, EPERM, AF_INET, 9,
	  IPPROTO_UDP, "172.16.0.1", "::ffff:172.16.0.1", false },
	{ "bind4", act_bind4, EVENT_BIND, REASON_BIND, EPERM, AF_INET, 8080, IPPROTO_TCP,
	  "10.213.0.2", "::ffff:10.213.0.2", false },
	{ "bind6", act_bind6, EVENT_BIND, REASON_BIND, EPERM, AF_INET6, 8081, IPPROTO_UDP,
	  "2001:db8::1", "2001:db8::1", false },
	{ "sock_create", act_raw, EVENT_SOCKET, REASON_SOCKET_TYPE, EPROTONOSUPPORT, AF_INET6, 0,
	  IPPROTO_ICMPV6, "::", "::", false },
	{ "device, made", act_mknod, EVENT_DEVICE, REASON_DEVICE, EPERM, 0, 1, 3, "::", "::", false },
	{ "device, opened", act_device, EVENT_DEVICE, REASON_DEVICE, EPERM, 0, 1, 11,
	  "::", "::", false },
	{ "sysctl", act_sysctl, EVENT_SYSCTL, REASON_SYSCTL, EPERM, 0, 0, 0, "::", "::", false },
	{ "sockopt", act_sockopt, EVENT_SOCKOPT, REASON_SOCKET_OPTION, EPERM, 0, 0, IP_OPTIONS,
	  "::", "::", false },
	{ "packet out", act_packet_out, EVENT_PACKET_OUT, REASON_HOST_ADDRESS, EPERM, AF_INET, 443,
	  IPPROTO_UDP, "93.184.216.34", "::ffff:93.184.216.34", true },
	{ "packet in", act_packet_in, EVENT_PACKET_IN, REASON_INBOUND, NO_ERRNO, AF_INET6, 443,
	  IPPROTO_TCP, "2606:2800:220::1", "2606:2800:220::1", true },
	{ "device of the session", act_link, EVENT_LINK, REASON_SHARED, NO_ERRNO, AF_INET6, 443,
	  IPPROTO_TCP, "64:ff9b::100.64.0.1", "::ffff:100.64.0.1", true },
	{ "connect_unix", act_unix, EVENT_CONNECT, REASON_PROOF, EPERM, AF_UNIX, 0, 0,
	  "::", "::", false },
};

static void event_compare(const struct row *row, const struct event *event, uint64_t before_ns)
{
	uint8_t given[16], decoded[16];
	char comm[REEVE_COMM_SIZE] = "";

	memset(given, 0, sizeof(given));
	ASSERT_EQ(inet_pton(strchr(row->given, ':') ? AF_INET6 : AF_INET, row->given, given), 1);
	ASSERT_EQ(inet_pton(AF_INET6, row->decoded, decoded), 1);
	if (!row->packet)
		strcpy(comm, COMM);
	EXPECT_GE(event->time_ns, before_ns);
	EXPECT_LE(event->time_ns, clock_monotonic_ns());
	EXPECT_EQ(event->cgroup, gate.id);
	EXPECT_EQ(event->generation, gate.policy.generation);
	EXPECT_EQ(event->reason, row->reason);
	EXPECT_EQ(event->hook, row->hook);
	EXPECT_EQ(event->pid, row->packet ? 0 : getpid());
	EXPECT_EQ(event->family, row->family);
	EXPECT_EQ(event->port, row->port);
	EXPECT_EQ(event->protocol, row->protocol);
	EXPECT_EQ(event->pad, 0);
	EXPECT_MEMEQ(event->given, given, sizeof(given));
	EXPECT_MEMEQ(event->decoded, decoded, sizeof(decoded));
	EXPECT_MEMEQ(event->comm, comm, sizeof(comm));
}

static void rows_check(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, COMM);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t denied = gate_denials(gate.id, rows[i].reason);
		uint64_t before_ns = clock_monotonic_ns();
		int err;

		if (rows[i].act == act_unix && !gate.guard.unix_hooks)
			continue;
		printf("%s:\n", rows[i].name);
		err = rows[i].act();
		gate_drain();
		EXPECT_EQ(err, rows[i].err);
		EXPECT_EQ(gate_denials(gate.id, rows[i].reason), denied + 1);
		ASSERT_EQ(gate_n_seen, 1);
		event_compare(&rows[i], &gate_seen[0], before_ns);
		gate_n_seen = 0;
	}
	EXPECT_EQ(gate_usage_of(gate.id).events_lost, 0);
}

TEST("each hook's denial is one event, and every field of it is what was tried")
{
	gate_make();
	gate_net_make();
	gate_drain();
	ASSERT_OK(gate_run_in(gate.session_fd, rows_check, NULL));
}

static void spin(void *arg)
{
	(void)arg;
	for (;;)
		;
}

TEST("a cap that is reached is one event for each generation, with no process and no address")
{
	gate_make();
	gate_drain();
	for (unsigned int i = 1; i <= 2; i++) {
		gate.policy.cpu_cap_ns = gate_usage_of(gate.id).cpu_ns + 20000000;
		gate_update();
		EXPECT_EQ(gate_run_in(gate.session_fd, spin, NULL), 128 + SIGKILL);
		EXPECT_EQ(gate_run_in(gate.session_fd, spin, NULL), 128 + SIGKILL);
		gate_drain();
		ASSERT_EQ(gate_n_seen, i);
		EXPECT_EQ(gate_seen[i - 1].hook, EVENT_METER);
		EXPECT_EQ(gate_seen[i - 1].reason, REASON_CAP_CPU);
		EXPECT_EQ(gate_seen[i - 1].generation, gate.policy.generation);
		EXPECT_EQ(gate_seen[i - 1].pid, 0);
		EXPECT_EQ(gate_seen[i - 1].family, 0);
		EXPECT_EQ(gate_usage_of(gate.id).stopped_generation, gate.policy.generation);
	}
	EXPECT_GE(gate_usage_of(gate.id).kills, 4);
}

#define STORM_PROCESSES 4
#define STORM_CONNECTS 1500

_Noreturn static void denied_connects(void)
{
	struct sockaddr_storage address;
	socklen_t len = address_of("10.0.0.1", 80, &address);
	int fd;

	/* first: a socket belongs to the cgroup that it was made in */
	gate_enter(gate.session_fd);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	for (int i = 0; i < STORM_CONNECTS; i++)
		EXPECT_EQ(connect(fd, (const struct sockaddr *)&address, len), -1);
	exit(0);
}

static void storm_start(void)
{
	for (int i = 0; i < STORM_PROCESSES; i++)
		if (fork() == 0)
			denied_connects();
}

static void storm_account(void)
{
	struct usage usage;

	gate_drain();
	usage = gate_usage_of(gate.id);
	EXPECT_EQ(usage.denials.private, STORM_PROCESSES * STORM_CONNECTS);
	EXPECT_EQ(gate_n_seen + usage.events_lost, usage.denials.private);
	EXPECT_GT(usage.events_lost, 0);
	EXPECT_GT(gate_n_seen, 100);
}

TEST("when the ring is full, denials are counted all the same and the events lost are counted exactly")
{
	gate_make();
	gate_drain();
	storm_start();
	while (wait(NULL) > 0)
		;
	storm_account();
	/* and a ring that was read takes events again */
	gate_n_seen = 0;
	if (fork() == 0)
		denied_connects();
	ASSERT_GT(wait(NULL), 0);
	gate_drain();
	EXPECT_GT(gate_n_seen, 100);
}

TEST("without a ring, or with the number of none, each event counts as lost")
{
	gate_make();
	storm_start();
	while (wait(NULL) > 0)
		;
	EXPECT_EQ(gate_usage_of(gate.id).events_lost, STORM_PROCESSES * STORM_CONNECTS);
	gate.policy.ring = ~0u;
	gate_update();
	storm_start();
	while (wait(NULL) > 0)
		;
	EXPECT_EQ(gate_usage_of(gate.id).events_lost, 2 * STORM_PROCESSES * STORM_CONNECTS);
	EXPECT_EQ(gate_usage_of(gate.id).denials.private, 2 * STORM_PROCESSES * STORM_CONNECTS);
}
