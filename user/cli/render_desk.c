// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions, desks, requests and events as lines. Titles, names and addresses in them are a caller's or a sandbox's: every
 * text goes through text_show(). Columns of numbers come first, so that no text moves them.
 */
#include "render_desk.h"

#include <inttypes.h>
#include <string.h>

#include "../../include/limits.h"
#include "text_show.h"

#define UCENTS ((double)REEVE_UCENTS_PER_CENT)
#define COLUMNS 80

struct shown {
	char text[512];
};

static struct shown text_at(const struct document *document, const char *pointer)
{
	struct shown shown;

	text_show(document_text(document, pointer), COLUMNS, shown.text, sizeof(shown.text));
	return shown;
}

static double number_at(const struct document *document, const char *pointer, double unit)
{
	return (double)document_number(document, pointer) / unit;
}

/* "label   text", or nothing where there is none. */
static void line(const char *label, const struct document *document, const char *pointer)
{
	if (document_has(document, pointer))
		printf("%-10s %s\n", label, text_at(document, pointer).text);
}

void render_session_id(const struct document *session)
{
	printf("%s\n", text_at(session, "/session_id").text);
}

void render_session_state(const struct document *session)
{
	printf("%s %s\n", text_at(session, "/session_id").text, text_at(session, "/state").text);
}

void render_session_line(const struct document *session)
{
	char money[48], minutes[48];

	snprintf(money, sizeof(money), "%" PRIu64 "/%" PRIu64,
		 document_number(session, "/spend/money_cents"),
		 document_number(session, "/cap/money_cents"));
	snprintf(minutes, sizeof(minutes), "%.1f/%" PRIu64,
		 number_at(session, "/spend/seconds", 60), document_number(session, "/cap/minutes"));
	printf("%-31s %-8s %13s %14s %6" PRIu64 "  %s\n", text_at(session, "/session_id").text,
	       text_at(session, "/state").text, money, minutes,
	       document_number(session, "/spend/steps"), text_at(session, "/task/title").text);
}

void render_session(const struct document *session)
{
	line("session", session, "/session_id");
	line("state", session, "/state");
	printf("%-10s %s (%s)\n", "task", text_at(session, "/task/title").text,
	       text_at(session, "/task/id").text);
	line("owner", session, "/owner");
	printf("%-10s %" PRIu64 " of %" PRIu64 " cents\n", "money",
	       document_number(session, "/spend/money_cents"),
	       document_number(session, "/cap/money_cents"));
	printf("%-10s %" PRIu64 " s of %" PRIu64 " minutes\n", "time",
	       document_number(session, "/spend/seconds"), document_number(session, "/cap/minutes"));
	printf("%-10s %" PRIu64 ", at most %" PRIu64 " a request\n", "steps",
	       document_number(session, "/spend/steps"), document_number(session, "/step_budget"));
	printf("%-10s %" PRIu64 " minutes a request\n", "time box",
	       document_number(session, "/time_box_minutes"));
	line("armed", session, "/armed_at");
	line("started", session, "/started_at");
	line("wiped", session, "/wiped_at");
	line("ended", session, "/ended_at");
	line("site", session, "/scratch_site/url");
	if (document_is_true(session, "/scratch_site/kept"))
		printf("%-10s kept\n", "");
	else
		line("  until", session, "/scratch_site/expires_at");
}

static void promises(const struct document *desk)
{
	static const char *const names[] = {
		"egress",   "network",	    "sockets", "meter",	  "cap",
		"time_box", "sandbox",	    "seccomp", "devices", "sysctls",
		"cleanup",  "unix_sockets", "memory",  "pids",	  "cpu",
	};
	const char *before = "not enforced ";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char pointer[64];

		snprintf(pointer, sizeof(pointer), "/enforced/%s", names[i]);
		if (document_is_true(desk, pointer) || !document_has(desk, pointer))
			continue;
		printf("%s%s", before, names[i]);
		before = ", ";
	}
	if (*before == ',')
		printf(" (see \"reeve doctor\")\n");
}

void render_desk(const struct document *desk)
{
	bool wall = strcmp(document_text(desk, "/meters/clock"), "wall") == 0;

	line("session", desk, "/session_id");
	printf("%-10s %s, %" PRIu64 " of %" PRIu64 " wait\n", "queue",
	       document_is_true(desk, "/queue/open") ? "open" : text_at(desk, "/queue/reason").text,
	       document_number(desk, "/queue/queued"), document_number(desk, "/queue/limit"));
	if (document_has(desk, "/request"))
		printf("%-10s %s %s\n", "request", text_at(desk, "/request/request_id").text,
		       text_at(desk, "/request/state").text);
	printf("%-10s %.6f cents, %.6f left; charged %.6f, reserved %.6f\n", "money",
	       number_at(desk, "/meters/money_ucents", UCENTS),
	       number_at(desk, "/left/money_ucents", UCENTS),
	       number_at(desk, "/meters/charged_ucents", UCENTS),
	       number_at(desk, "/meters/reserved_ucents", UCENTS));
	printf("%-10s cpu %.6f s, wall %.3f s; %.3f s of %s left\n", "time",
	       number_at(desk, "/meters/cpu_ns", NSEC_PER_SEC),
	       number_at(desk, "/meters/wall_ns", NSEC_PER_SEC),
	       number_at(desk, "/left/time_ns", NSEC_PER_SEC), wall ? "wall" : "cpu");
	printf("%-10s %" PRIu64 "\n", "steps", document_number(desk, "/meters/steps"));
	printf("%-10s %" PRIu64 " bytes out, %" PRIu64 " in\n", "network",
	       document_number(desk, "/meters/bytes_out"), document_number(desk, "/meters/bytes_in"));
	line("egress", desk, "/policy/egress");
	promises(desk);
}

