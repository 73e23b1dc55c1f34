// SPDX-License-Identifier: GPL-2.0-only
/*
 * The resolver as its owner sees it: what it asks for before it answers, what it counts, and that no client
 * can make another wait: slow ones, silent ones, many, floods, a dead upstream.
 */
#include "../../user/base/clock.h"
#include "dns_client.h"
#include "dns_run.h"

#define AT_ONCE_MS 400 /* for what must not wait for anything, on a busy machine */

static void ask_usual(void)
{
	int fd = client_socket(SOCK_DGRAM);

	EXPECT_EQ(client_ask(fd, false, "www.allowed.test", ns_t_a, 2000), ns_r_noerror);
}

TEST("an address is published before it is answered, for its time and a little more")
{
	desk_open(1);
	desk_run(ask_usual);
	EXPECT_EQ(desk[0].published, 1);
	EXPECT_EQ(desk[0].life_s, 60 + 10);
	EXPECT_EQ(desk[0].counts.addresses, 1);
	EXPECT_EQ(desk[0].refused, 0);
	desk_close();
}

static void ask_long_lived(void)
{
	int fd = client_socket(SOCK_DGRAM);

	EXPECT_EQ(client_ask(fd, false, "ttlmax.allowed.test", ns_t_a, 2000), ns_r_noerror);
}

TEST("no address is published for more than an hour")
{
	desk_open(1);
	desk_run(ask_long_lived);
	EXPECT_EQ(desk[0].life_s, 3600);
	desk_close();
}

static void ask_unpublished(void)
{
	int fd = client_socket(SOCK_DGRAM);

	EXPECT_EQ(client_ask(fd, false, "www.allowed.test", ns_t_a, 2000), ns_r_servfail);
}

TEST("an address that cannot be published is not answered: that is a failure")
{
	desk_open(1);
	desk[0].publish_fails = true;
	desk_run(ask_unpublished);
	EXPECT_EQ(desk[0].counts.failed, 1);
	EXPECT_EQ(desk[0].counts.addresses, 0);
	desk_close();
}

static void ask_private(void)
{
	int fd = client_socket(SOCK_DGRAM);

	EXPECT_EQ(client_ask(fd, false, "mixed.allowed.test", ns_t_aaaa, 2000), ns_r_noerror);
	EXPECT_EQ(client_ask(fd, false, "many.allowed.test", ns_t_a, 2000), ns_r_noerror);
}

TEST("neither a denied address is published nor one that the client must come again for")
{
	desk_open(1);
	desk_run(ask_private);
	EXPECT_EQ(desk[0].published, 1);
	EXPECT_EQ(desk[0].counts.addresses_denied, 5);
	EXPECT_EQ(desk[0].refused, 5);
	EXPECT_EQ(desk[0].reason, REASON_LOOPBACK);
	EXPECT_EQ(desk[0].counts.truncated, 1);
	desk_close();
}

static void ask_aliases(void)
{
	int fd = client_socket(SOCK_DGRAM);

	EXPECT_EQ(client_ask(fd, false, "chain.allowed.test", ns_t_cname, 2000), ns_r_noerror);
	EXPECT_EQ(client_ask(fd, false, "chain.allowed.test", ns_t_a, 2000), ns_r_noerror);
}

TEST("what a name stands for is asked for where a list says which names may be")
{
	desk_open(1);
	desk_run(ask_aliases);
	EXPECT_EQ(desk_asked("chain.allowed.test"), 2);
	desk_close();
}

TEST("where any name may be asked for, nobody is told what it stands for, and its addresses come")
{
	desk_any_name = true;
	desk_open(1);
	desk_run(ask_aliases);
	EXPECT_EQ(desk_asked("chain.allowed.test"), 1);
	EXPECT_EQ(desk[0].counts.asked, 1);
	EXPECT_EQ(desk[0].counts.addresses, 1);
	desk_close();
}

