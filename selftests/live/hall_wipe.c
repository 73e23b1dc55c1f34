// SPDX-License-Identifier: GPL-2.0-only
/* Wipes and ends that are proved, that cannot be, and that a hall's death comes in between of. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>

#include "../../user/engine/workspace.h"
#include "../hall_end.h"
#include "../hall_look.h"

TEARDOWN
{
	hand_remove();
}

static char id[REEVE_SESSION_ID_SIZE];

static int sh(const char *fmt, ...)
{
	char command[2000];
	va_list args;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	return system(command);
}

static void begin(void)
{
	const struct desk wanted = hand_wanted();

	hand_open();
	hand_create(&wanted, id);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
}

TEST("a wipe ends what runs, and what waits is run behind the next go", .seconds = 40)
{
	struct desk_request request, waiting;
	struct desk_spend before;

	begin();
	ASSERT_OK(hand_submit(id, "echo up >up; setsid sleep 1000 & while :; do sleep 0.02; done",
			      false, &request));
	ASSERT_OK(hand_submit(id, "ls -A >seen; exit 5", false, &waiting));
	HAND_WAIT(hand_work(id, "up")[0]);
	ASSERT_OK(hand_event(id, DESK_EVENT_WIPE));
	EXPECT_FALSE(hand_desk(id)->armed);
	HAND_WAIT(hand.done);
	EXPECT_EQ(hand.done_fault.code, FAULT_NONE);
	EXPECT_EQ(hand_row(&request).outcome, RUN_WIPED);
	EXPECT_EQ(hand_row(&waiting).state, DESK_REQUEST_QUEUED);
	EXPECT_EQ(hand_desk(id)->state, DESK_WIPED);
	EXPECT_EQ(hand_desk(id)->armed_at_ms, 0);
	before = hand_desk(id)->spend;
	EXPECT_GT(before.cpu_ns, 0);
	ASSERT_OK(hand_event(id, DESK_EVENT_GO));
	EXPECT_EQ(hand_over(&waiting).exit_code, 5);
	EXPECT_STREQ(hand_work(id, "seen"), "seen\n");
	EXPECT_GT(hand_desk(id)->spend.cpu_ns, before.cpu_ns);
}

TEST("what cannot be removed fails the wipe by its name, nothing runs, and a later wipe succeeds",
     .seconds = 40)
{
	struct desk_request request;
	char path[1000];

	begin();
	ASSERT_EQ(hand_run(id, "mkdir kept; echo x >kept/stuck").outcome, RUN_EXITED);
	snprintf(path, sizeof(path), "%s/sessions/%s", hand.state, id);
	/* set from outside, where the wiper has no say: a directory that is not on the state's own file system */
	ASSERT_OK(sh("mount --bind %s/work %s/work && mount -o remount,bind,ro %s/work && "
		     "mount --bind %s %s && mount -o remount,bind,ro %s",
		     path, path, path, path, path, path));
	ASSERT_OK(hand_event(id, DESK_EVENT_WIPE));
	HAND_WAIT(hand.done);
	EXPECT_EQ(hand.done_fault.code, FAULT_WIPE);
	printf("%s: %s\n", hand.done_fault.field, hand.done_fault.reason);
	EXPECT_HAS(hand.done_fault.field, id);
	EXPECT_EQ(hand_desk(id)->state, DESK_PAUSED);
	EXPECT_EQ(hand.notes[DESK_NOTE_WIPE_FAILED], 1);
	EXPECT_EQ(hand_event(id, DESK_EVENT_GO), FAULT_E_SET);
	EXPECT_EQ(hand.fault.code, FAULT_PAUSED);
	ASSERT_OK(hand_submit(id, "true", false, &request));
	hand_turn(100);
	EXPECT_EQ(hand_row(&request).state, DESK_REQUEST_QUEUED);
	ASSERT_OK(sh("umount -l %s", path));
	ASSERT_OK(sh("umount -l %s/work", path));
	ASSERT_OK(hand_event(id, DESK_EVENT_WIPE));
	HAND_WAIT(hand.done);
	EXPECT_EQ(hand.done_fault.code, FAULT_NONE);
	EXPECT_EQ(hand_desk(id)->state, DESK_WIPED);
}