/* "exited 3", "exited by signal 9", "timed_out": how a request ended, or where it stands. */
static struct shown end_text(const struct document *request, const char *at)
{
	char outcome[64], code[64], signal[64];
	struct shown shown;

	snprintf(outcome, sizeof(outcome), "%s/outcome", at);
	snprintf(code, sizeof(code), "%s/exit_code", at);
	snprintf(signal, sizeof(signal), "%s/signal", at);
	shown = text_at(request, outcome);
	if (document_has(request, code))
		snprintf(shown.text + strlen(shown.text), 32, " %" PRIu64,
			 document_number(request, code));
	if (document_has(request, signal))
		snprintf(shown.text + strlen(shown.text), 32, " by signal %" PRIu64,
			 document_number(request, signal));
	return shown;
}

void render_request_id(const struct document *request)
{
	printf("%s\n", text_at(request, "/request_id").text);
}

void render_request_state(const struct document *request)
{
	printf("%s %s", text_at(request, "/request_id").text, text_at(request, "/state").text);
	if (document_has(request, "/outcome"))
		printf(": %s", end_text(request, "").text);
	printf(", steps: %" PRIu64 "\n", document_number(request, "/steps"));
}

void render_request_line(const struct document *request)
{
	printf("%-31s %-8s %9.3f %6" PRIu64 "  %s\n", text_at(request, "/request_id").text,
	       text_at(request, "/state").text, number_at(request, "/cpu_ns", NSEC_PER_SEC),
	       document_number(request, "/steps"),
	       document_has(request, "/outcome") ? end_text(request, "").text : "");
}

static void denial(const struct document *request, size_t i)
{
	char at[64], count[80], text[80];

	snprintf(at, sizeof(at), "/denials/%zu/reason", i);
	snprintf(count, sizeof(count), "/denials/%zu/count", i);
	snprintf(text, sizeof(text), "/denials/%zu/text", i);
	printf("%-10s %" PRIu64 ": %s (%s)\n", "denied", document_number(request, count),
	       text_at(request, at).text, text_at(request, text).text);
	for (size_t k = 0; k < REEVE_DENIALS_FIRST; k++) {
		char port[80], comm[80];

		snprintf(at, sizeof(at), "/denials/%zu/first/%zu/address", i, k);
		snprintf(port, sizeof(port), "/denials/%zu/first/%zu/port", i, k);
		snprintf(comm, sizeof(comm), "/denials/%zu/first/%zu/comm", i, k);
		if (document_has(request, at))
			printf("%-10s   %s port %" PRIu64 " by %s\n", "", text_at(request, at).text,
			       document_number(request, port), text_at(request, comm).text);
	}
}

static void fault_line(const struct document *document, const char *at)
{
	char reason[64], remedy[64];

	snprintf(reason, sizeof(reason), "%s/reason", at);
	snprintf(remedy, sizeof(remedy), "%s/remedy", at);
	printf("%s; next: %s", text_at(document, reason).text, text_at(document, remedy).text);
}

void render_request(const struct document *request)
{
	line("request", request, "/request_id");
	line("session", request, "/session_id");
	line("state", request, "/state");
	if (document_has(request, "/outcome"))
		printf("%-10s %s\n", "end", end_text(request, "").text);
	if (document_has(request, "/fault")) {
		printf("%-10s ", "fault");
		fault_line(request, "/fault");
		printf("\n");
	}
	line("submitted", request, "/submitted_at");
	line("started", request, "/started_at");
	line("finished", request, "/finished_at");
	printf("%-10s cpu %.6f s, wall %.3f s\n", "time", number_at(request, "/cpu_ns", NSEC_PER_SEC),
	       number_at(request, "/wall_ns", NSEC_PER_SEC));
	printf("%-10s %.6f cents\n", "money", number_at(request, "/money_ucents", UCENTS));
	printf("%-10s %" PRIu64 " of %" PRIu64 "%s\n", "steps", document_number(request, "/steps"),
	       document_number(request, "/step_budget"),
	       document_is_true(request, "/open") ? ", given one by one" : "");
	printf("%-10s %" PRIu64 " bytes out, %" PRIu64 " in\n", "network",
	       document_number(request, "/bytes_out"), document_number(request, "/bytes_in"));
	for (size_t i = 0; i < document_count(request, "/denials"); i++)
		denial(request, i);
	line("output", request, "/output_dir");
}

void render_event_line(uint64_t number, const struct document *event)
{
	printf("%" PRIu64 " %s %s %s %s", number, text_at(event, "/at").text,
	       text_at(event, "/session_id").text, text_at(event, "/type").text,
	       text_at(event, "/session/state").text);
	if (document_has(event, "/request"))
		printf(" %s %s", text_at(event, "/request/request_id").text,
		       document_has(event, "/request/outcome")
			       ? end_text(event, "/request").text
			       : text_at(event, "/request/state").text);
	if (document_has(event, "/queue"))
		printf(" queue closed: %s", text_at(event, "/queue").text);
	if (document_has(event, "/fault")) {
		printf(" ");
		fault_line(event, "/fault");
	}
	printf("\n");
}
