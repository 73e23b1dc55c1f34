/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's documents as lines for people, on stdout. */
#ifndef REEVE_RENDER_DESK_H
#define REEVE_RENDER_DESK_H

#include "../wire/document.h"

#define RENDER_SESSION_HEAD                                                                        \
	"SESSION                         STATE            CENTS        MINUTES  STEPS  TASK"
#define RENDER_REQUEST_HEAD "REQUEST                         STATE      CPU s      STEPS  END"

void render_session_id(const struct document *session);
void render_session_line(const struct document *session);
void render_session_state(const struct document *session);
void render_session(const struct document *session);
void render_desk(const struct document *desk);

void render_request_id(const struct document *request);
void render_request_line(const struct document *request);
void render_request_state(const struct document *request);
void render_request(const struct document *request);

/* @number is that of the event. */
void render_event_line(uint64_t number, const struct document *event);

#endif