static void ask_others(void)
{
	int fd = client_socket(SOCK_DGRAM);

	EXPECT_EQ(client_ask(fd, false, "www.test", ns_t_a, AT_ONCE_MS), ns_r_nxdomain);
	EXPECT_EQ(client_ask(fd, false, "notallowed.test", ns_t_a, AT_ONCE_MS), ns_r_nxdomain);
	EXPECT_EQ(client_ask(fd, false, "a b.allowed.test", ns_t_a, AT_ONCE_MS), ns_r_nxdomain);
	EXPECT_EQ(client_ask(fd, false, "www.allowed.test", ns_t_any, AT_ONCE_MS), ns_r_noerror);
	EXPECT_EQ(client_ask(fd, false, "www.allowed.test", 64, AT_ONCE_MS), ns_r_noerror);
	EXPECT_EQ(client_ask(fd, false,
			     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
			     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.test",
			     ns_t_a, AT_ONCE_MS),
		  ns_r_nxdomain);
	send(fd, "x", 1, 0);
	send(fd, "0123456789abcdef", 16, 0);
	EXPECT_EQ(client_rcode(fd, false, AT_ONCE_MS), ns_r_notimpl);
}

TEST("what may not be asked for, types that are not, and rubbish, are answered at once and asked nowhere")
{
	desk_open(1);
	desk_run(ask_others);
	EXPECT_EQ(desk_asked("-"), 0);
	EXPECT_EQ(desk[0].counts.names_denied, 4);
	EXPECT_EQ(desk[0].counts.names_long, 1);
	EXPECT_EQ(desk[0].counts.malformed, 2);
	EXPECT_EQ(desk[0].counts.questions, 8);
	EXPECT_EQ(desk[0].reason, REASON_NAME);
	desk_close();
}

static void slow_and_quick(void)
{
	static struct dns_message m;
	int slow = client_socket(SOCK_STREAM), greedy = client_socket(SOCK_STREAM), quick;
	const int small = 4096;

	client_question(&m, "www.allowed.test", ns_t_a);
	send(slow, m.bytes, 5, 0);
	/* asks on and on and never reads */
	setsockopt(greedy, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	for (int i = 0; i < 300; i++)
		send(greedy, m.bytes, m.n, MSG_DONTWAIT | MSG_NOSIGNAL);
	quick = client_socket(SOCK_STREAM);
	EXPECT_EQ(client_ask(quick, true, "www.test", ns_t_a, AT_ONCE_MS), ns_r_nxdomain);
	EXPECT_EQ(client_ask(quick, true, "www.allowed.test", ns_t_a, 2000), ns_r_noerror);
	EXPECT_EQ(client_ask(client_socket(SOCK_DGRAM), false, "www.allowed.test", ns_t_a, 2000),
		  ns_r_noerror);
	send(slow, m.bytes + 5, m.n - 5, 0);
	EXPECT_EQ(client_rcode(slow, true, 2000), ns_r_noerror);
}

TEST("a slow connection and one that never reads delay nobody")
{
	desk_open(1);
	desk_run(slow_and_quick);
	desk_close();
}

static void pipelined(void)
{
	static struct dns_message m;
	int fd = client_socket(SOCK_STREAM);

	for (int i = 0; i < 100; i++) {
		client_question(&m, i % 3 ? "www.allowed.test" : "www.test", ns_t_a);
		ASSERT_EQ(send(fd, m.bytes, m.n, 0), (ssize_t)m.n);
	}
	shutdown(fd, SHUT_WR);
	for (int i = 0; i < 100; i++)
		EXPECT_GE(client_rcode(fd, true, 4000), 0);
	EXPECT_EQ(recv(fd, m.bytes, 1, 0), 0);
}

TEST("all questions of a connection are answered, also when its client ends behind the last")
{
	desk_open(1);
	desk_run(pipelined);
	EXPECT_EQ(desk[0].counts.questions, 100);
	desk_close();
}

static void rubbish_frames(void)
{
	static const char *const frames[] = { "\0\0", "\xff\xff", "\x04\x01" };
	char byte;

	for (int i = 0; i < 3; i++) {
		int fd = client_socket(SOCK_STREAM);
		struct pollfd wait = { fd, POLLIN, 0 };

		send(fd, frames[i], 2, 0);
		EXPECT_EQ(poll(&wait, 1, 2000), 1);
		EXPECT_EQ(recv(fd, &byte, 1, 0), 0);
	}
}

TEST("a connection that sends what is no message is closed")
{
	desk_open(1);
	desk_run(rubbish_frames);
	desk_close();
}

static void crowd(void)
{
	int fds[100], closed = 0;
	char byte;

	for (int i = 0; i < 100; i++)
		fds[i] = client_socket(SOCK_STREAM);
	EXPECT_EQ(client_ask(fds[99], true, "www.test", ns_t_a, 2000), ns_r_nxdomain);
	for (int i = 0; i < 100; i++)
		closed += recv(fds[i], &byte, 1, MSG_DONTWAIT) == 0;
	EXPECT_EQ(closed, 100 - (int)REEVE_DNS_CONNECTIONS_MAX);
	sleep(11);
	for (int i = 0; i < 100; i++)
		closed += recv(fds[i], &byte, 1, MSG_DONTWAIT) == 0;
	EXPECT_EQ(closed, 200 - (int)REEVE_DNS_CONNECTIONS_MAX);
}

TEST("of many connections the newest are kept, and those that are silent are closed", .seconds = 40)
{
	desk_open(1);
	desk_run(crowd);
	desk_close();
}

static void ask_the_dead(void)
{
	static struct dns_message m;
	char name[64];
	int fd = client_socket(SOCK_DGRAM);

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "dead.n%d.allowed.test", i);
		client_question(&m, name, ns_t_a);
		send(fd, m.bytes + 2, m.n - 2, 0);
	}
	EXPECT_EQ(client_ask(client_socket(SOCK_DGRAM), false, "www.test", ns_t_a, AT_ONCE_MS),
		  ns_r_nxdomain);
	for (unsigned int i = 0; i < REEVE_DNS_IN_FLIGHT_MAX; i++)
		EXPECT_EQ(client_rcode(fd, false, 6000), ns_r_servfail);
	EXPECT_EQ(client_rcode(fd, false, AT_ONCE_MS), -1);
}

