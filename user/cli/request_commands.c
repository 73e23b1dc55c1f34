// SPDX-License-Identifier: GPL-2.0-only
/* "reeve request": a row for each command, with what it asks of the daemon. */
#include "call.h"
#include "output.h"
#include "render_desk.h"

#define REQUEST "/v1/requests/{request}"

static const struct option_row command_options[] = {
	{ .name = "command",
	  .arg = "TEXT",
	  .help = "a shell command in the place of COMMAND",
	  .member = "/command",
	  .kind = DOCUMENT_TEXT },
	{},
};

static const struct option_row submit_options[] = {
	{ .name = "steps",
	  .help = "more commands may follow, with \"reeve request step\"",
	  .member = "/steps",
	  .kind = DOCUMENT_TRUE },
	{},
};

static const struct option_row *const look_tables[] = { json_options, socket_options, ask_options,
							NULL };
static const struct option_row *const act_tables[] = { key_options, json_options, socket_options,
						       ask_options, NULL };
static const struct option_row *const submit_tables[] = {
	command_options, submit_options, key_options, json_options,
	socket_options,	 ask_options,	 NULL
};
static const struct option_row *const step_tables[] = { command_options, key_options, json_options,
							socket_options,	 ask_options, NULL };
static const struct option_row *const output_tables[] = { output_options, json_options,
							  socket_options, ask_options, NULL };

static const struct call submit = { "POST", "/v1/sessions/{session}/requests",
				    CALL_KEY | CALL_BODY | CALL_WORDS, NULL, render_request_id };
static const struct call list = { "GET", "/v1/sessions/{session}/requests", CALL_LIST | CALL_ALL,
				  RENDER_REQUEST_HEAD, render_request_line };
static const struct call show = { "GET", REQUEST, 0, NULL, render_request };
static const struct call cancel = { "POST", REQUEST "/cancel", CALL_KEY, NULL, render_request_state };
static const struct call step = { "POST", REQUEST "/steps", CALL_KEY | CALL_BODY | CALL_WORDS, NULL,
				  render_request_state };
static const struct call finish = { "POST", REQUEST "/finish", CALL_KEY, NULL, render_request_state };

const struct command request_commands[] = {
	{ "request submit", "SESSION [-- COMMAND [ARG...]]",
	  "put a request into the queue and print its id",
	  "It runs once the session was given Go and those before it have ended. With --steps there is no\n"
	  "COMMAND yet: \"request step\" gives them. Exit code 123: the session has spent its cap, or takes nothing for another reason.",
	  submit_tables, .call = &submit },
	{ "request list", "[SESSION]", "list requests of a session, or of all",
	  "Lists them in the order of their ids.", look_tables, .call = &list },
	{ "request show", "REQUEST", "show a request: its end, its account, what was denied",
	  "A finished request never changes.", look_tables, .call = &show },
	{ "request output", "REQUEST", "print what it printed",
	  "With --follow also what it prints from now on, until it is finished, over restarts of the daemon too.\n"
	  "On a terminal, control characters are shown and not obeyed.",
	  output_tables, command_output, .mixed = true },
	{ "request cancel", "REQUEST", "take it out of the queue, or end it",
	  "Its outcome is \"cancelled\".", act_tables, .call = &cancel },
	{ "request step", "REQUEST [-- COMMAND [ARG...]]", "run one command more in an open request",
	  "For a request that was submitted with --steps. Processes of earlier steps are still alive.",
	  step_tables, .call = &step },
	{ "request finish", "REQUEST", "no more steps: end an open request",
	  "What still runs of it is ended.", act_tables, .call = &finish },
	{},
};
