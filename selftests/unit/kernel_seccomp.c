// SPDX-License-Identifier: GPL-2.0-only
/*
 * The compiler of seccomp plans, against two others: a reading of the rules one after the other
 * (seccomp_check.h), for every number and every argument near one that a rule names, and
 * libseccomp, for plans made at random. Programs are interpreted here; kernel_seccomp_install.c
 * gives one to the kernel.
 */
#include "../test.h"

#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "../seccomp_check.h"

#define NUMBERS 1024
#define VALUES_MAX 160

/* Values worth trying in one argument. */
struct values {
	uint64_t list[VALUES_MAX];
	size_t n;
};

static const uint32_t scmp_arches[] = {
	[SECCOMP_ARCH_X86_64] = SCMP_ARCH_X86_64, [SECCOMP_ARCH_AARCH64] = SCMP_ARCH_AARCH64
};

static uint64_t random_bits(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int *rule_numbers(const struct seccomp_plan *plan, enum seccomp_arch arch)
{
	int *numbers = calloc(plan->n_rules + 1, sizeof(*numbers));

	for (size_t i = 0; i < plan->n_rules; i++)
		numbers[i] = seccomp_number(plan->rules[i].name, arch);
	return numbers;
}

static void add_value(struct values *values, uint64_t value)
{
	for (size_t i = 0; i < values->n; i++)
		if (values->list[i] == value)
			return;
	if (values->n < VALUES_MAX)
		values->list[values->n++] = value;
}

/* The values that rules of @number compare argument @arg with, and their neighbours. */
static void collect_values(const struct seccomp_plan *plan, const int *numbers, int number,
			   unsigned int arg, struct values *ret)
{
	ret->n = 0;
	add_value(ret, 0);
	for (size_t i = 0; i < plan->n_rules; i++)
		for (unsigned int j = 0; numbers[i] == number && j < plan->rules[i].n_compares; j++) {
			const struct seccomp_compare *compare = &plan->rules[i].compares[j];

			if (compare->arg != arg)
				continue;
			add_value(ret, compare->value);
			add_value(ret, compare->value | 1ull << 32);
			add_value(ret, compare->value + 1);
			add_value(ret, compare->value - 1);
			add_value(ret, compare->value | ~compare->mask);
			add_value(ret, compare->mask);
			add_value(ret, compare->value | SOCK_CLOEXEC | SOCK_NONBLOCK);
		}
}

struct checker {
	const struct seccomp_plan *plan;
	const struct sock_fprog *program, *other; /* @other: what libseccomp makes of the plan */
	enum seccomp_arch arch;
	int *numbers;
	unsigned long checked;
};

static void check_one(struct checker *c, const struct seccomp_data *data)
{
	uint32_t got = check_run(c->program, data);
	uint32_t want = check_expect(c->plan, c->numbers, c->arch, data);
	uint32_t other = c->other ? check_run(c->other, data) : want;

	c->checked++;
	if (got == want && got == other)
		return;
	printf("arch %x nr %d args %llx %llx %llx\n", data->arch, data->nr, data->args[0],
	       data->args[1], data->args[2]);
	ASSERT_EQ(got, want);
	ASSERT_EQ(got, other);
}

/* Every combination of the values of three arguments, and each with one bit turned. */
static void check_number(struct checker *c, int number)
{
	struct seccomp_data data = { .nr = number, .arch = check_audit_arch(c->arch) };
	struct values values[3];

	for (unsigned int arg = 0; arg < 3; arg++)
		collect_values(c->plan, c->numbers, number, arg, &values[arg]);
	for (size_t n = 0; n < values[0].n * values[1].n * values[2].n; n++) {
		uint64_t turned = 1ull << (random_bits() & 63);

		data.args[0] = values[0].list[n % values[0].n];
		data.args[1] = values[1].list[n / values[0].n % values[1].n];
		data.args[2] = values[2].list[n / values[0].n / values[1].n];
		check_one(c, &data);
		data.args[n % 3] ^= turned;
		check_one(c, &data);
	}
}

static void check_plan(struct checker *c)
{
	c->numbers = rule_numbers(c->plan, c->arch);
	for (int number = 0; number < NUMBERS; number++)
		check_number(c, number);
	free(c->numbers);
}

static void check_strange_numbers(struct checker *c)
{
	static const uint32_t bases[] = { 0x40000000u, 0x7ffffc00u, 0x80000000u, 0xc0000000u,
					  0xfffffc00u };

	c->numbers = rule_numbers(c->plan, c->arch);
	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
		for (uint32_t n = 0; n < NUMBERS; n++)
			check_number(c, (int)(bases[i] + n));
	free(c->numbers);
}

static void compile(const struct seccomp_plan *plan, enum seccomp_arch arch, struct sock_fprog *ret)
{
	struct fault fault = { 0 };
	int r = seccomp_compile(plan, arch, ret, &fault);

	printf("%s", fault.reason);
	ASSERT_EQ(r, 0);
}

/* Of every instruction, also of those that no call of these tests reaches. */
static void check_jumps(const struct sock_fprog *program)
{
	for (unsigned int pc = 0; pc < program->len; pc++) {
		const struct sock_filter *insn = &program->filter[pc];
		unsigned int far = insn->jt > insn->jf ? insn->jt : insn->jf;

		if (BPF_CLASS(insn->code) != BPF_JMP)
			continue;
		if (BPF_OP(insn->code) == BPF_JA)
			far = insn->k;
		ASSERT_LT(pc + 1 + far, program->len);
	}
	ASSERT_EQ(BPF_CLASS(program->filter[program->len - 1].code), BPF_RET);
}

TEST("the default decides every number and argument as its rules say", .seconds = 120)
{
	for (int arch = 0; arch < SECCOMP_ARCH_COUNT; arch++) {
		_cleanup_seccomp_program_ struct sock_fprog program = { 0 };
		struct checker checker = { .plan = seccomp_plan_default(),
					   .program = &program,
					   .arch = (enum seccomp_arch)arch };

		compile(checker.plan, checker.arch, &program);
		check_jumps(&program);
		check_plan(&checker);
		check_strange_numbers(&checker);
		EXPECT_GT(checker.checked, 10000);
	}
}

TEST("another architecture's process is killed, and an x32 call is ENOSYS")
{
	static const uint32_t foreign[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_AARCH64,
					    AUDIT_ARCH_RISCV64, 0 };
	_cleanup_seccomp_program_ struct sock_fprog program = { 0 };

	compile(seccomp_plan_default(), SECCOMP_ARCH_X86_64, &program);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		for (int number = -1; number < NUMBERS; number++) {
			struct seccomp_data data = { .nr = number, .arch = foreign[i] };

			ASSERT_EQ(check_run(&program, &data), SECCOMP_RET_KILL_PROCESS);
		}
	for (int number = 0; number < NUMBERS; number++) {
		struct seccomp_data data = { .nr = 0x40000000 | number, .arch = AUDIT_ARCH_X86_64 };

		ASSERT_EQ(check_run(&program, &data), CHECK_ENOSYS);
	}
}

TEST("a call younger than the rules is ENOSYS, and so are the holes of each table")
{
	static const int strange[][2] = { { 337, 423 }, { 472, 600 } };

	for (size_t i = 0; i < 2; i++)
		for (int number = strange[i][0]; number <= strange[i][1]; number++) {
			struct seccomp_data data = { .nr = number,
						     .arch = check_audit_arch(SECCOMP_ARCH_NATIVE) };

			ASSERT_EQ(check_run(seccomp_default(), &data), CHECK_ENOSYS);
		}
}

TEST("the program that was compiled with reeve is the one that the rules give now")
{
	_cleanup_seccomp_program_ struct sock_fprog program = { 0 };

	compile(seccomp_plan_default(), SECCOMP_ARCH_NATIVE, &program);
	ASSERT_EQ(program.len, seccomp_default()->len);
	EXPECT_MEMEQ(program.filter, seccomp_default()->filter,
		     program.len * sizeof(*program.filter));
}

/* The kernel runs a new program for every number: that is what its length and depth cost. */
TEST("the default stays small")
{
	EXPECT_LT(seccomp_default()->len, 200);
}

TEST("no number of a call that is always permitted depends on its arguments")
{
	static const char *const names[] = { "read",
					     "write",
					     "openat",
					     "close",
					     "mmap",
					     "futex",
					     "execve",
					     "wait4",
					     "statx",
					     "rseq",
					     "membarrier",
					     "memfd_create",
					     "epoll_pwait",
					     "timerfd_create",
					     "getrandom",
					     "landlock_restrict_self",
					     "inotify_init1",
					     "connect",
					     "sendmsg",
					     "prctl",
					     "seccomp",
					     "futex_waitv",
					     "futex_wait",
					     "io_setup",
					     "pidfd_send_signal",
					     "close_range",
					     "mseal" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct seccomp_data data = { .nr = seccomp_number(names[i], SECCOMP_ARCH_NATIVE),
					     .arch = check_audit_arch(SECCOMP_ARCH_NATIVE) };

		printf("%s\n", names[i]);
		ASSERT_GE(data.nr, 0);
		EXPECT_EQ(check_run(seccomp_default(), &data), SECCOMP_RET_ALLOW);
	}
}

/* --- plans made at random --- */

static const char *const pool[] = { "read",   "write",	     "open",	"openat", "ioctl",
				    "socket", "clone",	     "mmap",	"fcntl",  "prctl",
				    "futex",  "mount",	     "ptrace",	"statx",  "bpf",
				    "kill",   "personality", "unshare", "keyctl", "dup3",
				    "splice", "mknodat",     "setns",	"shmat",  "iopl" };
#define POOL (sizeof(pool) / sizeof(*pool))

static struct seccomp_verdict random_verdict(void)
{
	struct seccomp_verdict verdict = { .action = (enum seccomp_action)(random_bits() %
									   SECCOMP_ACTION_COUNT) };

	if (seccomp_action_takes_data(verdict.action))
		verdict.data = 1 + random_bits() % 200;
	return verdict;
}

static uint64_t random_value(bool wide)
{
	static const uint64_t values[] = { 0,
					   1,
					   2,
					   10,
					   0x7fffffff,
					   0x80000000,
					   0xffffffff,
					   1ull << 32,
					   1ull << 32 | 1,
					   0xffffffff00000000ull,
					   ~0ull,
					   ~0ull - 1 };

	return values[random_bits() % (wide ? 12 : 7)];
}

static void random_compare(struct seccomp_rule *rule, unsigned int arg, bool wide)
{
	struct seccomp_compare *compare = &rule->compares[rule->n_compares++];

	compare->arg = arg;
	compare->op = (enum seccomp_op)(random_bits() % SECCOMP_OP_COUNT);
	compare->value = random_value(wide);
	if (compare->op == SECCOMP_OP_MASKED_EQ)
		compare->mask = random_value(wide);
	if (compare->op == SECCOMP_OP_MASKED_EQ && !wide)
		compare->value &= compare->mask;
}

/*
 * One verdict for each name, so that the order of rules means nothing: libseccomp has none. POOL
 * rules are one for each call.
 */
static struct seccomp_plan random_plan(size_t n_rules, unsigned int max_compares, bool wide)
{
	struct seccomp_rule *rules = calloc(n_rules, sizeof(*rules));
	struct seccomp_verdict verdicts[POOL];

	for (size_t i = 0; i < POOL; i++)
		verdicts[i] = random_verdict();
	for (size_t i = 0; i < n_rules; i++) {
		size_t name = n_rules == POOL ? i : random_bits() % POOL;
		unsigned int n = random_bits() % 8 ? 1 + random_bits() % max_compares : 0;

		snprintf(rules[i].name, sizeof(rules[i].name), "%s", pool[name]);
		rules[i].verdict = verdicts[name];
		for (unsigned int arg = 0; arg < n; arg++)
			random_compare(&rules[i], arg, wide);
	}
	return (struct seccomp_plan){ .fallback = random_verdict(),
				      .architectures = (1u << SECCOMP_ARCH_COUNT) - 1,
				      .rules = rules,
				      .n_rules = n_rules,
				      .owned = rules };
}

static uint32_t scmp_action(struct seccomp_verdict verdict)
{
	const uint32_t actions[] = { SCMP_ACT_ALLOW,
				     SCMP_ACT_LOG,
				     SCMP_ACT_ERRNO(verdict.data),
				     SCMP_ACT_TRACE(verdict.data),
				     SCMP_ACT_TRAP,
				     SCMP_ACT_KILL_THREAD,
				     SCMP_ACT_KILL_PROCESS };

	return actions[verdict.action];
}

static void scmp_add(scmp_filter_ctx ctx, const struct seccomp_rule *rule, enum seccomp_arch arch,
		     struct seccomp_verdict fallback)
{
	const enum scmp_compare ops[] = { SCMP_CMP_NE, SCMP_CMP_LT, SCMP_CMP_LE,       SCMP_CMP_EQ,
					  SCMP_CMP_GE, SCMP_CMP_GT, SCMP_CMP_MASKED_EQ };
	/* It takes this machine's number, whichever architecture the rule is for. */
	int number = seccomp_number(rule->name, SECCOMP_ARCH_NATIVE), r;
	struct scmp_arg_cmp args[SECCOMP_ARGS];

	/* It refuses a rule that says what would be said without it. */
	if (number < 0 || seccomp_number(rule->name, arch) < 0 ||
	    check_value(rule->verdict) == check_value(fallback))
		return;
	for (unsigned int i = 0; i < rule->n_compares; i++) {
		const struct seccomp_compare *compare = &rule->compares[i];
		bool masked = compare->op == SECCOMP_OP_MASKED_EQ;

		args[i] = (struct scmp_arg_cmp){ .arg = compare->arg,
						 .op = ops[compare->op],
						 .datum_a = masked ? compare->mask : compare->value,
						 .datum_b = masked ? compare->value : 0 };
	}
	r = seccomp_rule_add_exact_array(ctx, scmp_action(rule->verdict), number, rule->n_compares,
					 args);
	if (r != -EEXIST)
		ASSERT_OK(r);
}

static void scmp_compile(const struct seccomp_plan *plan, enum seccomp_arch arch,
			 struct sock_fprog *ret)
{
	scmp_filter_ctx ctx = seccomp_init(scmp_action(plan->fallback));
	int fd = memfd_create("bpf", MFD_CLOEXEC);
	off_t size;

	ASSERT_NOT_NULL(ctx);
	if (arch != SECCOMP_ARCH_NATIVE) {
		ASSERT_EQ(seccomp_arch_add(ctx, scmp_arches[arch]), 0);
		ASSERT_EQ(seccomp_arch_remove(ctx, SCMP_ARCH_NATIVE), 0);
	}
	for (size_t i = 0; i < plan->n_rules; i++)
		scmp_add(ctx, &plan->rules[i], arch, plan->fallback);
	ASSERT_EQ(seccomp_export_bpf(ctx, fd), 0);
	size = lseek(fd, 0, SEEK_END);
	ret->len = (unsigned short)(size / (off_t)sizeof(*ret->filter));
	ret->filter = malloc((size_t)size);
	ASSERT_EQ(pread(fd, ret->filter, (size_t)size, 0), size);
	close(fd);
	seccomp_release(ctx);
}

static void compare_with_libseccomp(size_t n_rules, unsigned int max_compares)
{
	_cleanup_seccomp_plan_ struct seccomp_plan plan = random_plan(n_rules, max_compares, false);

	for (int arch = 0; arch < SECCOMP_ARCH_COUNT; arch++) {
		_cleanup_seccomp_program_ struct sock_fprog program = { 0 }, other = { 0 };
		struct checker checker = { .plan = &plan,
					   .program = &program,
					   .other = &other,
					   .arch = (enum seccomp_arch)arch };

		compile(&plan, checker.arch, &program);
		scmp_compile(&plan, checker.arch, &other);
		check_jumps(&program);
		check_plan(&checker);
	}
}

/*
 * Only what libseccomp is right about: 2.5.4 loses rules where one call has several that compare
 * more than one argument, or values of more than 32 bits by order.
 */
TEST("random plans decide as libseccomp's programs of the same rules", .seconds = 120)
{
	for (int i = 0; i < 60; i++)
		compare_with_libseccomp(40, 1);
	for (int i = 0; i < 60; i++)
		compare_with_libseccomp(POOL, 3);
}

/* Rule by rule the distances grow over what one jump spans, from every side. */
TEST("rules of one call with many verdicts decide in order, however many they are", .seconds = 120)
{
	for (size_t n = 1; n < 300; n++) {
		_cleanup_seccomp_plan_ struct seccomp_plan plan = random_plan(n, 1, true);
		_cleanup_seccomp_program_ struct sock_fprog program = { 0 };
		struct checker checker = { .plan = &plan, .program = &program };

		for (size_t i = 0; i < n; i++)
			snprintf(plan.owned[i].name, SECCOMP_NAME_SIZE, "read");
		compile(&plan, checker.arch, &program);
		check_jumps(&program);
		checker.numbers = rule_numbers(&plan, checker.arch);
		check_number(&checker, seccomp_number("read", checker.arch));
		free(checker.numbers);
	}
}

TEST("a plan too large for one jump decides as its rules say", .seconds = 120)
{
	for (int i = 0; i < 4; i++) {
		_cleanup_seccomp_plan_ struct seccomp_plan plan = random_plan(280, 3, true);
		_cleanup_seccomp_program_ struct sock_fprog program = { 0 };
		struct checker checker = { .plan = &plan, .program = &program };

		compile(&plan, checker.arch, &program);
		EXPECT_GT(program.len, 255);
		check_jumps(&program);
		check_plan(&checker);
		check_strange_numbers(&checker);
	}
}

/* --- what is refused --- */

static struct seccomp_plan one_rule(struct seccomp_rule *rule, const char *name,
				    enum seccomp_action fallback, enum seccomp_action action)
{
	*rule = (struct seccomp_rule){ .verdict = { action, 0 } };
	snprintf(rule->name, sizeof(rule->name), "%s", name);
	return (struct seccomp_plan){ .fallback = { fallback, 0 },
				      .architectures = 1u << SECCOMP_ARCH_X86_64,
				      .rules = rule,
				      .n_rules = 1 };
}

TEST("a refusal of a call that nobody knows is a fault where the rest is permitted")
{
	_cleanup_seccomp_program_ struct sock_fprog program = { 0 };
	struct fault fault = { 0 };
	struct seccomp_rule rule;
	struct seccomp_plan plan =
		one_rule(&rule, "no_such_call", SECCOMP_ACTION_ALLOW, SECCOMP_ACTION_KILL_PROCESS);

	ASSERT_EQ(seccomp_compile(&plan, SECCOMP_ARCH_X86_64, &program, &fault), FAULT_E_SET);
	EXPECT_NULL(program.filter);
	EXPECT_EQ(fault.code, FAULT_UNSUPPORTED);
	EXPECT_HAS(fault.reason, "no_such_call");
	EXPECT_HAS(fault.reason, "SCMP_ACT_KILL_PROCESS");
}

TEST("a permission for a call that nobody knows is left out where the rest is refused")
{
	_cleanup_seccomp_program_ struct sock_fprog program = { 0 };
	struct seccomp_rule rule;
	struct seccomp_plan plan =
		one_rule(&rule, "no_such_call", SECCOMP_ACTION_KILL_PROCESS, SECCOMP_ACTION_ALLOW);
	struct seccomp_data data = { .nr = 0, .arch = AUDIT_ARCH_X86_64 };

	compile(&plan, SECCOMP_ARCH_X86_64, &program);
	EXPECT_EQ(check_run(&program, &data), SECCOMP_RET_KILL_PROCESS);
}

TEST("a rule of a call that only other architectures have is left out")
{
	EXPECT_EQ(seccomp_number("iopl", SECCOMP_ARCH_X86_64), 172);
	EXPECT_EQ(seccomp_number("iopl", SECCOMP_ARCH_AARCH64), -ENOSYS);
	EXPECT_EQ(seccomp_number("open_tree_attr", SECCOMP_ARCH_AARCH64), 467);
	EXPECT_EQ(seccomp_number("no_such_call", SECCOMP_ARCH_AARCH64), -ENOENT);
}

TEST("a plan is not compiled for an architecture that it is not written for")
{
	struct sock_fprog program = { 0 };
	struct fault fault = { 0 };
	struct seccomp_rule rule;
	struct seccomp_plan plan =
		one_rule(&rule, "read", SECCOMP_ACTION_KILL_PROCESS, SECCOMP_ACTION_ALLOW);

	EXPECT_EQ(seccomp_compile(&plan, SECCOMP_ARCH_AARCH64, &program, &fault), -EINVAL);
	EXPECT_NULL(program.filter);
}

TEST("rules that need more instructions than the kernel takes are a fault")
{
	_cleanup_seccomp_plan_ struct seccomp_plan plan = random_plan(4000, 3, false);
	struct sock_fprog program = { 0 };
	struct fault fault = { 0 };

	for (size_t i = 0; i < plan.n_rules; i++) {
		struct seccomp_rule *rule = &plan.owned[i];

		snprintf(rule->name, sizeof(rule->name), "read");
		rule->n_compares = 0;
		random_compare(rule, 0, false);
		rule->compares[0].op = SECCOMP_OP_EQ;
		rule->compares[0].value = i;
		rule->verdict = (struct seccomp_verdict){ SECCOMP_ACTION_ERRNO, 1 };
	}
	plan.fallback = (struct seccomp_verdict){ SECCOMP_ACTION_ALLOW, 0 };
	ASSERT_EQ(seccomp_compile(&plan, SECCOMP_ARCH_NATIVE, &program, &fault), FAULT_E_SET);
	EXPECT_HAS(fault.reason, "4096");
	EXPECT_NULL(program.filter);
}

TEST("a plan without rules is its fallback")
{
	_cleanup_seccomp_program_ struct sock_fprog program = { 0 };
	struct seccomp_plan plan = { .fallback = { SECCOMP_ACTION_ERRNO, EACCES },
				     .architectures = 1u << SECCOMP_ARCH_AARCH64 };
	struct seccomp_data data = { .nr = 5, .arch = AUDIT_ARCH_AARCH64 };

	compile(&plan, SECCOMP_ARCH_AARCH64, &program);
	EXPECT_EQ(check_run(&program, &data), SECCOMP_RET_ERRNO | EACCES);
}
