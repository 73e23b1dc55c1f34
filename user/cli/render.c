// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults, accounts and checks as lines of text. Nothing that a sandbox chose reaches the terminal from
 * here but a command name in an event, and that is printed with its control characters shown.
 */
#include "render.h"

#include <string.h>

#include "../base/clock.h"
#include "../base/str.h"
#include "../engine/engine.h"
#include "../model/verdict.h"

void render_fault(const struct fault *fault)
{
	fprintf(stderr, "reeve: %s%s%s%s%s\n", fault->field, fault->field[0] ? ": " : "",
		fault->reason, fault->remedy[0] ? "; next: " : "", fault->remedy);
}

void render_errno(int err)
{
	const char *remedy = fault_lack_remedy(-err);

	fprintf(stderr, "reeve: unexpected error: %s%s%s\n", strerror(-err),
		remedy ? "; next: " : "", remedy ? remedy : "");
}

void render_swept(unsigned int swept)
{
	if (swept)
		fprintf(stderr, "reeve: removed what %u killed run%s had left\n", swept,
			swept == 1 ? "" : "s");
}

static void render_end(const struct run_result *result)
{
	if (result->outcome == RUN_EXITED && result->signal)
		fprintf(stderr, "reeve: killed by signal %d (%s)", result->signal,
			strsignal(result->signal));
	else if (result->outcome == RUN_EXITED)
		fprintf(stderr, "reeve: exit %d", result->exit_code);
	else
		fprintf(stderr, "reeve: %s", run_outcome_name(result->outcome));
	if (result->outcome == RUN_CANCELLED && result->cancelled_by)
		fprintf(stderr, " by signal %d (%s)", result->cancelled_by,
			strsignal(result->cancelled_by));
	if (result->cap.reached != REASON_OK)
		fprintf(stderr, " (%s)", reason_text(result->cap.reached));
}

static void render_cap(const char *label, uint64_t cap, double unit)
{
	if (cap != POLICY_UNLIMITED)
		fprintf(stderr, " of %.3f%s", (double)cap / unit, label);
}

static void render_event(const struct event *event)
{
	char given[EVENT_ADDRESS_SIZE], decoded[EVENT_ADDRESS_SIZE], comm[4 * REEVE_COMM_SIZE + 8];

	event_given_text(event, given);
	event_decoded_text(event, decoded);
	str_show(event->comm, strnlen(event->comm, sizeof(event->comm)), comm, sizeof(comm));
	fprintf(stderr, "reeve:     %s", event_hook_name(event->hook));
	if (given[0])
		fprintf(stderr, " %s port %u", given, event->port);
	if (decoded[0] && strcmp(given, decoded) != 0)
		fprintf(stderr, " (judged as %s)", decoded);
	if (event->pid)
		fprintf(stderr, " by %s[%u]", comm, event->pid);
	fprintf(stderr, "\n");
}

static void render_denials(const struct run_result *result)
{
	for (unsigned int reason = 1; reason < REASON_COUNT; reason++) {
		const struct run_denials *denials = &result->denials[reason - 1];

		if (!denials->count)
			continue;
		fprintf(stderr, "reeve:   denied %llu: %s (%s)\n",
			(unsigned long long)denials->count, reason_name(reason), reason_text(reason));
		for (size_t i = 0; i < denials->n_first; i++)
			render_event(&denials->first[i]);
	}
	if (result->events_lost)
		fprintf(stderr, "reeve:   %llu denials are counted but not told\n",
			(unsigned long long)result->events_lost);
}

/* What the account of a session without working names would otherwise leave to guess. */
static void render_names(const struct run_result *result)
{
	const struct dns_counts *counts = &result->names.counts;

	if (!result->has_names || !counts->failed)
		return;
	fprintf(stderr,
		"reeve:   names: %llu of %llu questions failed: no name server of the host gave a "
		"usable answer (/etc/resolv.conf)\n",
		(unsigned long long)counts->failed, (unsigned long long)counts->questions);
}

static void render_not_enforced(const struct run_result *result)
{
	const char *before = "reeve:   not enforced here: ";

	for (unsigned int i = 0; i < PROMISE_COUNT; i++) {
		if (result->enforced[i])
			continue;
		fprintf(stderr, "%s%s", before, promise_name((enum promise)i));
		before = ", ";
	}
	if (before[0] == ',')
		fprintf(stderr, " (see \"reeve doctor\")\n");
}

void render_result(const struct run_result *result)
{
	render_end(result);
	fprintf(stderr, "\nreeve:   cpu %.6f s", (double)result->cpu_ns / NSEC_PER_SEC);
	render_cap(" s", result->cap.cpu_ns, NSEC_PER_SEC);
	fprintf(stderr, ", wall %.3f s", (double)result->wall_ns / NSEC_PER_SEC);
	fprintf(stderr, ", money %.6f", (double)result->money_ucents / REEVE_UCENTS_PER_CENT);
	render_cap("", result->cap.money_ucents, REEVE_UCENTS_PER_CENT);
	fprintf(stderr, " cents, %llu bytes out, %llu in\n", (unsigned long long)result->bytes_out,
		(unsigned long long)result->bytes_in);
	render_denials(result);
	render_names(result);
	render_not_enforced(result);
	fprintf(stderr, "reeve:   session %s, output %s\n", result->session_id, result->output_dir);
}