TEST("a hall that is gone before the proof is followed by one that wipes and ends", .seconds = 60)
{
	struct desk_request request;
	char other[REEVE_SESSION_ID_SIZE];
	const struct desk wanted = hand_wanted();

	begin();
	hand_create(&wanted, other);
	ASSERT_OK(hand_event(other, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(id, "echo up >up; while :; do sleep 0.02; done", false, &request));
	HAND_WAIT(hand_work(id, "up")[0]);
	ASSERT_EQ(hand_run(other, "mkdir -p a/b/c; touch a/b/c/d").outcome, RUN_EXITED);
	ASSERT_OK(hand_event(id, DESK_EVENT_WIPE));
	ASSERT_OK(hand_event(other, DESK_EVENT_END));
	hall_close(&hand.hall);
	hand_open();
	HAND_WAIT(hand_desk(id)->state == DESK_WIPED && hand_desk(other)->state == DESK_ENDED);
	EXPECT_EQ(hand_row(&request).outcome, RUN_WIPED);
	EXPECT_STREQ(hand_work(id, "up"), "");
	EXPECT_NE(sh("test -e %s/sessions/%s", hand.state, other), 0);
}

TEST("an end while a wipe is on its way ends the session, and all who wait are told", .seconds = 40)
{
	begin();
	ASSERT_EQ(hand_run(id, "touch x").outcome, RUN_EXITED);
	ASSERT_OK(hand_event(id, DESK_EVENT_WIPE));
	ASSERT_OK(hand_event(id, DESK_EVENT_END));
	EXPECT_EQ(hand_desk(id)->queue, DESK_QUEUE_ENDED);
	HAND_WAIT(hand_desk(id)->state == DESK_ENDED);
	EXPECT_TRUE(hand.done);
	EXPECT_NULL(hall_session_find(hand.hall, id)->waiters);
	EXPECT_NE(hand_desk(id)->wiped_at_ms, 0);
}

TEST("what a hall was making when it died is removed by the next one", .seconds = 40)
{
	struct session session = SESSION_INIT;
	struct policy policy = { .deadline_ns = POLICY_UNLIMITED };
	const char *stray = "sbs_01KBDRJ0G0A1B2C3D4E5F6G7H8";
	struct fault fault = {};
	uint64_t found = 0;

	begin();
	snprintf(policy.session, sizeof(policy.session), "%s", stray);
	ASSERT_OK(session_open(&hand.hall->engine, stray, SLOT_ANY, &policy, &session, &fault));
	ASSERT_OK(workspace_make(hand.state, stray, session.slot.number, &fault));
	ASSERT_OK(sh("mkdir -p %s/site/.new-req_01KBDRJ0G0A1B2C3D4E5F6G7H8/x %s/site/stranger",
		     hand.state, hand.state));
	hall_close(&hand.hall);
	hand_open();
	EXPECT_NE(sh("test -e %s/sessions/%s", hand.state, stray), 0);
	EXPECT_NE(sh("test -n \"$(ls -A %s/site)\"", hand.state), 0);
	EXPECT_EQ(guard_session_policy(&hand.hall->engine.guard, session.cgroup_id, &policy),
		  -ENOENT);
	EXPECT_OK(guard_session_next(&hand.hall->engine.guard, 0, &found));
	EXPECT_EQ(hand_desk(id)->state, DESK_ARMED);
}

/* The site ------------------------------------------------------------------------------------------ */

static const char *site(const char *name)
{
	char slug[DESK_SLUG_SIZE];

	hall_site_slug(id, slug);
	return hand_read("%s/site/%s/%s", hand.state, slug, name);
}

TEST("what a request leaves in /site is published for a day, replaced as a whole, and outlives a wipe",
     .seconds = 60)
{
	uint64_t expires_ms;

	begin();
	ASSERT_EQ(hand_run(id, "true").outcome, RUN_EXITED);
	EXPECT_STREQ(hand_desk(id)->site.slug, "");
	ASSERT_EQ(hand_run(id,
			   "cd /site; echo 1 >index.html; mkdir d; echo 2 >d/x; ln -s /etc/passwd l; "
			   "ln -s / d/root; mkfifo p; echo 3 >\"$(printf 'a\\377')\"; chmod 000 d/x")
			  .outcome,
		  RUN_EXITED);
	EXPECT_STRNE(hand_desk(id)->site.slug, "");
	EXPECT_EQ(hand.notes[DESK_NOTE_SITE_PUBLISHED], 1);
	expires_ms = hand_desk(id)->site.expires_at_ms;
	EXPECT_GT(expires_ms, hand_now_ms(NULL) + 23 * 3600 * 1000);
	EXPECT_STREQ(site("index.html"), "1\n");
	EXPECT_STREQ(site("d/x"), "2\n");
	EXPECT_STREQ(site("l"), "");
	EXPECT_STREQ(site("d/root/etc/hostname"), "");
	EXPECT_STREQ(site("a\377"), "3\n");
	ASSERT_EQ(hand_run(id, "rm -rf /site/*; echo 4 >/site/new").outcome, RUN_EXITED);
	EXPECT_STREQ(site("index.html"), "");
	EXPECT_STREQ(site("new"), "4\n");
	EXPECT_EQ(hand_desk(id)->site.expires_at_ms, expires_ms);
	EXPECT_EQ(hand.notes[DESK_NOTE_SITE_PUBLISHED], 2);
	ASSERT_EQ(hand_run(id, "truncate -s 1T /site/huge || exit 0").outcome, RUN_EXITED);
	EXPECT_STREQ(site("new"), "4\n");
	ASSERT_OK(hand_event(id, DESK_EVENT_END));
	HAND_WAIT(hand.done);
	EXPECT_STREQ(site("new"), "4\n");
	hall_close(&hand.hall);
	hand_open();
	EXPECT_STREQ(site("new"), "4\n");
	hand.later_ms = 25ull * 3600 * 1000;
	chores_expire(hand.hall);
	EXPECT_STREQ(site("new"), "");
	EXPECT_STREQ(hand_desk(id)->site.slug, "");
	EXPECT_EQ(hand.notes[DESK_NOTE_SITE_EXPIRED], 1);
}

TEST("a kept site does not expire, and there is none to keep before the first publish", .seconds = 40)
{
	begin();
	EXPECT_EQ(hall_keep_site(hand.hall, id, &hand.desk, &hand.fault), FAULT_E_SET);
	ASSERT_EQ(hand_run(id, "echo 1 >/site/index.html").outcome, RUN_EXITED);
	hand.fault = (struct fault){};
	ASSERT_OK(hand_told(hall_keep_site(hand.hall, id, &hand.desk, &hand.fault)));
	EXPECT_TRUE(hand_desk(id)->site.kept);
	hand.later_ms = 25ull * 3600 * 1000;
	chores_expire(hand.hall);
	EXPECT_STREQ(site("index.html"), "1\n");
	ASSERT_OK(hand_told(hall_keep_site(hand.hall, id, &hand.desk, &hand.fault)));
}
