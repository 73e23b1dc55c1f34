// SPDX-License-Identifier: GPL-2.0-only
/*
 * The money cap and the deadline, kept by the kernel alone. Money is a function of the policy and the
 * usage, so every price has to stop the session by itself: CPU time, wall time, bytes sent, and what was
 * settled beforehand. The rates are chosen so that a cap is reached after a fraction of a second.
 */
#include "meter_burn.h"

#include <arpa/inet.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define UCENTS_A_SECOND 1000000ull
#define PACKET_BYTES 1028 /* 1,000 of payload behind UDP and IPv4 headers */

TEARDOWN
{
	desk_remove_all();
	if (system("ip link del capmoney0 2>/dev/null"))
		return;
}

static struct guard guard;
static struct desk desk;

static void session_begin(void)
{
	desk_guard_open(&guard);
	desk_open(&guard, "paid", &desk);
}

static enum reason state_now(void)
{
	struct usage usage;

	desk_usage(&desk, &usage);
	return account_state(&desk.policy, &usage, clock_monotonic_ns());
}

/* Lets burn run under the policy; returns how long it lived. */
static uint64_t lived_ns(const char *words, struct usage *ret)
{
	uint64_t stat_ns, begin = clock_monotonic_ns();

	desk_change(&desk);
	burn_start(desk.request_fd, words);
	ASSERT_OK(cgroup_wait_empty(desk.fd, DESK_WAIT_NS));
	begin = clock_monotonic_ns() - begin;
	desk_wait(&desk, ret, &stat_ns);
	printf("lived %.1f ms, %.3f ms of CPU time\n", (double)begin / NSEC_PER_MSEC,
	       (double)ret->cpu_ns / NSEC_PER_MSEC);
	return begin;
}

TEST("the price of CPU seconds stops a session at its money cap")
{
	struct usage usage;

	session_begin();
	desk.policy.rates.cpu_second_ucents = UCENTS_A_SECOND;
	desk.policy.money_cap_ucents = UCENTS_A_SECOND / 10;
	lived_ns("spin 0", &usage);
	EXPECT_EQ(state_now(), REASON_CAP_MONEY);
	EXPECT_GE(usage.cpu_ns, 100 * NSEC_PER_MSEC);
	EXPECT_LE(usage.cpu_ns, 150 * NSEC_PER_MSEC);
	EXPECT_GE(usage.kills, 1);
}

TEST("the price of wall minutes stops it as well")
{
	uint64_t lived;
	struct usage usage;

	session_begin();
	desk.policy.rates.wall_minute_ucents = 60 * UCENTS_A_SECOND;
	desk.policy.money_cap_ucents = UCENTS_A_SECOND / 5;
	desk.policy.running_since_ns = clock_monotonic_ns();
	lived = lived_ns("naps 100000 500", &usage);
	EXPECT_EQ(state_now(), REASON_CAP_MONEY);
	EXPECT_GE(lived, 180 * NSEC_PER_MSEC);
	EXPECT_LE(lived, 5000 * NSEC_PER_MSEC);
}

TEST("what was settled beforehand counts, and at the cap nothing runs")
{
	struct usage usage;

	session_begin();
	desk.policy.money_settled_ucents = desk.policy.money_cap_ucents = 5;
	lived_ns("spin 0", &usage);
	EXPECT_EQ(state_now(), REASON_CAP_MONEY);
	EXPECT_LE(usage.cpu_ns, 50 * NSEC_PER_MSEC);
}

TEST("a money cap of 0 lets free work run to its end")
{
	struct usage usage;

	session_begin();
	desk.policy.money_cap_ucents = 0;
	lived_ns("spin 50000", &usage);
	EXPECT_EQ(state_now(), REASON_OK);
	EXPECT_GE(usage.cpu_ns, 50 * NSEC_PER_MSEC);
	EXPECT_EQ(usage.kills, 0);
}

TEST("a money cap of 0 is reached by the first unit that costs something")
{
	struct usage usage;

	session_begin();
	desk.policy.money_cap_ucents = 0;
	desk.policy.rates.cpu_second_ucents = UCENTS_A_SECOND;
	lived_ns("spin 0", &usage);
	EXPECT_EQ(state_now(), REASON_CAP_MONEY);
	EXPECT_LE(usage.cpu_ns, 50 * NSEC_PER_MSEC);
}

TEST("the deadline stops a spinner, and leaves it alone until then")
{
	uint64_t lived;
	struct usage usage;

	session_begin();
	desk.policy.deadline_ns = clock_monotonic_ns() + 300 * NSEC_PER_MSEC;
	lived = lived_ns("processes 2 0", &usage);
	EXPECT_EQ(state_now(), REASON_DEADLINE);
	EXPECT_GE(lived, 280 * NSEC_PER_MSEC);
	EXPECT_LE(lived, 5000 * NSEC_PER_MSEC);
}

TEST("a raised cap lets a stopped session run again, and stops it again")
{
	struct usage usage;

	session_begin();
	desk.policy.cpu_cap_ns = 50 * NSEC_PER_MSEC;
	lived_ns("spin 0", &usage);
	EXPECT_EQ(usage.stopped_generation, desk.policy.generation);
	desk.policy.cpu_cap_ns = 200 * NSEC_PER_MSEC;
	lived_ns("spin 20000", &usage);
	EXPECT_LT(usage.stopped_generation, desk.policy.generation);
	EXPECT_GE(usage.cpu_ns, 70 * NSEC_PER_MSEC);
	lived_ns("spin 0", &usage);
	EXPECT_GE(usage.cpu_ns, 200 * NSEC_PER_MSEC);
	EXPECT_EQ(usage.stopped_generation, desk.policy.generation);
}

struct sent {
	volatile unsigned int packets;
	volatile int err;
};

static void send_until_no(struct sent *sent)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(9),
				  .sin_addr.s_addr = htonl(0x5db8d709) };
	char payload[PACKET_BYTES - 28] = {};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	while (sent->packets < 1000) {
		if (sendto(fd, payload, sizeof(payload), 0, (struct sockaddr *)&to, sizeof(to)) < 0) {
			sent->err = errno;
			break;
		}
		sent->packets++;
	}
	_exit(0);
}

TEST("the price of bytes sent stops the sending at the packet that reaches the cap")
{
	struct sent *sent =
		mmap(NULL, sizeof(*sent), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct usage usage;
	uint64_t stat_ns;

	ASSERT_OK(system("ip link add capmoney0 type veth peer name capmoney1 && "
			 "ip link set capmoney1 up && ip link set capmoney0 up && "
			 "ip addr add 93.184.215.2/24 dev capmoney0 && "
			 "ip neigh add 93.184.215.9 lladdr 02:00:00:00:00:09 dev capmoney0"));
	session_begin();
	desk.policy.egress = POLICY_EGRESS_PUBLIC;
	desk.policy.rates.egress_gib_ucents = 1ull << ACCOUNT_GIB_SHIFT;
	desk.policy.money_cap_ucents = 100000;
	desk_change(&desk);
	if (desk_fork(desk.request_fd) == 0)
		send_until_no(sent);
	desk_wait(&desk, &usage, &stat_ns);
	EXPECT_EQ(state_now(), REASON_CAP_MONEY);
	EXPECT_EQ(usage.bytes_out, (100000 / PACKET_BYTES + 1) * PACKET_BYTES);
	/* refused, or killed before it could see that */
	EXPECT_TRUE(sent->err == EPERM || usage.kills > 0);
	EXPECT_LE(sent->packets, usage.bytes_out / PACKET_BYTES);
}
