// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is counted here is since the start of the daemon; what is summed up over sessions is their account, which
 * only rises while they are held. No label has a value of a session's making, so that the number of series is bounded.
 *
 * The format wants HELP and TYPE before the samples of a name, all samples of a name together, and names of base units.
 */
#include "metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../engine/hall.h"
#include "method.h"

struct sums {
	uint64_t states[DESK_STATE_COUNT], queues[DESK_QUEUE_COUNT];
	struct desk_spend spend;
};

void metrics_note_reply(struct metrics *metrics, const struct exchange *exchange)
{
	const struct method *method = exchange->route;
	size_t row = method ? (size_t)(method - methods) : METRICS_METHODS_MAX;

	metrics->replies[row][exchange->status / 100]++;
}

void metrics_note_event(struct metrics *metrics, const char *type)
{
	for (size_t i = 0; i < METRICS_TYPES_MAX; i++) {
		if (!metrics->events[i].type[0])
			snprintf(metrics->events[i].type, sizeof(metrics->events[i].type), "%s",
				 type);
		if (strcmp(metrics->events[i].type, type) == 0) {
			metrics->events[i].n++;
			return;
		}
	}
}

static int sum(const struct desk *desk, void *arg)
{
	struct sums *sums = arg;

	sums->states[desk->state]++;
	sums->queues[desk->queue]++;
	sums->spend.cpu_ns += desk->spend.cpu_ns;
	sums->spend.wall_ns += desk->spend.wall_ns;
	sums->spend.money_ucents += desk->spend.money_ucents;
	sums->spend.steps += desk->spend.steps;
	sums->spend.bytes_out += desk->spend.bytes_out;
	sums->spend.bytes_in += desk->spend.bytes_in;
	return 0;
}

static void family(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void single(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
	family(out, name, type, help);
	fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void seconds(FILE *out, const char *name, const char *help, uint64_t ns)
{
	family(out, name, "counter", help);
	fprintf(out, "%s %" PRIu64 ".%09" PRIu64 "\n", name, (uint64_t)(ns / NSEC_PER_SEC),
		(uint64_t)(ns % NSEC_PER_SEC));
}

static void sessions_print(FILE *out, const struct sums *sums)
{
	family(out, "reeve_sessions", "gauge", "Sessions that are held, by state.");
	for (unsigned int i = 0; i < DESK_STATE_COUNT; i++)
		fprintf(out, "reeve_sessions{state=\"%s\"} %" PRIu64 "\n",
			desk_state_name((enum desk_state)i), sums->states[i]);
	family(out, "reeve_queues", "gauge",
	       "Queues of sessions, by why they take nothing, or open.");
	for (unsigned int i = 0; i < DESK_QUEUE_COUNT; i++)
		fprintf(out, "reeve_queues{queue=\"%s\"} %" PRIu64 "\n",
			desk_queue_name((enum desk_queue)i), sums->queues[i]);
}

static void spend_print(FILE *out, const struct desk_spend *spend)
{
	seconds(out, "reeve_cpu_seconds_total", "CPU time of all sessions.", spend->cpu_ns);
	seconds(out, "reeve_wall_seconds_total", "Time of running requests that was not frozen.",
		spend->wall_ns);
	family(out, "reeve_money_cents_total", "counter", "Money of all sessions, charges included.");
	fprintf(out, "reeve_money_cents_total %" PRIu64 ".%06" PRIu64 "\n",
		(uint64_t)(spend->money_ucents / REEVE_UCENTS_PER_CENT),
		(uint64_t)(spend->money_ucents % REEVE_UCENTS_PER_CENT));
	single(out, "reeve_steps_total", "counter", "Commands that were started.", spend->steps);
	family(out, "reeve_network_bytes_total", "counter", "Bytes that sessions sent and received.");
	fprintf(out, "reeve_network_bytes_total{direction=\"out\"} %" PRIu64 "\n", spend->bytes_out);
	fprintf(out, "reeve_network_bytes_total{direction=\"in\"} %" PRIu64 "\n", spend->bytes_in);
}

static void replies_print(FILE *out, const struct metrics *metrics)
{
	family(out, "reeve_http_replies_total", "counter",
	       "Replies of the daemon, by method and status.");
	for (size_t row = 0; row <= METRICS_METHODS_MAX; row++)
		for (unsigned int class = 1; class < 6; class ++)
			if (metrics->replies[row][class])
				fprintf(out,
					"reeve_http_replies_total{method=\"%s\",status=\"%uxx\"} %" PRIu64
					"\n",
					row < n_methods ? methods[row].name : "none", class,
					metrics->replies[row][class]);
}

static void events_print(FILE *out, const struct metrics *metrics)
{
	family(out, "reeve_events_total", "counter", "Events of sessions, by type.");
	for (size_t i = 0; i < METRICS_TYPES_MAX && metrics->events[i].type[0]; i++)
		fprintf(out, "reeve_events_total{type=\"%s\"} %" PRIu64 "\n",
			metrics->events[i].type, metrics->events[i].n);
}

static void http_print(FILE *out, const struct http_counts *http)
{
	single(out, "reeve_http_connections", "gauge", "Open connections.", http->connections);
	single(out, "reeve_http_streams", "gauge", "Replies that are streamed.", http->streams);
	single(out, "reeve_http_accepted_total", "counter", "Connections that were accepted.",
	       http->accepted);
	single(out, "reeve_http_requests_total", "counter", "Requests that arrived.", http->requests);
	single(out, "reeve_http_turned_away_total", "counter",
	       "Connections for which another one had to go, or that found no place.",
	       http->turned_away);
	single(out, "reeve_http_timed_out_total", "counter",
	       "Requests that took too long to arrive.", http->timed_out);
	single(out, "reeve_http_cut_total", "counter", "Connections whose client did not read.",
	       http->cut);
}

int metrics_print(const struct metrics_view *view, char **ret, size_t *ret_n)
{
	struct sums sums = {};
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	bool failed;

	if (!out)
		return -ENOMEM;
	hall_each(view->hall, NULL, sum, &sums);
	sessions_print(out, &sums);
	spend_print(out, &sums.spend);
	events_print(out, view->metrics);
	single(out, "reeve_event_subscribers", "gauge", "Clients that follow events.",
	       view->subscribers);
	http_print(out, view->http);
	replies_print(out, view->metrics);
	failed = ferror(out);
	if (fclose(out) || failed) {
		free(text);
		return -ENOMEM;
	}
	*ret = text;
	*ret_n = n;
	return 0;
}
