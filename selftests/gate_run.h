/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running the packet programs of gate.h on one frame. The programs of the device run as on a device of
 * the session that stands in a host with a default route; those of the cgroup run for the calling process.
 */
#ifndef REEVE_SELFTESTS_GATE_RUN_H
#define REEVE_SELFTESTS_GATE_RUN_H

#include "gate_account.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/pkt_cls.h>
#include <net/if.h>
#include <stdlib.h>

#include "frame.h"

#define GATE_DEVICE "rvgate0"
/* The host's own addresses, of which the policy's table knows nothing. */
#define GATE_HOST_V4 "93.184.215.9"
#define GATE_HOST_V6 "2606:2800:21f::9"

struct gate_program {
	const char *name;
	bool device, inbound;
};

static const struct gate_program gate_programs[] = {
	{ "reeve_link_out", true, false },
	{ "reeve_link_in", true, true },
	{ "reeve_egress", false, false },
	{ "reeve_ingress", false, true },
	{},
};

static inline const struct gate_program *gate_program(const char *name)
{
	const struct gate_program *program = gate_programs;

	while (strcmp(program->name, name) != 0)
		program++;
	return program;
}

/* A device of the session in a host that forwards, and whose routes lead everywhere. */
static inline void gate_net_make(void)
{
	uint32_t ifindex;

	ASSERT_OK(system("sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 && "
			 "ip link add " GATE_DEVICE " type veth peer rvgate1 && "
			 "ip link set rvgate1 up arp off && ip link set " GATE_DEVICE " up arp off && "
			 "ip address add 10.213.0.1/30 dev " GATE_DEVICE " && "
			 "ip address add fd72::1/126 dev " GATE_DEVICE " nodad && "
			 "ip address add " GATE_HOST_V4 "/32 dev lo && "
			 "ip address add " GATE_HOST_V6 "/128 dev lo nodad && "
			 "ip route add default via 10.213.0.2 && ip route add default via fd72::2"));
	/* the kernel makes an IPv6 address's local route behind the back of who adds it */
	ASSERT_OK(system("for i in $(seq 500); do ip -6 route get " GATE_HOST_V6
			 " | grep -q ^local && exit; sleep 0.01; done; exit 1"));
	ifindex = if_nametoindex(GATE_DEVICE);
	ASSERT_OK(bpf_map_update_elem(gate.guard.maps[GUARD_NETDEVS], &ifindex, &gate.id, BPF_ANY));
}

static inline void gate_net_remove(void)
{
	if (if_nametoindex(GATE_DEVICE))
		EXPECT_OK(system("ip link delete " GATE_DEVICE " && ip address flush dev lo"));
}

/*
 * Whether the program lets the frame pass; a verdict that is none of the two fails the test. Newer kernels
 * run no program on less than an IP header.
 */
static inline bool gate_passes(const struct gate_program *program, const struct frame *frame)
{
	struct __sk_buff ctx = { .ifindex = program->device ? if_nametoindex(GATE_DEVICE) : 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame->bytes,
		    .data_size_in = (__u32)frame->len, .ctx_in = &ctx, .ctx_size_in = sizeof(ctx));
	char path[128];
	int fd, r;

	snprintf(path, sizeof(path), GATE_PINS "/progs/%s", program->name);
	fd = bpf_obj_get(path);
	ASSERT_GE(fd, 0);
	r = bpf_prog_test_run_opts(fd, &opts);
	close(fd);
	if (r == -EINVAL && frame->len < ETH_HLEN + (frame->v6 ? 40 : 20))
		return false;
	ASSERT_OK(r);
	if (program->device) {
		ASSERT_TRUE(opts.retval == TC_ACT_OK || opts.retval == TC_ACT_SHOT);
		return opts.retval == TC_ACT_OK;
	}
	ASSERT_LE(opts.retval, 1);
	return opts.retval == 1;
}

#endif
