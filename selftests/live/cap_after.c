// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a capped session can still do: nothing. A process that slept while others used the cap up is not
 * killed before it runs, and has a moment then; in it, every hook must say no, for sockets made before as
 * for new ones. And of the event that tells the end there is one for each generation of the policy.
 *
 * The survivor writes what it sees into shared memory, since the kernel may kill it at any instruction;
 * a survivor that was killed too soon proves nothing, and another one tries.
 */
#include "meter_burn.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../../user/kernel/events.h"

#define TRIES 40

TEARDOWN
{
	desk_remove_all();
}

enum deed {
	DEED_CONNECT,
	DEED_CONNECT_V6,
	DEED_SENDTO,
	DEED_SEND_CONNECTED,
	DEED_BIND,
	DEED_UNIX,
	DEED_COUNT,
};

static const char *const deed_names[DEED_COUNT] = {
	"connect", "connect over IPv6",	    "send to an address", "send on a connected socket",
	"bind",	   "connect a unix socket",
};

struct seen {
	volatile int ready, woke;
	volatile int err[DEED_COUNT]; /* -1: not reached */
};

static const struct sockaddr_in own_v4 = {
	.sin_family = AF_INET,
	.sin_port = __builtin_bswap16(9),
	.sin_addr.s_addr = __builtin_bswap32(INADDR_LOOPBACK),
};
static const struct sockaddr_in6 own_v6 = {
	.sin6_family = AF_INET6,
	.sin6_port = __builtin_bswap16(9),
	.sin6_addr = IN6ADDR_LOOPBACK_INIT,
};
static const struct sockaddr_un nobody = {
	.sun_family = AF_UNIX,
	.sun_path = "/nobody/listens/here",
};

#define ADDR(a) (const struct sockaddr *)&(a), sizeof(a)

static int error_of(long result)
{
	return result < 0 ? errno : 0;
}

/* Sleeps on the pipe; then does what is new first, from the deed whose turn it is. */
static _Noreturn void survive(struct seen *seen, int wake_fd, int first)
{
	int tcp = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	int tcp6 = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0);
	int udp = socket(AF_INET, SOCK_DGRAM, 0), connected = socket(AF_INET, SOCK_DGRAM, 0);
	int own = socket(AF_INET, SOCK_DGRAM, 0), local = socket(AF_UNIX, SOCK_STREAM, 0);
	char byte = 0;

	connect(connected, ADDR(own_v4));
	seen->ready = 1;
	while (read(wake_fd, &byte, 1) != 1)
		continue;
	seen->woke = 1;
	for (int i = 0; i < DEED_COUNT; i++) {
		switch ((enum deed)((first + i) % DEED_COUNT)) {
		case DEED_CONNECT:
			seen->err[DEED_CONNECT] = error_of(connect(tcp, ADDR(own_v4)));
			break;
		case DEED_CONNECT_V6:
			seen->err[DEED_CONNECT_V6] = error_of(connect(tcp6, ADDR(own_v6)));
			break;
		case DEED_SENDTO:
			seen->err[DEED_SENDTO] = error_of(sendto(udp, "x", 1, 0, ADDR(own_v4)));
			break;
		case DEED_SEND_CONNECTED:
			seen->err[DEED_SEND_CONNECTED] = error_of(send(connected, "x", 1, 0));
			break;
		case DEED_BIND:
			seen->err[DEED_BIND] = error_of(bind(own, ADDR(own_v4)));
			break;
		case DEED_UNIX:
			seen->err[DEED_UNIX] = error_of(connect(local, ADDR(nobody)));
			break;
		default:
			break;
		}
	}
	_exit(0);
}

static void outlived_remove(void)
{
	_cleanup_fd_ int fd = -1;
	uint64_t id;

	ASSERT_OK(desk_parent(false, &fd, &id));
	ASSERT_OK(cgroup_remove(fd, "outlived"));
}

