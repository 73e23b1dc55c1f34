// SPDX-License-Identifier: GPL-2.0-only
/*
 * From rules to instructions.
 *
 * libseccomp knows the numbers of names. Its programs, though, compare number by number and have no
 * ranges, and 2.5.4 loses rules where several of one call compare more than one argument. So this
 * emitter cuts the number line into pieces of one verdict each, joins equal neighbours, and searches
 * the pieces by halves. The kernel runs a new filter once for every number to learn which are always
 * allowed: depth is what an installation costs, and the search is balanced by how many numbers lie
 * on each side. After that, such calls run no filter at all.
 *
 * A piece is a verdict, or the rules of one call. Rules that begin with the same comparisons share
 * them; the first that matches decides, as in the plan.
 *
 * Code is written from its end to its beginning, since jumps only lead forward: what a jump leads
 * to is there already. A verdict is a place that is made when a jump needs it and none is in reach
 * (a conditional jump spans 255 instructions). Nothing falls through into another block, so a place
 * may be made before any jump.
 *
 * Used twice: by the generator of the built-in program, and for profiles that a request brings.
 */
#include "seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <string.h>

#define X32_BIT 0x40000000u
#define REACH 255
/* Above the numbers that a kernel has. */
#define TRIED 512

/* Calls younger than the oldest libseccomp that is built with; one number on all architectures. */
static const struct {
	const char *name;
	int number;
} young[] = {
	{ "cachestat", 451 },	      { "fchmodat2", 452 },	   { "map_shadow_stack", 453 },
	{ "futex_wake", 454 },	      { "futex_wait", 455 },	   { "futex_requeue", 456 },
	{ "statmount", 457 },	      { "listmount", 458 },	   { "lsm_get_self_attr", 459 },
	{ "lsm_set_self_attr", 460 }, { "lsm_list_modules", 461 }, { "mseal", 462 },
	{ "setxattrat", 463 },	      { "getxattrat", 464 },	   { "listxattrat", 465 },
	{ "removexattrat", 466 },     { "open_tree_attr", 467 },   { "file_getattr", 468 },
	{ "file_setattr", 469 },      { "listns", 470 },	   { "rseq_slice_yield", 471 },
};

static const struct {
	uint32_t audit;
	uint32_t scmp;
	bool x32;
} arches[] = {
	[SECCOMP_ARCH_X86_64] = { AUDIT_ARCH_X86_64, SCMP_ARCH_X86_64, true },
	[SECCOMP_ARCH_AARCH64] = { AUDIT_ARCH_AARCH64, SCMP_ARCH_AARCH64, false },
};

/* Where a jump leads: a verdict, wherever it stands, or the instruction emitted as number @at. */
struct place {
	bool verdict;
	uint32_t value;
	unsigned int at;
};

/* One call's rule, by the call's number. */
struct entry {
	uint32_t number;
	size_t order;
	const struct seccomp_rule *rule;
};

/* Numbers from @first to the next piece's: the rules of entries[from..to), then @fall. */
struct piece {
	uint32_t first;
	size_t from, to;
	uint32_t fall;
};

struct compiler {
	const struct seccomp_plan *plan;
	enum seccomp_arch arch;
	struct entry *entries;
	size_t n_entries;
	struct piece *pieces;
	size_t n_pieces;
	struct sock_filter *code; /* backwards: code[0] is the last instruction */
	unsigned int n_code;
	bool full;
};

static uint32_t verdict_value(struct seccomp_verdict verdict)
{
	static const uint32_t values[] = {
		[SECCOMP_ACTION_ALLOW] = SECCOMP_RET_ALLOW,
		[SECCOMP_ACTION_LOG] = SECCOMP_RET_LOG,
		[SECCOMP_ACTION_ERRNO] = SECCOMP_RET_ERRNO,
		[SECCOMP_ACTION_TRACE] = SECCOMP_RET_TRACE,
		[SECCOMP_ACTION_TRAP] = SECCOMP_RET_TRAP,
		[SECCOMP_ACTION_KILL_THREAD] = SECCOMP_RET_KILL_THREAD,
		[SECCOMP_ACTION_KILL_PROCESS] = SECCOMP_RET_KILL_PROCESS,
	};

	return values[verdict.action] | verdict.data;
}

static struct place place_verdict(uint32_t value)
{
	return (struct place){ .verdict = true, .value = value };
}

static struct place emit(struct compiler *c, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
	if (c->n_code == BPF_MAXINSNS) {
		c->full = true;
		c->n_code = 0;
	}
	c->code[c->n_code] = (struct sock_filter){ .code = code, .jt = jt, .jf = jf, .k = k };
	return (struct place){ .at = c->n_code++ };
}

