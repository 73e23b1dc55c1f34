// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keepers: a running request does not depend on who started it, and it obeys whoever speaks to its keeper. The
 * test plays the daemon, and a child of it the daemon that is killed.
 */
#include "../hand_end.h"

#include <signal.h>

#include "../../user/engine/life.h"

TEARDOWN
{
	hand_remove();
}

static const char until_go[] =
	"echo begin; echo up >up; while ! [ -e go ]; do sleep 0.02; done; echo end; exit 3";

TEST("a request outlives its killed starter, with its output, its clocks and its processes",
     .seconds = 40)
{
	char request_id[REEVE_SESSION_ID_SIZE], procs[4096];
	int ready[2], status;
	pid_t starter;

	hand_open();
	ASSERT_OK(pipe(ready));
	starter = fork();
	if (starter == 0) {
		event_base_free(hand.base);
		hand.base = event_base_new();
		hand_session();
		hand_start(until_go);
		hand_connect(hand.plan.request_id);
		ASSERT_EQ(write(ready[1], hand.plan.request_id, REEVE_SESSION_ID_SIZE),
			  REEVE_SESSION_ID_SIZE);
		ASSERT_EQ(write(ready[1], hand.plan.output_name, 40), 40);
		for (;;)
			pause();
	}
	ASSERT_EQ(read(ready[0], request_id, sizeof(request_id)), sizeof(request_id));
	ASSERT_EQ(read(ready[0], hand.plan.output_name, 40), 40);
	ASSERT_OK(kill(starter, SIGKILL));
	ASSERT_EQ(waitpid(starter, &status, 0), starter);

	hand_adopt();
	hand_wait_work("up", "");
	snprintf(hand.plan.request_id, sizeof(hand.plan.request_id), "%s", request_id);
	snprintf(procs, sizeof(procs), "%s", hand_procs());
	hand_connect(request_id);
	EXPECT_EQ(hand.note.state, KEEPER_RUNNING);
	EXPECT_EQ(hand.note.step, 1);
	EXPECT_GT(hand.note.spend.wall_ns, 0);
	EXPECT_EQ(strncmp(procs, hand_procs(), strcspn(procs, "\n")), 0);
	hand_touch("go");
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	EXPECT_EQ(hand.end.result.outcome, RUN_EXITED);
	EXPECT_EQ(hand.end.result.exit_code, 3);
	EXPECT_STREQ(hand_output(), "begin\nend\n");
	EXPECT_STREQ(hand_read("%s", hand.record), "exited 3 0 started=1 steps=1 \n");
	EXPECT_OK(session_check_clear(&hand.session, &hand.end.fault));
	EXPECT_EQ(keeper_link_open(hand.base, hand.engine.run_fd, request_id,
				   &(struct keeper_link_args){ 0 }, &hand.link),
		  -ENOENT);
}

TEST("frozen, a request stands still, its time box with it, and thawed it goes on with the same processes",
     .seconds = 40)
{
	char procs[4096], before[64];
	uint64_t usage_before;
	struct usage usage;
	struct policy policy;

	hand_open();
	hand_session();
	hand.box_ns = 2 * NSEC_PER_SEC;
	hand_start("i=0; while :; do i=$((i+1)); echo $i >n.new; mv n.new n; sleep 0.01; done");
	hand_connect(hand.plan.request_id);
	hand_wait_work("n", "");
	EXPECT_EQ(hand_order(KEEPER_FREEZE), 0);
	EXPECT_EQ(hand.note.state, KEEPER_FROZEN);
	snprintf(procs, sizeof(procs), "%s", hand_procs());
	snprintf(before, sizeof(before), "%s", hand_work("n"));
	ASSERT_OK(session_usage(&hand.session, &usage));
	usage_before = usage.cpu_ns;
	ASSERT_OK(guard_session_policy(&hand.engine.guard, hand.session.cgroup_id, &policy));
	EXPECT_EQ(policy.state, POLICY_PAUSED);
	EXPECT_EQ(policy.running_since_ns, 0);
	usleep(2500000);
	EXPECT_STREQ(hand_work("n"), before);
	EXPECT_STREQ(hand_procs(), procs);
	ASSERT_OK(session_usage(&hand.session, &usage));
	EXPECT_LT(usage.cpu_ns - usage_before, NSEC_PER_MSEC);
	EXPECT_EQ(usage.kills, 0);
	EXPECT_EQ(hand_order(KEEPER_FREEZE), 0);
	EXPECT_EQ(hand_order(KEEPER_THAW), 0);
	EXPECT_EQ(hand.note.state, KEEPER_RUNNING);
	EXPECT_EQ(strncmp(hand_procs(), procs, strcspn(procs, "\n") + 1), 0);
	hand_wait_work("n", before);
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	EXPECT_EQ(hand.end.result.outcome, RUN_TIMED_OUT);
	EXPECT_GE(hand.end.result.wall_ns, 1900 * NSEC_PER_MSEC);
	EXPECT_LT(hand.end.result.wall_ns, 4400 * NSEC_PER_MSEC);
}

