// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open requests, whose commands come one by one, and what the requests of a session share: its workspace and its
 * account.
 */
#include "../hand_end.h"

#include <signal.h>

#include "../../user/engine/life.h"

TEARDOWN
{
	hand_remove();
}

/* Starts a shell's script as the next step; 0 or why it was refused. */
static int step(const char *script)
{
	struct keeper_order order = { .kind = KEEPER_STEP, .n_args = 3 };
	unsigned int answers = hand.taken + hand.refused;
	char args[8192];
	size_t n = (size_t)snprintf(args, sizeof(args), "/bin/sh%c-c%c%s", 0, 0, script) + 1;

	ASSERT_OK(keeper_link_order(hand.link, &order, args, n, NULL));
	for (unsigned int before = hand.notes; hand.taken + hand.refused == answers && !hand.ended;
	     before = hand.notes)
		hand_wait(&hand.notes, before + 1);
	return hand.answer.kind == KEEPER_REFUSED ? hand.answer.err : 0;
}

/* The same, and waits for its end, which is the last note then. */
static void step_run(const char *script, int exit_code)
{
	unsigned int ended = hand.steps_ended;

	EXPECT_EQ(step(script), 0);
	hand_wait(&hand.steps_ended, ended + 1);
	EXPECT_EQ(hand.note.exit_code, exit_code);
}

static void open_begin(void)
{
	hand.open = true;
	hand_start("unused");
	hand_connect(hand.plan.request_id);
}

TEST("each step is told its end, output goes to one log, and processes of earlier steps live on",
     .seconds = 40)
{
	hand_open();
	hand_session();
	open_begin();
	EXPECT_EQ(hand.note.step, 0);
	step_run("setsid sleep 1000 & echo $! >bg; echo one; exit 3", 3);
	EXPECT_EQ(hand.note.step, 1);
	step_run("kill -0 $(cat bg) && echo alive; echo err >&2", 0);
	EXPECT_EQ(hand.note.step, 2);
	step_run("kill -USR1 $$", -1);
	EXPECT_EQ(hand.note.signal, SIGUSR1);
	EXPECT_EQ(step("echo long; sleep 1000"), 0);
	step_run("cat /proc/[0-9]*/comm | grep -c sleep; exit 7", 7);
	EXPECT_EQ(hand.note.step, 5);
	EXPECT_EQ(hand_order(KEEPER_FINISH), 0);
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	EXPECT_EQ(hand.end.result.outcome, RUN_EXITED);
	EXPECT_EQ(hand.end.result.exit_code, 7);
	EXPECT_EQ(hand.end.result.steps, 5);
	EXPECT_STREQ(hand_output(), "one\nalive\nlong\n2\n");
	EXPECT_STREQ(hand_read("%s/%s/stderr.log", hand.out, hand.plan.output_name), "err\n");
	EXPECT_OK(session_check_clear(&hand.session, &hand.end.fault));
}

TEST("steps are refused while frozen and in a request that is not open; a missing command ends with 127")
{
	const char missing[] = "/no/such/command";
	struct keeper_order order = { .kind = KEEPER_STEP, .n_args = 1 };

	hand_open();
	hand_session();
	open_begin();
	EXPECT_EQ(hand_order(KEEPER_FREEZE), 0);
	EXPECT_EQ(step("true"), LIFE_E_FROZEN);
	EXPECT_EQ(hand_order(KEEPER_FINISH), LIFE_E_FROZEN);
	EXPECT_EQ(hand_order(KEEPER_THAW), 0);
	ASSERT_OK(keeper_link_order(hand.link, &order, missing, sizeof(missing), NULL));
	hand_wait(&hand.steps_ended, 1);
	EXPECT_EQ(hand.note.exit_code, 127);
	/* arguments that do not add up */
	order.n_args = 2;
	ASSERT_OK(keeper_link_order(hand.link, &order, missing, sizeof(missing), NULL));
	hand_wait(&hand.refused, 3);
	EXPECT_EQ(hand.answer.err, -EINVAL);
	EXPECT_EQ(hand_order(KEEPER_FINISH), 0);
	hand_wait_end();
	EXPECT_EQ(hand.end.result.steps, 1);

	hand.open = false;
	hand_start("echo up >up; while ! [ -e go ]; do sleep 0.02; done");
	hand_connect(hand.plan.request_id);
	hand_wait_work("up", "");
	EXPECT_EQ(step("true"), LIFE_E_NOT_OPEN);
	EXPECT_EQ(hand_order(KEEPER_FINISH), LIFE_E_NOT_OPEN);
	hand_touch("go");
	hand_wait_end();
	EXPECT_EQ(hand.end.result.exit_code, 0);
}

