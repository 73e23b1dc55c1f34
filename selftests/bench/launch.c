// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start to exit of /bin/true, from before posix_spawn to behind waitpid, and starts a second with 32 under
 * way at once. reeve is the command as installed: a cold process, its programs pinned before.
 *
 * The rate is of batches: 32 are kept under way until the batch is through, and the time of a batch over
 * its number is what one start costs the machine.
 */
#include <errno.h>
#include <sys/wait.h>

#include "../../user/base/macro.h"
#include "bench.h"
#include "peer.h"

#define CLIENTS 32

struct batch {
	struct peer *peer;
	unsigned int starts;
};

static int batch_slice(void *arg, double *ret_ns)
{
	const struct batch *batch = arg;
	double start = bench_now_ns();
	unsigned int started = 0, ended = 0;

	while (ended < batch->starts) {
		int status;

		if (started < batch->starts && started - ended < CLIENTS) {
			peer_start(batch->peer);
			started++;
			continue;
		}
		if (wait(&status) < 0)
			return -errno;
		peer_check(batch->peer, status);
		ended++;
	}
	*ret_ns = (bench_now_ns() - start) / batch->starts;
	return 0;
}

enum {
	PLAIN,
	REEVE,
	BWRAP,
	CRUN,
	RUNC,
	PEERS
};

static bool starts_compare(struct peer *peers)
{
	const struct bench_case all[PEERS] = {
		{ "posix_spawn", peer_slice, &peers[PLAIN] },
		{ "reeve run", peer_slice, &peers[REEVE] },
		{ "bubblewrap", peer_slice, &peers[BWRAP] },
		{ "crun", peer_slice, &peers[CRUN] },
		{ "runc", peer_slice, &peers[RUNC] },
	};
	/* reeve run against each: slow ones get fewer rounds */
	const struct bench_group groups[] = {
		{ all[PLAIN], &all[REEVE], PEERS - 1, 200 },
		{ all[BWRAP], &all[REEVE], 1, 250 },
		{ all[CRUN], &all[REEVE], 1, 120 },
		{ all[RUNC], &all[REEVE], 1, 60 },
	};
	bool valid = true;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		valid = bench_compare(&groups[i]) && valid;
	return valid;
}

static bool rates_compare(struct peer *peers)
{
	struct batch batches[] = { { &peers[PLAIN], 512 },
				   { &peers[REEVE], 96 },
				   { &peers[BWRAP], 96 } };
	const struct bench_case all[] = {
		{ "posix_spawn, 32 clients", batch_slice, &batches[0] },
		{ "reeve run, 32 clients", batch_slice, &batches[1] },
		{ "bubblewrap, 32 clients", batch_slice, &batches[2] },
	};
	const struct bench_group groups[] = {
		{ all[0], &all[1], 2, 11 },
		{ all[2], &all[1], 1, 11 },
	};
	bool valid = true;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		valid = bench_compare(&groups[i]) && valid;
	return valid;
}

int main(void)
{
	static const char *const command[] = { "/bin/true", NULL };
	struct peer peers[PEERS];
	struct peer_place place;
	bool valid;
	double ns;

	peer_place_init(&place);
	peer_plain(&place, command, &peers[PLAIN]);
	peer_reeve(&place, command, &peers[REEVE]);
	peer_slice(&peers[REEVE], &ns); /* pins the programs, which the plan of the others looks at */
	peer_bwrap(&place, command, &peers[BWRAP]);
	peer_oci(&place, "crun", command, &peers[CRUN]);
	peer_oci(&place, "runc", command, &peers[RUNC]);
	valid = starts_compare(peers);
	valid = rates_compare(peers) && valid;
	for (unsigned int i = 0; i < PEERS; i++)
		peer_deinit(&peers[i]);
	return valid ? 0 : 1;
}
