/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_USERNS_H
#define REEVE_USERNS_H

#include <stdint.h>

/*
 * Makes a user namespace in which 0…count-1 are the host's uid_base…uid_base+count-1, uids and gids alike,
 * and in which no further user namespace can be made. No process is left in it: the descriptor keeps it.
 * Returns 0 or -errno.
 */
int userns_make(uint32_t uid_base, uint32_t count, int *ret_fd);

#endif