/*
 * The number of an instruction that leads to @to and stays in reach when @more instructions follow
 * before the jump.
 */
static unsigned int reach(struct compiler *c, struct place to, unsigned int more)
{
	unsigned int end = c->n_code + more;

	if (!to.verdict) {
		if (end - to.at - 1 <= REACH)
			return to.at;
		return emit(c, BPF_JMP | BPF_JA, 0, 0, c->n_code - to.at - 1).at;
	}
	for (unsigned int at = c->n_code; at > 0 && end - at <= REACH; at--) {
		const struct sock_filter *insn = &c->code[at - 1];

		if (insn->code == (BPF_RET | BPF_K) && insn->k == to.value)
			return at - 1;
	}
	return emit(c, BPF_RET | BPF_K, 0, 0, to.value).at;
}

/* The accumulator compared with @k. */
static struct place emit_jump(struct compiler *c, uint16_t op, uint32_t k, struct place yes,
			      struct place no)
{
	unsigned int to_yes = reach(c, yes, 1), to_no = reach(c, no, 0);

	return emit(c, BPF_JMP | op | BPF_K, (uint8_t)(c->n_code - to_yes - 1),
		    (uint8_t)(c->n_code - to_no - 1), k);
}

static struct place emit_load(struct compiler *c, size_t offset)
{
	return emit(c, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/* One half of an argument, masked, compared with @k. Both architectures are little-endian. */
static struct place emit_half(struct compiler *c, unsigned int arg, bool high, uint32_t mask,
			      uint16_t op, uint32_t k, struct place yes, struct place no)
{
	size_t offset = offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t);

	if (op == BPF_JEQ && (k & ~mask))
		return no;
	if (op == BPF_JEQ && mask == 0)
		return yes;
	if (op == BPF_JEQ && k == 0 && mask != UINT32_MAX) {
		emit_jump(c, BPF_JSET, mask, no, yes);
	} else {
		emit_jump(c, op, k, yes, no);
		if (mask != UINT32_MAX)
			emit(c, BPF_ALU | BPF_AND | BPF_K, 0, 0, mask);
	}
	return emit_load(c, offset + (high ? sizeof(uint32_t) : 0));
}

static struct place emit_equal(struct compiler *c, unsigned int arg, uint64_t mask, uint64_t value,
			       struct place yes, struct place no)
{
	struct place low =
		emit_half(c, arg, false, (uint32_t)mask, BPF_JEQ, (uint32_t)value, yes, no);

	return emit_half(c, arg, true, (uint32_t)(mask >> 32), BPF_JEQ, (uint32_t)(value >> 32),
			 low, no);
}

/* @op is BPF_JGT or BPF_JGE: greater in the high half, or equal there and @op in the low half. */
static struct place emit_order(struct compiler *c, unsigned int arg, uint16_t op, uint64_t value,
			       struct place yes, struct place no)
{
	uint32_t high = (uint32_t)(value >> 32);
	struct place low = emit_half(c, arg, false, UINT32_MAX, op, (uint32_t)value, yes, no);
	struct place equal = emit_half(c, arg, true, UINT32_MAX, BPF_JEQ, high, low, no);

	return emit_half(c, arg, true, UINT32_MAX, BPF_JGT, high, yes, equal);
}

static struct place emit_compare(struct compiler *c, const struct seccomp_compare *compare,
				 struct place yes, struct place no)
{
	unsigned int arg = compare->arg;
	uint64_t value = compare->value;

