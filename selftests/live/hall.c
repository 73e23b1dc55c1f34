// SPDX-License-Identifier: GPL-2.0-only
/* A hall with the real kernel: sessions from create to end, and what their owners may ask on the way. */
#include <signal.h>
#include <sys/stat.h>

#include "../hall_end.h"
#include "../hall_look.h"

TEARDOWN
{
	hand_remove();
}

static const char until_go[] =
	"echo begin; echo $$ >up; while ! [ -e go ]; do sleep 0.02; done; echo end; exit 3";

TEST("a session lives from create over go, requests and a wipe to its end, and nothing is left",
     .seconds = 60)
{
	const struct desk wanted = hand_wanted();
	struct desk_request first, second, row;
	struct engine *engine;
	char id[REEVE_SESSION_ID_SIZE];

	hand_open();
	engine = &hand.hall->engine;
	hand_create(&wanted, id);
	EXPECT_EQ(hand_desk(id)->state, DESK_IDLE);
	ASSERT_OK(hand_submit(id, "echo one >>log; cat log", false, &first));
	EXPECT_EQ(first.state, DESK_REQUEST_QUEUED);
	ASSERT_OK(hand_submit(id, "echo two >>log; cat log; exit 7", false, &second));
	hand_turn(200);
	EXPECT_EQ(hand_row(&first).state, DESK_REQUEST_QUEUED);
	EXPECT_EQ(hand_cpu_stat(id), 0);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	EXPECT_EQ(hand_desk(id)->state, DESK_RUNNING);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	row = hand_over(&first);
	EXPECT_EQ(row.outcome, RUN_EXITED);
	EXPECT_EQ(row.exit_code, 0);
	EXPECT_EQ(row.steps, 1);
	EXPECT_STREQ(hand_output(&first), "one\n");
	row = hand_over(&second);
	EXPECT_EQ(row.exit_code, 7);
	EXPECT_STREQ(hand_output(&second), "one\ntwo\n");
	EXPECT_EQ(hand_desk(id)->state, DESK_ARMED);
	EXPECT_EQ(hand_desk(id)->spend.steps, 2);
	EXPECT_EQ(hand_desk(id)->spend.cpu_ns / 1000, hand_cpu_stat(id) / 1000);
	ASSERT_OK(hand_event(id, DESK_EVENT_WIPE));
	HAND_WAIT(hand.done);
	EXPECT_EQ(hand.done_fault.code, FAULT_NONE);
	EXPECT_EQ(hand_desk(id)->state, DESK_WIPED);
	EXPECT_NE(hand_desk(id)->wiped_at_ms, 0);
	EXPECT_STREQ(hand_work(id, "log"), "");
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	row = hand_run(id, "ls -A; echo three >>log; cat log");
	EXPECT_EQ(row.outcome, RUN_EXITED);
	EXPECT_STREQ(hand_output(&row), "three\n");
	ASSERT_OK(hand_event(id, DESK_EVENT_END));
	HAND_WAIT(hand.done);
	EXPECT_EQ(hand.done_fault.code, FAULT_NONE);
	EXPECT_EQ(hand_desk(id)->state, DESK_ENDED);
	EXPECT_EQ(hand_desk(id)->spend.steps, 3);
	ASSERT_OK(hand_event(id, DESK_EVENT_END));
	EXPECT_TRUE(hand.done);
	EXPECT_EQ(hand_submit(id, "true", false, &row), FAULT_E_SET);
	EXPECT_EQ(hand.fault.code, FAULT_ENDED);
	EXPECT_EQ(session_each_kept(engine,
				    (int (*)(const struct slot_record *, unsigned int, void *))abort,
				    NULL),
		  0);
	hall_close(&hand.hall);
	hand_open();
	EXPECT_EQ(hand_desk(id)->state, DESK_ENDED);
	EXPECT_EQ(hand_desk(id)->spend.steps, 3);
	hall_close(&hand.hall);
}

