// SPDX-License-Identifier: GPL-2.0-only
/*
 * ULIDs: 128 bits as 26 characters of 5 bits, the two surplus bits zero at the top, so that ids sort by
 * the time of their making.
 */
#include "ulid.h"

#include <errno.h>
#include <sys/random.h>

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

int ulid_make(uint64_t unix_ms, char ret[ULID_LEN + 1])
{
	uint8_t random[10];
	unsigned __int128 bits = unix_ms & 0xffffffffffffull;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -errno;
	for (unsigned int i = 0; i < sizeof(random); i++)
		bits = bits << 8 | random[i];
	for (int i = ULID_LEN - 1; i >= 0; i--) {
		ret[i] = alphabet[(unsigned int)bits & 31];
		bits >>= 5;
	}
	ret[ULID_LEN] = '\0';
	return 0;
}
