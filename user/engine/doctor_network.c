// SPDX-License-Identifier: GPL-2.0-only
/*
 * The session's network. The device's filter and the nftables table are made for real, between two
 * network namespaces of the examination's own: one stands for the host, the other for a session. Nothing
 * can leave either. What only the host itself can tell (forwarding, routes, name servers) is read.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "../base/clock.h"
#include "../kernel/conntrack.h"
#include "../kernel/dnssock.h"
#include "../kernel/forward.h"
#include "../kernel/hostnet.h"
#include "../kernel/netns.h"
#include "../kernel/nft.h"
#include "../kernel/probe_net.h"
#include "../kernel/veth.h"
#include "../model/verdict.h"
#include "doctor_exam.h"

/* How long the kernel may take to count a packet that was sent. */
#define COUNT_TIMEOUT_NS (200 * NSEC_PER_MSEC)
#define COUNT_STEP_NS NSEC_PER_MSEC
#define ARRIVAL_TIMEOUT_MS 200

/* A session's link, and the host's link to an internet of one address. */
static const struct plan_network session_link = {
	.veth = true,
	.host_ifname = "rvdoctor",
	.host_v4.s_addr = __builtin_bswap32(0x0ad50001),    /* 10.213.0.1 */
	.sandbox_v4.s_addr = __builtin_bswap32(0x0ad50002), /* 10.213.0.2 */
};
static const struct plan_network uplink = {
	.veth = true,
	.host_ifname = "rvuplink",
	.host_v4.s_addr = __builtin_bswap32(0xc6140001),    /* 198.20.0.1 */
	.sandbox_v4.s_addr = __builtin_bswap32(0xc6140002), /* 198.20.0.2 */
};
static const struct in_addr private_address = { __builtin_bswap32(0x0a000001) }; /* 10.0.0.1 */

/* Runs @fn in the namespace that stands for the host. */
static int as_host(struct exam *exam, int (*fn)(struct exam *exam, struct fault *ret_fault),
		   struct fault *ret_fault)
{
	int home, r = netns_enter(exam->host_netns_fd, &home);

	if (r)
		return r;
	r = fn(exam, ret_fault);
	if (netns_leave(&home))
		r = -ENOTRECOVERABLE;
	exam->astray = r == -ENOTRECOVERABLE;
	return r;
}

/* The first reason whose counter rose, but for that of a private address; REASON_OK for none. */
static enum reason other_denial(const struct usage *before, const struct usage *after)
{
	const __u64 *was = (const __u64 *)&before->denials, *is = (const __u64 *)&after->denials;

	for (unsigned int i = 0; i < REASON_COUNT - 1; i++)
		if (is[i] != was[i] && i + 1 != REASON_PRIVATE)
			return i + 1;
	return REASON_OK;
}

/* Waits until the private address is counted; the public one was sent before it. */
static int denial_wait(struct exam *exam, const struct usage *before, struct usage *ret)
{
	const struct timespec step = { .tv_nsec = COUNT_STEP_NS };
	uint64_t deadline = clock_monotonic_ns() + COUNT_TIMEOUT_NS;
	int r;

	for (;;) {
		r = guard_session_usage(&exam->guard, exam->session_id, ret);
		if (r || ret->denials.private > before->denials.private ||
		    clock_monotonic_ns() > deadline)
			return r;
		nanosleep(&step, NULL);
	}
}

/* What the filter did wrong, as a fault; 0 when nothing. */
static int denials_judge(const struct usage *before, const struct usage *after, bool arrived,
			 struct fault *ret_fault)
{
	static const char remedy[] = "report it with the kernel's version";
	uint64_t private = after->denials.private - before->denials.private;
	enum reason other = other_denial(before, after);

	if (other != REASON_OK)
		return fault_set(ret_fault, FAULT_ENFORCEMENT, "device", remedy,
				 "the filter drops a packet to a public address as %s",
				 reason_name(other));
	if (!arrived)
		return fault_set(ret_fault, FAULT_ENFORCEMENT, "device", remedy,
				 "a packet to a public address does not arrive");
	if (private != 1)
		return fault_set(ret_fault, FAULT_ENFORCEMENT, "device", remedy,
				 "of one packet to a private address the filter drops %llu",
				 (unsigned long long)private);
	return 0;
}

