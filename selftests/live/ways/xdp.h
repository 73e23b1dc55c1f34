/* SPDX-License-Identifier: GPL-2.0-only */
/* An attempt by AF_XDP: a frame straight into the device's transmit queue. */
#ifndef REEVE_SELFTESTS_LIVE_WAYS_XDP_H
#define REEVE_SELFTESTS_LIVE_WAYS_XDP_H

#include <linux/if_xdp.h>
#include <sys/mman.h>
#include <unistd.h>

#include "forged.h"

#define XDP_FRAME 4096
#define XDP_FRAMES 4

static inline int xdp_rings(int fd, void *memory)
{
	struct xdp_umem_reg umem = { .addr = (uintptr_t)memory,
				     .len = XDP_FRAMES * XDP_FRAME,
				     .chunk_size = XDP_FRAME };
	int n = XDP_FRAMES;

	if (setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)) < 0 ||
	    setsockopt(fd, SOL_XDP, XDP_UMEM_FILL_RING, &n, sizeof(n)) < 0 ||
	    setsockopt(fd, SOL_XDP, XDP_UMEM_COMPLETION_RING, &n, sizeof(n)) < 0)
		return -1;
	return setsockopt(fd, SOL_XDP, XDP_TX_RING, &n, sizeof(n));
}

static inline int xdp_submit(int fd, unsigned int len)
{
	struct xdp_mmap_offsets at;
	socklen_t size = sizeof(at);
	struct xdp_desc *desc;
	char *ring;

	if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &at, &size) < 0)
		return -1;
	ring = mmap(NULL, at.tx.desc + XDP_FRAMES * sizeof(*desc), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, XDP_PGOFF_TX_RING);
	if (ring == MAP_FAILED)
		return -1;
	desc = (struct xdp_desc *)(ring + at.tx.desc);
	*desc = (struct xdp_desc){ .addr = 0, .len = len };
	__atomic_store_n((unsigned int *)(ring + at.tx.producer), 1, __ATOMIC_RELEASE);
	return (int)sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
}

static inline int try_xdp(const struct target *t)
{
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	int plain = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_xdp to = { .sxdp_family = AF_XDP, .sxdp_flags = XDP_COPY };
	unsigned char *memory;
	char device[IF_NAMESIZE];
	int r;

	if (fd < 0)
		return -1;
	memory = mmap(NULL, XDP_FRAMES * XDP_FRAME, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED || xdp_rings(fd, memory) < 0)
		return -1;
	to.sxdp_ifindex = way_device(device);
	forged_ether(plain, t, memory);
	/* the queue of the one before is free a little after its end */
	for (int i = 0; (r = bind(fd, (struct sockaddr *)&to, sizeof(to))) < 0 && errno == EBUSY; i++)
		if (i == 100 || usleep(2000) < 0)
			return -1;
	if (r < 0)
		return -1;
	return xdp_submit(fd, (unsigned int)(ETH_HLEN + forged_packet(t, memory + ETH_HLEN)));
}

#endif
