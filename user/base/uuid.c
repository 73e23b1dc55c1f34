// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random UUIDs: 122 bits of the kernel's randomness, the other six as RFC 9562 5.4 sets them for version 4.
 */
#include "uuid.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>

int uuid_make(char ret[UUID_LEN + 1])
{
	uint8_t b[16];
	unsigned int at = 0;

	if (getrandom(b, sizeof(b), 0) != sizeof(b))
		return -errno;
	b[6] = (b[6] & 0x0f) | 0x40;
	b[8] = (b[8] & 0x3f) | 0x80;
	for (unsigned int i = 0; i < sizeof(b); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			ret[at++] = '-';
		at += (unsigned int)snprintf(ret + at, 3, "%02x", b[i]);
	}
	return 0;
}
