// SPDX-License-Identifier: GPL-2.0-only
/* What is read of the host's network: free pools, its own addresses, forwarding, name servers. */
#include <sched.h>

#include "../../user/kernel/hostnet.h"
#include "playnet.h"

/* A device with no one behind it that matters, so that routes and addresses have a place. */
static void device_up(void)
{
	ASSERT_EQ(sh("ip link add dev0 type veth peer name dev1 && ip link set dev0 up && ip link set dev1 up && "
		     "ip address add 93.184.215.2/24 broadcast + dev dev0"),
		  0);
}

static void pick(const char *want_v4, const char *want_v6)
{
	char v4_shown[INET_ADDRSTRLEN], v6_shown[INET6_ADDRSTRLEN];
	struct fault fault = {};
	struct in_addr v4;
	struct in6_addr v6;
	int r = hostnet_pick_pools(&v4, &v6, &fault);

	printf("%s\n", fault.reason);
	ASSERT_EQ(r, 0);
	EXPECT_STREQ(inet_ntop(AF_INET, &v4, v4_shown, sizeof(v4_shown)), want_v4);
	EXPECT_STREQ(inet_ntop(AF_INET6, &v6, v6_shown, sizeof(v6_shown)), want_v6);
}

TEST("a host without routes gives the first pools, and so does one with only default routes")
{
	pick("10.213.0.0", "fd72:6565:7665::");
	device_up();
	ASSERT_EQ(sh("ip route add default via 93.184.215.1; ip route add 0.0.0.0/1 via 93.184.215.1; "
		     "ip route add fc00::/7 dev dev0; ip -6 route add default dev dev0"),
		  0);
	pick("10.213.0.0", "fd72:6565:7665::");
}

TEST("a pool that an address, a narrower or a wider route of any table overlaps is not picked")
{
	device_up();
	ASSERT_EQ(sh("ip address add 10.213.255.1/32 dev dev0"), 0);
	ASSERT_EQ(sh("ip address add fd72:6565:7665::9/128 dev dev0"), 0);
	pick("10.117.0.0", "fd72:6565:7665:1::");
	ASSERT_EQ(sh("ip route add 10.117.64.0/18 via 93.184.215.1 table 77"), 0);
	ASSERT_EQ(sh("ip route add fd72:6565:7665:1::/96 dev dev0 table 77"), 0);
	pick("172.29.0.0", "fd5b:c1a7:90e3::");
	ASSERT_EQ(sh("ip route add 172.16.0.0/12 via 93.184.215.1"), 0);
	pick("100.91.0.0", "fd5b:c1a7:90e3::");
	ASSERT_EQ(sh("ip route add blackhole 100.64.0.0/10"), 0);
	pick("198.19.0.0", "fd5b:c1a7:90e3::");
}