static const char traps[] =
	"trap 'echo term; exit 5' TERM; echo up >up; while :; do sleep 0.02; done";
static const char deaf[] = "trap '' TERM; echo up >up; while :; do sleep 0.02; done";

static void end_by(const char *script, enum keeper_order_kind order, bool frozen,
		   enum run_outcome outcome)
{
	hand_start(script);
	hand_connect(hand.plan.request_id);
	hand_wait_work("up", "");
	if (frozen)
		EXPECT_EQ(hand_order(KEEPER_FREEZE), 0);
	EXPECT_EQ(hand_order(order), 0);
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	EXPECT_EQ(hand.end.result.outcome, outcome);
	EXPECT_EQ(hand.end.fault.code, FAULT_NONE);
	ASSERT_OK(session_reload(&hand.session));
	EXPECT_EQ(hand.session.policy.state, order == KEEPER_WIPE ? POLICY_WIPED : POLICY_CLOSED);
	EXPECT_OK(session_check_clear(&hand.session, &hand.end.fault));
}

TEST("cancel asks first and kills then, cap and wipe kill, also what is frozen; the session goes on",
     .seconds = 60)
{
	hand_open();
	hand_session();
	end_by(traps, KEEPER_CANCEL, false, RUN_CANCELLED);
	EXPECT_EQ(hand.end.result.exit_code, 5);
	EXPECT_STREQ(hand_output(), "term\n");
	end_by(deaf, KEEPER_CANCEL, false, RUN_CANCELLED);
	EXPECT_EQ(hand.end.result.signal, SIGKILL);
	end_by(traps, KEEPER_CANCEL, true, RUN_CANCELLED);
	EXPECT_EQ(hand.end.result.signal, SIGKILL);
	end_by(traps, KEEPER_CAP, false, RUN_CAPPED);
	end_by(traps, KEEPER_CAP, true, RUN_CAPPED);
	end_by(traps, KEEPER_WIPE, true, RUN_WIPED);
	end_by(traps, KEEPER_WIPE, false, RUN_WIPED);
	EXPECT_EQ(hand_run("echo on >>log; cat log; id -u")->outcome, RUN_EXITED);
	EXPECT_STREQ(hand_output(), "on\n0\n");
}

static void kill_keeper(bool frozen)
{
	int cgroup;

	hand_start("echo up >up; setsid sleep 1000 & while :; do sleep 0.02; done");
	hand_connect(hand.plan.request_id);
	hand_wait_work("up", "");
	if (frozen)
		EXPECT_EQ(hand_order(KEEPER_FREEZE), 0);
	cgroup = hand_request_cgroup();
	EXPECT_EQ(hand.note.pid, hand.keeper);
	ASSERT_OK(kill(hand.keeper, SIGKILL));
	EXPECT_OK(cgroup_wait_empty(cgroup, 5 * NSEC_PER_SEC));
	close(cgroup);
	hand_wait_end();
	EXPECT_TRUE(hand.lost);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
	EXPECT_OK(session_reclaim(&hand.session, &hand.end.fault));
	EXPECT_OK(session_check_clear(&hand.session, &hand.end.fault));
	EXPECT_EQ(hand.session.policy.state, POLICY_CLOSED);
	EXPECT_GT(hand.session.policy.wall_settled_ns, 0);
}

TEST("a killed keeper takes its sandbox with it, frozen or not, and the session can be used again",
     .seconds = 40)
{
	hand_open();
	hand_session();
	kill_keeper(false);
	kill_keeper(true);
	EXPECT_EQ(hand_run("exit 4")->exit_code, 4);
}

TEST("who thaws a frozen request behind the keeper's back has it killed by the kernel")
{
	struct usage usage;
	int cgroup;

	hand_open();
	hand_session();
	hand_start("echo up >up; while :; do :; done");
	hand_connect(hand.plan.request_id);
	hand_wait_work("up", "");
	EXPECT_EQ(hand_order(KEEPER_FREEZE), 0);
	cgroup = hand_request_cgroup();
	ASSERT_OK(cgroup_freeze(cgroup, false));
	close(cgroup);
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	EXPECT_EQ(hand.end.result.outcome, RUN_INTERRUPTED);
	ASSERT_OK(session_usage(&hand.session, &usage));
	EXPECT_GE(usage.kills, 1);
}