TEST("the step beyond the budget ends the request, with TERM for what still runs")
{
	hand_open();
	hand_session();
	hand.step_budget = 2;
	open_begin();
	EXPECT_EQ(step("trap 'echo term; exit' TERM; echo up >up; while :; do sleep 0.02; done"), 0);
	hand_wait_work("up", "");
	step_run("true", 0);
	EXPECT_EQ(step("echo never"), LIFE_E_STEP_LIMITED);
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	EXPECT_EQ(hand.end.result.outcome, RUN_STEP_LIMITED);
	EXPECT_EQ(hand.end.result.steps, 2);
	EXPECT_STREQ(hand_output(), "term\n");
}

TEST("so many steps run beside each other and no more; when one ends there is room again",
     .seconds = 40)
{
	hand_open();
	hand_session();
	open_begin();
	for (int i = 0; i < REEVE_STEPS_RUNNING_MAX - 1; i++)
		EXPECT_EQ(step("sleep 1000"), 0);
	EXPECT_EQ(step("while ! [ -e go ]; do sleep 0.02; done"), 0);
	EXPECT_EQ(step("true"), -EAGAIN);
	hand_touch("go");
	hand_wait(&hand.steps_ended, 1);
	step_run("exit 9", 9);
	EXPECT_EQ(hand_order(KEEPER_FINISH), 0);
	hand_wait_end();
	EXPECT_EQ(hand.end.result.steps, REEVE_STEPS_RUNNING_MAX + 1);
	EXPECT_EQ(hand.end.result.exit_code, 9);
}

TEST("a step takes arguments as long as a command may be, and one more is refused")
{
	struct keeper_order order = { .kind = KEEPER_STEP, .n_args = 4 };
	static char args[REEVE_COMMAND_BYTES_MAX + REEVE_ARGS_MAX + 64];
	size_t n = (size_t)sprintf(args, "/bin/sh%c-c%cprintf %%s \"$0\" | wc -c%c", 0, 0, 0);

	hand_open();
	hand_session();
	open_begin();
	memset(args + n, 'x', REEVE_COMMAND_BYTES_MAX - n - 1);
	ASSERT_OK(keeper_link_order(hand.link, &order, args, REEVE_COMMAND_BYTES_MAX, NULL));
	hand_wait(&hand.steps_ended, 1);
	EXPECT_EQ(hand.note.exit_code, 0);
	memset(args + n, 'x', sizeof(args) - n - 1);
	ASSERT_OK(keeper_link_order(hand.link, &order, args, sizeof(args), NULL));
	hand_wait(&hand.refused, 1);
	EXPECT_EQ(hand.answer.err, -EPROTO);
	keeper_link_free(hand.link);
	hand_connect(hand.plan.request_id);
	EXPECT_EQ(hand_order(KEEPER_FINISH), 0);
	hand_wait_end();
	printf("%s\n", hand_output());
	EXPECT_EQ(strtoul(hand_output(), NULL, 10), REEVE_COMMAND_BYTES_MAX - n - 1);
}

TEST("the workspace stays from one request to the next, the rest does not, and all is root's inside",
     .seconds = 40)
{
	struct stat st;
	char path[1024];

	hand_open();
	hand_session();
	hand_run("pwd; echo $HOME; echo kept >a; echo site >/site/index.html; echo gone >/tmp/b; "
		 "chmod 4755 a; stat -c %u:%a . /site a");
	EXPECT_EQ(hand.end.result.exit_code, 0);
	EXPECT_STREQ(hand_output(), "/workspace\n/workspace\n0:755\n0:755\n0:4755\n");
	hand_run("cat a /site/index.html; cat /tmp/b");
	EXPECT_EQ(hand.end.result.exit_code, 1);
	EXPECT_STREQ(hand_output(), "kept\nsite\n");
	hand_run("grep -E ' /(workspace|site) ' /proc/self/mounts | grep -c nosuid,nodev");
	EXPECT_STREQ(hand_output(), "2\n");
	snprintf(path, sizeof(path), "%s/sessions/%s/%s", hand.state, hand.session.id, "work/a");
	ASSERT_OK(stat(path, &st));
	EXPECT_EQ(st.st_uid, REEVE_UID_BASE + hand.session.slot.number * REEVE_UIDS_PER_SLOT);
}

