/* SPDX-License-Identifier: GPL-2.0-only */
/* What followers of a session are told of: the types of events, stable like the codes of faults. */
#ifndef REEVE_DESK_NOTE_H
#define REEVE_DESK_NOTE_H

/* X(NAME, type) */
#define DESK_NOTES(X)                                                                              \
	X(SESSION_CREATED, "session.created")                                                      \
	X(SESSION_CHANGED, "session.changed")                                                      \
	X(SESSION_WIPED, "session.wiped")                                                          \
	X(SESSION_ENDED, "session.ended")                                                          \
	X(WIPE_FAILED, "wipe.failed")                                                              \
	X(REQUEST_QUEUED, "request.queued")                                                        \
	X(REQUEST_STARTED, "request.started")                                                      \
	X(REQUEST_FROZEN, "request.frozen")                                                        \
	X(REQUEST_THAWED, "request.thawed")                                                        \
	X(REQUEST_STEP, "request.step")                                                            \
	X(REQUEST_FINISHED, "request.finished")                                                    \
	X(DENIAL, "denial")                                                                        \
	X(CHARGE, "charge")                                                                        \
	X(ENFORCEMENT_LOST, "enforcement.lost")                                                    \
	X(SITE_PUBLISHED, "site.published")                                                        \
	X(SITE_EXPIRED, "site.expired")

enum desk_note {
#define X(NAME, type) DESK_NOTE_##NAME,
	DESK_NOTES(X)
#undef X
	DESK_NOTE_COUNT,
};

/* The type as followers see it. */
const char *desk_note_type(enum desk_note note);

#endif
