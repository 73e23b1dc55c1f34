/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the beginning of a connection out of a packet, and whether its server name is allowed.
 */
#ifndef REEVE_FLOW_NAME_BPF_H
#define REEVE_FLOW_NAME_BPF_H

#include "flow_segment.bpf.h"

#include "hello_http.h"
#include "hello_tls.h"

static __always_inline struct reading *flow_reading(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&readings, &zero);
}

/*
 * Copies @n bytes at @at, or as many as the buffer holds. The sender may still write to the pages of a
 * zero-copy send (sendfile, vmsplice): pulling them first makes what is read here what goes out.
 */
__noinline int flow_read(struct __sk_buff *skb, __u32 at, __u32 n, struct reading *reading)
{
	struct hello *hello = &reading->hello;

	if (!reading)
		return -1;
	if (n > HELLO_BYTES_MAX)
		n = HELLO_BYTES_MAX;
	if (bpf_skb_pull_data(skb, at + n))
		return -1;
	__builtin_memset(hello, 0, offsetof(struct hello, bytes));
	hello->len = n;
	if (n == 0)
		return -1;
	/* says nothing but that n is from 1 to HELLO_BYTES_MAX, in a way that 6.1's verifier follows */
	n--;
	barrier_var(n);
	n = (n & (HELLO_BYTES_MAX - 1)) + 1;
	return bpf_skb_load_bytes(skb, at, hello->bytes, n) ? -1 : 0;
}

/* Functions of their own, global ones, or the verifier walks their loops for each way that leads here. */
__noinline int flow_parse(struct reading *reading, __u32 port)
{
	if (!reading)
		return HELLO_SHORT;
	return port == POLICY_PORT_TLS ? hello_tls(&reading->hello) : hello_http(&reading->hello);
}

__noinline int flow_name_key(struct reading *reading)
{
	__u32 n;

	if (!reading)
		return -1;
	n = hello_name_key(&reading->hello, reading->name.name);
	barrier_var(n);
	if (n == 0 || n >= sizeof(reading->name.name))
		return -1;
	reading->name.name[n] = 0;
	reading->name.prefixlen = POLICY_OWNER_BITS + 8 * (n + 1);
	return 0;
}

/* May the session speak to the name in the hello at a port? Its own rules decide before those of all. */
static __always_inline enum reason flow_name(struct reading *reading,
					     const struct flow_segment *segment)
{
	struct policy_name *key = &reading->name;
	__u32 *ports;

	if (flow_name_key(reading))
		return REASON_NAME_HIDDEN;
	key->cgroup = segment->key.cgroup;
	ports = bpf_map_lookup_elem(&names, key);
	if (!ports) {
		key->cgroup = 0;
		ports = bpf_map_lookup_elem(&names, key);
	}
	if (!ports || !*ports)
		return REASON_NAME;
	return *ports & segment->port ? REASON_OK : REASON_PORT;
}

#endif