TEST("each request has a network of its own, which goes with it, also when it is wiped frozen",
     .seconds = 40)
{
	int forward = open("/proc/sys/net/ipv4/ip_forward", O_WRONLY | O_CLOEXEC);
	const char devices[] = "grep -c : /proc/net/dev";

	hand_open();
	ASSERT_EQ(write(forward, "1", 1), 1);
	hand.egress = SPEC_EGRESS_PUBLIC;
	hand_session();
	for (int i = 0; i < 2; i++) {
		hand_start(devices);
		hand_connect(hand.plan.request_id);
		hand_wait_end();
		EXPECT_EQ(hand.end.result.outcome, RUN_EXITED);
		EXPECT_STREQ(hand_output(), "2\n");
		EXPECT_OK(session_check_clear(&hand.session, &hand.end.fault));
	}
	hand_start("echo up >up; sleep 1000");
	hand_connect(hand.plan.request_id);
	hand_wait_work("up", "");
	EXPECT_EQ(session_check_clear(&hand.session, &hand.end.fault), FAULT_E_SET);
	EXPECT_EQ(hand_order(KEEPER_FREEZE), 0);
	EXPECT_EQ(hand_order(KEEPER_WIPE), 0);
	hand_wait_end();
	EXPECT_EQ(hand.end.result.outcome, RUN_WIPED);
	EXPECT_EQ(hand.end.fault.code, FAULT_NONE);
	EXPECT_OK(session_check_clear(&hand.session, &hand.end.fault));
}

