// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host side's packet filter alone, no BPF program involved: what leaves a session, and what
 * comes to it. That nothing came is counted by the other side. Each no has a twin: the same packets
 * with the table taken away, which arrive.
 */
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>

#include "../../user/kernel/nft.h"
#include "playnet.h"

#define SLOT 7
#define SANDBOX_V4 "10.213.0.30"
#define SANDBOX_V6 "fd72:6565:7665::1e"

static int netns = -1, home = -1;

static void session_up(void)
{
	struct plan_network network = net_plan(SLOT);
	struct fault fault = {};
	unsigned int ifindex;

	net_up();
	ASSERT_OK(nft_make(&fault));
	ASSERT_OK(netns_make(&netns, &fault));
	ASSERT_OK(veth_make(&network, netns, &ifindex, &fault));
	ASSERT_OK(veth_up(ifindex));
}

static int reach(int type, const char *address, unsigned int port, char *ret, size_t size)
{
	int r;

	ASSERT_OK(netns_enter(netns, &home));
	r = net_reach(type, address, port, ret, size);
	ASSERT_OK(netns_leave(&home));
	return r;
}

/* Sends a datagram and begins a connection, and waits for neither. */
static void fire(const char *address)
{
	struct sockaddr_storage to;
	socklen_t len = net_address(address, 443, &to);
	_cleanup_fd_ int udp = -1, tcp = -1;

	ASSERT_OK(netns_enter(netns, &home));
	udp = socket(to.ss_family, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	tcp = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
	ASSERT_OK(netns_leave(&home));
	sendto(udp, "hello", 5, 0, (struct sockaddr *)&to, len);
	connect(tcp, (struct sockaddr *)&to, len);
}

static void fire_all(const char *const *addresses)
{
	for (; *addresses; addresses++)
		fire(*addresses);
	usleep(200 * 1000);
}

static void expect_reached(const char *address, const char *from)
{
	char answer[512], want[128];

	snprintf(want, sizeof(want), "\"from\": \"%s\"", from);
	EXPECT_OK(reach(SOCK_STREAM, address, 80, answer, sizeof(answer)));
	EXPECT_HAS(answer, want);
	EXPECT_OK(reach(SOCK_DGRAM, address, 53, answer, sizeof(answer)));
	EXPECT_HAS(answer, want);
}

TEST("the internet is reached through the host's address, IPv4 and IPv6")
{
	session_up();
	expect_reached("1.1.1.1", "93.184.215.2");
	expect_reached("93.184.216.34", "93.184.215.2");
	expect_reached("2606:4700:4700::1111", "2606:2800:21f::2");
	expect_reached("64:ff9b::8.8.8.8", "2606:2800:21f::2");
}

TEST("an error about a session's own packet comes back to it")
{
	char answer[64];

	session_up();
	EXPECT_EQ(reach(SOCK_DGRAM, "1.1.1.1", 9, answer, sizeof(answer)), -ECONNREFUSED);
	EXPECT_EQ(reach(SOCK_STREAM, "2606:4700:4700::1111", 9, answer, sizeof(answer)),
		  -ECONNREFUSED);
}

TEST("none of the host's addresses is reached, public ones included")
{
	static const char *const own[] = {
		"93.184.215.2", "192.168.7.2",	      "10.213.0.29", "2606:2800:21f::2",
		"fd00:7::2",	"fd72:6565:7665::1d", NULL
	};

	session_up();
	fire_all(own);
	EXPECT_EQ(net_count("host", "served", "-"), 0);
	ASSERT_OK(nft_remove());
	fire_all(own);
	for (const char *const *address = own; *address; address++)
		EXPECT_EQ(net_count("host", "served", *address), 2);
}

TEST("no packet comes into the private network, whatever other tables accept")
{
	static const char *const private[] = {
		"10.0.0.1",  "192.168.7.1",   "169.254.169.254", "172.16.0.1", "100.100.100.200",
		"fd00:7::1", "fd00:ec2::254", "fd20:ce::254",	 NULL
	};

	session_up();
	ASSERT_EQ(sh("nft 'table inet fw { chain f { type filter hook forward priority -10; accept; }; "
		     "chain i { type filter hook input priority -10; accept; }; "
		     "chain l { type filter hook forward priority 20; accept; }; }'"),
		  0);
	fire_all(private);
	EXPECT_EQ(net_count("private", "packets", "-"), 0);
	ASSERT_OK(nft_remove());
	fire_all(private);
	for (const char *const *address = private; *address; address++)
		EXPECT_GT(net_count("private", "packets", *address), 0);
	ASSERT_EQ(sh("nft delete table inet fw"), 0);
}

TEST("an allowed address that the host translates into a private one is refused")
{
	static const char *const translated[] = { "1.1.1.1", "2606:4700:4700::1111", "1.0.0.1",
						  "2606:4700:4700::1001", NULL };

	session_up();
	ASSERT_EQ(sh("nft 'table inet turn { chain p { type nat hook prerouting priority -100; "
		     "ip daddr 1.1.1.1 dnat ip to 10.0.0.1; "
		     "ip6 daddr 2606:4700:4700::1111 dnat ip6 to fd00:ec2::254; "
		     "ip daddr 1.0.0.1 dnat ip to 93.184.215.2; "
		     "ip6 daddr 2606:4700:4700::1001 redirect; }; }'"),
		  0);
	fire_all(translated);
	EXPECT_EQ(net_count("private", "packets", "-"), 0);
	EXPECT_EQ(net_count("host", "served", "-"), 0);
	EXPECT_EQ(net_count("internet", "packets", "-"), 0);
	expect_reached("8.8.8.8", "93.184.215.2");
	ASSERT_OK(nft_remove());
	fire_all(translated);
	EXPECT_GT(net_count("private", "packets", "10.0.0.1"), 0);
	EXPECT_GT(net_count("private", "packets", "fd00:ec2::254"), 0);
	EXPECT_EQ(net_count("host", "served", "-"), 4);
	ASSERT_EQ(sh("nft delete table inet turn"), 0);
}

static uint16_t checksum(const void *bytes, size_t n, uint32_t sum)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static void send_raw(uint16_t ethertype, const uint8_t *packet, size_t n)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ethertype),
				  .sll_halen = 6 };
	_cleanup_fd_ int fd = -1;

	ASSERT_OK(netns_enter(netns, &home));
	fd = socket(AF_PACKET, SOCK_DGRAM, 0);
	to.sll_ifindex = (int)if_nametoindex("eth0");
	memcpy(to.sll_addr, "\x02r\x0a\xd5\x00\x1d", 6);
	EXPECT_EQ(sendto(fd, packet, n, 0, (struct sockaddr *)&to, sizeof(to)), n);
	ASSERT_OK(netns_leave(&home));
}

