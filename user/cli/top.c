// SPDX-License-Identifier: GPL-2.0-only
/*
 * "reeve top": sessions that have not ended, the busiest states first, each with its desk. On a terminal only as many desks are
 * asked for as there is room, so that a thousand idle sessions cost one list a second.
 *
 * A picture is written at once and leaves the terminal as it was, so that the process may be ended at any time.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../base/clock.h"
#include "call.h"
#include "ids.h"
#include "render.h"
#include "render_top.h"

#define PERIOD_US 1000000
/* Lines that are not rows: the head, "and N more", and the cursor's. */
#define OTHER_LINES 3

struct top_options {
	struct call_options call; /* first: the common options write here */
	bool once;
};

static int set_once(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct top_options *)to)->once = true;
	return 0;
}

const struct option_row top_options[] = {
	{ "once", NULL, "one picture, without a terminal's control characters", set_once },
	{},
};

struct top {
	struct client *client;
	struct fault *fault;
	bool json;
	struct top_row *rows, *before;
	size_t n_rows, n_before;
	uint64_t at_ns, before_ns;
};

static uint64_t cap_of(const struct document *session, const char *pointer, uint64_t unit)
{
	uint64_t cap = document_number(session, pointer);

	return cap < UINT64_MAX / unit ? cap * unit : UINT64_MAX;
}

static int add_session(const char *item, size_t n, void *arg)
{
	_cleanup_document_ struct document *session = NULL;
	struct top *top = arg;
	struct top_row *rows, *row;
	int r = document_read(item, n, &session, top->fault);

	if (r || strcmp(document_text(session, "/state"), "ended") == 0)
		return r;
	rows = reallocarray(top->rows, top->n_rows + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	top->rows = rows;
	row = &rows[top->n_rows++];
	*row = (struct top_row){ .processors = -1 };
	snprintf(row->id, sizeof(row->id), "%s", document_text(session, "/session_id"));
	snprintf(row->state, sizeof(row->state), "%s", document_text(session, "/state"));
	snprintf(row->title, sizeof(row->title), "%s", document_text(session, "/task/title"));
	row->money_cap_ucents = cap_of(session, "/cap/money_cents", REEVE_UCENTS_PER_CENT);
	row->time_cap_ns = cap_of(session, "/cap/minutes", 60 * NSEC_PER_SEC);
	return 0;
}

static int rank(const char *state)
{
	static const char *const states[] = { "running", "paused", "armed", "wiped" };
	int i = 0;

	while (i < (int)ARRAY_SIZE(states) && strcmp(states[i], state) != 0)
		i++;
	return i;
}

static int compare(const void *a, const void *b)
{
	const struct top_row *left = a, *right = b;
	int by_state = rank(left->state) - rank(right->state);

	return by_state ? by_state : strcmp(left->id, right->id);
}

static uint64_t denied_of(const struct document *desk)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < document_count(desk, "/request/denials"); i++) {
		char pointer[64];

		snprintf(pointer, sizeof(pointer), "/request/denials/%zu/count", i);
		sum += document_number(desk, pointer);
	}
	return sum;
}

static void processors_fill(const struct top *top, struct top_row *row)
{
	for (size_t i = 0; i < top->n_before; i++) {
		if (strcmp(top->before[i].id, row->id) != 0 || !top->before_ns)
			continue;
		row->processors = row->cpu_ns < top->before[i].cpu_ns
					  ? 0
					  : (double)(row->cpu_ns - top->before[i].cpu_ns) /
						    (double)(top->at_ns - top->before_ns);
		return;
	}
}

