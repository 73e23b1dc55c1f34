/* SPDX-License-Identifier: GPL-2.0-only */
/* Running a client in a child inside a session's namespace, while the test runs the loop of dns_desk.h. */
#ifndef REEVE_SELFTESTS_DNS_RUN_H
#define REEVE_SELFTESTS_DNS_RUN_H

#include <errno.h>
#include <sys/wait.h>

#include "dns_desk.h"

static inline pid_t desk_client(struct desk_session *session, void (*fn)(void))
{
	pid_t pid;
	int home;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		ASSERT_OK(netns_enter(session->netns_fd, &home));
		fn();
		exit(0);
	}
	return pid;
}

/* Runs the loop until the client is done, which must not have failed. */
static inline void desk_wait(pid_t pid)
{
	const struct timeval slice = { .tv_usec = 2000 };
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		event_base_loopexit(desk_base, &slice);
		event_base_dispatch(desk_base);
	}
	EXPECT_EQ(status, 0);
	for (unsigned int i = 0; i < 2 && desk[i].resolver; i++)
		resolver_counts(desk[i].resolver, &desk[i].counts);
}

static inline void desk_run(void (*fn)(void))
{
	desk_wait(desk_client(&desk[0], fn));
}

#endif