/* A datagram without data from @source to port 443. */
static void forge(const char *source, const char *destination)
{
	uint8_t v4[28] = { 0x45, 0, 0, 28, 0, 1, 0, 0, 64, IPPROTO_UDP, [20] = 0x30, 1, 1, 187, 0, 8 };
	uint8_t v6[48] = { 0x60, [5] = 8, IPPROTO_UDP, 64, [40] = 0x30, 1, 1, 187, 0, 8 };
	uint16_t sum;

	if (inet_pton(AF_INET, source, v4 + 12) == 1) {
		ASSERT_EQ(inet_pton(AF_INET, destination, v4 + 16), 1);
		sum = checksum(v4, 20, 0);
		memcpy(v4 + 10, &sum, 2);
		send_raw(ETH_P_IP, v4, sizeof(v4));
		return;
	}
	ASSERT_EQ(inet_pton(AF_INET6, source, v6 + 8), 1);
	ASSERT_EQ(inet_pton(AF_INET6, destination, v6 + 24), 1);
	sum = checksum(v6 + 8, 40, IPPROTO_UDP + 8);
	memcpy(v6 + 46, &sum, 2);
	send_raw(ETH_P_IPV6, v6, sizeof(v6));
}

TEST("a forged source goes nowhere, and counters that rise do not make the table look damaged")
{
	static const char *const sources_v4[] = { "8.8.4.4",	  "10.213.0.34", "192.168.7.9",
						  "93.184.215.2", "10.213.0.29", "0.0.0.0",
						  "127.0.0.1" };
	static const char *const sources_v6[] = { "2606:4700::9",
						  "fd72:6565:7665::22",
						  "fd00:7::9",
						  "2606:2800:21f::2",
						  "fd72:6565:7665::1d",
						  "fe80::1",
						  "::" };

	enum nft_state state;

	session_up();
	for (size_t i = 0; i < ARRAY_SIZE(sources_v4); i++)
		forge(sources_v4[i], "1.1.1.1");
	for (size_t i = 0; i < ARRAY_SIZE(sources_v6); i++)
		forge(sources_v6[i], "2606:4700:4700::1111");
	usleep(200 * 1000);
	EXPECT_EQ(net_count("internet", "packets", "-"), 0);
	EXPECT_EQ(net_count("private", "packets", "-"), 0);
	EXPECT_EQ(sh("nft list counter inet reeve spoofed | grep -q 'packets [1-9]'"), 0);
	ASSERT_OK(nft_check(&state));
	EXPECT_EQ(state, NFT_WHOLE);
	forge(SANDBOX_V4, "1.1.1.1");
	forge(SANDBOX_V6, "2606:4700:4700::1111");
	usleep(200 * 1000);
	EXPECT_EQ(net_count("internet", "served", "1.1.1.1"), 1);
	EXPECT_EQ(net_count("internet", "served", "2606:4700:4700::1111"), 1);
}

