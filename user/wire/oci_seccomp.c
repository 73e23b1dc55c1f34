// SPDX-License-Identifier: GPL-2.0-only
/*
 * One table of keys for each kind of object, walked by json_walk. What no table has is refused,
 * since a rule that is not understood may be the one that matters.
 *
 * Readers of keys fill a struct of what was written; the reader of the object then judges it, so
 * that the order of keys means nothing. Whether an entry applies (includes, excludes) is decided
 * against the host that the caller describes, after the whole entry was checked. The order of
 * entries means nothing either: rules of one call with different verdicts are refused at the end.
 *
 * struct reader owns the growing rules until the plan takes them over.
 */
#include "oci_seccomp.h"

#include <errno.h>
#include <string.h>

#include "../../include/limits.h"
#include "json_walk.h"
#include "oci_filter.h"

/* The largest whole number that every reader of JSON takes for the same. */
#define VALUE_MAX ((1ull << 53) - 1)
#define REMEDY "correct the profile, or leave it out for the built-in rules"

struct reader {
	struct json_walk walk; /* first: readers get this and know the rest */
	const struct oci_seccomp_host *host;
	struct seccomp_rule *rules;
	size_t n_rules, n_allocated;
};

struct verdict_keys {
	bool has_action, has_errno;
	unsigned int action;
	uint64_t errno_value;
};

struct profile {
	struct verdict_keys verdict; /* first: read_action and read_errno know no more */
	bool has_architectures, native;
};

struct map_row {
	bool has_architecture;
	unsigned int architecture;
};

struct compare_keys {
	bool has_index, has_op, has_value;
	unsigned int op;
	uint64_t index, value, value_two;
};

struct entry {
	struct verdict_keys verdict; /* first, as in a profile */
	struct seccomp_rule rule;    /* without its name */
	const cJSON *names, *name;
	bool skip;
};

/* Words between blanks; each list begins as the enum or the numbers that it names. */
#define NAME_OF(NAME, name, ...) name " "
static const char action_words[] = SECCOMP_ACTIONS(NAME_OF) "SCMP_ACT_KILL";
static const char op_words[] = SECCOMP_OPS(NAME_OF);

/* Behind the first: accepted names of architectures that no rules are compiled for. */
#define OWN_ARCHS SECCOMP_ARCHS(NAME_OF)
static const char arch_words[] = OWN_ARCHS
	"SCMP_ARCH_ARM SCMP_ARCH_LOONGARCH64 SCMP_ARCH_M68K SCMP_ARCH_MIPS SCMP_ARCH_MIPS64 "
	"SCMP_ARCH_MIPS64N32 SCMP_ARCH_MIPSEL SCMP_ARCH_MIPSEL64 SCMP_ARCH_MIPSEL64N32 "
	"SCMP_ARCH_PARISC SCMP_ARCH_PARISC64 SCMP_ARCH_PPC SCMP_ARCH_PPC64 SCMP_ARCH_PPC64LE "
	"SCMP_ARCH_RISCV64 SCMP_ARCH_S390 SCMP_ARCH_S390X SCMP_ARCH_SH SCMP_ARCH_SHEB "
	"SCMP_ARCH_X32 SCMP_ARCH_X86";

static const struct oci_seccomp_host *host_of(const struct json_walk *w)
{
	return ((const struct reader *)w)->host;
}

/* --- verdicts --- */

static int read_action(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct verdict_keys *keys = into;

	keys->has_action = true;
	return json_read_word(w, item, at, action_words, &keys->action);
}

static int read_errno(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct verdict_keys *keys = into;

	keys->has_errno = true;
	return json_read_number(w, item, at, SECCOMP_ERRNO_MAX, &keys->errno_value);
}

static int take_verdict(struct json_walk *w, const struct json_at *at,
			const struct verdict_keys *keys, const char *action_key,
			struct seccomp_verdict *ret)
{
	enum seccomp_action action = SECCOMP_ACTION_KILL_THREAD;
	bool takes;

