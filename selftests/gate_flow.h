/* SPDX-License-Identifier: GPL-2.0-only */
/* TCP connections made by hand for the device's program: segments of one client, and what became of each. */
#ifndef REEVE_SELFTESTS_GATE_FLOW_H
#define REEVE_SELFTESTS_GATE_FLOW_H

#include "gate_run.h"

#include "segment.h"

enum fate {
	PASSED,
	DROPPED,
	RESET,	    /* to the client alone: flow_answer */
	RESET_BOTH, /* to the server, flow_answer, and through the device to the client */
};

static struct frame flow_answer;

static inline enum fate flow_send(struct segment segment)
{
	struct __sk_buff ctx = { .ifindex = if_nametoindex(GATE_DEVICE),
				 .gso_size = segment.gso_size };
	struct frame frame;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame.bytes, .data_out = flow_answer.bytes,
		    .data_size_out = sizeof(flow_answer.bytes), .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx));

	segment_frame(&segment, &frame);
	opts.data_size_in = (__u32)frame.len;
	ASSERT_OK(bpf_prog_test_run_opts(gate.guard.link_out_fd, &opts));
	flow_answer.len = opts.data_size_out;
	if (opts.retval == TC_ACT_OK)
		return flow_answer.len == frame.len &&
				       memcmp(flow_answer.bytes, frame.bytes, frame.len) == 0
			       ? PASSED
			       : RESET_BOTH;
	ASSERT_TRUE(opts.retval == TC_ACT_SHOT || opts.retval == TC_ACT_REDIRECT);
	return opts.retval == TC_ACT_SHOT ? DROPPED : RESET;
}

/* Sends, and wants @fate; a no must be counted once, for @reason (REASON_OK: not at all). */
static inline void flow_expect(int line, struct segment segment, enum fate fate, enum reason reason)
{
	uint64_t all = gate_denials_all(gate.id), before = reason ? gate_denials(gate.id, reason) : 0;
	enum fate got = flow_send(segment);
	bool right = got == fate && gate_denials_all(gate.id) == all + (reason != REASON_OK) &&
		     (!reason || gate_denials(gate.id, reason) == before + 1);

	if (!right) {
		printf("line %d: fate %d, want %d; counters:\n", line, got, fate);
		for (int i = 1; i < REASON_COUNT; i++)
			if (gate_denials(gate.id, (enum reason)i))
				printf("	reason %d: %lu\n", i,
				       gate_denials(gate.id, (enum reason)i));
	}
	EXPECT_TRUE(right);
}
#define FLOW(fate, reason, ...) flow_expect(__LINE__, (struct segment){ __VA_ARGS__ }, fate, reason)
#define FLOW_OPEN(...) FLOW(PASSED, REASON_OK, .flags = FRAME_SYN, .seq = FLOW_FIRST, ##__VA_ARGS__)

static inline void flow_address(const uint8_t *address, uint32_t ports, uint64_t expires_ns)
{
	uint8_t mapped[16] = { [10] = 0xff, 0xff };

	memcpy(mapped + 12, address, 4);
	ASSERT_OK(guard_address_put(&gate.guard, gate.id, address == flow_v6 ? flow_v6 : mapped,
				    ports, expires_ns));
}

/* A session under "package-managers" that knows both addresses and may speak to .example.org. */
static inline void flow_make(void)
{
	const uint32_t both = POLICY_PORT_TLS | POLICY_PORT_HTTP;

	gate_make();
	gate_net_make();
	gate.policy.egress = POLICY_EGRESS_PACKAGE_MANAGERS;
	gate_update();
	flow_address(flow_v4, both, UINT64_MAX);
	flow_address(flow_v6, both, UINT64_MAX);
	ASSERT_OK(guard_name_put(&gate.guard, gate.id, ".example.org", both));
}

#endif