TEST("a packet that the host does not track does not leave with the session's own address")
{
	session_up();
	ASSERT_EQ(sh("nft 'table inet blind { chain p { type filter hook prerouting priority -310; "
		     "notrack; }; }'"),
		  0);
	fire_all((const char *const[]){ "1.1.1.1", "2606:4700:4700::1111", NULL });
	EXPECT_EQ(net_count("internet", "packets", "-"), 0);
	ASSERT_EQ(sh("nft delete table inet blind"), 0);
	expect_reached("1.1.1.1", "93.184.215.2");
}

/* Opens a server in the session, has each party call it, and returns how many calls came in. */
static int calls_in(void)
{
	static const char *const callers[] = { "internet", "private", "host" };
	static const char *const targets[] = { SANDBOX_V4, SANDBOX_V6, "93.184.215.2" };
	struct sockaddr_storage any;
	socklen_t len = net_address("::", 8080, &any);
	_cleanup_fd_ int server = -1;
	char commands[2000] = "";
	const int on = 1;
	int calls = 0;

	ASSERT_OK(netns_enter(netns, &home));
	server = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ASSERT_OK(setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
	ASSERT_OK(bind(server, (struct sockaddr *)&any, len) ? -errno : 0);
	ASSERT_OK(listen(server, 16));
	ASSERT_OK(netns_leave(&home));
	for (size_t i = 0; i < ARRAY_SIZE(callers) * ARRAY_SIZE(targets); i++)
		snprintf(commands + strlen(commands), sizeof(commands) - strlen(commands),
			 "selftests/playnet in $TMPDIR/playnet %s timeout 3 bash -c "
			 "'exec 3<>/dev/tcp/%s/8080' 2>/dev/null & ",
			 callers[i / ARRAY_SIZE(targets)], targets[i % ARRAY_SIZE(targets)]);
	sh("%s wait", commands);
	while (accept(server, NULL, NULL) >= 0)
		calls++;
	return calls;
}

TEST("no connection comes into a session, from nowhere, also when the host forwards a port to it",
     .seconds = 60)
{
	session_up();
	ASSERT_EQ(sh("nft 'table ip port { chain p { type nat hook prerouting priority -100; "
		     "iifname up0 tcp dport 8080 dnat to " SANDBOX_V4 "; }; }'"),
		  0);
	sh("selftests/playnet in $TMPDIR/playnet internet ip route add 10.213.0.0/16 via 93.184.215.2");
	sh("selftests/playnet in $TMPDIR/playnet internet ip route add fd72::/16 via 2606:2800:21f::2");
	sh("selftests/playnet in $TMPDIR/playnet private ip route add 10.213.0.0/16 via 192.168.7.2");
	sh("selftests/playnet in $TMPDIR/playnet private ip route add fd72::/16 via fd00:7::2");
	EXPECT_EQ(calls_in(), 0);
	ASSERT_OK(nft_remove());
	EXPECT_EQ(calls_in(), 7);
	ASSERT_EQ(sh("nft delete table ip port"), 0);
}

TEST("one session does not reach another")
{
	struct plan_network network = net_plan(SLOT + 1);
	_cleanup_fd_ int other = -1, server = -1;
	struct pollfd wait = { .events = POLLIN };
	struct fault fault = {};
	struct sockaddr_storage any;
	socklen_t len = net_address("::", 443, &any);
	unsigned int ifindex;

	session_up();
	ASSERT_OK(netns_make(&other, &fault));
	ASSERT_OK(veth_make(&network, other, &ifindex, &fault));
	ASSERT_OK(veth_up(ifindex));
	ASSERT_OK(netns_enter(other, &home));
	server = socket(AF_INET6, SOCK_DGRAM, 0);
	ASSERT_OK(bind(server, (struct sockaddr *)&any, len) ? -errno : 0);
	ASSERT_OK(netns_leave(&home));
	fire("10.213.0.34");
	fire("fd72:6565:7665::22");
	wait.fd = server;
	EXPECT_EQ(poll(&wait, 1, 300), 0);
	ASSERT_OK(nft_remove());
	fire("10.213.0.34");
	EXPECT_EQ(poll(&wait, 1, 1000), 1);
	ASSERT_OK(veth_remove(network.host_ifname));
}

TEARDOWN
{
	veth_remove("rv7");
	veth_remove("rv8");
	net_down();
}
