/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_ULID_H
#define REEVE_ULID_H

#include <stdint.h>

#define ULID_LEN 26

/*
 * Writes 26 characters of Crockford base32 and a zero to @ret: 48 bits of milliseconds and 80 random
 * bits (the ULID specification). The first character is 0-7. Returns 0, or -errno when the kernel gives
 * no random bytes.
 */
int ulid_make(uint64_t unix_ms, char ret[ULID_LEN + 1]);

#endif