	if (!keys->has_action)
		return json_refuse(w, at, "the key \"%s\" is missing", action_key);
	/* The word behind the enum's is the old name of KILL_THREAD. */
	if (keys->action < SECCOMP_ACTION_COUNT)
		action = (enum seccomp_action)keys->action;
	takes = seccomp_action_takes_data(action);
	if (keys->has_errno && !takes)
		return json_refuse(w, at, "%s returns no errno, but one is given",
				   seccomp_action_name(action));
	*ret = (struct seccomp_verdict){ .action = action };
	if (takes)
		ret->data = keys->has_errno ? (uint16_t)keys->errno_value : EPERM;
	return 0;
}

/* --- comparisons --- */

static int read_index(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct compare_keys *keys = into;

	keys->has_index = true;
	return json_read_number(w, item, at, SECCOMP_ARGS - 1, &keys->index);
}

static int read_op(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct compare_keys *keys = into;

	keys->has_op = true;
	return json_read_word(w, item, at, op_words, &keys->op);
}

static int read_value(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct compare_keys *keys = into;

	keys->has_value = true;
	return json_read_number(w, item, at, VALUE_MAX, &keys->value);
}

static int read_value_two(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct compare_keys *keys = into;

	return json_read_number(w, item, at, VALUE_MAX, &keys->value_two);
}

static const struct json_key compare_object_keys[] = {
	{ "index", read_index, false },
	{ "value", read_value, false },
	{ "valueTwo", read_value_two, false },
	{ "op", read_op, false },
};

static int read_compare(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct seccomp_rule *rule = &((struct entry *)into)->rule;
	struct compare_keys keys = { 0 };
	struct seccomp_compare compare;
	int err;

	err = json_read_object(w, item, at, compare_object_keys, ARRAY_SIZE(compare_object_keys),
			       &keys);
	if (err)
		return err;
	if (!keys.has_index || !keys.has_op || !keys.has_value)
		return json_refuse(w, at, "\"index\", \"value\" and \"op\" are needed");
	compare = (struct seccomp_compare){ .arg = (unsigned int)keys.index,
					    .op = (enum seccomp_op)keys.op,
					    .value = keys.value };
	if (compare.op == SECCOMP_OP_MASKED_EQ) {
		compare.mask = keys.value;
		compare.value = keys.value_two;
		if (compare.value & ~compare.mask)
			return json_refuse(w, at,
					   "\"valueTwo\" has bits that the mask \"value\" takes away: "
					   "nothing equals it");
	} else if (keys.value_two) {
		return json_refuse(w, at, "\"valueTwo\" is for SCMP_CMP_MASKED_EQ, not for %s",
				   seccomp_op_name(compare.op));
	}
	for (unsigned int i = 0; i < rule->n_compares; i++)
		if (rule->compares[i].arg == compare.arg)
			return json_refuse(w, at,
					   "argument %u is compared twice in one entry, which some "
					   "read as \"and\", some as \"or\"; give two entries for "
					   "\"or\"",
					   compare.arg);
	/* Each argument once, so there is room. */
	rule->compares[rule->n_compares++] = compare;
	return 0;
}

static int read_compares(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	return json_read_array(w, item, at, read_compare, into);
}

/* --- entries --- */

static bool is_call_name(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return len > 0 && len < SECCOMP_NAME_SIZE && name[len] == 0;
}

static int read_name(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	(void)into;
	if (cJSON_IsString(item) && is_call_name(item->valuestring))
		return 0;
	return json_refuse_value(w, item, at, "the name of a system call");
}

static int read_entry_names(struct json_walk *w, const cJSON *item, const struct json_at *at,
			    void *into)
{
	((struct entry *)into)->names = item;
	if (cJSON_IsArray(item) && cJSON_GetArraySize(item) == 0)
		return json_refuse_value(w, item, at, "one name or more");
	return json_read_array(w, item, at, read_name, NULL);
}

static int read_entry_name(struct json_walk *w, const cJSON *item, const struct json_at *at,
			   void *into)
{
	((struct entry *)into)->name = item;
	return read_name(w, item, at, NULL);
}

static int read_comment(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	(void)into;
	return cJSON_IsString(item) ? 0 : json_refuse_value(w, item, at, "a string");
}

