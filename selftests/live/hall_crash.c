// SPDX-License-Identifier: GPL-2.0-only
/*
 * Halls that die. A child has the hall and is killed at random moments under load, time and again, every third time
 * with all of its keepers; who opens the hall behind it finds all that was acknowledged, once, and a spend that is the
 * kernel's own count. REEVE_HALL_KILLS says how many times.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>

#include "../../user/engine/workspace.h"
#include "../hall_end.h"
#include "../hall_look.h"

#define SESSIONS 3
#define KILLS 12

static char ids[SESSIONS][REEVE_SESSION_ID_SIZE];

TEARDOWN
{
	hand_remove();
}

/* What the child was promised, in order; a pipe holds it for who comes after. */
struct promise_made {
	unsigned int session;
	uint64_t charged_ucents; /* or a request */
	struct desk_request request;
};

static bool charge(unsigned int session, unsigned int round, unsigned int i)
{
	struct ledger_charge wanted = { .money_ucents = 3 };
	bool replay;

	snprintf(wanted.id, sizeof(wanted.id), "%u.%u", round, i);
	return hall_charge(hand.hall, ids[session], &wanted, &replay, &hand.desk, &hand.fault) == 0;
}

static _Noreturn void load(int promises, unsigned int round)
{
	struct promise_made made;
	char script[200];

	event_base_free(hand.base);
	hand.base = NULL;
	hand_open();
	for (unsigned int i = 0;; i++) {
		made = (struct promise_made){ .session = i % SESSIONS };
		snprintf(script, sizeof(script),
			 "echo %u.%u >>log; i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done", round,
			 i);
		if (hand_desk(ids[made.session])->state == DESK_PAUSED)
			hand_event(ids[made.session], DESK_EVENT_RESUME);
		if (hand_submit(ids[made.session], script, false, &made.request) == 0 &&
		    write(promises, &made, sizeof(made)) != sizeof(made))
			_exit(1);
		made.charged_ucents = 3;
		if (charge(made.session, round, i) &&
		    write(promises, &made, sizeof(made)) != sizeof(made))
			_exit(1);
		if (i % 7 == 3)
			hand_event(ids[made.session], DESK_EVENT_PAUSE);
		hand_turn(5);
	}
}

static unsigned int lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static bool all_over(void)
{
	for (unsigned int i = 0; i < SESSIONS; i++)
		if (hand_desk(ids[i])->state != DESK_ARMED)
			return false;
	return true;
}

/* What waits may be much, and the machine slow: each end begins the wait anew. */
static void wait_all_over(void)
{
	unsigned int before = 0;

	while (!all_over()) {
		before = hand.notes[DESK_NOTE_REQUEST_FINISHED];
		for (unsigned int i = 0; i < SESSIONS; i++)
			printf("%s: %s, %zu wait\n", ids[i],
			       desk_state_name(hand_desk(ids[i])->state),
			       hall_session_find(hand.hall, ids[i])->n_queue);
		HAND_WAIT(all_over() || hand.notes[DESK_NOTE_REQUEST_FINISHED] > before);
	}
}

static unsigned int promised, ran[SESSIONS], interrupted[SESSIONS];
static uint64_t charged_ucents[SESSIONS];

static void promise_check(const struct promise_made *made)
{
	struct desk_request row = {};

	charged_ucents[made->session] += made->charged_ucents;
	if (made->charged_ucents)
		return;
	ASSERT_OK(hall_find_request(hand.hall, made->request.id, &row));
	EXPECT_EQ(row.state, DESK_REQUEST_FINISHED);
	promised++;
	if (row.outcome == RUN_EXITED)
		EXPECT_EQ(row.exit_code, 0);
	else
		EXPECT_EQ(row.outcome, RUN_INTERRUPTED);
}

static int row_count(const struct desk_request *row, void *arg)
{
	unsigned int i = *(unsigned int *)arg;

	EXPECT_EQ(row->state, DESK_REQUEST_FINISHED);
	ran[i] += row->outcome == RUN_EXITED;
	interrupted[i] += row->outcome == RUN_INTERRUPTED;
	return 0;
}

