/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How things are compared here. Absolute times say little on a shared machine and whole runs one after
 * the other say nothing; so A and B alternate in short slices, each pair gives one ratio, and the median
 * of the ratios is the figure. Beside it goes a control, A against A, measured in the same rounds: when
 * that is not one, the whole group is thrown away and measured again, a few times; then the machine is
 * too noisy and no figure is given.
 *
 * A figure is one line on stdout, "figure" and its fields separated by tabs, read by selftests/bench/run.
 */
#ifndef REEVE_SELFTESTS_BENCH_H
#define REEVE_SELFTESTS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets *ret to the ns of one operation. Returns 0 or -errno. */
typedef int bench_slice(void *arg, double *ret);

struct bench_case {
	const char *name;
	bench_slice *slice;
	void *arg;
};

struct bench_group {
	struct bench_case base;
	const struct bench_case *cases;
	size_t n_cases;
	unsigned int rounds;
};

/* Prints a figure for each case and for the control. Returns whether there were figures to print. */
bool bench_compare(const struct bench_group *group);

/* A figure that is no ratio. */
void bench_value(const char *name, const char *unit, double value);

/* A figure and how many times that of @of it is. */
void bench_against(const char *name, const char *of, double base, double value, const char *unit);

/* A figure of repeated trials: median and maximum. */
void bench_spread(const char *name, const char *unit, double *values, size_t n);

/* Sorts @values. */
double bench_median(double *values, size_t n);

double bench_now_ns(void);

/* Keeps this thread and what it starts on one processor. */
void bench_pin(void);

/* Ends the program, saying why on stderr: a comparison with a missing side is none. */
_Noreturn void bench_die(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
