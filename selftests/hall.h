/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hands that open and hold a hall, in place of a daemon, at a place of the test's own. An order is a script for
 * the shell, a note is its type and the session's state. hall_open.h, hall_ask.h, hall_look.h and hall_end.h have the rest.
 */
#ifndef REEVE_SELFTESTS_HALL_H
#define REEVE_SELFTESTS_HALL_H

#include <errno.h>
#include <event2/event.h>
#include <string.h>

#include "../user/base/clock.h"
#include "../user/engine/hall_parts.h"
#include "test.h"

#define HAND_PINS "/sys/fs/bpf/hall"
#define HAND_WAIT_MS 15000
#define HAND_STATIC __attribute__((unused)) static

static struct hand {
	char parent[64], run_dir[300], out[300], state[300];
	struct engine_config config;
	struct config rules;
	struct hall_args args;
	struct event_base *base;
	struct hall *hall;
	const char *boot_id;
	uint64_t later_ms; /* the hall's clock is ahead of the host's by that */
	unsigned int notes[DESK_NOTE_COUNT];
	bool done;
	struct fault done_fault;
	struct fault fault;
	const struct desk *desk; /* of the last call */
} hand;

HAND_STATIC void hand_place(void)
{
	const char *tmp = getenv("TMPDIR");

	/* a child of a test has its test's place */
	if (hand.parent[0])
		return;
	tmp = tmp ? tmp : "/tmp";
	snprintf(hand.parent, sizeof(hand.parent), "reeve-hall-%d", getppid());
	snprintf(hand.run_dir, sizeof(hand.run_dir), "%s/hall-run", tmp);
	snprintf(hand.out, sizeof(hand.out), "%s/hall-out", tmp);
	snprintf(hand.state, sizeof(hand.state), "%s/hall-state", tmp);
	hand.config = (struct engine_config){ hand.parent, HAND_PINS, hand.run_dir, hand.out, NULL };
}

static int hand_describe(const struct hall_note *note, char **ret, size_t *ret_n, void *arg)
{
	int n = asprintf(ret, "{\"type\":\"%s\",\"state\":\"%s\"}", note->type,
			 desk_state_name(note->desk->state));

	(void)arg;
	*ret_n = n > 0 ? (size_t)n : 0;
	return n < 0 ? -ENOMEM : 0;
}

static void hand_notify(const struct hall_note *note, uint64_t seq, const char *body, size_t n_body,
			void *arg)
{
	(void)seq;
	(void)body;
	(void)n_body;
	(void)arg;
	for (unsigned int i = 0; i < DESK_NOTE_COUNT; i++)
		hand.notes[i] += strcmp(desk_note_type((enum desk_note)i), note->type) == 0;
}

static int hand_spec(const char *text, size_t n, struct spec *ret, struct fault *ret_fault)
{
	char script[8192];
	const char *const argv[] = { "/bin/sh", "-c", script };

	snprintf(script, sizeof(script), "%.*s", (int)n, text);
	spec_init(ret);
	return n ? spec_set_argv(ret, argv, ARRAY_SIZE(argv), ret_fault) : 0;
}

static int hand_read_spec(const struct desk *desk, const char *text, size_t n, struct spec *ret,
			  struct fault *ret_fault, void *arg)
{
	(void)desk;
	(void)arg;
	return hand_spec(text, n, ret, ret_fault);
}

static uint64_t hand_now_ms(void *arg)
{
	(void)arg;
	return clock_realtime_ms() + hand.later_ms;
}

#endif