TEST("what the requests of a session use adds up to its account, and each tells its own",
     .seconds = 60)
{
	struct request_spend sum = {};
	struct usage usage;

	hand_open();
	hand.rates = (struct rate_card){ .cpu_second_ucents = 1000000,
					 .wall_minute_ucents = 6000000,
					 .step_ucents = 7,
					 .request_ucents = 100 };
	hand_session();
	for (int i = 0; i < 3; i++) {
		hand.budget.money_settled_ucents = (uint64_t)i * 107;
		hand.budget.wall_settled_ns = sum.wall_ns;
		hand_run("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
		EXPECT_GT(hand.end.result.cpu_ns, 0);
		sum.cpu_ns += hand.end.result.cpu_ns;
		sum.wall_ns += hand.end.result.wall_ns;
		sum.money_ucents += hand.end.result.money_ucents;
	}
	ASSERT_OK(session_usage(&hand.session, &usage));
	ASSERT_OK(session_reload(&hand.session));
	EXPECT_EQ(sum.cpu_ns, usage.cpu_ns);
	EXPECT_EQ(sum.wall_ns, hand.session.policy.wall_settled_ns);
	EXPECT_EQ(hand.session.policy.money_settled_ucents, 3 * 107);
	EXPECT_EQ(sum.money_ucents,
		  3 * 107 + usage.cpu_ns / 1000 +
			  hand.session.policy.wall_settled_ns / 1000 * 6000000 / 60000000);
}

TEST("a budget stops a request in the kernel, and a raise in time lets it go on", .seconds = 60)
{
	hand_open();
	hand_session();
	hand.budget.cpu_cap_ns = 300 * NSEC_PER_MSEC;
	hand_run("while :; do :; done");
	EXPECT_EQ(hand.end.result.outcome, RUN_CAPPED);
	EXPECT_EQ(hand.end.result.cap.reached, REASON_CAP_CPU);
	EXPECT_GE(hand.end.result.cpu_ns, 300 * NSEC_PER_MSEC);
	/* the account is the session's: nothing is left of it */
	hand_run("echo never");
	EXPECT_EQ(hand.end.result.outcome, RUN_CAPPED);
	EXPECT_STREQ(hand_output(), "");

	hand.budget.cpu_cap_ns = 60 * NSEC_PER_SEC;
	hand_start("echo up >up; while ! [ -e go ]; do sleep 0.02; done; i=0; "
		   "while [ $i -lt 30000 ]; do i=$((i+1)); done; echo done");
	hand_connect(hand.plan.request_id);
	hand_wait_work("up", "");
	hand.budget.cpu_cap_ns = 120 * NSEC_PER_SEC;
	EXPECT_EQ(hand_order(KEEPER_BUDGET), 0);
	hand_touch("go");
	hand_wait_end();
	EXPECT_EQ(hand.end.result.outcome, RUN_EXITED);
	EXPECT_STREQ(hand_output(), "done\n");

	hand_start("echo up >up2; while :; do sleep 0.02; done");
	hand_connect(hand.plan.request_id);
	hand_wait_work("up2", "");
	hand.budget.cpu_cap_ns = 1;
	EXPECT_EQ(hand_order(KEEPER_BUDGET), 0);
	hand_wait_end();
	EXPECT_EQ(hand.end.result.outcome, RUN_CAPPED);
}

TEST("a step whose price reaches the cap is paid for and not started")
{
	hand_open();
	hand.rates = (struct rate_card){ .step_ucents = 40, .request_ucents = 10 };
	hand.budget.money_cap_ucents = 100;
	hand_session();
	open_begin();
	step_run("echo one", 0);
	EXPECT_EQ(hand.note.spend.money_ucents, 50);
	step_run("echo two", 0);
	EXPECT_EQ(step("echo three"), LIFE_E_ENDING);
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	EXPECT_EQ(hand.end.result.outcome, RUN_CAPPED);
	EXPECT_EQ(hand.end.result.cap.reached, REASON_CAP_MONEY);
	EXPECT_EQ(hand.end.result.money_ucents, 130);
	EXPECT_STREQ(hand_output(), "one\ntwo\n");
}

TEST("wall time that is used up caps a sleeper, and not one that was frozen meanwhile", .seconds = 40)
{
	hand_open();
	hand_session();
	hand.budget.wall_cap_ns = 1500 * NSEC_PER_MSEC;
	hand_start("echo up >up; sleep 1000");
	hand_connect(hand.plan.request_id);
	hand_wait_work("up", "");
	EXPECT_EQ(hand_order(KEEPER_FREEZE), 0);
	usleep(1800000);
	EXPECT_FALSE(hand.ended);
	EXPECT_EQ(hand_order(KEEPER_THAW), 0);
	hand_wait_end();
	ASSERT_TRUE(hand.ended);
	EXPECT_EQ(hand.end.result.outcome, RUN_CAPPED);
	EXPECT_GE(hand.end.result.wall_ns, 1500 * NSEC_PER_MSEC);
	EXPECT_LT(hand.end.result.wall_ns, 3000 * NSEC_PER_MSEC);
}

static int count(const struct slot_record *record, unsigned int slot, void *arg)
{
	(void)slot;
	EXPECT_STREQ(record->session_id, hand.session.id);
	++*(int *)arg;
	return 0;
}

static int reeve(const char *words)
{
	char command[3000];
	int code;

	snprintf(command, sizeof(command),
		 "%s %s --parent %s --pin-dir %s --run-dir %s %s >\"$TMPDIR/said\" 2>&1",
		 getenv("REEVE") ? getenv("REEVE") : "build/reeve", words, hand.parent, HAND_PINS,
		 hand.run_dir, strstr(words, "run") ? "-- true" : "");
	fflush(stdout);
	code = system(command);
	printf("%s: %d\n%s", words, code >> 8, hand_read("%s/said", getenv("TMPDIR")));
	return code >> 8;
}

TEST("a kept session is nobody's to sweep: runs go on beside it, gc leaves it, gc --all refuses and names it")
{
	struct policy policy;
	int n = 0;

	hand_open();
	hand_session();
	EXPECT_EQ(hand.session.slot.number, REEVE_SLOTS_MAX - 2);
	EXPECT_EQ(reeve("gc"), 0);
	EXPECT_NE(reeve("gc --all"), 0);
	EXPECT_HAS(hand_read("%s/said", getenv("TMPDIR")), hand.session.id);
	EXPECT_OK(session_each_kept(&hand.engine, count, &n));
	EXPECT_EQ(n, 1);
	ASSERT_OK(guard_session_policy(&hand.engine.guard, hand.session.cgroup_id, &policy));
	EXPECT_EQ(policy.state, POLICY_CLOSED);
	hand_adopt();
	EXPECT_EQ(hand_run("exit 6")->exit_code, 6);
	EXPECT_OK(session_close(&hand.session, &hand.end.fault));
	EXPECT_EQ(guard_session_policy(&hand.engine.guard, hand.session.cgroup_id, &policy), -ENOENT);
	n = 0;
	EXPECT_OK(session_each_kept(&hand.engine, count, &n));
	EXPECT_EQ(n, 0);
}

TEST("after a reboot a session is opened again in the slot that its files belong to")
{
	struct slot_record record = {};
	struct session again = SESSION_INIT;
	struct fault fault = {};
	struct policy policy;
	unsigned int slot;

	hand_open();
	hand_session();
	policy = hand.session.policy;
	hand_run("echo kept >a");
	/* what a reboot takes: cgroups and maps; what it may leave: the record */
	ASSERT_OK(guard_session_remove(&hand.engine.guard, hand.session.cgroup_id));
	session_rest(&hand.session);
	ASSERT_OK(cgroup_remove(hand.engine.parent_fd, hand.session.id));
	snprintf(record.session_id, sizeof(record.session_id), "%s", hand.session.id);
	record.cgroup_id = hand.session.cgroup_id;
	EXPECT_EQ(session_adopt(&hand.engine, &record, hand.session.slot.number, &again), -ENOENT);
	EXPECT_OK(session_discard(&hand.engine, &record, hand.session.slot.number, &fault));
	ASSERT_OK(workspace_slot(hand.state, hand.session.id, &slot));
	EXPECT_EQ(slot, hand.session.slot.number);
	ASSERT_OK(session_open(&hand.engine, record.session_id, slot, &policy, &hand.session, &fault));
	hand_run("cat a");
	EXPECT_STREQ(hand_output(), "kept\n");
	EXPECT_EQ(session_open(&hand.engine, "sbs_other", slot, &policy, &again, &fault),
		  FAULT_E_SET);
	EXPECT_EQ(fault.code, FAULT_BUSY);
}