	switch (compare->op) {
	case SECCOMP_OP_NE:
		return emit_equal(c, arg, UINT64_MAX, value, no, yes);
	case SECCOMP_OP_LT:
		return emit_order(c, arg, BPF_JGE, value, no, yes);
	case SECCOMP_OP_LE:
		return emit_order(c, arg, BPF_JGT, value, no, yes);
	case SECCOMP_OP_GE:
		return emit_order(c, arg, BPF_JGE, value, yes, no);
	case SECCOMP_OP_GT:
		return emit_order(c, arg, BPF_JGT, value, yes, no);
	case SECCOMP_OP_EQ:
		return emit_equal(c, arg, UINT64_MAX, value, yes, no);
	default:
		return emit_equal(c, arg, compare->mask, value, yes, no);
	}
}

static bool same_compare(const struct seccomp_rule *a, const struct seccomp_rule *b, unsigned int n)
{
	const struct seccomp_compare *x = &a->compares[n], *y = &b->compares[n];

	return a->n_compares > n && b->n_compares > n && x->arg == y->arg && x->op == y->op &&
	       x->mask == y->mask && x->value == y->value;
}

/* The rules of entries[from..to), whose first @depth comparisons are equal and hold. */
static struct place emit_rules(struct compiler *c, size_t from, size_t to, unsigned int depth,
			       struct place next)
{
	while (to > from) {
		const struct seccomp_rule *last = c->entries[to - 1].rule;
		size_t start = to - 1;
		struct place match;

		if (last->n_compares == depth) {
			next = place_verdict(verdict_value(last->verdict));
			to--;
			continue;
		}
		while (start > from && same_compare(c->entries[start - 1].rule, last, depth))
			start--;
		match = emit_rules(c, start, to, depth + 1, next);
		next = emit_compare(c, &last->compares[depth], match, next);
		to = start;
	}
	return next;
}

/* How many of the numbers that the kernel tries lie before pieces[i], and one for each piece. */
static uint32_t weight_before(const struct compiler *c, size_t i)
{
	uint32_t first = i < c->n_pieces ? c->pieces[i].first : UINT32_MAX;

	return (first < TRIED ? first : TRIED) + (uint32_t)i;
}

/* Where a search among pieces[from..to) turns: nearly as many tried numbers before it as after. */
static size_t middle_of(const struct compiler *c, size_t from, size_t to)
{
	uint32_t sum = weight_before(c, from) + weight_before(c, to);
	size_t middle = from + 1;

	while (middle + 1 < to && 2 * weight_before(c, middle) < sum)
		middle++;
	if (middle > from + 1 &&
	    sum - 2 * weight_before(c, middle - 1) < 2 * weight_before(c, middle) - sum)
		middle--;
	return middle;
}

/* A search among pieces[from..to), the number in the accumulator. */
static struct place emit_search(struct compiler *c, size_t from, size_t to)
{
	const struct piece *piece = &c->pieces[from];
	size_t middle;
	struct place below, above;

	if (to - from == 1)
		return emit_rules(c, piece->from, piece->to, 0, place_verdict(piece->fall));
	middle = middle_of(c, from, to);
	above = emit_search(c, middle, to);
	below = emit_search(c, from, middle);
	return emit_jump(c, BPF_JGE, c->pieces[middle].first, above, below);
}

static void emit_program(struct compiler *c)
{
	struct place search = emit_search(c, 0, c->n_pieces);
	unsigned int number;

	/* A load goes on at the next instruction; the search need not begin with the last written. */
	if (search.verdict)
		emit(c, BPF_RET | BPF_K, 0, 0, search.value);
	else if (search.at != c->n_code - 1)
		emit(c, BPF_JMP | BPF_JA, 0, 0, c->n_code - search.at - 1);
	number = emit_load(c, offsetof(struct seccomp_data, nr)).at;
	emit_jump(c, BPF_JEQ, arches[c->arch].audit, (struct place){ .at = number },
		  place_verdict(SECCOMP_RET_KILL_PROCESS));
	emit_load(c, offsetof(struct seccomp_data, arch));
}

static bool is_known(const struct compiler *c, uint32_t number)
{
	const struct seccomp_span *known = c->plan->known[c->arch];
	size_t n = c->plan->n_known[c->arch];

	if (arches[c->arch].x32 && number >= X32_BIT)
		return false;
	for (size_t i = 0; i < n; i++)
		if (number >= known[i].first && number <= known[i].last)
			return true;
	return n == 0;
}

/* What decides @number. Rules that say what would be said without them are left out. */
static struct piece piece_at(const struct compiler *c, uint32_t number)
{
	struct piece piece = { .first = number, .fall = SECCOMP_RET_ERRNO | ENOSYS };
	const struct seccomp_rule *rule;

