// SPDX-License-Identifier: GPL-2.0-only
/* Sessions with a way out: the device and its filter come with each request and go with it. */
#include "../hall_end.h"
#include "../hall_look.h"
#include "playnet.h"

TEARDOWN
{
	hand_remove();
	net_down();
}

TEST("sessions with a network run at once, each with its own, and leave none behind", .seconds = 60)
{
	static const char look[] = "cat /proc/net/fib_trie >net; echo up >up; "
				   "while ! [ -e go ]; do sleep 0.02; done";
	struct desk wanted = hand_wanted();
	struct desk_request a, b;
	char one[REEVE_SESSION_ID_SIZE], two[REEVE_SESSION_ID_SIZE];

	net_up();
	hand_open();
	wanted.egress = SPEC_EGRESS_PUBLIC;
	hand_create(&wanted, one);
	wanted.egress = SPEC_EGRESS_PACKAGE_MANAGERS;
	hand_create(&wanted, two);
	ASSERT_OK(hand_event(one, DESK_EVENT_GO));
	ASSERT_OK(hand_event(two, DESK_EVENT_GO));
	ASSERT_OK(hand_submit(one, look, false, &a));
	ASSERT_OK(hand_submit(two, look, false, &b));
	HAND_WAIT(hand_work(one, "up")[0] && hand_work(two, "up")[0]);
	EXPECT_EQ(sh("test $(ip -o link | grep -c ' rv') = 2"), 0);
	EXPECT_NE(sh("cmp -s %s/sessions/%s/?ork/net %s/sessions/%s/?ork/net", hand.state, one,
		     hand.state, two),
		  0);
	hall_close(&hand.hall);
	hand_open();
	hand_touch(one, "go");
	EXPECT_EQ(hand_over(&a).outcome, RUN_EXITED);
	EXPECT_EQ(sh("test $(ip -o link | grep -c ' rv') = 1"), 0);
	ASSERT_OK(hand_event(two, DESK_EVENT_WIPE));
	HAND_WAIT(hand.done);
	EXPECT_EQ(hand.done_fault.code, FAULT_NONE);
	EXPECT_EQ(hand_row(&b).outcome, RUN_WIPED);
	EXPECT_EQ(sh("! ip -o link | grep ' rv'"), 0);
	ASSERT_OK(hand_event(two, DESK_EVENT_GO));
	EXPECT_EQ(hand_run(two, "exit 5").exit_code, 5);
}
