// SPDX-License-Identifier: GPL-2.0-only
/* The pair of devices between a session and the host. */
#include <net/if.h>
#include <time.h>

#include "../../user/base/clock.h"
#include "playnet.h"

static void make(const struct plan_network *network, int *ret_fd, unsigned int *ret_ifindex)
{
	struct fault fault = {};
	int r = netns_make(ret_fd, &fault);

	r = r ? r : veth_make(network, *ret_fd, ret_ifindex, &fault);
	printf("%s %s\n", fault.field, fault.reason);
	ASSERT_EQ(r, 0);
}

TEST("a pair goes up and down and leaves nothing")
{
	struct plan_network network = net_plan(7);
	_cleanup_fd_ int fd = -1;
	unsigned int ifindex = 0;

	ASSERT_EQ(sh("(ip -d link; ip address; ip route show table all; ip neighbour) >$TMPDIR/before"),
		  0);
	make(&network, &fd, &ifindex);
	EXPECT_EQ(ifindex, if_nametoindex("rv7"));
	EXPECT_OK(veth_up(ifindex));
	EXPECT_OK(veth_remove("rv7"));
	EXPECT_EQ(if_nametoindex("rv7"), 0);
	EXPECT_EQ(sh("(ip -d link; ip address; ip route show table all; ip neighbour) >$TMPDIR/after"),
		  0);
	EXPECT_EQ(sh("diff $TMPDIR/before $TMPDIR/after"), 0);
	EXPECT_OK(veth_remove("rv7"));
}

TEST("a namespace that ends takes its pair along")
{
	struct plan_network network = net_plan(7);
	unsigned int ifindex;
	int fd;

	make(&network, &fd, &ifindex);
	close(fd);
	for (int i = 0; i < 200 && if_nametoindex("rv7"); i++)
		usleep(10000);
	EXPECT_EQ(if_nametoindex("rv7"), 0);
}

/* Sends one datagram from inside to the host and one back, without a second try. */
static void ping_pong(int netns, const char *host_address)
{
	struct sockaddr_storage at, from;
	socklen_t len = net_address(host_address, 5000, &at), from_len = sizeof(from);
	_cleanup_fd_ int server = socket(at.ss_family, SOCK_DGRAM, 0), client = -1;
	struct pollfd at_server = { server, POLLIN, 0 }, at_client = { -1, POLLIN, 0 };
	char byte;
	int home;

	ASSERT_OK(bind(server, (struct sockaddr *)&at, len) ? -errno : 0);
	ASSERT_OK(netns_enter(netns, &home));
	client = socket(at.ss_family, SOCK_DGRAM, 0);
	ASSERT_OK(netns_leave(&home));
	ASSERT_EQ(sendto(client, "a", 1, 0, (struct sockaddr *)&at, len), 1);
	ASSERT_EQ(poll(&at_server, 1, REACH_MS), 1);
	ASSERT_EQ(recvfrom(server, &byte, 1, 0, (struct sockaddr *)&from, &from_len), 1);
	ASSERT_EQ(sendto(server, "b", 1, 0, (struct sockaddr *)&from, from_len), 1);
	at_client.fd = client;
	EXPECT_EQ(poll(&at_client, 1, REACH_MS), 1);
}

TEST("the first packet each way passes, as soon as veth_up has returned", .seconds = 60)
{
	for (int i = 0; i < 8; i++) {
		struct plan_network network = net_plan((unsigned int)i);
		_cleanup_fd_ int fd = -1;
		char address[INET6_ADDRSTRLEN];
		unsigned int ifindex;

		make(&network, &fd, &ifindex);
		ASSERT_OK(veth_up(ifindex));
		inet_ntop(AF_INET6, &network.host_v6, address, sizeof(address));
		ping_pong(fd, address);
		inet_ntop(AF_INET, &network.host_v4, address, sizeof(address));
		ping_pong(fd, address);
		ASSERT_OK(veth_remove(network.host_ifname));
	}
}

TEST("nothing passes before veth_up")
{
	struct plan_network network = net_plan(3);
	_cleanup_fd_ int fd = -1;
	char answer[256];
	unsigned int ifindex;
	int home;

	make(&network, &fd, &ifindex);
	ASSERT_OK(netns_enter(fd, &home));
	EXPECT_LT(net_reach(SOCK_DGRAM, "10.213.0.13", 53, answer, sizeof(answer)), 0);
	ASSERT_OK(netns_leave(&home));
	EXPECT_EQ(sh("ip -s -j link show rv3 | tr -d ' ' | grep -q '\"rx\":{\"bytes\":0,'"), 0);
	ASSERT_OK(veth_remove("rv3"));
}

TEST("the link needs no ARP, no neighbour discovery and no link-local address")
{
	struct plan_network network = net_plan(7);
	_cleanup_fd_ int fd = -1;
	unsigned int ifindex;
	int home;

	make(&network, &fd, &ifindex);
	ASSERT_OK(veth_up(ifindex));
	ping_pong(fd, "10.213.0.29");
	EXPECT_EQ(sh("test -z \"$(ip -6 address show rv7 scope link; ip neighbour show dev rv7)\""),
		  0);
	EXPECT_EQ(sh("ip link show rv7 | grep -q NOARP"), 0);
	ASSERT_OK(netns_enter(fd, &home));
	EXPECT_EQ(sh("test -z \"$(ip -6 address show eth0 scope link; ip neighbour)\""), 0);
	EXPECT_EQ(sh("ip route | grep -q '^default via 10.213.0.29 dev eth0'"), 0);
	EXPECT_EQ(sh("ip -6 route | grep -q '^default via fd72:6565:7665::1d dev eth0'"), 0);
	EXPECT_EQ(sh("test \"$(cat /proc/sys/net/ipv6/conf/eth0/accept_ra)\" = 0"), 0);
	EXPECT_EQ(sh("test \"$(cat /proc/sys/net/ipv6/conf/eth0/autoconf)\" = 0"), 0);
	ASSERT_OK(netns_leave(&home));
	ASSERT_OK(veth_remove("rv7"));
}

