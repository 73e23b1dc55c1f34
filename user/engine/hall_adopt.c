// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who opens a hall finds three records: the ledger, which is right; the kernel, which may hold a session or may have
 * lost it with its boot; and keepers that go on or have gone. Each session is put together from them by itself, and
 * what was begun and not ended, a wipe or an end, is begun again. All of it can be broken off anywhere and done anew:
 * the ledger's boot id changes last.
 *
 * What the kernel or the disk has of a session that the ledger does not know was being made when its hall
 * died, and nobody was told of it.
 */
#include <errno.h>
#include <string.h>

#include "../model/desk_table.h"
#include "../record/ledger_meter.h"
#include "hall_parts.h"
#include "workspace.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

struct kept {
	struct slot_record record;
	unsigned int slot;
};

struct adopt {
	struct hall *hall;
	struct fault *fault;
	bool rebooted;
	char boot_id[40];
	struct kept *kept; /* what the run directory says that the kernel has */
	size_t n_kept;
	struct hall_session *s;	  /* the one that is being taken */
	const struct kept *found; /* of it, or NULL */
};

static int boot_read(struct adopt *adopt)
{
	_cleanup_file_ FILE *f = NULL;
	char before[40];
	int r;

	if (adopt->hall->args->boot_id) {
		snprintf(adopt->boot_id, sizeof(adopt->boot_id), "%s", adopt->hall->args->boot_id);
	} else {
		f = fopen(BOOT_ID, "re");
		if (!f || fscanf(f, "%39s", adopt->boot_id) != 1)
			return -EIO;
	}
	r = ledger_boot(adopt->hall->ledger, before);
	adopt->rebooted = r == 0 && strcmp(before, adopt->boot_id) != 0;
	return r < 0 ? r : 0;
}

static int boot_write(struct adopt *adopt)
{
	struct ledger *ledger = adopt->hall->ledger;
	int r = ledger_begin(ledger);

	if (!r)
		r = ledger_set_boot(ledger, adopt->boot_id);
	if (!r)
		r = ledger_commit(ledger);
	if (r)
		ledger_rollback(ledger);
	return r;
}

static int desk_take(const struct desk *desk, void *arg)
{
	struct adopt *adopt = arg;
	struct hall_session *s;
	int r = hall_session_new(adopt->hall, desk, &s);

	if (r)
		return r;
	r = hall_insert(adopt->hall, s);
	if (r)
		hall_session_free(s);
	if (!r && desk->site.slug[0])
		s->site_inode = hall_site_inode(adopt->hall->args->state_dir, desk->site.slug);
	return r;
}

static int row_take(const struct desk_request *row, void *arg)
{
	struct hall_session *s = arg;
	void *more;

	if (row->state == DESK_REQUEST_FINISHED) {
		account_take_row(&s->pieces, row);
		return 0;
	}
	if (row->state != DESK_REQUEST_QUEUED) {
		s->run = run_new(s, row);
		return s->run ? 0 : -ENOMEM;
	}
	more = reallocarray(s->queue, s->n_queue + 1, sizeof(*s->queue));
	if (!more)
		return -ENOMEM;
	s->queue = more;
	memcpy(s->queue[s->n_queue++], row->id, sizeof(row->id));
	return 0;
}

static int charge_take(const struct ledger_charge *charge, void *arg)
{
	const struct desk_charge amount = { charge->money_ucents, charge->steps };
	struct hall_session *s = arg;

	if (charge->reserved)
		s->pieces.reserved_ucents += charge->money_ucents;
	else
		desk_pieces_add_charge(&s->pieces, &amount, 0);
	return 0;
}

static int ledger_take(struct hall_session *s)
{
	struct ledger *ledger = s->hall->ledger;
	int r = ledger_each_request(ledger, s->desk.id, row_take, s);

	if (!r)
		r = ledger_each_charge(ledger, s->desk.id, charge_take, s);
	return r ? r : ledger_get_meter(ledger, s->desk.id, &s->earlier);
}

