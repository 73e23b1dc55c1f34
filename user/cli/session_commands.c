// SPDX-License-Identifier: GPL-2.0-only
/*
 * "reeve session": a row for each command, with what it asks of the daemon. Options of create, change and charge are members
 * of what is sent, and are judged by its schema alone.
 */
#include <errno.h>
#include <string.h>

#include "call.h"
#include "render_desk.h"

#define SESSION "/v1/sessions/{session}"

/* "UNIT=N,...", as reeve run takes it. */
static int set_rates(void *to, const char *value, struct fault *ret_fault)
{
	struct call_options *options = to;
	_cleanup_free_ char *copy = strdup(value);
	char *rest = copy, *one;
	int r = copy ? 0 : -ENOMEM;

	while (!r && (one = strsep(&rest, ","))) {
		char *number = strchr(one, '='), member[96];

		if (!number || number == one || number - one > 32 || strchr(one, '/'))
			return fault_set(ret_fault, FAULT_USAGE, "--rate",
					 "give UNIT=N, of cpu_second, wall_minute, step, request "
					 "and egress_gib",
					 "\"%.64s\" is no rate", one);
		*number++ = 0;
		snprintf(member, sizeof(member), "/rates/%s_ucents", one);
		r = document_put(options->body, member, DOCUMENT_NUMBER, number);
	}
	return r;
}

/* A member of what is sent. */
#define PUT(option, what, text, where, as)                                                         \
	{                                                                                          \
		.name = option, .arg = what, .help = text, .member = where, .kind = as             \
	}

static const struct option_row bound_options[] = {
	PUT("money-cents", "N", "cap: what the whole session may cost", "/cap/money_cents",
	    DOCUMENT_NUMBER),
	PUT("minutes", "N", "cap: how long all its requests may work, by its clock", "/cap/minutes",
	    DOCUMENT_NUMBER),
	PUT("time-box", "MINUTES", "how long one request may run, from 5 to 30 (10)",
	    "/time_box_minutes", DOCUMENT_NUMBER),
	PUT("step-budget", "N", "how many commands one request may start", "/step_budget",
	    DOCUMENT_NUMBER),
	{},
};

static const struct option_row create_options[] = {
	PUT("owner", "USER", "who pays: usr_ and a ULID", "/owner", DOCUMENT_TEXT),
	PUT("task", "ID", "what it works on", "/task/id", DOCUMENT_TEXT),
	PUT("title", "TEXT", "the same for people", "/task/title", DOCUMENT_TEXT),
	PUT("clock", "CLOCK", "what counts as minutes: cpu (default) or wall", "/clock",
	    DOCUMENT_TEXT),
	PUT("egress", "MODE", "none, package-managers or public (default)", "/egress", DOCUMENT_TEXT),
	{ "rate", "UNIT=N,...",
	  "micro-cents for a cpu_second, wall_minute, step, request, egress_gib", set_rates },
	{},
};

static const struct option_row charge_options[] = {
	PUT("id", "ID", "the charge's own name: the same one again changes nothing", "/charge_id",
	    DOCUMENT_TEXT),
	PUT("money-ucents", "N", "micro-cents: millionths of a cent", "/money_ucents",
	    DOCUMENT_NUMBER),
	PUT("steps", "N", "steps taken outside (0)", "/steps", DOCUMENT_NUMBER),
	PUT("note", "TEXT", "what for, for people", "/note", DOCUMENT_TEXT),
	{},
};

static const struct option_row *const look_tables[] = { json_options, socket_options, ask_options,
							NULL };
static const struct option_row *const act_tables[] = { key_options, json_options, socket_options,
						       ask_options, NULL };
static const struct option_row *const create_tables[] = {
	create_options, bound_options, key_options, json_options, socket_options, ask_options, NULL
};
static const struct option_row *const change_tables[] = { bound_options, json_options,
							  socket_options, ask_options, NULL };
static const struct option_row *const charge_tables[] = { charge_options, key_options, json_options,
							  socket_options, ask_options, NULL };

