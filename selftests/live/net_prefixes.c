// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every row of the address table against the host side's packet filter alone: the first and the
 * last address of the prefix and their neighbours, IPv4 natively and as NAT64. What the classifier
 * denies never leaves the host, what it allows is reached.
 */
#include <endian.h>

#include "../../include/decide.h"
#include "../../user/kernel/nft.h"
#include "playnet.h"

#define ADDRESSES_MAX 512

static struct decide_addr addresses[ADDRESSES_MAX];
static size_t n_addresses;
static int netns = -1;

static void add(struct decide_addr addr)
{
	for (size_t i = 0; i < n_addresses; i++)
		if (addresses[i].hi == addr.hi && addresses[i].lo == addr.lo)
			return;
	ASSERT_LT(n_addresses, ADDRESSES_MAX);
	addresses[n_addresses++] = addr;
}

static void add_v4(uint32_t first, unsigned int len)
{
	const uint32_t last = first | (uint32_t)(0xffffffffull >> len);
	const uint32_t edges[] = { first - 1, first, last, last + 1 };

	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		add(decide_from_v4(edges[i]));
		add((struct decide_addr){ DECIDE_NAT64_HI, edges[i] });
	}
}

static struct decide_addr step(struct decide_addr addr, int by)
{
	unsigned __int128 whole = (unsigned __int128)addr.hi << 64 | addr.lo;

	whole += (unsigned __int128)by;
	return (struct decide_addr){ (uint64_t)(whole >> 64), (uint64_t)whole };
}

static void add_v6(uint64_t hi, uint64_t lo, unsigned int len)
{
	const struct decide_addr first = { hi, lo };
	const struct decide_addr last = { len < 64 ? hi | ~0ull >> len : hi,
					  len <= 64 ? ~0ull
						    : lo | (len < 128 ? ~0ull >> (len - 64) : 0) };

	add(step(first, -1));
	add(first);
	add(last);
	add(step(last, 1));
}

static void add_all(void)
{
#define X(a, b, c, d, len, NAME) add_v4(DECIDE_V4_NET(a, b, c, d), len);
	DECIDE_V4(X)
#undef X
#define X(hi, lo, len, NAME) add_v6(hi##ull, lo##ull, len);
	DECIDE_V6(X)
#undef X
}

static const char *show(const struct decide_addr *addr, char ret[INET6_ADDRSTRLEN])
{
	const uint64_t words[] = { htobe64(addr->hi), htobe64(addr->lo) };
	const struct in_addr v4 = { htonl((uint32_t)addr->lo) };

	if (decide_is_mapped(addr))
		return inet_ntop(AF_INET, &v4, ret, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, words, ret, INET6_ADDRSTRLEN);
}

static void fire(const char *address)
{
	struct sockaddr_storage to;
	socklen_t len = net_address(address, 443, &to);
	_cleanup_fd_ int fd = -1;
	const int on = 1;
	int home;

	ASSERT_OK(netns_enter(netns, &home));
	fd = socket(to.ss_family, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	ASSERT_OK(netns_leave(&home));
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	sendto(fd, "hello", 5, 0, (struct sockaddr *)&to, len);
}

/* Sends to each address of the classes asked for, and returns how many that were. */
static int fire_all(bool allowed)
{
	char shown[INET6_ADDRSTRLEN];
	int n = 0;

	for (size_t i = 0; i < n_addresses; i++) {
		if ((decide_class(&addresses[i]) == REASON_OK) != allowed)
			continue;
		fire(show(&addresses[i], shown));
		n++;
	}
	usleep(300 * 1000);
	return n;
}

TEST("no packet for a denied address leaves the host, and every allowed neighbour is reached",
     .seconds = 60)
{
	struct plan_network network = net_plan(7);
	struct fault fault = {};
	char shown[INET6_ADDRSTRLEN], want[128], *text = NULL;
	unsigned int ifindex;
	FILE *counts;
	size_t size = 0;

	add_all();
	net_up();
	ASSERT_OK(nft_make(&fault));
	ASSERT_OK(netns_make(&netns, &fault));
	ASSERT_OK(veth_make(&network, netns, &ifindex, &fault));
	ASSERT_OK(veth_up(ifindex));
	EXPECT_GT(fire_all(false), 100);
	EXPECT_EQ(net_count("internet", "packets", "-"), 0);
	EXPECT_EQ(net_count("private", "packets", "-"), 0);
	EXPECT_EQ(net_count("host", "served", "-"), 0);
	EXPECT_GT(fire_all(true), 50);
	counts = popen("selftests/playnet ask $TMPDIR/playnet internet json", "re");
	ASSERT_NOT_NULL(counts);
	ASSERT_GT(getline(&text, &size, counts), 0);
	for (size_t i = 0; i < n_addresses; i++) {
		if (decide_class(&addresses[i]) != REASON_OK)
			continue;
		snprintf(want, sizeof(want), "{\"at\": \"%s\", \"protocol\": 17, \"count\": 1}",
			 show(&addresses[i], shown));
		EXPECT_HAS(text, want);
	}
	free(text);
	pclose(counts);
}

TEARDOWN
{
	veth_remove("rv7");
	net_down();
}
