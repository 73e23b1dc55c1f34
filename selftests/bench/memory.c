// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a live sandbox holds: the proportional set size of its processes, and the kernel memory that it
 * takes, as the difference that a number of them make on the whole machine (that is of other work too: the
 * median of a few rounds). And what a session by itself costs: its cgroups and map entries, opened
 * and closed, with no process.
 *
 * Each peer is started in a cgroup of its own outside of sessions; who is in there belongs to it.
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

#define LIVE 16
#define KERNEL_ROUNDS 5
#define SESSIONS 300
#define FILE_MAX 65536
#define SETTLE_MS 400

static void sleep_ms(unsigned int ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

static char *file_read(int dir_fd, const char *path)
{
	_cleanup_fd_ int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t n;

	if (fd < 0 || io_read_all(fd, FILE_MAX, &text, &n))
		return NULL;
	return text;
}

/* The number behind "@key" at the beginning of a line. */
static double field(const char *text, const char *key)
{
	const char *at = text;

	while (at && strncmp(at, key, strlen(key)) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at ? strtod(at + strlen(key), NULL) : 0;
}

static double kernel_kib(void)
{
	static const char *const keys[] = { "SUnreclaim:", "KernelStack:", "PageTables:", "Percpu:" };
	_cleanup_free_ char *text = file_read(AT_FDCWD, "/proc/meminfo");
	double kib = 0;

	for (size_t i = 0; text && i < ARRAY_SIZE(keys); i++)
		kib += field(text, keys[i]);
	return kib;
}

static double pid_pss_kib(const char *pid)
{
	_cleanup_free_ char *text = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/smaps_rollup", pid);
	text = file_read(AT_FDCWD, path);
	return text ? field(text, "Pss:") : 0;
}

static double cgroup_pss_kib(int cgroup_fd)
{
	_cleanup_free_ char *pids = file_read(cgroup_fd, "cgroup.procs");
	char *rest = pids, *pid;
	double kib = 0;

	while (rest && (pid = strsep(&rest, "\n")))
		if (*pid)
			kib += pid_pss_kib(pid);
	return kib;
}

/* With all cgroups below it. */
static double tree_pss_kib(int cgroup_fd)
{
	DIR *dir = fdopendir(openat(cgroup_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	double kib = cgroup_pss_kib(cgroup_fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_fd_ int fd = -1;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		fd = openat(cgroup_fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		kib += tree_pss_kib(fd);
	}
	if (!dir || closedir(dir))
		bench_die(errno, "the sessions' processes");
	return kib;
}

struct live {
	struct room room;
	pid_t pids[LIVE];
};

static void live_start(struct peer *peer, struct live *ret)
{
	room_outside(&ret->room);
	for (size_t i = 0; i < LIVE; i++) {
		ret->pids[i] = room_fork(&ret->room);
		if (ret->pids[i] == 0) {
			peer_start(peer);
			waitpid(-1, NULL, 0);
			_exit(0);
		}
	}
	sleep_ms(2 * SETTLE_MS);
}

/* The starter, not part of what is measured, is left out: it is the bench's own copy. */
static double live_pss_kib(const struct live *live)
{
	double kib = cgroup_pss_kib(live->room.cgroup_fd);
	char pid[16];

	for (size_t i = 0; i < LIVE; i++) {
		snprintf(pid, sizeof(pid), "%d", live->pids[i]);
		kib -= pid_pss_kib(pid);
	}
	return kib / LIVE;
}

static void live_end(struct live *live)
{
	room_end(&live->room);
	for (size_t i = 0; i < LIVE; i++)
		waitpid(live->pids[i], NULL, 0);
}

enum {
	PLAIN,
	REEVE,
	BWRAP,
	PEERS
};

static void pss_measure(struct peer *peers, const struct engine *engine)
{
	struct live live[PEERS];
	double plain, sandbox, keeper, bwrap;

	for (size_t i = 0; i < PEERS; i++)
		live_start(&peers[i], &live[i]);
	plain = live_pss_kib(&live[PLAIN]);
	keeper = live_pss_kib(&live[REEVE]);
	bwrap = live_pss_kib(&live[BWRAP]);
	sandbox = tree_pss_kib(engine->parent_fd) / LIVE;
	for (size_t i = 0; i < PEERS; i++)
		live_end(&live[i]);
	bench_value("memory of plain sleep", "KiB", plain);
	bench_against("memory of a sandbox, init and sleep", "plain sleep", plain, sandbox, "KiB");
	bench_against("the same and its reeve run", "plain sleep", plain, sandbox + keeper, "KiB");
	bench_against("the same and its reeve run", "bubblewrap", bwrap, sandbox + keeper, "KiB");
	bench_against("memory of a sandbox, init and sleep", "bubblewrap", bwrap, sandbox, "KiB");
}

static void kernel_measure(struct peer *peer, const char *name)
{
	double kib[KERNEL_ROUNDS];

	for (size_t i = 0; i < KERNEL_ROUNDS; i++) {
		struct live live;
		double before = kernel_kib();

		live_start(peer, &live);
		kib[i] = (kernel_kib() - before) / LIVE;
		live_end(&live);
		sleep_ms(SETTLE_MS);
	}
	bench_value(name, "KiB", bench_median(kib, KERNEL_ROUNDS));
}

static void sessions_measure(const struct engine *engine)
{
	static struct room rooms[SESSIONS];
	double opened[SESSIONS], closed[SESSIONS], kib[KERNEL_ROUNDS], before;

	for (size_t round = 0; round < KERNEL_ROUNDS; round++) {
		before = kernel_kib();
		for (size_t i = 0; i < SESSIONS; i++) {
			opened[i] = bench_now_ns();
			room_session(engine, POLICY_UNLIMITED, POLICY_EGRESS_NONE, &rooms[i]);
			opened[i] = (bench_now_ns() - opened[i]) / 1e3;
		}
		kib[round] = (kernel_kib() - before) / SESSIONS;
		for (size_t i = 0; i < SESSIONS; i++) {
			closed[i] = bench_now_ns();
			room_end(&rooms[i]);
			closed[i] = (bench_now_ns() - closed[i]) / 1e3;
		}
		sleep_ms(SETTLE_MS);
	}
	bench_value("a session opened", "us", bench_median(opened, SESSIONS));
	bench_value("a session killed and closed", "us", bench_median(closed, SESSIONS));
	bench_value("kernel memory of a session, no process", "KiB",
		    bench_median(kib, KERNEL_ROUNDS));
}

int main(void)
{
	static const char *const command[] = { "/bin/sleep", "600", NULL };
	_cleanup_engine_ struct engine engine = ENGINE_INIT;
	struct peer peers[PEERS];
	struct peer_place place;

	peer_place_init(&place);
	room_engine(&place.config, &engine);
	peer_plain(&place, command, &peers[PLAIN]);
	peer_reeve(&place, command, &peers[REEVE]);
	peer_bwrap(&place, command, &peers[BWRAP]);
	sessions_measure(&engine);
	pss_measure(peers, &engine);
	kernel_measure(&peers[PLAIN], "kernel memory of plain sleep");
	kernel_measure(&peers[REEVE], "kernel memory of a sandbox and reeve run");
	kernel_measure(&peers[BWRAP], "kernel memory of bubblewrap");
	for (size_t i = 0; i < PEERS; i++)
		peer_deinit(&peers[i]);
	return 0;
}