static void log_check(unsigned int i)
{
	char seen[65536], *line, *save = NULL, *all[4096];
	size_t n = 0;

	ran[i] = interrupted[i] = 0;
	ASSERT_OK(hall_each_request(hand.hall, ids[i], row_count, &i));
	snprintf(seen, sizeof(seen), "%s", hand_work(ids[i], "log"));
	EXPECT_GE(lines(seen), ran[i]);
	EXPECT_LE(lines(seen), ran[i] + interrupted[i]);
	for (line = strtok_r(seen, "\n", &save); line && n < 4096;
	     line = strtok_r(NULL, "\n", &save)) {
		for (size_t j = 0; j < n; j++)
			if (strcmp(all[j], line) == 0)
				EXPECT_STREQ(line, "once");
		all[n++] = line;
	}
}

static void round_check(int promises, unsigned int round)
{
	struct promise_made made;
	const struct desk *desk;

	hand_open();
	for (unsigned int i = 0; i < SESSIONS; i++)
		if (hand_desk(ids[i])->state == DESK_PAUSED)
			ASSERT_OK(hand_event(ids[i], DESK_EVENT_RESUME));
	wait_all_over();
	while (read(promises, &made, sizeof(made)) == sizeof(made))
		promise_check(&made);
	for (unsigned int i = 0; i < SESSIONS; i++) {
		ASSERT_OK(hall_meter(hand.hall, ids[i], &desk));
		EXPECT_EQ(desk->spend.cpu_ns / 1000, hand_cpu_stat(ids[i]) / 1000);
		/* one of each round may have been recorded and not told */
		EXPECT_GE(desk->spend.charged_ucents, charged_ucents[i]);
		EXPECT_LE(desk->spend.charged_ucents, charged_ucents[i] + 3 * (round + 1));
		log_check(i);
		EXPECT_GE(desk->spend.steps, ran[i]);
		EXPECT_LE(desk->spend.steps, ran[i] + interrupted[i]);
	}
	hall_close(&hand.hall);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
}

/* The keepers that the killed hall had are this process's children now. */
static void keepers_kill(void)
{
	FILE *f = fopen("/proc/thread-self/children", "re");
	int pid;

	ASSERT_NOT_NULL(f);
	while (fscanf(f, "%d", &pid) == 1)
		if (strcmp(hand_read("/proc/%d/comm", pid), "reeve-keeper\n") == 0)
			kill(pid, SIGKILL);
	fclose(f);
}

static unsigned int random_ms(unsigned int *state)
{
	*state = *state * 1103515245u + 12345u;
	return (*state >> 16) % 400;
}

TEST("killed at any moment, a hall loses nothing acknowledged, runs nothing twice, counts exactly",
     .seconds = 3600)
{
	const struct desk wanted = hand_wanted();
	const char *times = getenv("REEVE_HALL_KILLS");
	unsigned int kills = times ? (unsigned int)atoi(times) : KILLS, seed = (unsigned int)getpid();
	int promises[2], status;

	printf("seed %u\n", seed);
	hand_open();
	for (unsigned int i = 0; i < SESSIONS; i++) {
		hand_create(&wanted, ids[i]);
		ASSERT_OK(hand_event(ids[i], DESK_EVENT_GO));
	}
	hall_close(&hand.hall);
	ASSERT_OK(pipe2(promises, O_NONBLOCK | O_CLOEXEC));
	ASSERT_GE(fcntl(promises[1], F_SETPIPE_SZ, 1024 * 1024), 0);
	for (unsigned int i = 0; i < kills; i++) {
		pid_t child = fork();

		if (child == 0)
			load(promises[1], i);
		usleep(30000 + 1000 * random_ms(&seed));
		ASSERT_OK(kill(child, SIGKILL));
		ASSERT_EQ(waitpid(child, &status, 0), child);
		EXPECT_TRUE(WIFSIGNALED(status));
		if (i % 3 == 2)
			keepers_kill();
		round_check(promises[0], i);
	}
	printf("%u promises\n", promised);
	EXPECT_GT(promised, 0);
	hand_open();
	for (unsigned int i = 0; i < SESSIONS; i++) {
		ASSERT_OK(hand_event(ids[i], DESK_EVENT_END));
		HAND_WAIT(hand.done);
		EXPECT_EQ(hand_desk(ids[i])->state, DESK_ENDED);
	}
	hall_close(&hand.hall);
	hand_no_channel();
}