/* The sender's socket belongs to no session, so no other hook sees its packets. */
static int packets_send(struct exam *exam, int outside_netns_fd, struct fault *ret_fault)
{
	_cleanup_fd_ int from = -1, to = -1;
	struct usage before, after;
	bool arrived = false;
	int r = guard_session_usage(&exam->guard, exam->session_id, &before);

	r = r ? r : probe_socket(exam->netns_fd, 0, &from);
	r = r ? r : probe_socket(outside_netns_fd, PROBE_PORT, &to);
	r = r ? r : probe_send(from, uplink.sandbox_v4);
	if (!r) {
		r = probe_receive(to, ARRIVAL_TIMEOUT_MS);
		arrived = !r;
		r = r == -ENOMSG ? 0 : r;
	}
	r = r ? r : probe_send(from, private_address);
	r = r ? r : denial_wait(exam, &before, &after);
	return r ? r : denials_judge(&before, &after, arrived, ret_fault);
}

/* The uplink goes with the namespace of its far end. */
static int link_try(struct exam *exam, struct fault *ret_fault)
{
	_cleanup_fd_ int outside_netns_fd = -1;
	unsigned int ifindex;
	int left, r = netns_make(&outside_netns_fd, ret_fault);

	if (!r)
		r = probe_setting(exam->host_netns_fd, "/proc/sys/net/ipv4/ip_forward", "1");
	if (!r)
		r = veth_make(&uplink, outside_netns_fd, &ifindex, ret_fault);
	if (!r)
		r = veth_up(ifindex);
	if (!r)
		r = veth_make(&session_link, exam->netns_fd, &ifindex, ret_fault);
	if (!r)
		r = guard_link_add(&exam->guard, ifindex, exam->session_id);
	if (!r)
		r = veth_up(ifindex);
	if (!r)
		r = packets_send(exam, outside_netns_fd, ret_fault);
	left = veth_remove(session_link.host_ifname);
	return r ? r : left;
}

static void link_filter(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	static const char remedy[] =
		"run a kernel with CONFIG_VETH, CONFIG_NET_SCH_INGRESS and CONFIG_NET_CLS_BPF";
	struct fault fault = {};
	int r = exam_policy_open(exam, POLICY_UNLIMITED, POLICY_UNLIMITED);

	(void)row;
	r = r ? r : as_host(exam, link_try, &fault);
	if (r < 0)
		exam_no(check, DOCTOR_MISSING, remedy, "no filtered device can be made: %s",
			strerror(-r));
	else if (r)
		exam_fault(check, DOCTOR_MISSING, r, &fault);
	else
		exam_ok(check, "at a device, a packet to a private address was dropped, to a public "
			       "one passed");
}

static int table_is(enum nft_state wanted)
{
	enum nft_state state;
	int r = nft_check(&state);

	return r ? r : state == wanted ? 0 : -EUCLEAN;
}

static int table_try(struct exam *exam, struct fault *ret_fault)
{
	int r = table_is(NFT_ABSENT);

	(void)exam;
	r = r ? r : nft_make(ret_fault);
	r = r ? r : table_is(NFT_WHOLE);
	r = r ? r : nft_remove();
	return r ? r : table_is(NFT_ABSENT);
}

/* Without it there is no public egress; all else works. */
static void nftables(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct fault fault = {};
	int r = as_host(exam, table_try, &fault);

	(void)row;
	if (r < 0)
		exam_no(check, DOCTOR_DEGRADED,
			"run a kernel with nf_tables for inet, or use --egress none",
			"the table cannot be made, read and removed: %s", strerror(-r));
	else if (r)
		exam_fault(check, DOCTOR_DEGRADED, r, &fault);
	else
		exam_ok(check, "the table with NAT and drops was made, found whole and removed");
}

