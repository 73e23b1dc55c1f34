/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The prefixes that "public only" denies and allows, once: the classifier in decide.h, the nftables sets
 * on the host and the tests are made from these rows. Rows are read from the top, the first match wins.
 */
#ifndef REEVE_PREFIXES_H
#define REEVE_PREFIXES_H

/* X(a, b, c, d, prefix length, reason) — the source of a row stands behind it */
#define DECIDE_V4(X)                                                                               \
	X(0, 0, 0, 0, 8, THIS_HOST)	      /* RFC 791 3.2, RFC 1122 3.2.1.3 */                  \
	X(10, 0, 0, 0, 8, PRIVATE)	      /* RFC 1918 */                                       \
	X(100, 64, 0, 0, 10, SHARED)	      /* RFC 6598 */                                       \
	X(127, 0, 0, 0, 8, LOOPBACK)	      /* RFC 1122 3.2.1.3 */                               \
	X(168, 63, 129, 16, 32, CLOUD)	      /* Azure's host agent, vendor's documentation */     \
	X(169, 254, 0, 0, 16, LINK_LOCAL)     /* RFC 3927 */                                       \
	X(172, 16, 0, 0, 12, PRIVATE)	      /* RFC 1918 */                                       \
	X(192, 0, 0, 0, 24, PROTOCOL)	      /* RFC 6890 2.1 */                                   \
	X(192, 0, 2, 0, 24, DOCUMENTATION)    /* RFC 5737 */                                       \
	X(192, 31, 196, 0, 24, PROTOCOL)      /* RFC 7535, AS112 */                                \
	X(192, 52, 193, 0, 24, PROTOCOL)      /* RFC 7450, AMT */                                  \
	X(192, 88, 99, 0, 24, TRANSITION)     /* RFC 7526, 6to4 relays */                          \
	X(192, 168, 0, 0, 16, PRIVATE)	      /* RFC 1918 */                                       \
	X(192, 175, 48, 0, 24, PROTOCOL)      /* RFC 7534, AS112 */                                \
	X(198, 18, 0, 0, 15, BENCHMARK)	      /* RFC 2544 */                                       \
	X(198, 51, 100, 0, 24, DOCUMENTATION) /* RFC 5737 */                                       \
	X(203, 0, 113, 0, 24, DOCUMENTATION)  /* RFC 5737 */                                       \
	X(224, 0, 0, 0, 4, MULTICAST)	      /* RFC 5771 */                                       \
	X(240, 0, 0, 0, 4, RESERVED)	      /* RFC 1112 4, RFC 919 */

/* X(high 64 bits, low 64 bits, prefix length, reason or OK) */
#define DECIDE_V6(X)                                                                               \
	X(0, 0, 128, THIS_HOST)			    /* RFC 4291 2.5.2 */                           \
	X(0, 1, 128, LOOPBACK)			    /* RFC 4291 2.5.3 */                           \
	X(0, 0, 96, TRANSITION)			    /* RFC 4291 2.5.5.1, v4-compatible */          \
	X(0, 0xffff000000000000, 96, TRANSITION)    /* RFC 7915, SIIT */                           \
	X(0x0064ff9b00010000, 0, 48, TRANSITION)    /* RFC 8215, local NAT64 */                    \
	X(0x0100000000000000, 0, 64, RESERVED)	    /* RFC 6666, discard */                        \
	X(0x0100000000000001, 0, 64, RESERVED)	    /* RFC 9780, dummy */                          \
	X(0x0200000000000000, 0, 7, RESERVED)	    /* RFC 4048, NSAP */                           \
	X(0x5f00000000000000, 0, 16, PROTOCOL)	    /* RFC 9602, SRv6 */                           \
	X(0xfc00000000000000, 0, 7, PRIVATE)	    /* RFC 4193 */                                 \
	X(0xfe80000000000000, 0, 10, LINK_LOCAL)    /* RFC 4291 2.5.6 */                           \
	X(0xfec0000000000000, 0, 10, PRIVATE)	    /* RFC 3879 */                                 \
	X(0xff00000000000000, 0, 8, MULTICAST)	    /* RFC 4291 2.7 */                             \
	X(0x2001000000000000, 0, 23, PROTOCOL)	    /* RFC 2928, with Teredo */                    \
	X(0x20010db800000000, 0, 32, DOCUMENTATION) /* RFC 3849 */                                 \
	X(0x2002000000000000, 0, 16, TRANSITION)    /* RFC 3056, 6to4 */                           \
	X(0x2620004f80000000, 0, 48, PROTOCOL)	    /* RFC 7534, AS112 */                          \
	X(0x3ffe000000000000, 0, 16, RESERVED)	    /* RFC 3701, 6bone */                          \
	X(0x3fff000000000000, 0, 20, DOCUMENTATION) /* RFC 9637 */                                 \
	X(0x2000000000000000, 0, 3, OK)		    /* RFC 4291 2.4 */                             \
	X(0, 0, 0, RESERVED)			    /* everything else */

#endif