TEST("a paused request stands still and goes on with the same processes", .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	struct desk_request request;
	char id[REEVE_SESSION_ID_SIZE], before[64], procs[4096];

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(
		id, "i=0; while ! [ -e go ]; do i=$((i+1)); echo $i >n.new; mv n.new n; done",
		false, &request));
	HAND_WAIT(hand_work(id, "n")[0]);
	ASSERT_OK(hand_event(id, DESK_EVENT_PAUSE));
	EXPECT_EQ(hand_desk(id)->state, DESK_PAUSED);
	snprintf(before, sizeof(before), "%s", hand_work(id, "n"));
	snprintf(procs, sizeof(procs), "%s", hand_procs(&request));
	HAND_WAIT(hand_row(&request).state == DESK_REQUEST_FROZEN);
	hand_turn(300);
	EXPECT_STREQ(hand_work(id, "n"), before);
	ASSERT_OK(hand_event(id, DESK_EVENT_PAUSE));
	ASSERT_OK(hand_event(id, DESK_EVENT_RESUME));
	EXPECT_EQ(hand_desk(id)->state, DESK_RUNNING);
	HAND_WAIT(strcmp(hand_work(id, "n"), before) != 0);
	EXPECT_EQ(strncmp(hand_procs(&request), procs, strcspn(procs, "\n") + 1), 0);
	HAND_WAIT(hand_row(&request).state == DESK_REQUEST_RUNNING);
	hand_touch(id, "go");
	EXPECT_EQ(hand_over(&request).outcome, RUN_EXITED);
	EXPECT_EQ(hand.notes[DESK_NOTE_REQUEST_FROZEN], 1);
	EXPECT_EQ(hand.notes[DESK_NOTE_REQUEST_THAWED], 1);
}

TEST("a request that is paused before its command runs puts out nothing until it is resumed",
     .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	struct desk_request request;
	char id[REEVE_SESSION_ID_SIZE];

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "echo ran >up", false, &request));
	ASSERT_OK(hand_event(id, DESK_EVENT_PAUSE));
	hand_turn(500);
	EXPECT_STREQ(hand_work(id, "up"), "");
	ASSERT_OK(hand_event(id, DESK_EVENT_RESUME));
	EXPECT_EQ(hand_over(&request).outcome, RUN_EXITED);
	EXPECT_STREQ(hand_work(id, "up"), "ran\n");
}

TEST("what waits is cancelled at once, what runs is asked first", .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	struct desk_request running, waiting, last, row;
	char id[REEVE_SESSION_ID_SIZE];

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(
		id, "trap 'echo term; exit 5' TERM; echo up >up; while :; do sleep 0.02; done",
		false, &running));
	ASSERT_OK(hand_submit(id, "true", false, &waiting));
	ASSERT_OK(hand_submit(id, "exit 9", false, &last));
	HAND_WAIT(hand_work(id, "up")[0]);
	ASSERT_OK(hall_cancel(hand.hall, waiting.id, &row, &hand.fault));
	EXPECT_EQ(row.state, DESK_REQUEST_FINISHED);
	EXPECT_EQ(row.outcome, RUN_CANCELLED);
	EXPECT_EQ(hall_cancel(hand.hall, waiting.id, &row, &hand.fault), FAULT_E_SET);
	EXPECT_EQ(hand.fault.code, FAULT_REQUEST_FINISHED);
	ASSERT_OK(hall_cancel(hand.hall, running.id, &row, &hand.fault));
	row = hand_over(&running);
	EXPECT_EQ(row.outcome, RUN_CANCELLED);
	EXPECT_EQ(row.exit_code, 5);
	EXPECT_EQ(hand_over(&last).exit_code, 9);
}

TEST("the queue is bounded, and its order is that of submission", .seconds = 60)
{
	const struct desk wanted = hand_wanted();
	struct desk_request requests[REEVE_QUEUE_MAX + 1], row;
	char id[REEVE_SESSION_ID_SIZE], script[64], all[1024] = "";

	hand_open();
	hand_create(&wanted, id);
	for (int i = 0; i < REEVE_QUEUE_MAX; i++) {
		snprintf(script, sizeof(script), "echo %d >>log", i);
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%d\n", i);
		ASSERT_OK(hand_submit(id, script, false, &requests[i]));
	}
	EXPECT_EQ(hand_submit(id, "true", false, &row), FAULT_E_SET);
	EXPECT_EQ(hand.fault.code, FAULT_QUEUE_FULL);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	HAND_WAIT(hand_row(&requests[REEVE_QUEUE_MAX - 1]).state == DESK_REQUEST_FINISHED);
	EXPECT_STREQ(hand_work(id, "log"), all);
	EXPECT_EQ(hand_desk(id)->spend.steps, REEVE_QUEUE_MAX);
}