TEST("a silent upstream is a failure in less than 5 s, and holds no more than so many questions")
{
	desk_open(1);
	desk_run(ask_the_dead);
	EXPECT_EQ(desk[0].counts.failed, REEVE_DNS_IN_FLIGHT_MAX);
	EXPECT_EQ(desk[0].counts.limited, 100 - REEVE_DNS_IN_FLIGHT_MAX);
	EXPECT_EQ(desk_asked("-"), 2 * REEVE_DNS_IN_FLIGHT_MAX);
	desk_close();
}

static void flood(void)
{
	static struct dns_message m;
	int fd = client_socket(SOCK_DGRAM);
	uint64_t end = clock_monotonic_ns() + 2 * NSEC_PER_SEC;
	unsigned int sent = 0;

	client_question(&m, "www.allowed.test", ns_t_a);
	while (clock_monotonic_ns() < end) {
		for (int i = 0; i < 50; i++)
			sent += send(fd, m.bytes + 2, m.n - 2, MSG_DONTWAIT) > 0;
		usleep(1000);
	}
	printf("%u questions in 2 s\n", sent);
	EXPECT_GE(sent, 2 * 10000);
}

static void beside(void)
{
	int fd = client_socket(SOCK_DGRAM);

	for (int i = 0; i < 40; i++) {
		EXPECT_EQ(client_ask(fd, false, "www.allowed.test", ns_t_a, AT_ONCE_MS),
			  ns_r_noerror);
		usleep(25000);
	}
}

TEST("ten thousand questions a second of one session do not delay another in the same loop")
{
	pid_t flooding;

	desk_open(2);
	flooding = desk_client(&desk[1], flood);
	desk_wait(desk_client(&desk[0], beside));
	desk_wait(flooding);
	EXPECT_EQ(desk[0].counts.limited, 0);
	EXPECT_GT(desk[1].counts.limited, 2 * 10000 - REEVE_DNS_BURST - 3 * REEVE_DNS_PER_SECOND);
	EXPECT_LE(desk[1].counts.asked, REEVE_DNS_BURST + 3 * REEVE_DNS_PER_SECOND);
	desk_close();
}

static void leave(void)
{
	static struct dns_message m;
	int tcp = client_socket(SOCK_STREAM), udp = client_socket(SOCK_DGRAM);

	client_question(&m, "dead.allowed.test", ns_t_a);
	for (int i = 0; i < 10; i++) {
		send(tcp, m.bytes, m.n, 0);
		send(udp, m.bytes + 2, m.n - 2, 0);
	}
	usleep(100000);
}

TEST("clients that leave, and an end in the middle of everything, leave nothing")
{
	desk_open(1);
	desk_run(leave);
	desk_close();
}
