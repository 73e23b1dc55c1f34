// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far past its cap a request gets, in milliseconds of CPU time, by who stops it:
 *
 *	reeve stopped	the kernel alone: reeve gets SIGSTOP once the command is at work
 *	reeve running	the kernel, and reeve behind it
 *	a poller	a loop outside that reads cpu.stat every so often and writes cgroup.kill
 *
 * While reeve is stopped its session must become empty: that is waited for, and fails the bench when it
 * does not come. The CPU time is the one that reeve accounts, which is cpu.stat's.
 *
 * Caps differ a little from trial to trial, so that none falls on the same part of a tick.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../user/base/io.h"
#include "../../user/base/macro.h"
#include "../../user/kernel/cgroup.h"
#include "bench.h"
#include "peer.h"
#include "room.h"

#define TRIALS 11
#define CAP_MS 80.0
#define CAP_STEP_MS 1.37
/* By then the command runs: what comes before, a sandbox's start, takes less. */
#define AT_WORK_NS (20 * NSEC_PER_MSEC)
#define EMPTY_TIMEOUT_NS (20 * NSEC_PER_SEC)
#define JSON_MAX (1 << 20)

struct shape {
	const char *name, *kind, *n;
};

struct scene {
	const struct peer_place *place;
	const struct engine *engine;
	const char *load;
};

static void sleep_ms(double ms)
{
	struct timespec ts = { .tv_nsec = (long)(ms * 1e6) };

	nanosleep(&ts, NULL);
}

static uint64_t cpu_ns(int cgroup_fd)
{
	uint64_t ns;
	int r = cgroup_read_cpu_ns(cgroup_fd, &ns);

	if (r)
		bench_die(r, "cpu.stat");
	return ns;
}

/* The cgroup of the one session that there is; waits for it to be made. */
static int session_open(const struct scene *scene)
{
	for (int tries = 0; tries < 5000; tries++, sleep_ms(1)) {
		DIR *dir = fdopendir(openat(scene->engine->parent_fd, ".", O_RDONLY | O_CLOEXEC));
		struct dirent *entry;
		int fd = -1;
		uint64_t id;

		while (dir && (entry = readdir(dir)))
			if (strncmp(entry->d_name, "sbs_", 4) == 0 &&
			    cgroup_open(scene->engine->parent_fd, entry->d_name, &fd, &id) == 0)
				break;
		closedir(dir);
		if (fd >= 0)
			return fd;
	}
	bench_die(0, "reeve made no session");
}

static pid_t reeve_start(const struct scene *scene, const struct shape *shape, double cap_ms,
			 int *ret_out)
{
	const struct engine_config *c = &scene->place->config;
	char seconds[32];
	int out[2];
	pid_t pid;

	snprintf(seconds, sizeof(seconds), "%.6f", cap_ms / 1e3);
	if (pipe2(out, O_CLOEXEC))
		bench_die(errno, "pipe");
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execl(scene->place->reeve, "reeve", "run", "--parent", c->parent, "--pin-dir",
		      c->pin_dir, "--run-dir", c->run_dir, "--output-root", c->output_root,
		      "--json", "--cpu-seconds", seconds, "--file", scene->load, "--", "/in/load",
		      shape->kind, shape->n, NULL);
		_exit(127);
	}
	close(out[1]);
	*ret_out = out[0];
	return pid;
}

/* The CPU time in the result, in ms; the bench ends when it was not the cap that ended the run. */
static double result_cpu_ms(int out)
{
	static const char key[] = "\"cpu_ns\":";
	_cleanup_free_ char *json = NULL;
	const char *at;
	size_t n;

	if (io_read_all(out, JSON_MAX, &json, &n))
		bench_die(EIO, "reeve's result");
	at = strstr(json, key);
	if (!at || !strstr(json, "\"capped\""))
		bench_die(0, "the cap did not end the run: %s", json);
	return strtod(at + strlen(key), NULL) / 1e6;
}

static double reeve_over(const struct scene *scene, const struct shape *shape, double cap_ms,
			 bool stopped)
{
	int out;
	pid_t pid = reeve_start(scene, shape, cap_ms, &out);
	double over;

	if (stopped) {
		_cleanup_fd_ int session = session_open(scene);
		int r;

		while (cpu_ns(session) < AT_WORK_NS)
			sleep_ms(0.5);
		kill(pid, SIGSTOP);
		r = cgroup_wait_empty(session, EMPTY_TIMEOUT_NS);
		kill(pid, SIGCONT);
		if (r)
			bench_die(r, "%s: still alive while reeve was stopped", shape->name);
	}
	over = result_cpu_ms(out) - cap_ms;
	close(out);
	waitpid(pid, NULL, 0);
	return over;
}

static double poller_over(const struct scene *scene, const struct shape *shape, double cap_ms,
			  double period_ms)
{
	struct room room;
	double over;
	int r;

	room_outside(&room);
	if (room_fork(&room) == 0) {
		execl(scene->load, "load", shape->kind, shape->n, NULL);
		_exit(127);
	}
	do {
		sleep_ms(period_ms);
	} while ((double)cpu_ns(room.cgroup_fd) < cap_ms * 1e6);
	r = cgroup_kill(room.cgroup_fd);
	if (!r)
		r = cgroup_wait_empty(room.cgroup_fd, EMPTY_TIMEOUT_NS);
	if (r)
		bench_die(r, "%s: cannot be killed", shape->name);
	over = (double)cpu_ns(room.cgroup_fd) / 1e6 - cap_ms;
	room_end(&room);
	return over;
}

static const char *const ways[] = { "reeve stopped", "reeve running", "10 ms poller",
				    "100 ms poller" };

static double trial(const struct scene *scene, const struct shape *shape, size_t way, double cap_ms)
{
	switch (way) {
	case 0:
		return reeve_over(scene, shape, cap_ms, true);
	case 1:
		return reeve_over(scene, shape, cap_ms, false);
	default:
		return poller_over(scene, shape, cap_ms, way == 2 ? 10 : 100);
	}
}

static void shape_measure(const struct scene *scene, const struct shape *shape)
{
	double over[ARRAY_SIZE(ways)][TRIALS];
	char name[128];

	for (size_t i = 0; i < TRIALS; i++)
		for (size_t way = 0; way < ARRAY_SIZE(ways); way++)
			over[way][i] = trial(scene, shape, way, CAP_MS + (double)i * CAP_STEP_MS);
	for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
		snprintf(name, sizeof(name), "past the cap, %s, %s", shape->name, ways[way]);
		bench_spread(name, "ms", over[way], TRIALS);
	}
}

int main(void)
{
	static const struct shape shapes[] = {
		{ "one spinner", "processes", "1" },  { "8 threads", "threads", "8" },
		{ "8 processes", "processes", "8" },  { "32 processes", "processes", "32" },
		{ "16 fork chains", "chains", "16" },
	};
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	const char *programs = getenv("BENCH_PROGRAMS");
	struct peer_place place;
	struct scene scene = { .place = &place, .engine = &engine };
	char load[512];

	peer_place_init(&place);
	if (!programs)
		bench_die(0, "BENCH_PROGRAMS is not set: start this by selftests/bench/run");
	snprintf(load, sizeof(load), "%s/load", programs);
	scene.load = load;
	room_engine(&place.config, &engine);
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		shape_measure(&scene, &shapes[i]);
	return 0;
}
