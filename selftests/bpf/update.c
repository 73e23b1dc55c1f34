// SPDX-License-Identifier: GPL-2.0-only
/*
 * A policy that changes while its session sends: the element is swapped in place, so that a hook sees the
 * old one or the new one and never none. Deleting and inserting would show as "no session".
 *
 * A phase in shared memory tells when the new policy surely holds: what began and ended within it must
 * have been judged by it.
 */
#include "../gate_run.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "../../user/base/clock.h"

#define SENDERS 3
#define STORM_NS (NSEC_PER_SEC)

TEARDOWN
{
	gate_net_remove();
	gate_remove();
}

enum phase {
	CHANGING, /* either verdict may come */
	ALLOWED,
	DENIED,
	OVER,
};

struct board {
	atomic_uint phase;
	atomic_ulong in_allowed, in_denied; /* connects that lay whole in a phase of that kind */
	atomic_ulong wrong, wrong_errno;
};

static struct board *board;

static void board_make(void)
{
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(board != MAP_FAILED);
}

/* How many changes there were is counted in the upper bits: the same value twice is the same phase. */
static enum phase phase_of(unsigned int value)
{
	return (enum phase)(value & 3);
}

static void connect_once(int fd)
{
	static const struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = __builtin_bswap16(443),
		.sin_addr.s_addr = __builtin_bswap32(0x5db8d822),
	};
	unsigned int before = board->phase, after;
	int r = connect(fd, (const struct sockaddr *)&to, sizeof(to)) ? errno : 0;

	after = board->phase;
	if (r && r != EPERM)
		board->wrong_errno++;
	if (before != after || phase_of(before) == CHANGING || phase_of(before) == OVER)
		return;
	if (phase_of(before) == ALLOWED)
		board->in_allowed++;
	else
		board->in_denied++;
	if ((r == 0) != (phase_of(before) == ALLOWED))
		board->wrong++;
}

_Noreturn static void sender(void)
{
	int fd;

	gate_enter(gate.session_fd);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	while (phase_of(board->phase) != OVER)
		connect_once(fd);
	exit(0);
}

static void senders_start(void)
{
	for (int i = 0; i < SENDERS; i++)
		if (fork() == 0)
			sender();
}

static void phase_next(enum phase phase)
{
	board->phase = ((board->phase >> 2) + 1) << 2 | phase;
}

static void senders_end(void)
{
	phase_next(OVER);
	while (wait(NULL) > 0)
		;
}

TEST("a session whose policy is replaced without pause is never without one, and never denied")
{
	uint64_t until, updates = 0;

	board_make();
	gate_make();
	gate_net_make();
	phase_next(ALLOWED);
	senders_start();
	for (until = clock_monotonic_ns() + STORM_NS; clock_monotonic_ns() < until; updates++)
		gate_update();
	senders_end();
	printf("%lu updates, %lu connects\n", (unsigned long)updates, board->in_allowed);
	EXPECT_GT(updates, 500);
	EXPECT_GT(board->in_allowed, 5000);
	EXPECT_EQ(board->wrong, 0);
	EXPECT_EQ(board->wrong_errno, 0);
	EXPECT_EQ(gate_denials_all(gate.id), 0);
	EXPECT_EQ(gate_denials(0, REASON_NO_SESSION), 0);
}

TEST("while a session is shut none of its connects passes, and as soon as it is open each does")
{
	uint64_t until;

	board_make();
	gate_make();
	gate_net_make();
	phase_next(ALLOWED);
	senders_start();
	for (until = clock_monotonic_ns() + STORM_NS; clock_monotonic_ns() < until;) {
		bool shut = gate.policy.state == POLICY_OPEN;

		phase_next(CHANGING);
		gate.policy.state = shut ? POLICY_PROOF : POLICY_OPEN;
		gate_update();
		phase_next(shut ? DENIED : ALLOWED);
		usleep(5000);
	}
	senders_end();
	printf("%lu connects while open, %lu while shut\n", board->in_allowed, board->in_denied);
	EXPECT_GT(board->in_allowed, 1000);
	EXPECT_GT(board->in_denied, 1000);
	EXPECT_EQ(board->wrong, 0);
	EXPECT_EQ(board->wrong_errno, 0);
	EXPECT_EQ(gate_denials(0, REASON_NO_SESSION), 0);
	EXPECT_EQ(gate_denials_all(gate.id), gate_denials(gate.id, REASON_PROOF));
}

TEST("the end of a session is a no at once, and takes its device's entry along")
{
	uint32_t ifindex;
	uint64_t owner;

	board_make();
	gate_make();
	gate_net_make();
	ifindex = if_nametoindex(GATE_DEVICE);
	phase_next(ALLOWED);
	senders_start();
	usleep(100000);
	phase_next(CHANGING);
	ASSERT_OK(guard_session_remove(&gate.guard, gate.id));
	phase_next(DENIED);
	usleep(100000);
	senders_end();
	EXPECT_GT(board->in_allowed, 0);
	EXPECT_GT(board->in_denied, 0);
	EXPECT_EQ(board->wrong, 0);
	EXPECT_GE(gate_denials(0, REASON_NO_SESSION), board->in_denied);
	EXPECT_NE(bpf_map_lookup_elem(gate.guard.maps[GUARD_NETDEVS], &ifindex, &owner), 0);
	EXPECT_EQ(guard_session_update(&gate.guard, gate.id, &gate.policy), -ENOENT);
	EXPECT_OK(guard_session_remove(&gate.guard, gate.id));
}

TEST("a session is added once, and a second one under its id is refused without a change")
{
	struct policy other, got;

	gate_make();
	other = gate.policy;
	other.generation = 99;
	EXPECT_EQ(guard_session_add(&gate.guard, gate.id, &other), -EEXIST);
	ASSERT_OK(guard_session_policy(&gate.guard, gate.id, &got));
	EXPECT_EQ(got.generation, gate.policy.generation);
}