static int read_includes(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	return oci_filter_read(w, item, at, host_of(w), false, &((struct entry *)into)->skip);
}

static int read_excludes(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	return oci_filter_read(w, item, at, host_of(w), true, &((struct entry *)into)->skip);
}

static const struct json_key entry_keys[] = {
	{ "names", read_entry_names, true }, { "name", read_entry_name, false },
	{ "action", read_action, false },    { "errnoRet", read_errno, true },
	{ "args", read_compares, true },     { "comment", read_comment, true },
	{ "includes", read_includes, true }, { "excludes", read_excludes, true },
};

static int add_rule(struct json_walk *w, const struct json_at *at, const struct seccomp_rule *rule,
		    const char *name)
{
	struct reader *r = (struct reader *)w;
	size_t n = r->n_allocated ? 2 * r->n_allocated : 64;
	struct seccomp_rule *rules;

	if (r->n_rules == REEVE_SECCOMP_RULES_MAX)
		return json_refuse(w, at, "the profile has more than %d rules, one a name",
				   REEVE_SECCOMP_RULES_MAX);
	if (r->n_rules == r->n_allocated) {
		rules = realloc(r->rules, n * sizeof(*rules));
		if (!rules)
			return -ENOMEM;
		r->rules = rules;
		r->n_allocated = n;
	}
	r->rules[r->n_rules] = *rule;
	snprintf(r->rules[r->n_rules++].name, SECCOMP_NAME_SIZE, "%s", name);
	return 0;
}

static int read_entry(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct entry entry = { 0 };
	const cJSON *name;
	int err;

	(void)into;
	err = json_read_object(w, item, at, entry_keys, ARRAY_SIZE(entry_keys), &entry);
	if (err)
		return err;
	if (!entry.names == !entry.name)
		return json_refuse(w, at, "one of \"names\" and \"name\" is needed, not both");
	err = take_verdict(w, at, &entry.verdict, "action", &entry.rule.verdict);
	if (err || entry.skip)
		return err;
	if (entry.name)
		return add_rule(w, at, &entry.rule, entry.name->valuestring);
	cJSON_ArrayForEach(name, entry.names) {
		err = add_rule(w, at, &entry.rule, name->valuestring);
		if (err)
			return err;
	}
	return 0;
}

/* --- the profile --- */

static int read_entries(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	return json_read_array(w, item, at, read_entry, into);
}

static int read_architecture(struct json_walk *w, const cJSON *item, const struct json_at *at,
			     void *into)
{
	bool *native = into;
	unsigned int arch;
	int err;

	err = json_read_word(w, item, at, arch_words, &arch);
	if (err == 0 && arch == host_of(w)->arch)
		*native = true;
	return err;
}

static int read_architectures(struct json_walk *w, const cJSON *item, const struct json_at *at,
			      void *into)
{
	struct profile *profile = into;
	bool native = false;
	int err;

	err = json_read_array(w, item, at, read_architecture, &native);
	if (err)
		return err;
	if (cJSON_GetArraySize(item) == 0)
		return 0;
	if (profile->has_architectures)
		return json_refuse(w, at, "\"architectures\" and \"archMap\" exclude each other");
	profile->has_architectures = true;
	profile->native = native;
	return 0;
}

static int read_map_architecture(struct json_walk *w, const cJSON *item, const struct json_at *at,
				 void *into)
{
	struct map_row *row = into;

	row->has_architecture = true;
	return json_read_word(w, item, at, arch_words, &row->architecture);
}

static int read_map_others(struct json_walk *w, const cJSON *item, const struct json_at *at,
			   void *into)
{
	bool native = false;

	(void)into;
	return json_read_array(w, item, at, read_architecture, &native);
}

static const struct json_key map_keys[] = {
	{ "architecture", read_map_architecture, false },
	{ "subArchitectures", read_map_others, true },
};

static int read_map_row(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct profile *profile = into;
	struct map_row row = { 0 };
	int err;

	err = json_read_object(w, item, at, map_keys, ARRAY_SIZE(map_keys), &row);
	if (err)
		return err;
	if (!row.has_architecture)
		return json_refuse(w, at, "the key \"architecture\" is missing");
	if (row.architecture == host_of(w)->arch)
		profile->native = true;
	return 0;
}

