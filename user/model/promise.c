// SPDX-License-Identifier: GPL-2.0-only
/*
 * The promises by name: one list, in promise.h, from which the checks of the host and the account
 * of a run both take their names, so that what doctor calls missing is called the same in a result.
 */
#include "promise.h"

static const struct {
	const char *name, *text;
	bool must;
} promises[] = {
#define X(NAME, name, must, text) [PROMISE_##NAME] = { #name, text, must },
	PROMISES(X)
#undef X
};

const char *promise_name(enum promise promise)
{
	return promises[promise].name;
}

const char *promise_text(enum promise promise)
{
	return promises[promise].text;
}

bool promise_is_must(enum promise promise)
{
	return promises[promise].must;
}
