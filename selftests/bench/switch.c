// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the meter costs a context switch: two processes on one processor hand each other a byte through
 * pipes, in a session, outside of every session, and with the meter taken off; and how far the meter is
 * from the kernel's own cpu.stat.
 *
 * The meter is attached and taken off again for every slice: its pinned link goes first, so that the
 * bench's own is the only one.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/base/macro.h"
#include "../../user/kernel/cgroup.h"
#include "bench.h"
#include "peer.h"
#include "room.h"

#define SLICE_MS 6
#define ROUNDS 200
#define EMPTY_TIMEOUT_NS (20 * NSEC_PER_SEC)

static int meter_prog;
static int ping[2], pong[2];

static _Noreturn void echo(void)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(ping[1]);
	close(pong[0]);
	while (read(ping[0], &byte, 1) == 1 && write(pong[1], &byte, 1) == 1)
		continue;
	_exit(0);
}

static int pair_prepare(void *arg)
{
	pid_t pid;

	(void)arg;
	if (pipe(ping) || pipe(pong))
		return -errno;
	pid = fork();
	if (pid == 0)
		echo();
	close(ping[0]);
	close(pong[1]);
	return pid < 0 ? -errno : 0;
}

/* There and back: two switches. */
static int pair_run(void *arg)
{
	char byte = 0;

	(void)arg;
	return write(ping[1], &byte, 1) == 1 && read(pong[0], &byte, 1) == 1 ? 0 : -EPIPE;
}

static int bare_slice(void *arg, double *ret_ns)
{
	int r = room_slice(arg, ret_ns);

	*ret_ns /= 2;
	return r;
}

static int metered_slice(void *arg, double *ret_ns)
{
	_cleanup_fd_ int link = bpf_raw_tracepoint_open(NULL, meter_prog);

	return link < 0 ? -errno : bare_slice(arg, ret_ns);
}

static bool switches_compare(const struct engine *engine, const char *pin_dir)
{
	struct room outside, session;
	struct room_work out = { .run = pair_run, .prepare = pair_prepare, .ms = SLICE_MS }, in = out;
	const struct bench_case cases[] = {
		{ "context switch, outside of sessions", metered_slice, &out },
		{ "context switch, in a session", metered_slice, &in },
	};
	const struct bench_group group = {
		{ "context switch, no meter", bare_slice, &out }, cases, 2, ROUNDS
	};
	char path[512];
	bool valid;

	snprintf(path, sizeof(path), "%s/links/reeve_meter", pin_dir);
	if (unlink(path))
		bench_die(errno, "%s", path);
	room_outside(&outside);
	room_session(engine, POLICY_UNLIMITED, POLICY_EGRESS_NONE, &session);
	out.room = &outside;
	in.room = &session;
	valid = bench_compare(&group);
	room_end(&session);
	room_end(&outside);
	return valid;
}

/* --- exactness ------------------------------------------------------------------------------------- */

static void spin_ms(double ms)
{
	double end = bench_now_ns() + ms * 1e6;

	while (bench_now_ns() < end)
		continue;
}

static void one_spinner(void)
{
	spin_ms(200);
}

static void *thread_spin(void *arg)
{
	spin_ms(100);
	return arg;
}

static void eight_threads(void)
{
	pthread_t threads[8];

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		if (pthread_create(&threads[i], NULL, thread_spin, NULL))
			_exit(1);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
}

static void forks(unsigned int n, double ms, bool exec)
{
	for (unsigned int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0 && exec)
			execl("/bin/true", "true", NULL);
		if (pid == 0) {
			spin_ms(ms);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void execs(void)
{
	forks(300, 0, true);
}

static void short_forks(void)
{
	forks(1500, 0.2, false);
}

/* Nobody waits for the last one. */
static void orphan(void)
{
	if (fork() == 0 && setsid() >= 0 && fork() == 0)
		spin_ms(100);
}

/* Both numbers are read when nothing runs any more. */
static double meter_off_us(const struct engine *engine, void (*run)(void))
{
	struct room room;
	struct usage usage;
	uint64_t kernel_ns;
	pid_t pid;
	int r;

	room_session(engine, POLICY_UNLIMITED, POLICY_EGRESS_NONE, &room);
	pid = room_fork(&room);
	if (pid == 0) {
		run();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	r = cgroup_wait_empty(room.cgroup_fd, EMPTY_TIMEOUT_NS);
	if (!r)
		r = cgroup_read_cpu_ns(room.cgroup_fd, &kernel_ns);
	if (r)
		bench_die(r, "cpu.stat");
	room_usage(&room, &usage);
	room_end(&room);
	return fabs((double)usage.cpu_ns - (double)kernel_ns) / 1e3;
}

static void exactness(const struct engine *engine)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} rows[] = {
		{ "meter - cpu.stat, one spinner", one_spinner },
		{ "meter - cpu.stat, 8 threads", eight_threads },
		{ "meter - cpu.stat, 300 fork + exec", execs },
		{ "meter - cpu.stat, 1500 forks of 0.2 ms", short_forks },
		{ "meter - cpu.stat, double fork + setsid", orphan },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		bench_value(rows[i].name, "us", meter_off_us(engine, rows[i].run));
}

int main(void)
{
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	struct peer_place place;
	char path[512];
	bool valid;

	peer_place_init(&place);
	room_engine(&place.config, &engine);
	snprintf(path, sizeof(path), "%s/progs/reeve_meter", place.config.pin_dir);
	meter_prog = bpf_obj_get(path);
	if (meter_prog < 0)
		bench_die(errno, "%s", path);
	exactness(&engine);
	bench_pin();
	valid = switches_compare(&engine, place.config.pin_dir);
	close(meter_prog);
	return valid ? 0 : 1;
}