/* One session whose cap is used up beside a sleeper, which is then woken. */
static void outlive(const struct guard *guard, struct seen *seen, int first, struct usage *ret)
{
	uint64_t stat_ns;
	struct desk desk;
	int wake[2];

	desk_open(guard, "outlived", &desk);
	desk.policy.cpu_cap_ns = 30 * NSEC_PER_MSEC;
	desk_change(&desk);
	ASSERT_OK(pipe(wake));
	seen->ready = seen->woke = 0;
	if (desk_fork(desk.request_fd) == 0)
		survive(seen, wake[0], first);
	for (int i = 0; i < 5000 && !seen->ready; i++)
		nap_ms(1);
	ASSERT_TRUE(seen->ready);
	nap_ms(5);
	burn_start(desk.request_fd, "spin 0");
	do {
		nap_ms(2);
		desk_usage(&desk, ret);
	} while (ret->cpu_ns < desk.policy.cpu_cap_ns || !ret->kills);
	ASSERT_EQ(write(wake[1], "", 1), 1);
	desk_wait(&desk, ret, &stat_ns);
	close(wake[0]);
	close(wake[1]);
	desk_close(&desk);
	outlived_remove();
}

TEST("whoever slept while the cap was used up finds every way out closed", .seconds = 40)
{
	struct seen *seen =
		mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int err[DEED_COUNT], woke = 0, left = DEED_COUNT;
	uint64_t counted = 0;
	struct usage usage;
	struct guard guard;

	desk_guard_open(&guard);
	for (int i = 0; i < DEED_COUNT; i++)
		err[i] = -1;
	if (!guard.unix_hooks) {
		err[DEED_UNIX] = EPERM;
		left--;
	}
	for (int try = 0; try < TRIES && left; try++) {
		int first = 0;

		while (err[first] != -1)
			first++;
		for (int i = 0; i < DEED_COUNT; i++)
			seen->err[i] = -1;
		outlive(&guard, seen, first, &usage);
		woke += seen->woke;
		counted += usage.denials.cap_cpu;
		for (int i = 0; i < DEED_COUNT; i++) {
			if (err[i] != -1 || seen->err[i] == -1)
				continue;
			err[i] = seen->err[i];
			left--;
		}
	}
	printf("%d survivors woke; %llu denials for the cap\n", woke, (unsigned long long)counted);
	for (int i = 0; i < DEED_COUNT; i++) {
		if (err[i] != EPERM)
			printf("%s: %s\n", deed_names[i],
			       err[i] < 0 ? "never reached" : strerror(err[i]));
		EXPECT_EQ(err[i], EPERM);
	}
	EXPECT_GE(counted, 5);
}

struct told {
	const struct desk *desk;
	unsigned int ends, strange;
	uint64_t generations[4];
};

static void note(const struct event *event, void *arg)
{
	struct told *told = arg;

	if (event->cgroup != told->desk->id || event->hook != EVENT_METER ||
	    event->reason != REASON_CAP_CPU || strcmp(event->comm, "") != 0)
		told->strange++;
	else if (told->ends < 4)
		told->generations[told->ends++] = event->generation;
}

TEST("the end of a session is told once for each generation, with its number")
{
	struct told told = {};
	struct events *events;
	uint64_t stat_ns;
	struct guard guard;
	struct usage usage;
	struct desk desk;
	int ring_fd;

	desk_guard_open(&guard);
	desk_open(&guard, "told", &desk);
	told.desk = &desk;
	ASSERT_OK(guard_ring_open(&guard, 0, &ring_fd));
	ASSERT_OK(events_new(ring_fd, note, &told, &events));
	for (unsigned int i = 0; i < 2; i++) {
		desk.policy.cpu_cap_ns = (i + 1) * 100 * NSEC_PER_MSEC;
		desk_change(&desk);
		burn_start(desk.request_fd, "processes 4 0");
		desk_wait(&desk, &usage, &stat_ns);
	}
	EXPECT_OK(events_drain(events));
	EXPECT_EQ(told.strange, 0);
	ASSERT_EQ(told.ends, 2);
	EXPECT_EQ(told.generations[0], desk.policy.generation - 1);
	EXPECT_EQ(told.generations[1], desk.policy.generation);
	events_free(events);
	desk_close(&desk);
}
