/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_PROOF_H
#define REEVE_PROOF_H

/* How many connects proof_denied tries, each of which the policy must deny and count. */
#define PROOF_CONNECTS 4

/*
 * Returns 0 when the kernel denied each connect at once with EPERM; else -errno of what happened
 * instead, -EISCONN for a connect that was let through.
 */
int proof_denied(void);

#endif