TEST("a killed keeper is an interrupted request, its time is paid, and the next one runs",
     .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	struct desk_request request, next, row;
	char id[REEVE_SESSION_ID_SIZE];

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "echo up >up; while :; do :; done", false, &request));
	ASSERT_OK(hand_submit(id, "exit 8", false, &next));
	HAND_WAIT(hand_work(id, "up")[0]);
	hand_turn(100);
	ASSERT_OK(kill(hall_session_find(hand.hall, id)->run->keeper, SIGKILL));
	row = hand_over(&request);
	EXPECT_EQ(row.outcome, RUN_INTERRUPTED);
	EXPECT_NE(row.fault.code, FAULT_NONE);
	EXPECT_GT(row.cpu_ns, 50 * NSEC_PER_MSEC);
	EXPECT_EQ(hand_over(&next).exit_code, 8);
	EXPECT_EQ(hand_desk(id)->spend.cpu_ns / 1000, hand_cpu_stat(id) / 1000);
	EXPECT_EQ(hand_desk(id)->spend.steps, 2);
	hand_turn(100);
	hand_no_channel();
}

/* Stops the keeper and changes the cap until its socket has no room: what is changed behind that is owed. */
static void keeper_fill(const char *id, pid_t keeper)
{
	struct desk_change change = { .has_cap = true, .cap = { 0, 60 } };

	ASSERT_OK(kill(keeper, SIGSTOP));
	for (unsigned int i = 0; i < 600; i++) {
		change.cap.money_cents = 100000 + i % 2;
		ASSERT_OK(hall_change(hand.hall, id, &change, &hand.desk, &hand.fault));
	}
}

TEST("a cap that is lowered while the keeper has no room reaches it once it has", .seconds = 60)
{
	struct desk_change lower = { .has_cap = true, .cap = { 0, 60 } };
	struct desk wanted = hand_wanted();
	struct desk_request request, row;
	char id[REEVE_SESSION_ID_SIZE];
	const struct desk *desk;
	pid_t keeper;

	hand_open();
	wanted.rates.cpu_second_ucents = 100 * REEVE_UCENTS_PER_CENT;
	wanted.cap.money_cents = 100000;
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "echo up >up; while :; do :; done", false, &request));
	HAND_WAIT(hand_work(id, "up")[0]);
	hand_turn(50);
	keeper = hall_session_find(hand.hall, id)->run->keeper;
	keeper_fill(id, keeper);
	ASSERT_OK(hall_meter(hand.hall, id, &desk));
	lower.cap.money_cents = desk->spend.money_ucents / REEVE_UCENTS_PER_CENT + 50;
	ASSERT_OK(hall_change(hand.hall, id, &lower, &hand.desk, &hand.fault));
	ASSERT_OK(kill(keeper, SIGCONT));
	row = hand_over(&request);
	EXPECT_EQ(row.outcome, RUN_CAPPED);
	EXPECT_LT(row.money_ucents, (lower.cap.money_cents + 20) * REEVE_UCENTS_PER_CENT);
}

TEST("a pause that the keeper has no room for stops the wall clock once it has", .seconds = 60)
{
	struct desk wanted = hand_wanted();
	struct desk_request request;
	char id[REEVE_SESSION_ID_SIZE];
	pid_t keeper;

	hand_open();
	wanted.cap.money_cents = 100000;
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "echo up >up; while :; do sleep 0.02; done", false, &request));
	HAND_WAIT(hand_work(id, "up")[0]);
	hand_turn(50);
	keeper = hall_session_find(hand.hall, id)->run->keeper;
	keeper_fill(id, keeper);
	ASSERT_OK(hand_event(id, DESK_EVENT_PAUSE));
	ASSERT_OK(kill(keeper, SIGCONT));
	HAND_WAIT(hand_row(&request).state == DESK_REQUEST_FROZEN);
}

TEST("a keeper that hears nothing keeps nobody from a wipe", .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	struct desk_request request;
	char id[REEVE_SESSION_ID_SIZE];

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "echo up >up; while :; do sleep 0.02; done", false, &request));
	HAND_WAIT(hand_work(id, "up")[0]);
	hand_turn(50);
	ASSERT_OK(kill(hall_session_find(hand.hall, id)->run->keeper, SIGSTOP));
	ASSERT_OK(hand_event(id, DESK_EVENT_PAUSE));
	ASSERT_OK(hand_event(id, DESK_EVENT_WIPE));
	HAND_WAIT(hand.done);
	EXPECT_EQ(hand.done_fault.code, FAULT_NONE);
	EXPECT_EQ(hand_desk(id)->state, DESK_WIPED);
	EXPECT_EQ(hand_row(&request).outcome, RUN_WIPED);
}