TEST("two sessions run at once and share nothing", .seconds = 60)
{
	static const char look[] =
		"echo $$ >up; id -u >me; hostname; ls /workspace; cat /proc/self/cgroup; "
		"ls /proc | grep -c '^[0-9]'; while ! [ -e go ]; do sleep 0.02; done";
	const struct desk wanted = hand_wanted();
	struct desk_request a, b;
	char one[REEVE_SESSION_ID_SIZE], two[REEVE_SESSION_ID_SIZE];
	struct stat st[2];
	char path[2][1024];
	uint64_t cpu;

	hand_open();
	hand_create(&wanted, one);
	hand_create(&wanted, two);
	ASSERT_OK(hand_event(one, DESK_EVENT_GO));
	ASSERT_OK(hand_event(two, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(one, look, false, &a));
	ASSERT_OK(hand_submit(two, look, false, &b));
	HAND_WAIT(hand_work(one, "up")[0] && hand_work(two, "up")[0]);
	EXPECT_EQ(hand_desk(one)->state, DESK_RUNNING);
	EXPECT_EQ(hand_desk(two)->state, DESK_RUNNING);
	hand_touch(one, "go");
	EXPECT_EQ(hand_over(&a).outcome, RUN_EXITED);
	hand_turn(100);
	EXPECT_EQ(hand_row(&b).state, DESK_REQUEST_RUNNING);
	cpu = hand_desk(one)->spend.cpu_ns;
	hand_touch(two, "go");
	EXPECT_EQ(hand_over(&b).outcome, RUN_EXITED);
	EXPECT_EQ(hand_desk(one)->spend.cpu_ns, cpu);
	EXPECT_EQ(hand_desk(one)->spend.cpu_ns / 1000, hand_cpu_stat(one) / 1000);
	EXPECT_EQ(hand_desk(two)->spend.cpu_ns / 1000, hand_cpu_stat(two) / 1000);
	snprintf(path[0], sizeof(path[0]), "%s/sessions/%s/%s/me", hand.state, one, "work");
	snprintf(path[1], sizeof(path[1]), "%s/sessions/%s/%s/me", hand.state, two, "work");
	ASSERT_OK(stat(path[0], &st[0]));
	ASSERT_OK(stat(path[1], &st[1]));
	EXPECT_NE(st[0].st_uid, st[1].st_uid);
	EXPECT_HAS(hand_output(&a), "go\nme\nup\n" + 3);
}

TEST("an open request takes one command after the other until it is finished", .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	struct desk_request request, row;
	_cleanup_spec_ struct spec one = {}, two = {};
	char id[REEVE_SESSION_ID_SIZE];
	uint64_t step = 0;

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_submit(id, "", true, &request));
	ASSERT_OK(hand_spec("echo a >>log; sleep 1000 & echo $! >bg", 38, &one, &hand.fault));
	EXPECT_EQ(hall_add_step(hand.hall, request.id, &one, &step, &hand.fault), FAULT_E_SET);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	hand.fault = (struct fault){};
	ASSERT_OK(hand_told(hall_add_step(hand.hall, request.id, &one, &step, &hand.fault)));
	EXPECT_EQ(step, 1);
	HAND_WAIT(hand.notes[DESK_NOTE_REQUEST_STEP] == 1);
	ASSERT_OK(hand_spec("kill -0 $(cat bg) && echo b >>log", 33, &two, &hand.fault));
	ASSERT_OK(hand_told(hall_add_step(hand.hall, request.id, &two, &step, &hand.fault)));
	EXPECT_EQ(step, 2);
	HAND_WAIT(hand.notes[DESK_NOTE_REQUEST_STEP] == 2);
	ASSERT_OK(hand_told(hall_finish(hand.hall, request.id, &row, &hand.fault)));
	row = hand_over(&request);
	EXPECT_EQ(row.outcome, RUN_EXITED);
	EXPECT_EQ(row.steps, 2);
	EXPECT_STREQ(hand_work(id, "log"), "a\nb\n");
	EXPECT_EQ(hand_desk(id)->spend.steps, 2);
	EXPECT_EQ(hall_add_step(hand.hall, request.id, &two, &step, &hand.fault), FAULT_E_SET);
}

