/* SPDX-License-Identifier: GPL-2.0-only */
/* Attempts by io_uring, whose operations are no system calls: one ring, one operation, one result. */
#ifndef REEVE_SELFTESTS_LIVE_WAYS_RING_H
#define REEVE_SELFTESTS_LIVE_WAYS_RING_H

#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inet.h"

/* Gives the operation to the kernel. What is still under way when that returns has sent its first packet. */
static inline int ring_do(const struct io_uring_sqe *sqe)
{
	struct io_uring_params p = { 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 2, &p), result;
	char *sq, *cq;
	void *sqes;

	if (fd < 0)
		return -1;
	sq = mmap(NULL, p.sq_off.array + 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		  IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + 4 * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE,
		  MAP_SHARED, fd, IORING_OFF_CQ_RING);
	sqes = mmap(NULL, 2 * sizeof(*sqe), PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || sqes == MAP_FAILED)
		return -1;
	memcpy(sqes, sqe, sizeof(*sqe));
	*(unsigned int *)(sq + p.sq_off.array) = 0;
	__atomic_store_n((unsigned int *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, fd, 1, 0, 0, NULL, 0) < 0)
		return -1;
	if (!__atomic_load_n((unsigned int *)(cq + p.cq_off.tail), __ATOMIC_ACQUIRE))
		return 0;
	result = ((struct io_uring_cqe *)(cq + p.cq_off.cqes))->res;
	if (result >= 0 || result == -EINPROGRESS)
		return 0;
	errno = -result;
	return -1;
}

static inline int try_ring_connect(const struct target *t)
{
	struct io_uring_sqe sqe = { .opcode = IORING_OP_CONNECT };

	sqe.fd = way_socket(t, SOCK_STREAM, 0);
	sqe.addr = (uintptr_t)&t->name;
	sqe.off = t->len;
	return ring_do(&sqe);
}

static inline int try_ring_send(const struct target *t)
{
	struct iovec iov = { (void *)"x", 1 };
	struct msghdr message = {
		.msg_name = (void *)&t->name, .msg_namelen = t->len, .msg_iov = &iov, .msg_iovlen = 1
	};
	struct io_uring_sqe sqe = { .opcode = IORING_OP_SENDMSG };

	sqe.fd = way_socket(t, SOCK_DGRAM, 0);
	sqe.addr = (uintptr_t)&message;
	sqe.len = 1;
	return ring_do(&sqe);
}

static inline int try_ring_zero_copy(const struct target *t)
{
	struct io_uring_sqe sqe = { .opcode = IORING_OP_SEND_ZC };

	sqe.fd = way_socket(t, SOCK_DGRAM, 0);
	sqe.addr = (uintptr_t) "x";
	sqe.len = 1;
	sqe.addr2 = (uintptr_t)&t->name;
	sqe.addr_len = (uint16_t)t->len;
	return ring_do(&sqe);
}

/* Of a family that the system call refuses. */
static inline int try_ring_socket(const struct target *t)
{
	struct io_uring_sqe sqe = { .opcode = IORING_OP_SOCKET };

	(void)t;
	sqe.fd = AF_NETLINK;
	sqe.off = SOCK_RAW;
	sqe.len = NETLINK_GENERIC;
	return ring_do(&sqe);
}

#endif