/* The last line: what the exit code says, and where to look. */
static void render_doctor_sum(const struct doctor_report *report)
{
	static const char *const meanings[] = {
		[DOCTOR_OK] = "every promise holds",
		[DOCTOR_DEGRADED] = "reeve runs, and says in every result what does not hold; see",
		[DOCTOR_MISSING] = "reeve refuses to run; see",
	};
	const char *before = " ";

	for (int status = DOCTOR_OK; status <= DOCTOR_MISSING; status++)
		printf("%s%zu %s", status == DOCTOR_OK ? "" : ", ",
		       doctor_report_count(report, (enum doctor_status)status),
		       doctor_status_name((enum doctor_status)status));
	printf(": %s", meanings[doctor_report_status(report)]);
	for (size_t i = 0; i < report->n_checks; i++) {
		if (report->checks[i].status == DOCTOR_OK)
			continue;
		printf("%s%s", before, report->checks[i].name);
		before = ", ";
	}
	printf("\n");
}

void render_doctor(const struct doctor_report *report)
{
	for (size_t i = 0; i < report->n_checks; i++) {
		const struct doctor_check *check = &report->checks[i];

		printf("%-9s %-18s %-13s %s\n", doctor_status_name(check->status), check->name,
		       promise_name(check->promise), check->detail);
		if (check->status != DOCTOR_OK)
			printf("%-9s %-18s %-13s next: %s\n", "", "", "", check->remedy);
	}
	render_doctor_sum(report);
}

static void policy_cap(uint64_t cap, double unit, const char *label)
{
	if (cap != POLICY_UNLIMITED)
		printf(" of %.3f", (double)cap / unit);
	printf("%s\n", label);
}

void render_policy(const struct policy_view *view)
{
	const char *state = policy_state_name(view->policy.state);
	const char *egress = policy_egress_name(view->policy.egress);
	enum reason stopped_by = policy_view_stopped_by(view);
	uint64_t left_ns = policy_view_time_left_ns(view);
	char text[RULE_TEXT_SIZE];

	printf("session  %s, cgroup %llu\n", view->session_id, (unsigned long long)view->cgroup_id);
	printf("state    %s", state ? state : "unknown, so closed");
	if (stopped_by != REASON_OK)
		printf(": all is denied, %s", reason_text(stopped_by));
	printf("\n");
	printf("egress   %s\n", egress ? egress : "unknown, so none");
	printf("cpu      %.3f", (double)view->usage.cpu_ns / NSEC_PER_SEC);
	policy_cap(view->policy.cpu_cap_ns, NSEC_PER_SEC, " s");
	printf("money    %.6f", (double)policy_view_money_ucents(view) / REEVE_UCENTS_PER_CENT);
	policy_cap(view->policy.money_cap_ucents, REEVE_UCENTS_PER_CENT, " cents");
	if (left_ns != POLICY_UNLIMITED)
		printf("ends in  %.1f s\n", (double)left_ns / NSEC_PER_SEC);
	printf("rules    %s\n",
	       view->n_rules ? "of its own, before those of every session:" : "none of its own");
	for (size_t i = 0; i < view->n_rules; i++) {
		rule_text(&view->rules[i], text);
		printf("  %-6s %s\n", rule_is_allow(&view->rules[i]) ? "allow" : "deny", text);
	}
}

void render_policy_line(const struct policy_view *view)
{
	const char *state = policy_state_name(view->policy.state);
	const char *egress = policy_egress_name(view->policy.egress);
	enum reason stopped_by = policy_view_stopped_by(view);
	uint64_t left_ns = policy_view_time_left_ns(view);

	printf("%s  %-6s  egress %s, cpu %.3f s", view->session_id, state ? state : "closed",
	       egress ? egress : "none", (double)view->usage.cpu_ns / NSEC_PER_SEC);
	if (left_ns != POLICY_UNLIMITED)
		printf(", ends in %.1f s", (double)left_ns / NSEC_PER_SEC);
	if (stopped_by != REASON_OK)
		printf(": all is denied, %s", reason_text(stopped_by));
	printf("\n");
}

void render_config(const struct config *config, const char *file)
{
	printf("%s: valid; prefixes denied: %zu, allowed: %zu; names allowed: %zu; names of "
	       "package-managers: %zu; NAT64 prefixes: %zu\n",
	       file ? file : "no " ENGINE_CONFIG_FILE ", so the defaults",
	       config_count_prefixes(config, REASON_OPERATOR),
	       config_count_prefixes(config, REASON_OK), config_count_names(config, CONFIG_ALLOW),
	       config_count_names(config, CONFIG_PACKAGE_MANAGERS), config->n_nat64);
}