static const struct call create = { "POST", "/v1/sessions", CALL_KEY | CALL_BODY, NULL,
				    render_session_id };
static const struct call list = { "GET", "/v1/sessions", CALL_LIST, RENDER_SESSION_HEAD,
				  render_session_line };
static const struct call show = { "GET", SESSION, 0, NULL, render_session };
static const struct call desk = { "GET", SESSION "/desk", 0, NULL, render_desk };
static const struct call change = { "PATCH", SESSION, CALL_BODY, NULL, render_session };
static const struct call go = { "POST", SESSION "/go", CALL_KEY, NULL, render_session_state };
static const struct call pause_ = { "POST", SESSION "/pause", CALL_KEY, NULL, render_session_state };
static const struct call resume = { "POST", SESSION "/resume", CALL_KEY, NULL, render_session_state };
static const struct call wipe = { "POST", SESSION "/wipe", CALL_KEY, NULL, render_session_state };
static const struct call end = { "POST", SESSION "/end", CALL_KEY, NULL, render_session_state };
static const struct call charge = { "POST", SESSION "/charges", CALL_KEY | CALL_BODY, NULL,
				    render_desk };
static const struct call authorize = { "POST", SESSION "/authorize", CALL_KEY | CALL_BODY, NULL,
				       render_desk };
static const struct call keep = { "POST", SESSION "/site/keep", CALL_KEY, NULL, render_session };

const struct command session_commands[] = {
	{ "session create", "", "create a session and print its id",
	  "Nothing of it runs before \"reeve session go\". Needed are --owner, --task, --title, --money-cents,\n"
	  "--minutes and --step-budget.",
	  create_tables, .call = &create },
	{ "session list", "", "list sessions", "Lists all sessions in the order of their ids.",
	  look_tables, .call = &list },
	{ "session show", "SESSION", "show a session: state, cap, spend, times",
	  "With --json the document of the contract codes.sandbox-session@1.", look_tables,
	  .call = &show },
	{ "session desk", "SESSION", "show its queue, its meters and what holds for it",
	  "Exact to the nanosecond and the micro-cent, with what both caps leave.", look_tables,
	  .call = &desk },
	{ "session change", "SESSION", "change its cap, time box or step budget",
	  "A cap is given whole, with --money-cents and --minutes. One above what is spent opens a queue that the\n"
	  "cap had closed; one below stops the session. Time box and step budget are those of requests that\n"
	  "have not started.",
	  change_tables, .call = &change },
	{ "session go", "SESSION", "let what is queued run",
	  "The session runs its requests one after another until it is paused, wiped, ended or has spent its cap.",
	  act_tables, .call = &go },
	{ "session pause", "SESSION", "freeze it and its clocks",
	  "Its processes stay as they are, with no CPU time and no packet, until resume.",
	  act_tables, .call = &pause_ },
	{ "session resume", "SESSION", "go on where pause held", "The same processes go on.",
	  act_tables, .call = &resume },
	{ "session wipe", "SESSION", "end its request and remove all of its files, with proof",
	  "Returns when nothing is left, or says what is. Meters are kept; queued requests wait for Go.",
	  act_tables, .call = &wipe },
	{ "session end", "SESSION", "wipe it and close it for good",
	  "Its documents, its account and its scratch site stay.", act_tables, .call = &end },
	{ "session charge", "SESSION", "charge what was spent outside",
	  "For who spends money on a session elsewhere, on a model for instance. A charge with the id of an\n"
	  "authorisation settles it. Needed are --id and --money-ucents.",
	  charge_tables, .call = &charge },
	{ "session authorize", "SESSION", "set money aside before it is spent",
	  "Refused with exit code 123 when the cap does not leave as much.", charge_tables,
	  .call = &authorize },
	{ "session keep", "SESSION", "keep its scratch site beyond its day",
	  "Without this the site is removed 24 hours after it was first published.", act_tables,
	  .call = &keep },
	{},
};
