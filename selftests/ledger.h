/* SPDX-License-Identifier: GPL-2.0-only */
/* A ledger of the test's own in a directory that is removed behind it, and rows to put there. */
#ifndef REEVE_SELFTESTS_LEDGER_H
#define REEVE_SELFTESTS_LEDGER_H

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../user/record/ledger.h"
#include "test.h"

#define LEDGER_SESSION "sbs_00000000000000000000000000"
#define LEDGER_REQUEST "req_00000000000000000000000000"

static char ledger_dir[256];
static char ledger_path[272];

/* In the test program itself: a test and its teardown are children of it. */
__attribute__((constructor)) static void ledger_name_places(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(ledger_dir, sizeof(ledger_dir), "%s/ledger-%d", tmp ? tmp : "/tmp", getpid());
	snprintf(ledger_path, sizeof(ledger_path), "%s/ledger", ledger_dir);
}

TEARDOWN
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", ledger_dir);
	EXPECT_OK(system(command));
}

static inline struct ledger *ledger_open_at(const char *path)
{
	struct ledger *ledger = NULL;
	struct fault fault = {};
	int r;

	mkdir(ledger_dir, 0700);
	r = ledger_open(path, &ledger, &fault);
	if (r)
		printf("ledger_open: %d (%s) %s\n", r, r < 0 ? strerror(-r) : "fault", fault.reason);
	ASSERT_NOT_NULL(ledger);
	return ledger;
}

static inline struct ledger *ledger_here(void)
{
	return ledger_open_at(ledger_path);
}

/* An id of the same length with @n as its end. */
static inline void ledger_id(const char *model, unsigned int n, char ret[REEVE_SESSION_ID_SIZE])
{
	snprintf(ret, REEVE_SESSION_ID_SIZE, "%.20s%010u", model, n);
}

static inline struct desk ledger_desk(unsigned int n)
{
	struct desk desk = { .task_id = "task", .task_title = "Title", .owner = "usr_1" };

	ledger_id(LEDGER_SESSION, n, desk.id);
	return desk;
}

static inline struct desk_request ledger_request(unsigned int session, unsigned int n)
{
	struct desk_request request = { .position = n };

	ledger_id(LEDGER_REQUEST, n, request.id);
	ledger_id(LEDGER_SESSION, session, request.session_id);
	return request;
}

/* A session and a request for what refers to them. */
static inline void ledger_put_both(struct ledger *ledger)
{
	struct desk desk = ledger_desk(1);
	struct desk_request request = ledger_request(1, 1);

	ASSERT_OK(ledger_begin(ledger));
	ASSERT_OK(ledger_put_desk(ledger, &desk));
	ASSERT_OK(ledger_put_request(ledger, &request));
	ASSERT_OK(ledger_commit(ledger));
}

#endif
