/* SPDX-License-Identifier: GPL-2.0-only */
/* The hall from within: what its files give each other. */
#ifndef REEVE_HALL_PARTS_H
#define REEVE_HALL_PARTS_H

#include "facts.h"
#include "hall_session.h"
#include "hall_site.h"
#include "hall_step.h"

/* hall.c */
struct hall_session *hall_session_find(struct hall *hall, const char *id);
int hall_session_new(struct hall *hall, const struct desk *desk, struct hall_session **ret);
void hall_session_free(struct hall_session *s);
int hall_insert(struct hall *hall, struct hall_session *s);
void hall_remove(struct hall *hall, const struct hall_session *s);
uint64_t hall_now_ms(const struct hall *hall);
bool hall_is_over(const struct hall_session *s);
int hall_unknown(struct fault *ret_fault, const char *id);

/* hall_effects.c */
void effects_perform(struct hall_session *s, unsigned int effects, enum run_outcome outcome);
void effects_dispatch(struct hall_session *s);
/* One event by itself: begun, committed, performed. */
int effects_give(struct hall_session *s, enum desk_event event, struct fault *ret_fault);
enum run_outcome effects_outcome(enum desk_event event);

/* hall_account.c */
int account_meter(struct hall_session *s);
void account_take_row(struct desk_pieces *pieces, const struct desk_request *row);
void account_take_run(struct desk_pieces *pieces, const struct hall_run *run);
/* Writes caps, state and what is settled to where they count. */
void account_write(struct hall_session *s);
struct session_budget account_budget(const struct hall_session *s);
struct policy account_policy(const struct hall_session *s);
/* A cap that is reached is acted upon. */
int account_trip(struct hall_session *s);

/* hall_run.c: the active request, from its row to the word of its keeper. */
struct hall_run *run_new(struct hall_session *s, const struct desk_request *row);
void run_free(struct hall_run *run, struct hall *hall);
void run_start(struct hall_session *s);
void run_attach(struct hall_session *s);
/* The keeper is gone, or says that it goes. */
void run_over(struct hall_session *s, const struct keeper_end *end);
void run_later(struct hall_session *s, unsigned int ms);

/* hall_orders.c */
struct keeper_link_args run_link_args(struct hall_session *s);
int run_order(struct hall_session *s, enum keeper_order_kind kind);
/* The keeper had no room for an order: where the session stands then is told it as soon as it has. */
void run_owe(struct hall_session *s);
void run_give_owed(int fd, short what, void *arg);
void run_stop(struct hall_session *s, enum run_outcome outcome);
void run_force(struct hall_session *s);
void run_freeze(struct hall_session *s);
void run_thaw(struct hall_session *s);
/* The session's cgroup by itself: holds whatever a keeper does. */
int run_hold(struct hall_session *s, bool held);

/* hall_queue.c */
void hall_output_remove(const struct hall *hall, const char *name);

/* hall_keeper.c: what is done in the keeper. */
struct hall_job {
	struct hall *hall;
	struct desk_request row;
	struct ledger *ledger; /* the keeper's own */
};
void job_forked(void *arg);
void job_checkpoint(const struct request_spend *spend, void *arg);
void job_ended(const struct keeper_report *report, void *arg);
void job_result_take(const struct keeper_report *report, uint64_t now_ms, struct desk_request *row);

/* hall_wipe.c */
void wipe_go_on(struct hall_session *s);
int wipe_await(struct hall_session *s,
	       void (*done)(const struct desk *desk, const struct fault *fault, void *arg),
	       void *arg);

void wipe_forget(struct hall_session *s,
		 void (*done)(const struct desk *desk, const struct fault *fault, void *arg),
		 void *arg);
void wipe_tell(struct hall_session *s, const struct fault *fault);

/* hall_adopt.c */
int adopt_all(struct hall *hall, struct fault *ret_fault);

/* hall_strays.c */
void strays_workspaces(struct hall *hall);
void strays_sites(struct hall *hall);

/* hall_chores.c */
int chores_begin(struct hall *hall);
void chores_end(struct hall *hall);
void chores_expire(struct hall *hall);
/* Waits for the child without waiting. */
void chores_reap(struct hall *hall, pid_t pid);
/* A site that this request published becomes the session's. */
int chores_take_site(struct hall_step *step, uint64_t at_ms, bool *ret_new);

#endif