TEST("a keeper that does not answer is told of, and the kernel stops its request without it",
     .seconds = 40)
{
	hand_open();
	hand_session();
	hand_start("echo up >up; while :; do sleep 0.02; done");
	hand_connect(hand.plan.request_id);
	hand_wait_work("up", "");
	ASSERT_OK(kill(hand.keeper, SIGSTOP));
	ASSERT_OK(keeper_link_order(hand.link, &(struct keeper_order){ .kind = KEEPER_FREEZE },
				    NULL, 0, NULL));
	hand_wait(&hand.silent, 1);
	ASSERT_OK(session_reload(&hand.session));
	ASSERT_OK(session_set_state(&hand.session, POLICY_PAUSED));
	EXPECT_OK(session_kill(&hand.session));
	ASSERT_OK(kill(hand.keeper, SIGCONT));
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	EXPECT_EQ(hand.silent, 1);
	EXPECT_EQ(hand.end.result.outcome, RUN_INTERRUPTED);
	EXPECT_EQ(hand_run("exit 4")->exit_code, 4);
}

TEST("a host that goes down interrupts what runs, and the record says so")
{
	hand_open();
	hand_session();
	hand_start(traps);
	hand_connect(hand.plan.request_id);
	hand_wait_work("up", "");
	ASSERT_OK(kill(hand.keeper, SIGTERM));
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	EXPECT_EQ(hand.end.result.outcome, RUN_INTERRUPTED);
	EXPECT_STREQ(hand_output(), "term\n");
	EXPECT_HAS(hand_read("%s", hand.record), "interrupted 5 0");
}

TEST("a sandbox that cannot be made is a request that failed, with the step and without a trace")
{
	char command[1500];

	hand_open();
	hand_session();
	snprintf(command, sizeof(command), "rm -rf %s/sessions/%s/site", hand.state, hand.session.id);
	ASSERT_OK(system(command));
	hand_run("true");
	EXPECT_EQ(hand.end.result.outcome, RUN_FAILED);
	EXPECT_FALSE(hand.end.started);
	EXPECT_EQ(hand.end.fault.code, FAULT_HOST);
	EXPECT_HAS(hand_read("%s", hand.record), "failed -1 0 started=0");
	EXPECT_OK(session_check_clear(&hand.session, &hand.end.fault));
	snprintf(command, sizeof(command), "test -z \"$(ls %s 2>/dev/null)\"", hand.out);
	EXPECT_OK(system(command));
}

TEST("a keeper that is killed at any moment leaves a session that can be cleared and used",
     .seconds = 120)
{
	int forward = open("/proc/sys/net/ipv4/ip_forward", O_WRONLY | O_CLOEXEC);

	hand_open();
	ASSERT_EQ(write(forward, "1", 1), 1);
	hand.egress = SPEC_EGRESS_PUBLIC;
	hand_session();
	for (unsigned int i = 0; i < 60; i++) {
		hand_start(i % 2 ? "true" : "sleep 1000");
		usleep(i * 1500);
		kill(hand.keeper, SIGKILL);
		ASSERT_EQ(waitpid(hand.keeper, NULL, 0), hand.keeper);
		if (session_reclaim(&hand.session, &hand.end.fault))
			printf("after %u us: %s\n", i * 1500, hand.end.fault.reason);
		ASSERT_EQ(hand.end.fault.code, FAULT_NONE);
		EXPECT_OK(session_check_clear(&hand.session, &hand.end.fault));
		session_rest(&hand.session);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
	EXPECT_EQ(hand_run("exit 4")->exit_code, 4);
}

static int expect_adopted_or_discarded(const struct slot_record *record, unsigned int slot, void *arg)
{
	struct fault fault = {};
	int r = session_adopt(&hand.engine, record, slot, &hand.session);

	++*(int *)arg;
	EXPECT_TRUE(r == 0 || r == -ENOENT);
	EXPECT_OK(session_discard(&hand.engine, record, slot, &fault));
	return 0;
}

TEST("who opens a session and is killed at any moment leaves one that is found, whole or not",
     .seconds = 60)
{
	int n = 0, again = 0;

	hand_open();
	for (unsigned int i = 0; i < 100; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			hand_session();
			for (;;)
				pause();
		}
		usleep(i * 60);
		kill(pid, SIGKILL);
		ASSERT_EQ(waitpid(pid, NULL, 0), pid);
		ASSERT_OK(session_each_kept(&hand.engine, expect_adopted_or_discarded, &n));
		ASSERT_OK(session_each_kept(&hand.engine, expect_adopted_or_discarded, &again));
	}
	printf("%d sessions were there\n", n);
	EXPECT_GE(n, 5);
	EXPECT_EQ(again, 0);
}