TEST("after a boot a session is paused, what ran is interrupted, and the account goes on",
     .seconds = 60)
{
	const struct desk wanted = hand_wanted();
	struct desk_request done, request, waiting, row;
	char id[REEVE_SESSION_ID_SIZE];
	struct desk_spend before;
	const struct desk *desk;
	pid_t keeper;

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	done = hand_run(id, "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done");
	ASSERT_OK(hand_submit(id, "echo up >up; while :; do sleep 0.02; done", false, &request));
	ASSERT_OK(hand_submit(id, "exit 2", false, &waiting));
	HAND_WAIT(hand_work(id, "up")[0]);
	hand_turn(50);
	ASSERT_OK(hall_meter(hand.hall, id, &desk));
	before = desk->spend;
	keeper = hall_session_find(hand.hall, id)->run->keeper;
	ASSERT_OK(kill(keeper, SIGKILL));
	hall_close(&hand.hall);
	hand.boot_id = "another";
	hand_open();
	EXPECT_EQ(hand_desk(id)->state, DESK_PAUSED);
	row = hand_row(&request);
	EXPECT_EQ(row.state, DESK_REQUEST_FINISHED);
	EXPECT_EQ(row.outcome, RUN_INTERRUPTED);
	EXPECT_EQ(hand_row(&waiting).state, DESK_REQUEST_QUEUED);
	EXPECT_GE(hand_desk(id)->spend.cpu_ns, done.cpu_ns);
	EXPECT_EQ(hand_desk(id)->spend.steps, before.steps);
	EXPECT_EQ(hand_cpu_stat(id), 0);
	before = hand_desk(id)->spend;
	hall_close(&hand.hall);
	hand_open();
	EXPECT_EQ(hand_desk(id)->spend.cpu_ns, before.cpu_ns);
	EXPECT_EQ(hand_desk(id)->state, DESK_PAUSED);
	ASSERT_OK(hand_event(id, DESK_EVENT_RESUME));
	EXPECT_EQ(hand_over(&waiting).exit_code, 2);
	EXPECT_EQ((hand_desk(id)->spend.cpu_ns - before.cpu_ns) / 1000, hand_cpu_stat(id) / 1000);
	EXPECT_EQ(hand_work(id, "up")[0], 'u');
}

TEST("a pause holds also while the keeper hears nothing, and is what it finds when it does",
     .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	struct desk_request request;
	char id[REEVE_SESSION_ID_SIZE], before[64], procs[4096];
	pid_t keeper;

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(
		id, "i=0; while ! [ -e go ]; do i=$((i+1)); echo $i >n.new; mv n.new n; done",
		false, &request));
	HAND_WAIT(hand_work(id, "n")[0]);
	hand_turn(50);
	keeper = hall_session_find(hand.hall, id)->run->keeper;
	ASSERT_OK(kill(keeper, SIGSTOP));
	ASSERT_OK(hand_event(id, DESK_EVENT_PAUSE));
	snprintf(procs, sizeof(procs), "%s", hand_procs(&request));
	usleep(50000);
	snprintf(before, sizeof(before), "%s", hand_work(id, "n"));
	hand_turn(2500);
	EXPECT_STREQ(hand_work(id, "n"), before);
	ASSERT_OK(kill(keeper, SIGCONT));
	HAND_WAIT(hand_row(&request).state == DESK_REQUEST_FROZEN);
	EXPECT_STREQ(hand_work(id, "n"), before);
	ASSERT_OK(hand_event(id, DESK_EVENT_RESUME));
	HAND_WAIT(strcmp(hand_work(id, "n"), before) != 0);
	EXPECT_EQ(strncmp(hand_procs(&request), procs, strcspn(procs, "\n") + 1), 0);
	hand_touch(id, "go");
	EXPECT_EQ(hand_over(&request).outcome, RUN_EXITED);
}

TEST("what a keeper does not hear is done to it: a request is cancelled all the same", .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	struct desk_request request, next, row;
	char id[REEVE_SESSION_ID_SIZE];

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "echo up >up; while :; do sleep 0.02; done", false, &request));
	ASSERT_OK(hand_submit(id, "exit 4", false, &next));
	HAND_WAIT(hand_work(id, "up")[0]);
	hand_turn(50);
	ASSERT_OK(kill(hall_session_find(hand.hall, id)->run->keeper, SIGSTOP));
	ASSERT_OK(hall_cancel(hand.hall, request.id, &row, &hand.fault));
	EXPECT_EQ(hand_over(&request).outcome, RUN_CANCELLED);
	EXPECT_EQ(hand_over(&next).exit_code, 4);
	EXPECT_EQ(hand_desk(id)->spend.cpu_ns / 1000, hand_cpu_stat(id) / 1000);
}
