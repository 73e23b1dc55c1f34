/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session's resolver did: counters that only rise. */
#ifndef REEVE_DNS_COUNTS_H
#define REEVE_DNS_COUNTS_H

#include <stdint.h>

/* X(name) */
#define DNS_COUNTS(X)                                                                              \
	X(questions)	    /* that were read, whatever became of them */                          \
	X(asked)	    /* upstream, each name of a chain that was asked again too */          \
	X(addresses)	    /* answered */                                                         \
	X(names_denied)	    /* answered as names that do not exist, and asked nowhere */           \
	X(names_long)	    /* of all questions: names longer than any registry's */               \
	X(addresses_denied) /* left out of an answer */                                            \
	X(failed)	    /* no upstream gave a usable reply */                                  \
	X(limited)	    /* dropped: too many a second, or too many in flight */                \
	X(malformed)	    /* no question, or one that is refused by its form */                  \
	X(truncated)	    /* answers that were too long for their datagram */

struct dns_counts {
#define X(name) uint64_t name;
	DNS_COUNTS(X)
#undef X
};

#endif