	if (!is_known(c, number))
		return piece;
	piece.fall = verdict_value(c->plan->fallback);
	while (piece.from < c->n_entries && c->entries[piece.from].number < number)
		piece.from++;
	for (piece.to = piece.from; piece.to < c->n_entries; piece.to++) {
		rule = c->entries[piece.to].rule;
		if (c->entries[piece.to].number != number)
			break;
		if (rule->n_compares == 0) {
			piece.fall = verdict_value(rule->verdict);
			break;
		}
	}
	while (piece.to > piece.from &&
	       verdict_value(c->entries[piece.to - 1].rule->verdict) == piece.fall)
		piece.to--;
	return piece;
}

static bool same_verdict(const struct piece *a, const struct piece *b)
{
	return a->from == a->to && b->from == b->to && a->fall == b->fall;
}

static void cut_at(struct compiler *c, uint32_t number)
{
	struct piece piece = piece_at(c, number);

	if (c->n_pieces == 0 || !same_verdict(&c->pieces[c->n_pieces - 1], &piece))
		c->pieces[c->n_pieces++] = piece;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Cuts the number line wherever the verdict may change. */
static int cut_pieces(struct compiler *c)
{
	const struct seccomp_span *known = c->plan->known[c->arch];
	size_t n = 0, max = 2 * c->n_entries + 2 * c->plan->n_known[c->arch] + 2;
	_cleanup_free_ uint32_t *cuts = calloc(max, sizeof(*cuts));

	c->pieces = calloc(max, sizeof(*c->pieces));
	if (!cuts || !c->pieces)
		return -ENOMEM;
	cuts[n++] = 0;
	cuts[n++] = X32_BIT;
	for (size_t i = 0; i < c->plan->n_known[c->arch]; i++) {
		cuts[n++] = known[i].first;
		cuts[n++] = known[i].last + 1;
	}
	for (size_t i = 0; i < c->n_entries; i++) {
		cuts[n++] = c->entries[i].number;
		cuts[n++] = c->entries[i].number + 1;
	}
	qsort(cuts, n, sizeof(*cuts), compare_numbers);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || cuts[i] != cuts[i - 1])
			cut_at(c, cuts[i]);
	return 0;
}

int seccomp_number(const char *name, enum seccomp_arch arch)
{
	int number = seccomp_syscall_resolve_name_arch(arches[arch].scmp, name);

	if (number >= 0)
		return number;
	/* Other negative numbers stand for calls that only other architectures have. */
	if (number != __NR_SCMP_ERROR)
		return -ENOSYS;
	for (size_t i = 0; i < ARRAY_SIZE(young); i++)
		if (strcmp(young[i].name, name) == 0)
			return young[i].number;
	return -ENOENT;
}

/*
 * A rule for a call that nobody here knows cannot be obeyed. That is no loss where the fallback
 * refuses the call anyway, or where the rule would have permitted it as the fallback does.
 */
static int resolve_rules(struct compiler *c, struct fault *ret_fault)
{
	const struct seccomp_plan *plan = c->plan;

	c->entries = calloc(plan->n_rules + 1, sizeof(*c->entries));
	if (!c->entries)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_rules; i++) {
		const struct seccomp_rule *rule = &plan->rules[i];
		int number = seccomp_number(rule->name, c->arch);

		if (number >= 0)
			c->entries[c->n_entries++] = (struct entry){ (uint32_t)number, i, rule };
		else if (number == -ENOENT && seccomp_action_permits(plan->fallback.action) &&
			 !seccomp_action_permits(rule->verdict.action))
			return fault_set(ret_fault, FAULT_UNSUPPORTED, "/syscalls",
					 "correct the name, or drop the rule",
					 "system call \"%s\" is unknown here; %s cannot be enforced "
					 "while the default action is %s",
					 rule->name, seccomp_action_name(rule->verdict.action),
					 seccomp_action_name(plan->fallback.action));
	}
	qsort(c->entries, c->n_entries, sizeof(*c->entries), compare_entries);
	return 0;
}

static void compiler_deinit(struct compiler *c)
{
	free(c->entries);
	free(c->pieces);
	free(c->code);
}

int seccomp_compile(const struct seccomp_plan *plan, enum seccomp_arch arch, struct sock_fprog *ret,
		    struct fault *ret_fault)
{
	_cleanup_(compiler_deinit) struct compiler c = { .plan = plan, .arch = arch };
	struct sock_filter *forward;
	int r;

	if (!(plan->architectures & 1u << arch))
		return -EINVAL;
	r = resolve_rules(&c, ret_fault);
	if (r)
		return r;
	r = cut_pieces(&c);
	if (r)
		return r;
	c.code = calloc(BPF_MAXINSNS, sizeof(*c.code));
	if (!c.code)
		return -ENOMEM;
	emit_program(&c);
	if (c.full)
		return fault_set(ret_fault, FAULT_UNSUPPORTED, "/syscalls",
				 "give fewer rules with argument comparisons",
				 "the rules need more than the kernel's %d instructions",
				 BPF_MAXINSNS);
	forward = calloc(c.n_code, sizeof(*forward));
	if (!forward)
		return -ENOMEM;
	for (unsigned int i = 0; i < c.n_code; i++)
		forward[i] = c.code[c.n_code - 1 - i];
	*ret = (struct sock_fprog){ .len = (unsigned short)c.n_code, .filter = forward };
	return 0;
}

void seccomp_program_deinit(struct sock_fprog *program)
{
	free(program->filter);
	*program = (struct sock_fprog){ 0 };
}
