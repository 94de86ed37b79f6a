// SPDX-License-Identifier: Apache-2.0
/* Tests of metering/ with the fake machine, whose clock and counters are set
 * here, and a ledger in a file. */
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fake/fake_machine.h"
#include "accounting/statement.h"
#include "accounting/verify.h"
#include "metering/metering.h"
#include "orchestrate/refresh.h"
#include "store/domain_rows.h"
#include "store/ledger.h"
#include "store/meter_rows.h"
#include "unit.h"

#define S 1000000000LL
#define HOUR (3600 * S)
#define MEMORY (1ULL << 20)
#define DISK (1ULL << 21)
#define XVDA 51712

static char folder[64], path[80], world[80];
static struct machine machine;
static struct db *db;
static struct metering *metering;
static struct acct_store *ledger;
static struct domain web;
static struct error err;

static void put(const char *name, const char *tail, const char *text)
{
	char file[160];
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s%s", world, name, tail);
	f = fopen(file, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void set_clock(int64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld\n", (long long)ns);
	put("clock", "", text);
}

static void open_metering(void)
{
	assert_int_equal(metering_open(&metering, db, &machine, NULL, &err), 0);
	assert_int_equal(ledger_open(db, &ledger, &err), 0);
}

static int open_all(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/metering-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/state.db", folder);
	snprintf(world, sizeof(world), "%s/world", folder);
	assert_int_equal(mkdir(world, 0700), 0);
	fake_machine_open(&machine, world);
	set_clock(100 * S);
	assert_int_equal(db_open(&db, path, &err), 0);
	open_metering();
	return 0;
}

static int remove_one(const char *name, const struct stat *s, int type,
		      struct FTW *at)
{
	(void)s;
	(void)type;
	(void)at;
	return remove(name);
}

static int close_all(void **state)
{
	struct acct_verdict v;
	struct acct_error why;

	(void)state;
	assert_int_equal(acct_verify(ledger, NULL, &v, &why), 0);
	if (!v.good)
		fail_msg("row %llu: %s", (unsigned long long)v.bad_seq, v.what);
	metering_close(metering);
	db_close(db);
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A domain with two vCPUs, a disk and an interface, in the store only. */
static void define(const char *name, const char *tenant, struct domain *d)
{
	memset(d, 0, sizeof(*d));
	id_make(d->id, "dom");
	strcpy(d->tenant, tenant);
	d->version = 1;
	domain_spec_default(&d->spec);
	strcpy(d->spec.name, name);
	strcpy(d->spec.kernel, "vmlinuz");
	d->spec.memory_bytes = MEMORY;
	d->spec.vcpus = 2;
	d->spec.disk_count = d->spec.nic_count = 1;
	d->spec.disks[0] =
		(struct disk_spec){ .device = "xvda", .size_bytes = DISK };
	assert_int_equal(db_begin(db, &err), 0);
	assert_int_equal(domain_insert(db, d, &err), 0);
	assert_int_equal(metering_volumes(metering, d, &err), 0);
	assert_int_equal(db_commit(db, &err), 0);
}

static void become(struct domain *d, enum domain_state state)
{
	enum domain_state from = d->state;

	assert_int_equal(metering_sample(metering, d->id, &err), 0);
	assert_int_equal(db_begin(db, &err), 0);
	d->state = state;
	assert_int_equal(domain_save(db, d, &err), 0);
	assert_int_equal(metering_follow(metering, d, from, &err), 0);
	assert_int_equal(db_commit(db, &err), 0);
}

static void run(struct domain *d)
{
	assert_int_equal(
		machine.start(machine.self, d->id, &d->spec, &d->number, &err),
		0);
	become(d, DOMAIN_RUNNING);
}

static uint64_t rows(void)
{
	struct acct_head head;
	struct acct_error why;

	assert_int_equal(ledger->ops->head(ledger, &head, &why), 0);
	return head.seq;
}

struct found {
	const char *domain;
	uint64_t incarnation;
	enum acct_meter meter;
	uint32_t device;
	acct_u128 used;
	uint32_t flags;
};

static int look(void *context, const struct acct_line *line,
		struct acct_error *why)
{
	struct found *f = context;

	(void)why;
	if (strcmp(line->source.domain, f->domain) == 0 &&
	    line->source.incarnation == f->incarnation &&
	    line->source.meter == f->meter &&
	    line->source.device == f->device) {
		f->used += line->used;
		f->flags |= line->usage.flags;
	}
	return 0;
}

static struct found used(const struct domain *d, uint64_t incarnation,
			 enum acct_meter meter, uint32_t device)
{
	struct acct_query q = { .window = { 0, ACCT_TIME_MAX } };
	struct found f = { d->id, incarnation, meter, device, 0, 0 };
	struct acct_statement made;
	struct acct_error why;

	assert_int_equal(acct_statement(ledger, &q, look, &f, &made, &why), 0);
	return f;
}

#define USED(d, n, meter, device) ((uint64_t)used(d, n, meter, device).used)

static void what_has_not_moved_is_not_written(void **state)
{
	uint64_t before;

	(void)state;
	define("web", "acme", &web);
	run(&web);
	before = rows();
	/* Volume; two vCPUs, memory, four of the disk, two of the interface. */
	assert_int_equal(before, 1 + 9);
	set_clock(160 * S);
	assert_int_equal(metering_collect(metering, &err), 0);
	assert_int_equal(rows(), before);
	put(web.id, ".meters", "cpu 0 5\ncpu 1 0\nvif 0 7 0\n");
	set_clock(220 * S);
	assert_int_equal(metering_collect(metering, &err), 0);
	assert_int_equal(rows(), before + 2);
	assert_int_equal(USED(&web, 1, ACCT_VCPU, 0), 5);
	assert_int_equal(USED(&web, 1, ACCT_NET_SENT, 0), 7);
	/* Levels each hour, or when somebody asks. */
	assert_int_equal(USED(&web, 1, ACCT_MEMORY, 0), 0);
	set_clock(100 * S + HOUR);
	assert_int_equal(metering_collect(metering, &err), 0);
	assert_int_equal(rows(), before + 4);
	assert_true(used(&web, 1, ACCT_MEMORY, 0).used ==
		    (acct_u128)MEMORY * HOUR);
	assert_true(used(&web, 0, ACCT_DISK, XVDA).used ==
		    (acct_u128)DISK * HOUR);
	set_clock(101 * S + HOUR);
	assert_int_equal(metering_collect(metering, &err), 0);
	assert_int_equal(rows(), before + 4);
	assert_int_equal(metering_refresh(metering, NULL, web.id, &err), 0);
	assert_int_equal(rows(), before + 6);
	assert_int_equal(metering_refresh(metering, NULL, web.id, &err), 0);
	assert_int_equal(rows(), before + 6);
}

static void who_asks_makes_rows_of_its_own_only(void **state)
{
	struct domain other;
	uint64_t before;

	(void)state;
	define("web", "acme", &web);
	define("web", "other", &other);
	run(&web);
	run(&other);
	before = rows();
	set_clock(200 * S);
	assert_int_equal(metering_refresh(metering, "acme", NULL, &err), 0);
	assert_int_equal(rows(), before + 2);
	assert_int_equal(USED(&other, 1, ACCT_MEMORY, 0), 0);
	assert_int_equal(metering_refresh(metering, "nobody", NULL, &err), 0);
	assert_int_equal(rows(), before + 2);
}

static void a_run_begins_when_it_was_built(void **state)
{
	(void)state;
	define("web", "acme", &web);
	assert_int_equal(machine.start(machine.self, web.id, &web.spec,
				       &web.number, &err),
			 0);
	put(web.id, ".meters", "cpu 0 77\n");
	/* As if the process had ended here, and another gone on. */
	metering_close(metering);
	set_clock(130 * S);
	open_metering();
	become(&web, DOMAIN_RUNNING);
	set_clock(140 * S);
	assert_int_equal(metering_refresh(metering, "acme", NULL, &err), 0);
	assert_int_equal(USED(&web, 1, ACCT_VCPU, 0), 77);
	assert_true(used(&web, 1, ACCT_MEMORY, 0).used ==
		    (acct_u128)MEMORY * 40 * S);
}

static void halted_meters_are_the_last(void **state)
{
	(void)state;
	define("web", "acme", &web);
	run(&web);
	put(web.id, ".meters", "cpu 0 10\n");
	set_clock(150 * S);
	assert_int_equal(machine.halt(machine.self, web.id, &err), 0);
	set_clock(180 * S);
	become(&web, DOMAIN_STOPPED);
	assert_int_equal(USED(&web, 1, ACCT_VCPU, 0), 10);
	assert_true(used(&web, 1, ACCT_MEMORY, 0).used ==
		    (acct_u128)MEMORY * 50 * S);
	assert_true(used(&web, 1, ACCT_VCPU, 0).flags & ACCT_FINAL);
	assert_false(used(&web, 1, ACCT_VCPU, 0).flags & ACCT_UNREAD);
	/* A second run is another incarnation. */
	assert_int_equal(machine.destroy(machine.self, web.id, &err), 0);
	run(&web);
	put(web.id, ".meters", "cpu 0 3\n");
	assert_int_equal(metering_collect(metering, &err), 0);
	assert_int_equal(USED(&web, 1, ACCT_VCPU, 0), 10);
	assert_int_equal(USED(&web, 2, ACCT_VCPU, 0), 3);
}

static void one_that_was_believed_gone_goes_on(void **state)
{
	(void)state;
	define("web", "acme", &web);
	run(&web);
	put(web.id, ".meters", "cpu 0 10\n");
	set_clock(150 * S);
	become(&web, DOMAIN_STOPPED);
	put(web.id, ".meters", "cpu 0 25\n");
	set_clock(160 * S);
	become(&web, DOMAIN_RUNNING);
	assert_int_equal(metering_refresh(metering, "acme", NULL, &err), 0);
	assert_int_equal(USED(&web, 1, ACCT_VCPU, 0), 25);
	assert_true(used(&web, 1, ACCT_MEMORY, 0).used ==
		    (acct_u128)MEMORY * 60 * S);
	assert_int_equal(USED(&web, 2, ACCT_VCPU, 0), 0);
}

static void the_unread_end_where_they_were_seen(void **state)
{
	(void)state;
	define("web", "acme", &web);
	run(&web);
	put(web.id, ".meters", "cpu 0 10\n");
	set_clock(150 * S);
	assert_int_equal(metering_collect(metering, &err), 0);
	assert_int_equal(machine.destroy(machine.self, web.id, &err), 0);
	set_clock(400 * S);
	become(&web, DOMAIN_STOPPED);
	assert_int_equal(USED(&web, 1, ACCT_VCPU, 0), 10);
	assert_true(used(&web, 1, ACCT_VCPU, 0).flags & ACCT_UNREAD);
	assert_true(used(&web, 1, ACCT_MEMORY, 0).used ==
		    (acct_u128)MEMORY * 50 * S);
}

static void a_new_life_ends_everything_that_was(void **state)
{
	struct meter_clock clock;

	(void)state;
	define("web", "acme", &web);
	run(&web);
	put(web.id, ".meters", "cpu 0 10\n");
	set_clock(100 * S + 10 * HOUR);
	assert_int_equal(metering_collect(metering, &err), 0);
	put(web.id, ".meters", "cpu 0 9999\n");
	metering_close(metering);
	put("boot", "", "second\n");
	set_clock(5 * S);
	open_metering();
	assert_int_equal(USED(&web, 1, ACCT_VCPU, 0), 10);
	assert_true(used(&web, 1, ACCT_VCPU, 0).flags & ACCT_UNREAD);
	assert_true(used(&web, 1, ACCT_MEMORY, 0).used ==
		    (acct_u128)MEMORY * 10 * HOUR);
	/* The calendar's clock is ten hours behind: time stands at least. */
	assert_int_equal(meter_clock_load(db, &clock, &err), 1);
	assert_string_equal(clock.boot, "second");
	/* The volume begins again at once, and is there all the time. */
	set_clock(5 * S + HOUR);
	assert_int_equal(metering_refresh(metering, "acme", NULL, &err), 0);
	assert_true(used(&web, 0, ACCT_DISK, XVDA).used ==
		    (acct_u128)DISK * 11 * HOUR);
	/* What the row still says of the domain is no reason to read it. */
	assert_int_equal(USED(&web, 1, ACCT_VCPU, 0), 10);
}

static void the_same_life_is_no_end(void **state)
{
	uint64_t before;

	(void)state;
	define("web", "acme", &web);
	run(&web);
	before = rows();
	metering_close(metering);
	open_metering();
	assert_int_equal(rows(), before);
}

static void what_is_removed_ends(void **state)
{
	(void)state;
	define("web", "acme", &web);
	set_clock(110 * S);
	become(&web, DOMAIN_DESTROYED);
	set_clock(500 * S);
	assert_int_equal(metering_refresh(metering, "acme", NULL, &err), 0);
	assert_true(used(&web, 0, ACCT_DISK, XVDA).used ==
		    (acct_u128)DISK * 10 * S);
}

static void another_currency_is_refused(void **state)
{
	struct metering *m;

	(void)state;
	assert_string_equal(ledger->info.currency, "EUR");
	assert_int_equal(metering_open(&m, db, &machine, "USD", &err), -1);
	assert_int_equal(err.code, ERR_INVALID);
}

static void wishes_are_served_once(void **state)
{
	static struct refreshes all;
	struct refresh r;
	char name[16];

	(void)state;
	assert_false(refresh_ask(&all, "acme", NULL, 10));
	assert_false(refresh_ask(&all, NULL, "dom_1", 10));
	assert_true(refresh_take(&all, &r));
	assert_string_equal(r.account, "acme");
	refresh_done(&all, &r, 11);
	assert_true(refresh_take(&all, &r));
	assert_string_equal(r.domain_id, "dom_1");
	assert_false(refresh_take(&all, &r));
	assert_true(refresh_ask(&all, "acme", NULL, 10));
	assert_false(refresh_ask(&all, "acme", NULL, 11));
	/* Who comes when there is no room does without. */
	for (unsigned int i = 0; i < REFRESHES_MAX; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		refresh_ask(&all, name, NULL, 0);
	}
	assert_true(refresh_ask(&all, "late", NULL, 0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_has_not_moved_is_not_written),
		TEST(who_asks_makes_rows_of_its_own_only),
		TEST(a_run_begins_when_it_was_built),
		TEST(halted_meters_are_the_last),
		TEST(one_that_was_believed_gone_goes_on),
		TEST(the_unread_end_where_they_were_seen),
		TEST(a_new_life_ends_everything_that_was),
		TEST(the_same_life_is_no_end),
		TEST(what_is_removed_ends),
		TEST(another_currency_is_refused),
		cmocka_unit_test(wishes_are_served_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
