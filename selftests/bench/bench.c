// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each case is measured right behind its own slice of the base, and each such pair behind one more slice
 * of the base that is not looked at: what ran before leaves caches as it likes, and must leave them alike
 * for all.
 *
 * Of n ratios the median is off by about 1.25 s / sqrt(n): the rounds of a group are chosen so that a
 * control within two percent is what a quiet machine gives.
 */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../user/base/clock.h"
#include "../../user/base/macro.h"

#define ATTEMPTS_MAX 5
/*
 * No further attempt after so long, and no further round once an attempt has enough: all parts together
 * must end within minutes on a busy machine too.
 */
#define ATTEMPTS_NS 30e9
#define ROUNDS_ENOUGH 40
#define CONTROL_MIN 0.98
#define CONTROL_MAX 1.02
#define CASES_MAX 8

struct series {
	double *ratios, *base, *value;
};

double bench_now_ns(void)
{
	return (double)clock_monotonic_ns();
}

void bench_die(int err, const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, err ? ": %s\n" : "\n", strerror(err < 0 ? -err : err));
	exit(1);
}

void bench_pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)sysconf(_SC_NPROCESSORS_ONLN) - 1, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bench_die(errno, "cannot stay on one processor");
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double slice_run(const struct bench_case *c)
{
	double ns;
	int r = c->slice(c->arg, &ns);

	if (r)
		bench_die(r, "%s", c->name);
	return ns;
}

static void series_init(struct series *series, size_t n)
{
	series->ratios = calloc(3 * n, sizeof(double));
	if (!series->ratios)
		bench_die(ENOMEM, "pairs");
	series->base = series->ratios + n;
	series->value = series->base + n;
}

/* Returns the rounds measured. */
static unsigned int group_measure(const struct bench_group *group,
				  const struct bench_case *const *cases, size_t n, struct series *all)
{
	const double end = bench_now_ns() + ATTEMPTS_NS;
	unsigned int round = 0;

	for (; round < group->rounds; round++) {
		if (round >= ROUNDS_ENOUGH && bench_now_ns() > end)
			break;
		for (size_t i = 0; i < n; i++) {
			struct series *s = &all[i];

			slice_run(&group->base);
			s->base[round] = slice_run(&group->base);
			s->value[round] = slice_run(cases[i]);
			s->ratios[round] = s->value[round] / s->base[round];
		}
	}
	return round;
}

/* @of: what the ratio is against. Only a figure of pairs has one. */
static void figure(const char *name, const char *of, double ratio, double value, double max,
		   const char *unit)
{
	printf("figure\t%s\t%s\t%.4f\t%.3f\t%.3f\t%s\n", name, of, ratio, value, max, unit);
	fflush(stdout);
}

static void pairs_print(const char *of, const char *name, struct series *s, unsigned int rounds)
{
	const char *unit = "ns";
	double ratio = bench_median(s->ratios, rounds);
	double value = bench_median(s->value, rounds);

	if (value >= 1e5) {
		value /= 1e6;
		unit = "ms";
	} else if (value >= 1e3) {
		value /= 1e3;
		unit = "us";
	}
	figure(name, of, ratio, value, NAN, unit);
}

static double control_of(const struct series *s, unsigned int rounds, double *scratch)
{
	memcpy(scratch, s->ratios, rounds * sizeof(*scratch));
	return bench_median(scratch, rounds);
}

/* Measures until the control holds. Returns the rounds of the attempt that did, 0 for none. */
static unsigned int group_measure_valid(const struct bench_group *group,
					const struct bench_case *const *cases, size_t n,
					struct series *all)
{
	_cleanup_free_ double *scratch = calloc(group->rounds, sizeof(double));
	const double give_up = bench_now_ns() + ATTEMPTS_NS;

	if (!scratch)
		bench_die(ENOMEM, "%s", group->base.name);
	for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
		unsigned int rounds = group_measure(group, cases, n, all);
		double control = control_of(&all[0], rounds, scratch);

		if (control >= CONTROL_MIN && control <= CONTROL_MAX)
			return rounds;
		fprintf(stderr, "%s against itself: %.3f; thrown away (%d of %d)\n",
			group->base.name, control, attempt, ATTEMPTS_MAX);
		if (bench_now_ns() > give_up)
			break;
	}
	return 0;
}

bool bench_compare(const struct bench_group *group)
{
	const struct bench_case *cases[CASES_MAX + 1] = { &group->base };
	struct series all[CASES_MAX + 1];
	const size_t n = group->n_cases + 1;
	unsigned int rounds;
	char name[128];

	if (group->n_cases > CASES_MAX)
		bench_die(E2BIG, "%s", group->base.name);
	for (size_t i = 0; i < n; i++) {
		cases[i] = i ? &group->cases[i - 1] : &group->base;
		series_init(&all[i], group->rounds);
	}
	rounds = group_measure_valid(group, cases, n, all);
	if (!rounds)
		printf("noisy\t%s\n", group->base.name);
	snprintf(name, sizeof(name), "control: %s", group->base.name);
	for (size_t i = 0; i < n; i++) {
		if (rounds)
			pairs_print(group->base.name, i ? cases[i]->name : name, &all[i], rounds);
		free(all[i].ratios);
	}
	return rounds > 0;
}

void bench_value(const char *name, const char *unit, double value)
{
	figure(name, "", NAN, value, NAN, unit);
}

void bench_against(const char *name, const char *of, double base, double value, const char *unit)
{
	figure(name, of, value / base, value, NAN, unit);
}

void bench_spread(const char *name, const char *unit, double *values, size_t n)
{
	double median = bench_median(values, n);

	figure(name, "", NAN, median, values[n - 1], unit);
}