/* Any address does: RFC 5737 and RFC 3849 keep these for nobody. */
static int flows_try(struct exam *exam, struct fault *ret_fault)
{
	struct plan_network network = { .sandbox_v4.s_addr = htonl(0xc0000201),
					.sandbox_v6.s6_addr = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 } };

	(void)exam;
	return conntrack_forget(&network, ret_fault);
}

static void flows(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct fault fault = {};
	int r = as_host(exam, flows_try, &fault);

	(void)row;
	if (r)
		exam_fault(check, DOCTOR_DEGRADED, r, &fault);
	else
		exam_ok(check, "the host can be made to forget the flows of an address");
}

static void forwarding(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct hostnet_forwarding found = {};
	struct fault fault = {};
	int r = hostnet_forwarding(&found), wanted = hostnet_require_forwarding(&fault);
	char text[160];

	(void)exam;
	(void)row;
	snprintf(text, sizeof(text),
		 "net.ipv4.ip_forward is %d (%s default route), net.ipv6.conf.all.forwarding is %d "
		 "(%s default route)",
		 found.v4, found.default_v4 ? "a" : "no", found.v6, found.default_v6 ? "a" : "no");
	if (r || wanted < 0)
		exam_no(check, DOCTOR_DEGRADED, "mount procfs on /proc",
			"the host's forwarding cannot be read: %s", strerror(r ? -r : -wanted));
	else if (wanted)
		exam_no(check, DOCTOR_DEGRADED, fault.remedy, "%s: public egress is refused", text);
	else
		exam_ok(check, "%s", text);
}

/* A run is not refused for it: what the rules of others come to is theirs to know. */
static void forward_chains(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct fault fault = {};
	int r = forward_check(&fault);

	(void)exam;
	(void)row;
	if (r < 0)
		exam_no(check, DOCTOR_DEGRADED, "run a kernel with nf_tables, or use --egress none",
			"the host's rules for forwarded packets cannot be read: %s", strerror(-r));
	else if (r)
		exam_no(check, DOCTOR_DEGRADED, fault.remedy, "%s", fault.reason);
	else
		exam_ok(check, "no table of another drops forwarded packets that it does not know");
}

static void pools(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	char text_v4[INET_ADDRSTRLEN], text_v6[INET6_ADDRSTRLEN];
	struct fault fault = {};
	struct in_addr v4;
	struct in6_addr v6;
	int r = hostnet_pick_pools(&v4, &v6, &fault);

	(void)exam;
	(void)row;
	if (r) {
		exam_fault(check, DOCTOR_DEGRADED, r, &fault);
		return;
	}
	inet_ntop(AF_INET, &v4, text_v4, sizeof(text_v4));
	inet_ntop(AF_INET6, &v6, text_v6, sizeof(text_v6));
	exam_ok(check, "links of sessions get addresses of %s/16 and %s/64", text_v4, text_v6);
}

static void name_servers(struct exam *exam, const struct exam_row *row, struct doctor_check *check)
{
	struct dnssock_servers servers;
	int r = dnssock_servers_read(DNSSOCK_RESOLV_CONF, &servers);

	(void)exam;
	(void)row;
	if (r)
		exam_no(check, DOCTOR_DEGRADED, "make " DNSSOCK_RESOLV_CONF " readable",
			"the host's name servers cannot be read: %s", strerror(-r));
	else
		exam_ok(check, "resolvers of sessions ask %zu of the host's name servers", servers.n);
}

const struct exam_row exam_network_rows[] = {
	{ "link-filter", PROMISE_NETWORK, { "policy", "network-namespace" }, link_filter, 0 },
	{ "nftables", PROMISE_NETWORK, { "network-namespace" }, nftables, 0 },
	{ "flows", PROMISE_NETWORK, { "network-namespace" }, flows, 0 },
	{ "forwarding", PROMISE_NETWORK, {}, forwarding, 0 },
	{ "forward-chains", PROMISE_NETWORK, {}, forward_chains, 0 },
	{ "address-pools", PROMISE_NETWORK, {}, pools, 0 },
	{ "name-servers", PROMISE_NETWORK, {}, name_servers, 0 },
	{},
};