TEST("a host that leaves no pool is told so, with the pools")
{
	struct fault fault = {};
	struct in_addr v4;
	struct in6_addr v6;

	device_up();
	ASSERT_EQ(sh("for r in 10.0.0.0/8 172.16.0.0/12 100.64.0.0/10 198.18.0.0/15; do "
		     "ip route add $r via 93.184.215.1; done"),
		  0);
	EXPECT_EQ(hostnet_pick_pools(&v4, &v6, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_HOST);
	EXPECT_HAS(fault.reason, "10.213");
	EXPECT_HAS(fault.reason, "198.18.0.0/16");
	EXPECT_HAS(fault.remedy, "--egress none");
}

TEST("the links of sessions do not move the pool, a stranger's device of that name does")
{
	struct plan_network network = net_plan(9);
	struct fault fault = {};
	unsigned int ifindex;
	int fd;

	ASSERT_OK(netns_make(&fd, &fault));
	ASSERT_OK(veth_make(&network, fd, &ifindex, &fault));
	ASSERT_OK(veth_up(ifindex));
	pick("10.213.0.0", "fd72:6565:7665::");
	ASSERT_OK(veth_remove("rv9"));
	device_up();
	ASSERT_EQ(sh("ip link set dev0 down; ip link set dev0 name rv9; ip link set rv9 up; ip address add 10.213.4.1/30 dev rv9"),
		  0);
	pick("10.117.0.0", "fd72:6565:7665::");
	ASSERT_EQ(sh("ip link delete rv9"), 0);
}

static int list(enum hostnet_kind kind, const struct host_prefix *prefix, void *arg)
{
	static const char *const kinds[] = { "local", "broadcast", "anycast" };
	char *text = arg, shown[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, prefix->addr, shown, sizeof(shown));
	sprintf(text + strlen(text), "%s %s/%u\n", kinds[kind], shown, prefix->prefixlen);
	return 0;
}

static void expect_own(const char *want)
{
	char text[4096] = "";

	ASSERT_OK(hostnet_each_own(list, text));
	EXPECT_STREQ(text, want);
}

TEST("the host's own addresses are those that the table would let pass, with broadcast and anycast")
{
	expect_own("");
	device_up();
	expect_own("local ::ffff:93.184.215.2/128\nbroadcast ::ffff:93.184.215.255/128\n");
	ASSERT_EQ(sh("sysctl -qw net.ipv6.conf.all.forwarding=1; "
		     "ip address add 192.168.7.2/24 dev dev0; ip address add fd00:7::2/64 dev dev0 nodad; "
		     "ip address add 2606:2800:21f::2/64 dev dev0 nodad; "
		     "ip route add local 1.2.3.0/24 dev lo; ip route add local default dev lo table 100"),
		  0);
	usleep(50 * 1000);
	expect_own("local ::ffff:1.2.3.0/120\nlocal ::ffff:93.184.215.2/128\n"
		   "broadcast ::ffff:93.184.215.255/128\nlocal 2606:2800:21f::2/128\n"
		   "anycast 2606:2800:21f::/128\n");
	ASSERT_EQ(sh("ip address flush dev dev0; ip route del local 1.2.3.0/24 dev lo"), 0);
	expect_own("");
}

static int refuse(enum hostnet_kind kind, const struct host_prefix *prefix, void *arg)
{
	(void)kind;
	(void)prefix;
	(void)arg;
	return -E2BIG;
}

TEST("what the callback returns ends the walk and is passed up")
{
	device_up();
	EXPECT_EQ(hostnet_each_own(refuse, NULL), -E2BIG);
}

static bool changed_by(int fd, const char *command)
{
	bool changed;

	ASSERT_OK(hostnet_watch_drain(fd, &changed));
	ASSERT_EQ(sh("%s", command), 0);
	usleep(100 * 1000);
	ASSERT_OK(hostnet_watch_drain(fd, &changed));
	return changed;
}

TEST("an address that comes or goes is told, what the address table denies anyway is not")
{
	int fd;

	device_up();
	ASSERT_OK(hostnet_watch_open(&fd));
	EXPECT_TRUE(changed_by(fd, "ip address add 1.2.3.4/32 dev dev0"));
	EXPECT_TRUE(changed_by(fd, "ip address delete 1.2.3.4/32 dev dev0"));
	EXPECT_TRUE(changed_by(fd, "ip address add 2606:2800:21f::2/64 dev dev0 nodad"));
	EXPECT_TRUE(changed_by(fd, "ip route add local 1.2.4.0/24 dev lo"));
	EXPECT_FALSE(changed_by(fd, "ip address add 10.213.0.1/30 dev dev0"));
	EXPECT_FALSE(changed_by(fd, "ip address add fd72:6565:7665::1/126 dev dev0 nodad"));
	EXPECT_FALSE(changed_by(fd, "ip route add 1.2.5.0/24 via 93.184.215.1"));
	EXPECT_TRUE(changed_by(fd, "ip link delete dev0"));
}

TEST("messages that the kernel had to drop count as a change")
{
	const int smallest = 0;
	int fd;

	device_up();
	ASSERT_OK(hostnet_watch_open(&fd));
	ASSERT_OK(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &smallest, sizeof(smallest)));
	EXPECT_TRUE(changed_by(
		fd, "for i in $(seq 99); do echo address add 10.9.9.$i/32 dev dev0; done | ip -b -"));
}

TEST("forwarding that is off is a fault that names the sysctl, and nothing is switched on")
{
	struct hostnet_forwarding found;
	struct fault v4 = {}, both = {}, v6 = {};

	device_up();
	ASSERT_EQ(sh("sysctl -qw net.ipv4.ip_forward=0; ip route add default via 93.184.215.1"), 0);
	EXPECT_EQ(hostnet_require_forwarding(&v4), FAULT_E_SET);
	EXPECT_EQ(v4.code, FAULT_HOST);
	EXPECT_STREQ(v4.field, "net.ipv4.ip_forward");
	EXPECT_HAS(v4.remedy, "sysctl -w net.ipv4.ip_forward=1");
	EXPECT_EQ(sh("test \"$(sysctl -n net.ipv4.ip_forward)\" = 0"), 0);
	ASSERT_EQ(sh("sysctl -qw net.ipv6.conf.all.forwarding=0"), 0);
	EXPECT_EQ(hostnet_require_forwarding(&both), FAULT_E_SET);
	EXPECT_HAS(both.remedy, "sysctl -w net.ipv4.ip_forward=1");
	EXPECT_HAS(both.remedy, "net.ipv6.conf.all.forwarding=1");
	ASSERT_EQ(sh("sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=0"), 0);
	EXPECT_OK(hostnet_require_forwarding(&v6));
	ASSERT_EQ(sh("ip route add default via inet6 fe80::1 dev dev0 2>/dev/null || "
		     "ip -6 route add default via fe80::1 dev dev0"),
		  0);
	ASSERT_OK(hostnet_forwarding(&found));
	EXPECT_TRUE(found.v4 && found.default_v4 && !found.v6 && found.default_v6);
	EXPECT_EQ(hostnet_require_forwarding(&v6), FAULT_E_SET);
	EXPECT_STREQ(v6.field, "net.ipv6.conf.all.forwarding");
	EXPECT_HAS(v6.remedy, "accept_ra=2");
	EXPECT_EQ(sh("test \"$(sysctl -n net.ipv6.conf.all.forwarding)\" = 0"), 0);
	ASSERT_EQ(sh("sysctl -qw net.ipv6.conf.all.forwarding=1"), 0);
	v6 = (struct fault){};
	EXPECT_OK(hostnet_require_forwarding(&v6));
}

TEARDOWN
{
	sh("ip link delete dev0 2>/dev/null; ip link delete rv9 2>/dev/null; ip route flush table 77 2>/dev/null; "
	   "ip route flush table 100 2>/dev/null; ip route flush type blackhole 2>/dev/null; :");
}