static int kept_add(const struct slot_record *record, unsigned int slot, void *arg)
{
	struct adopt *adopt = arg;
	struct kept *more = reallocarray(adopt->kept, adopt->n_kept + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	adopt->kept = more;
	adopt->kept[adopt->n_kept++] = (struct kept){ *record, slot };
	return 0;
}

static const struct kept *kept_find(const struct adopt *adopt, const char *id)
{
	for (size_t i = 0; i < adopt->n_kept; i++)
		if (strcmp(adopt->kept[i].record.session_id, id) == 0)
			return &adopt->kept[i];
	return NULL;
}

/* What cannot be removed stays recorded, and keeps nobody from opening. */
static void strays_discard(struct adopt *adopt)
{
	for (size_t i = 0; i < adopt->n_kept; i++) {
		const struct kept *kept = &adopt->kept[i];
		const struct hall_session *s =
			hall_session_find(adopt->hall, kept->record.session_id);
		struct fault ignored = {};

		if (!s || hall_is_over(s))
			session_discard(&adopt->hall->engine, &kept->record, kept->slot, &ignored);
	}
}

static int sums_add(const struct desk_request *row, void *arg)
{
	struct desk_meter *sum = arg;

	sum->cpu_ns += row->cpu_ns;
	sum->wall_ns += row->wall_ns;
	sum->bytes_out += row->bytes_out;
	sum->bytes_in += row->bytes_in;
	return 0;
}

/* What the kernel had counted is gone: what is known of it becomes the part that it does not have. */
static int meter_carry(struct hall_session *s)
{
	struct desk_spend *spend = &s->desk.spend;
	struct ledger *ledger = s->hall->ledger;
	struct desk_meter sums = {}, known;
	int r = ledger_each_request(ledger, s->desk.id, sums_add, &sums);

	if (r)
		return r;
	desk_take_meter(&s->desk, &sums);
	known = (struct desk_meter){
		.cpu_ns = spend->cpu_ns,
		.bytes_out = spend->bytes_out,
		.bytes_in = spend->bytes_in,
	};
	r = ledger_begin(ledger);
	if (!r)
		r = ledger_put_meter(ledger, s->desk.id, &known);
	if (!r)
		r = ledger_put_desk(ledger, &s->desk);
	if (!r)
		r = ledger_commit(ledger);
	if (r)
		ledger_rollback(ledger);
	else
		s->earlier = known;
	return r;
}

/* After the ledger: what is counted from here on comes on top of what it holds. */
static int kernel_renew(struct adopt *adopt)
{
	struct hall_session *s = adopt->s;
	const struct hall *hall = adopt->hall;
	const struct kept *found = adopt->found;
	unsigned int slot = found ? found->slot : SLOT_ANY;
	struct policy policy;
	int r = meter_carry(s);

	if (!r && found)
		r = session_discard(&hall->engine, &found->record, found->slot, adopt->fault);
	if (r)
		return r;
	if (!found)
		workspace_slot(hall->args->state_dir, s->desk.id, &slot);
	policy = account_policy(s);
	r = session_open(&hall->engine, s->desk.id, slot, &policy, &s->session, adopt->fault);
	return r ? r
		 : workspace_make(hall->args->state_dir, s->desk.id, s->session.slot.number,
				  adopt->fault);
}

static int kernel_take(struct adopt *adopt)
{
	struct hall_session *s = adopt->s;
	const struct kept *found = kept_find(adopt, s->desk.id);
	int r = -ENOENT;

	adopt->found = found;
	if (!adopt->rebooted && found)
		r = session_adopt(&adopt->hall->engine, &found->record, found->slot, &s->session);
	if (r == -ENOENT)
		return kernel_renew(adopt);
	s->adopted = true;
	return r;
}

/* A request that was running in a boot that is over has no keeper any more. */
static int run_take(struct adopt *adopt)
{
	struct hall_session *s = adopt->s;
	int r = 0;

	if (adopt->rebooted || !s->adopted)
		r = effects_give(s, DESK_EVENT_REBOOT, adopt->fault);
	if (!r && s->run)
		run_attach(s);
	return r;
}

static void go_on(struct hall_session *s)
{
	enum desk_place place = desk_place(&s->desk);

	s->wipe_wanted = place == DESK_AT_WIPING || place == DESK_AT_ENDING;
	if (!s->run)
		account_write(s);
	/* held for a pause that was not recorded, or for a resume that was */
	else if (place == DESK_AT_RUNNING)
		run_hold(s, false);
	wipe_go_on(s);
	effects_dispatch(s);
}

static int session_take(struct adopt *adopt)
{
	struct hall_session *s = adopt->s;
	int r = ledger_take(s);

	if (!r)
		r = kernel_take(adopt);
	if (!r)
		r = account_meter(s);
	if (!r)
		r = run_take(adopt);
	if (!r)
		r = account_trip(s);
	if (!r)
		go_on(s);
	return r;
}

static int sessions_take(struct adopt *adopt)
{
	struct hall *hall = adopt->hall;
	int r = 0;

	for (size_t i = 0; i < hall->n_sessions && !r; i++) {
		adopt->s = hall->sessions[i];
		r = hall_is_over(adopt->s) ? 0 : session_take(adopt);
	}
	return r;
}

int adopt_all(struct hall *hall, struct fault *ret_fault)
{
	struct adopt adopt = { .hall = hall, .fault = ret_fault };
	int r = boot_read(&adopt);

	if (!r)
		r = ledger_each_desk(hall->ledger, desk_take, &adopt);
	if (!r)
		r = session_each_kept(&hall->engine, kept_add, &adopt);
	if (!r) {
		strays_discard(&adopt);
		strays_workspaces(hall);
		r = sessions_take(&adopt);
	}
	if (!r) {
		strays_sites(hall);
		r = boot_write(&adopt);
	}
	free(adopt.kept);
	return r;
}