static int desk_fill(struct top *top, struct top_row *row)
{
	_cleanup_client_reply_ struct client_reply reply = {};
	_cleanup_document_ struct document *desk = NULL;
	char path[128];
	const struct client_call call = { .verb = "GET", .path = path };
	bool wall;
	int r;

	snprintf(path, sizeof(path), "/v1/sessions/%s/desk", row->id);
	r = client_do(top->client, &call, &reply, top->fault);
	if (!r)
		r = document_read(reply.body, reply.n_body, &desk, top->fault);
	if (r)
		return r;
	if (top->json)
		fwrite(reply.body, 1, reply.n_body, stdout);
	wall = strcmp(document_text(desk, "/meters/clock"), "wall") == 0;
	snprintf(row->queue, sizeof(row->queue), "%s", document_text(desk, "/queue/reason"));
	row->queued = document_number(desk, "/queue/queued");
	row->money_ucents = document_number(desk, "/meters/money_ucents");
	row->cpu_ns = document_number(desk, "/meters/cpu_ns");
	row->time_ns = wall ? document_number(desk, "/meters/wall_ns") : row->cpu_ns;
	row->denied = denied_of(desk);
	processors_fill(top, row);
	return 0;
}

static int look(struct top *top, size_t room, struct top_view *ret)
{
	int r;

	free(top->before);
	top->before = top->rows;
	top->n_before = top->n_rows;
	top->before_ns = top->at_ns;
	top->rows = NULL;
	top->n_rows = 0;
	top->at_ns = clock_monotonic_ns();
	r = ids_each(top->client, "/v1/sessions", "", add_session, top, top->fault);
	if (r)
		return r;
	if (top->n_rows)
		qsort(top->rows, top->n_rows, sizeof(*top->rows), compare);
	ret->n_left = top->n_rows > room ? top->n_rows - room : 0;
	top->n_rows -= ret->n_left;
	for (size_t i = 0; !r && i < top->n_rows; i++)
		r = desk_fill(top, &top->rows[i]);
	ret->rows = top->rows;
	ret->n_rows = top->n_rows;
	return r;
}

/* The whole picture in one write: from the top left, without breaking lines, and what is below it goes. */
static int draw(const struct top_view *view, const struct fault *fault)
{
	_cleanup_free_ char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return -ENOMEM;
	fputs("\033[?7l\033[H", to);
	if (fault)
		fprintf(to, "reeve: %s; next: %s\033[K\n", fault->reason, fault->remedy);
	else
		render_top(to, view);
	fputs("\033[J\033[?7h", to);
	if (fclose(to))
		return -ENOMEM;
	fwrite(text, 1, n, stdout);
	return fflush(stdout) ? -errno : 0;
}

static int live(struct top *top, const struct call_options *options)
{
	int r = 0;

	while (r >= 0) {
		struct winsize size = {};
		struct top_view view = {};
		size_t room;

		ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
		view.columns = size.ws_col ? size.ws_col : 80;
		room = size.ws_row > OTHER_LINES ? size.ws_row - OTHER_LINES : 20;
		*top->fault = (struct fault){};
		r = look(top, room, &view);
		if (r > 0 && !call_is_lost(options, r, top->fault))
			return r;
		if (r >= 0)
			r = draw(&view, r ? top->fault : NULL);
		usleep(PERIOD_US);
	}
	return r;
}

static int snapshot(struct top *top)
{
	struct top_view view = {};
	int r = look(top, SIZE_MAX, &view);

	if (!r && !top->json)
		render_top(stdout, &view);
	return r;
}

int command_top(int argc, char **argv)
{
	const struct command *command = command_find("top");
	_cleanup_client_ struct client *client = NULL;
	struct top_options options = {};
	struct fault fault = {};
	struct top top = { .fault = &fault };
	int rest = 0, code;
	int r = call_options_init(&options.call);

	if (!r)
		r = command_parse(command, argc, argv, &options, &rest, &fault);
	if (!r && rest < argc)
		r = fault_set(&fault, FAULT_USAGE, argv[rest], "see \"reeve top --help\"",
			      "reeve top takes options only");
	if (!r)
		r = client_open(options.call.socket, &client, &fault);
	top.client = client;
	top.json = options.call.json;
	if (!r)
		r = options.once || top.json || !isatty(STDOUT_FILENO) ? snapshot(&top)
								       : live(&top, &options.call);
	free(top.rows);
	free(top.before);
	code = call_end(command, &options.call, r, &fault);
	call_options_deinit(&options.call);
	return code;
}
