/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table "inet reeve" in the calling thread's network namespace: NAT for sessions with a veth,
 * and the drops of the host side. One table for all sessions; it names no session and no pool, so
 * it never changes while sessions come and go.
 */
#ifndef REEVE_NFT_H
#define REEVE_NFT_H

#include <stdbool.h>

#include "../base/fault.h"

enum nft_state {
	NFT_ABSENT,
	NFT_DAMAGED, /* flushed, dormant, changed, or another build's */
	NFT_WHOLE,
};

/* Compares what the kernel holds with what nft_make() put there. Returns 0 or -errno. */
int nft_check(enum nft_state *ret_state);

/*
 * Makes the table, or makes it anew, in one transaction: at no time is there a half of it.
 * Established connections go on. Call when nft_check() says other than whole. Returns 0, -errno or
 * FAULT_E_SET.
 */
int nft_make(struct fault *ret_fault);

/* Removes the table. Returns 0, also when there is none, or -errno. */
int nft_remove(void);

/* A descriptor (CLOEXEC, non-blocking) that is readable when nftables rules of the host changed. */
int nft_watch_open(int *ret_fd);

/* Empties it; *ret_changed tells to call nft_check(). Returns 0 or -errno. */
int nft_watch_drain(int fd, bool *ret_changed);

#endif
