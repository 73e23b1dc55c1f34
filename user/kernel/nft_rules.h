/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REEVE_NFT_RULES_H
#define REEVE_NFT_RULES_H

#include <stddef.h>

#define NFT_RULES_TABLE "reeve"

/*
 * The commands that make the table "inet reeve", and remove an older one first, to be run as one
 * transaction. The caller frees the text. Returns 0 or -ENOMEM.
 */
int nft_rules_text(char **ret);

/* The name of the @i-th set of the table; NULL behind the last. */
const char *nft_rules_set(size_t i);

#endif