TEST("settings of the host's other devices stay as they are")
{
	static const char all[] =
		"sysctl -a 2>/dev/null | grep '^net.ipv[46].conf' | grep -v '\\.rv7\\.'";
	struct plan_network network = net_plan(7);
	_cleanup_fd_ int fd = -1;
	unsigned int ifindex;

	ASSERT_EQ(sh("%s >$TMPDIR/before", all), 0);
	make(&network, &fd, &ifindex);
	ASSERT_OK(veth_up(ifindex));
	ASSERT_EQ(sh("%s >$TMPDIR/after", all), 0);
	EXPECT_EQ(sh("diff $TMPDIR/before $TMPDIR/after"), 0);
	EXPECT_EQ(sh("test \"$(cat /proc/sys/net/ipv4/conf/rv7/rp_filter)\" = 1"), 0);
	EXPECT_EQ(sh("test \"$(cat /proc/sys/net/ipv6/conf/rv7/accept_ra)\" = 0"), 0);
	ASSERT_OK(veth_remove("rv7"));
}

TEST("a device of someone else that has the name is neither taken nor removed")
{
	struct plan_network network = net_plan(7);
	struct fault fault = {};
	_cleanup_fd_ int fd = -1;
	unsigned int ifindex;

	ASSERT_EQ(sh("ip link add rv7 type veth peer name other"), 0);
	ASSERT_OK(netns_make(&fd, &fault));
	EXPECT_EQ(veth_make(&network, fd, &ifindex, &fault), FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_START);
	EXPECT_STREQ(fault.field, "rv7");
	EXPECT_HAS(fault.reason, "File exists");
	EXPECT_OK(veth_remove("rv7"));
	EXPECT_NE(if_nametoindex("rv7"), 0);
	ASSERT_EQ(sh("ip link delete rv7"), 0);
}

TEST("a step that fails leaves no device")
{
	struct plan_network network = net_plan(7);
	struct fault fault = {};
	_cleanup_fd_ int fd = -1;
	unsigned int ifindex;

	network.sandbox_v4.s_addr = htonl(INADDR_BROADCAST);
	ASSERT_OK(netns_make(&fd, &fault));
	EXPECT_EQ(veth_make(&network, fd, &ifindex, &fault), FAULT_E_SET);
	EXPECT_HAS(fault.reason, "set up the sandbox's device");
	EXPECT_EQ(if_nametoindex("rv7"), 0);
}

TEST("a family without an address is left out")
{
	struct plan_network network = net_plan(7);
	_cleanup_fd_ int fd = -1;
	unsigned int ifindex;
	int home;

	memset(&network.sandbox_v6, 0, sizeof(network.sandbox_v6));
	make(&network, &fd, &ifindex);
	ASSERT_OK(veth_up(ifindex));
	ping_pong(fd, "10.213.0.29");
	ASSERT_OK(netns_enter(fd, &home));
	EXPECT_EQ(sh("test -z \"$(ip -6 route show dev eth0 table all | grep -v multicast)\""), 0);
	ASSERT_OK(netns_leave(&home));
	ASSERT_OK(veth_remove("rv7"));
}

TEST("a host that has IPv6 switched off on its devices still gives it to its sandboxes")
{
	struct plan_network network = net_plan(7);
	_cleanup_fd_ int fd = -1;
	unsigned int ifindex;

	ASSERT_EQ(sh("sysctl -qw net.ipv6.conf.default.disable_ipv6=1"), 0);
	make(&network, &fd, &ifindex);
	ASSERT_EQ(sh("sysctl -qw net.ipv6.conf.default.disable_ipv6=0"), 0);
	ASSERT_OK(veth_up(ifindex));
	ping_pong(fd, "fd72:6565:7665::1d");
	EXPECT_EQ(sh("test -z \"$(ip -6 address show rv7 scope link)\""), 0);
	ASSERT_OK(veth_remove("rv7"));
}

static int note(const char *ifname, unsigned int ifindex, void *arg)
{
	char *names = arg;

	EXPECT_EQ(ifindex, if_nametoindex(ifname));
	strcat(strcat(names, ifname), " ");
	return 0;
}

static int stop(const char *ifname, unsigned int ifindex, void *arg)
{
	(void)ifname;
	(void)ifindex;
	++*(int *)arg;
	return -ECANCELED;
}

TEST("the list of links has all of ours and nobody else's")
{
	struct plan_network networks[] = { net_plan(0), net_plan(3999) };
	int fds[2], stops = 0;
	char names[128] = "";
	unsigned int ifindex;

	ASSERT_EQ(sh("ip link add rv5 type veth peer name other"), 0);
	make(&networks[0], &fds[0], &ifindex);
	make(&networks[1], &fds[1], &ifindex);
	EXPECT_OK(veth_each(note, names));
	EXPECT_STREQ(names, "rv0 rv3999 ");
	EXPECT_EQ(veth_each(stop, &stops), -ECANCELED);
	EXPECT_EQ(stops, 1);
	ASSERT_OK(veth_remove("rv0"));
	ASSERT_OK(veth_remove("rv3999"));
	ASSERT_EQ(sh("ip link delete rv5"), 0);
}

TEARDOWN
{
	sh("sysctl -qw net.ipv6.conf.default.disable_ipv6=0");
	sh("for d in $(ls /sys/class/net); do case $d in rv*) ip link delete $d 2>/dev/null ;; esac; done");
}