static int read_map(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	struct profile *profile = into;

	if (profile->has_architectures)
		return json_refuse(w, at, "\"architectures\" and \"archMap\" exclude each other");
	profile->has_architectures = cJSON_GetArraySize(item) > 0;
	return json_read_array(w, item, at, read_map_row, into);
}

static int read_flag(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	unsigned int place;

	(void)into;
	/* The filter goes to a process of one thread: there is none to synchronise. */
	return json_read_word(w, item, at, "SECCOMP_FILTER_FLAG_TSYNC", &place);
}

static int read_flags(struct json_walk *w, const cJSON *item, const struct json_at *at, void *into)
{
	return json_read_array(w, item, at, read_flag, into);
}

static const struct json_key profile_keys[] = {
	{ "defaultAction", read_action, false },
	{ "defaultErrnoRet", read_errno, true },
	{ "architectures", read_architectures, true },
	{ "archMap", read_map, true },
	{ "flags", read_flags, true },
	{ "syscalls", read_entries, true },
};

static int compare_names(const void *a, const void *b)
{
	const struct seccomp_rule *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* The format does not say which of two rules of one call decides when their verdicts differ. */
static int check_verdicts(struct reader *r)
{
	const struct json_at root = { 0 }, at = { &root, "syscalls", 0 };
	_cleanup_free_ const struct seccomp_rule **sorted = calloc(r->n_rules + 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_rules; i++)
		sorted[i] = &r->rules[i];
	qsort(sorted, r->n_rules, sizeof(*sorted), compare_names);
	for (size_t i = 1; i < r->n_rules; i++) {
		const struct seccomp_verdict *a = &sorted[i - 1]->verdict, *b = &sorted[i]->verdict;

		if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0 &&
		    (a->action != b->action || a->data != b->data))
			return json_refuse(&r->walk, &at,
					   "system call \"%s\" has rules with the verdicts %s (%u) "
					   "and %s (%u), and it is not defined which decides",
					   sorted[i]->name, seccomp_action_name(a->action), a->data,
					   seccomp_action_name(b->action), b->data);
	}
	return 0;
}

static int read_profile(struct reader *r, const cJSON *tree, struct seccomp_plan *ret)
{
	const struct json_at root = { 0 };
	struct profile profile = { 0 };
	struct seccomp_verdict fallback;
	int err;

	err = json_read_object(&r->walk, tree, &root, profile_keys, ARRAY_SIZE(profile_keys),
			       &profile);
	if (err)
		return err;
	err = take_verdict(&r->walk, &root, &profile.verdict, "defaultAction", &fallback);
	if (err)
		return err;
	if (profile.has_architectures && !profile.native)
		return json_refuse(&r->walk, &root,
				   "the profile is not written for %s, this machine's architecture",
				   seccomp_arch_name(r->host->arch));
	err = check_verdicts(r);
	if (err)
		return err;
	*ret = (struct seccomp_plan){ .fallback = fallback,
				      .architectures = 1u << r->host->arch,
				      .rules = r->rules,
				      .n_rules = r->n_rules,
				      .owned = r->rules };
	r->rules = NULL;
	return 0;
}

static void reader_deinit(struct reader *r)
{
	free(r->rules);
}

int oci_seccomp_parse(const char *text, size_t length, const struct oci_seccomp_host *host,
		      struct seccomp_plan *ret, struct fault *ret_fault)
{
	const struct json_origin origin = { FAULT_REQUEST, "the seccomp profile", REMEDY };
	_cleanup_(reader_deinit) struct reader r = { .walk = { &origin, ret_fault }, .host = host };
	_cleanup_json_ cJSON *tree = NULL;
	int err;

	if (length > REEVE_SECCOMP_BYTES_MAX)
		return fault_set(ret_fault, FAULT_REQUEST, "/", REMEDY,
				 "the seccomp profile has %zu bytes; allowed are %d", length,
				 REEVE_SECCOMP_BYTES_MAX);
	err = json_parse(text, length, &origin, &tree, ret_fault);
	if (err)
		return err;
	return read_profile(&r, tree, ret);
}
