// SPDX-License-Identifier: GPL-2.0-only
/*
 * "reeve policy": arguments become rules, the engine puts them, and what the kernel then holds is shown:
 * always as a document with --json, for people with show. Show without a session lists all, one a line.
 */
#include <errno.h>
#include <string.h>

#include "../engine/policy.h"
#include "../wire/policy_json.h"
#include "../wire/report_json.h"
#include "command.h"
#include "render.h"

struct policy_options {
	struct engine_config config; /* first: place_options write here */
	bool json;
};

static int set_json(void *to, const char *value, struct fault *ret_fault)
{
	(void)value;
	(void)ret_fault;
	((struct policy_options *)to)->json = true;
	return 0;
}

const struct option_row policy_options[] = {
	{ "json", NULL,
	  "print the session's policy, or the fault, as a JSON document; of a list, one a line",
	  set_json },
	{},
};

static const struct act {
	const char *name;
	enum policy_act act;
	bool rules; /* takes them, at least one */
} acts[] = {
	{ "show", POLICY_SHOW, false },
	{ "allow", POLICY_ALLOW, true },
	{ "deny", POLICY_DENY, true },
	{ "reset", POLICY_RESET, false },
};

static int usage(struct fault *ret_fault, const char *field, const char *reason)
{
	return fault_set(ret_fault, FAULT_USAGE, field, "see \"reeve policy --help\"", "%s", reason);
}

static int act_read(int argc, char **argv, const struct act **ret, struct fault *ret_fault)
{
	size_t i = 0;

	if (argc == 0)
		return usage(ret_fault, "policy",
			     "say what is to be done: show, allow, deny or reset");
	while (i < ARRAY_SIZE(acts) && strcmp(acts[i].name, argv[0]) != 0)
		i++;
	if (i == ARRAY_SIZE(acts))
		return usage(ret_fault, argv[0], "this is none of show, allow, deny and reset");
	*ret = &acts[i];
	if (argc == 1 && acts[i].act == POLICY_SHOW)
		return 0;
	if (argc < 2 || !argv[1][0])
		return usage(ret_fault, "SESSION",
			     "the session is missing: \"reeve policy show\" lists those that live");
	if (acts[i].rules && argc == 2)
		return usage(ret_fault, "RULE", "the rules are missing");
	if (!acts[i].rules && argc > 2)
		return usage(ret_fault, argv[2], "show and reset take no rules");
	return 0;
}

static int rules_read(char **argv, size_t n, enum policy_act act, struct rule *ret,
		      struct fault *ret_fault)
{
	int r = 0;

	for (size_t i = 0; !r && i < n; i++) {
		const struct rule_source source = { FAULT_USAGE, argv[i] };

		r = rule_parse(argv[i], &source, &ret[i], ret_fault);
		if (!r && act == POLICY_DENY && ret[i].kind == RULE_NAME && strchr(argv[i], ':'))
			r = usage(ret_fault, argv[i],
				  "a name is denied at all its ports: leave them out");
	}
	return r;
}

struct shown {
	bool json, each; /* each: one of a list */
	unsigned int n;
};

static int view_show(const struct policy_view *view, void *arg)
{
	struct shown *shown = arg;
	_cleanup_free_ char *text = NULL;
	int r = 0;

	shown->n++;
	if (shown->json)
		r = policy_json_print(view, &text);
	else if (shown->each)
		render_policy_line(view);
	else
		render_policy(view);
	if (!r && shown->json)
		fputs(text, stdout);
	return r;
}

static int all_show(const struct policy_options *options, struct fault *ret_fault)
{
	struct shown shown = { .json = options->json, .each = true };
	int r = policy_each(&options->config, view_show, &shown, ret_fault);

	if (!r && !shown.n)
		fprintf(stderr, "reeve: no session lives\n");
	return r;
}

static int act_do(const struct policy_options *options, int argc, char **argv, struct fault *ret_fault)
{
	_cleanup_policy_view_ struct policy_view view = {};
	_cleanup_free_ struct rule *rules = NULL;
	struct shown shown = { .json = options->json };
	struct policy_args args = {};
	const struct act *act = acts;
	int r = act_read(argc, argv, &act, ret_fault);

	if (r || argc == 1)
		return r ? r : all_show(options, ret_fault);
	args.session = argv[1];
	args.act = act->act;
	args.n_rules = (size_t)argc - 2;
	args.rules = rules = calloc(args.n_rules + 1, sizeof(*rules));
	r = rules ? rules_read(argv + 2, args.n_rules, args.act, rules, ret_fault) : -ENOMEM;
	if (!r)
		r = policy_act(&options->config, &args, &view, ret_fault);
	if (r || (act->act != POLICY_SHOW && !options->json))
		return r;
	return view_show(&view, &shown);
}

int command_policy(int argc, char **argv)
{
	struct policy_options options = { .config = ENGINE_CONFIG_INIT };
	_cleanup_free_ char *text = NULL;
	struct fault fault = {};
	int rest = 0;
	int r = command_parse(command_find("policy"), argc, argv, &options, &rest, &fault);

	if (!r)
		r = act_do(&options, argc - rest, argv + rest, &fault);
	if (r < 0)
		render_errno(r);
	if (r > 0 && options.json && fault_json_print(&fault, &text) == 0)
		fputs(text, stdout);
	if (r > 0)
		render_fault(&fault);
	return r ? EXIT_CODE_REEVE : 0;
}
