// SPDX-License-Identifier: GPL-2.0-only
/*
 * The outside is as deep in the tree as a session's cgroup, so that walks up from it are as long; it
 * hangs beside the parent, where no program of ours is attached.
 *
 * A slice tells its figure through a shared page. It counts in batches of a few operations, so that
 * reading the clock is no part of what is measured.
 */
#include "room.h"

#include <endian.h>
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../user/base/clock.h"
#include "../../user/base/macro.h"
#include "../../user/kernel/cgroup.h"
#include "../../user/kernel/guard_rules.h"
#include "bench.h"

#define BATCH 16
#define WARM_UP_NS 500000.0
#define DEADLINE_NS (24 * 3600 * NSEC_PER_SEC)
#define EMPTY_TIMEOUT_NS (10 * NSEC_PER_SEC)

static void name_make(char ret[40])
{
	static unsigned int number;

	snprintf(ret, 40, "bench_%d_%u", getpid(), number++);
}

void room_engine(const struct engine_config *config, struct engine *ret)
{
	struct fault fault = {};
	unsigned int swept;
	int r = engine_open(config, ret, &swept, &fault);

	if (r)
		bench_die(r < 0 ? r : 0, "cannot open the host %s", fault.reason);
}

/* The address of the far end, as a resolver would have opened it. */
static int address_open(const struct room *room)
{
	const struct decide_addr far = decide_from_v4(BENCH_PUBLIC_V4);
	const uint64_t words[] = { htobe64(far.hi), htobe64(far.lo) };

	return guard_address_put(&room->engine->guard, room->cgroup_id, (const uint8_t *)words,
				 POLICY_PORT_TLS, POLICY_UNLIMITED);
}

void room_session(const struct engine *engine, uint64_t cpu_cap_ns, enum policy_egress egress,
		  struct room *ret)
{
	struct policy policy = {
		.generation = 1,
		.state = POLICY_OPEN,
		.egress = egress,
		.cpu_cap_ns = cpu_cap_ns,
		.money_cap_ucents = POLICY_UNLIMITED,
		.deadline_ns = clock_monotonic_ns() + DEADLINE_NS,
		.running_since_ns = clock_monotonic_ns(),
	};
	int r;

	name_make(ret->name);
	ret->engine = engine;
	ret->above_fd = engine->parent_fd;
	r = cgroup_create(ret->above_fd, ret->name, &ret->cgroup_fd, &ret->cgroup_id);
	if (!r)
		r = guard_session_add(&engine->guard, ret->cgroup_id, &policy);
	if (!r && egress == POLICY_EGRESS_PACKAGE_MANAGERS)
		r = address_open(ret);
	if (r)
		bench_die(r, "cannot make a session");
}

void room_outside(struct room *ret)
{
	_cleanup_fd_ int mount_fd = -1;
	struct fault fault = {};
	uint64_t id;
	int r = cgroup_mount_open(&mount_fd, &fault);

	name_make(ret->name);
	ret->engine = NULL;
	if (!r)
		r = cgroup_create(mount_fd, ROOM_OUTSIDE, &ret->above_fd, &id);
	if (r == -EEXIST)
		r = cgroup_open(mount_fd, ROOM_OUTSIDE, &ret->above_fd, &id);
	if (!r)
		r = cgroup_create(ret->above_fd, ret->name, &ret->cgroup_fd, &ret->cgroup_id);
	if (r)
		bench_die(r < 0 ? r : 0, "cannot make a cgroup outside of sessions %s", fault.reason);
}

void room_end(struct room *room)
{
	int r = cgroup_kill(room->cgroup_fd);

	if (!r)
		r = cgroup_wait_empty(room->cgroup_fd, EMPTY_TIMEOUT_NS);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
	if (!r && room->engine)
		r = guard_session_remove(&room->engine->guard, room->cgroup_id);
	if (!r)
		r = cgroup_remove(room->above_fd, room->name);
	if (r)
		bench_die(r, "cannot remove the cgroup %s", room->name);
	fd_close(&room->cgroup_fd);
	if (!room->engine)
		fd_close(&room->above_fd);
}

void room_usage(const struct room *room, struct usage *ret)
{
	int r = guard_session_usage(&room->engine->guard, room->cgroup_id, ret);

	if (r)
		bench_die(r, "no usage");
}

pid_t room_fork(const struct room *room)
{
	struct clone_args clone = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = (uint64_t)room->cgroup_fd,
	};
	pid_t pid = (pid_t)syscall(SYS_clone3, &clone, sizeof(clone));

	if (pid < 0)
		bench_die(errno, "cannot start a process in %s", room->name);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

struct told {
	double ns;
	int error;
};

static double clock_ns(const struct room_work *work)
{
	struct timespec ts;

	clock_gettime(work->alone ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * NSEC_PER_SEC + (double)ts.tv_nsec;
}

static int run_for(const struct room_work *work, double ns, double *ret_ns)
{
	double start = clock_ns(work), now = start, end = start + ns;
	unsigned long n = 0;

	while (now < end) {
		for (unsigned int i = 0; i < BATCH; i++) {
			int r = work->run(work->arg);

			if (r)
				return r;
		}
		n += BATCH;
		now = clock_ns(work);
	}
	*ret_ns = (now - start) / (double)n;
	return 0;
}

static void work_run(const struct room_work *work, struct told *told)
{
	int r = work->prepare ? work->prepare(work->arg) : 0;
	double ignored;

	if (!r)
		r = run_for(work, WARM_UP_NS, &ignored);
	if (!r)
		r = run_for(work, work->ms * 1e6, &told->ns);
	told->error = r;
}

int room_slice(const struct room_work *work, double *ret_ns)
{
	static struct told *told;
	pid_t pid;
	int status;

	if (!told)
		told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);
	if (told == MAP_FAILED)
		return -errno;
	pid = room_fork(work->room);
	if (pid == 0) {
		work_run(work, told);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	if (status)
		return -ECHILD;
	*ret_ns = told->ns;
	return told->error;
}