TEST("a hall that is closed and opened again finds what runs, and its clocks go on", .seconds = 60)
{
	const struct desk wanted = hand_wanted();
	struct desk_request request, next, row;
	char id[REEVE_SESSION_ID_SIZE], pid[64];

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, until_go, false, &request));
	ASSERT_OK(hand_submit(id, "exit 4", false, &next));
	HAND_WAIT(hand_work(id, "up")[0]);
	snprintf(pid, sizeof(pid), "%s", hand_procs(&request));
	hall_close(&hand.hall);
	hand_open();
	EXPECT_EQ(hand_desk(id)->state, DESK_RUNNING);
	EXPECT_EQ(strncmp(hand_procs(&request), pid, strcspn(pid, "\n") + 1), 0);
	hand_turn(100);
	hall_close(&hand.hall);
	hand_touch(id, "go");
	usleep(300000);
	hand_open();
	row = hand_over(&request);
	EXPECT_EQ(row.outcome, RUN_EXITED);
	EXPECT_EQ(row.exit_code, 3);
	EXPECT_STREQ(hand_output(&request), "begin\nend\n");
	EXPECT_EQ(hand_over(&next).exit_code, 4);
	EXPECT_EQ(hand_desk(id)->spend.cpu_ns / 1000, hand_cpu_stat(id) / 1000);
	EXPECT_EQ(hand_desk(id)->spend.steps, 2);
}

TEST("the time box of a request ends it, and the session goes on", .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	struct desk_request request, row;
	char id[REEVE_SESSION_ID_SIZE];

	hand_open();
	hand_create(&wanted, id);
	/* no owner may ask for so little */
	hall_session_find(hand.hall, id)->desk.time_box_minutes = 0;
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "while :; do sleep 0.02; done", false, &request));
	row = hand_over(&request);
	EXPECT_EQ(row.outcome, RUN_TIMED_OUT);
	hall_session_find(hand.hall, id)->desk.time_box_minutes = 10;
	EXPECT_EQ(hand_desk(id)->state, DESK_ARMED);
	EXPECT_EQ(hand_run(id, "exit 3").exit_code, 3);
}

TEST("an order that cannot be run fails by its fault, and the next one runs", .seconds = 40)
{
	const struct desk wanted = hand_wanted();
	struct desk_request bad, next;
	char id[REEVE_SESSION_ID_SIZE], command[1000];

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_submit(id, "true", false, &bad));
	ASSERT_OK(hand_submit(id, "exit 4", false, &next));
	snprintf(command, sizeof(command), "mv %s/sessions/%s/site %s/aside", hand.state, id,
		 hand.state);
	ASSERT_OK(system(command));
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	bad = hand_over(&bad);
	EXPECT_EQ(bad.outcome, RUN_FAILED);
	EXPECT_EQ(bad.fault.code, FAULT_HOST);
	EXPECT_STREQ(bad.output_name, "");
	EXPECT_EQ(bad.steps, 0);
	HAND_WAIT(hand_row(&next).state == DESK_REQUEST_FINISHED);
	snprintf(command, sizeof(command), "mv %s/aside %s/sessions/%s/site", hand.state,
		 hand.state, id);
	ASSERT_OK(system(command));
	EXPECT_EQ(hand_desk(id)->spend.steps, 0);
	EXPECT_EQ(hand_run(id, "exit 5").exit_code, 5);
}

TEST("without its programs in the kernel nothing goes on, and nothing is begun", .seconds = 60)
{
	const struct desk wanted = hand_wanted();
	struct desk_request request, waiting;
	char id[REEVE_SESSION_ID_SIZE];

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "echo up >up; while :; do sleep 0.02; done", false, &request));
	ASSERT_OK(hand_submit(id, "true", false, &waiting));
	HAND_WAIT(hand_work(id, "up")[0]);
	ASSERT_OK(system("rm " HAND_PINS "/links/*connect4*"));
	HAND_WAIT(hand_desk(id)->state == DESK_PAUSED);
	EXPECT_EQ(hand_desk(id)->queue, DESK_QUEUE_ENFORCEMENT);
	EXPECT_EQ(hand_over(&request).outcome, RUN_INTERRUPTED);
	EXPECT_EQ(hand_row(&waiting).state, DESK_REQUEST_QUEUED);
	EXPECT_EQ(hand.notes[DESK_NOTE_ENFORCEMENT_LOST], 1);
	EXPECT_EQ(hand_event(id, DESK_EVENT_RESUME), FAULT_E_SET);
	EXPECT_EQ(hand.fault.code, FAULT_ENFORCEMENT);
	ASSERT_OK(hand_event(id, DESK_EVENT_END));
	HAND_WAIT(hand.done);
	EXPECT_EQ(hand_desk(id)->state, DESK_ENDED);
}
