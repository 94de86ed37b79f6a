// SPDX-License-Identifier: Apache-2.0
/* Tests of store/, on a file of its own each. */
#include <unistd.h>

#include "store/domain_rows.h"
#include "store/event_rows.h"
#include "store/idempotency_rows.h"
#include "store/image_rows.h"
#include "store/operation_rows.h"
#include "store/statement.h"
#include "store/token_rows.h"
#include "store/volume_rows.h"
#include "unit.h"

static char path[64];
static struct db *db;
static struct error err;

static int open_file(void **state)
{
	(void)state;
	strcpy(path, "/tmp/store-XXXXXX");
	close(mkstemp(path));
	return db_open(&db, path, &err);
}

static int close_file(void **state)
{
	static const char *const ends[] = { "", "-wal", "-shm" };
	char name[80];

	(void)state;
	db_close(db);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		unlink(name);
	}
	return 0;
}

static struct domain make(const char *id, const char *name)
{
	struct domain d = { .version = 1, .state = DOMAIN_DEFINED };

	strcpy(d.id, id);
	strcpy(d.tenant, "acme");
	domain_spec_default(&d.spec);
	strcpy(d.spec.name, name);
	strcpy(d.spec.kernel, "vmlinuz");
	d.spec.memory_bytes = 64 << 20;
	return d;
}

static void insert(const struct domain *d)
{
	assert_int_equal(db_begin(db, &err), 0);
	assert_int_equal(domain_insert(db, d, &err), 0);
	assert_int_equal(db_commit(db, &err), 0);
}

static void whole_domain_comes_back(void **state)
{
	struct domain d = make("dom_1", "web"), got;

	(void)state;
	d.spec.disk_count = 2;
	d.spec.disks[0] =
		(struct disk_spec){ "xvda", true, 1 << 20, "deb", "" };
	d.spec.disks[1] = (struct disk_spec){ "xvdb", false, 2 << 20, "", "" };
	d.spec.nic_count = 2;
	strcpy(d.spec.nics[0].mac, "02:00:00:00:00:01");
	d.spec.nics[1].address_count = 2;
	strcpy(d.spec.nics[1].addresses[0], "10.0.0.2");
	strcpy(d.spec.nics[1].addresses[1], "10.0.0.1");
	d.spec.label_count = 1;
	d.spec.labels[0] = (struct label){ "env", "prod" };
	insert(&d);
	assert_int_equal(domain_find(db, "acme", "web", &got, &err), 0);
	assert_memory_equal(&d, &got, sizeof(d));
	assert_int_equal(domain_find(db, NULL, "dom_1", &got, &err), 0);
	assert_int_equal(domain_find(db, "other", "dom_1", &got, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void name_and_address_are_taken_until_released(void **state)
{
	struct domain d = make("dom_1", "web"), e = make("dom_2", "web");

	(void)state;
	d.spec.nic_count = 1;
	d.spec.nics[0].address_count = 1;
	strcpy(d.spec.nics[0].addresses[0], "10.0.0.1");
	insert(&d);
	assert_int_equal(domain_insert(db, &e, &err), -1);
	assert_int_equal(err.code, ERR_EXISTS);
	e = make("dom_2", "two");
	e.spec = d.spec;
	strcpy(e.spec.name, "two");
	db_begin(db, &err);
	assert_int_equal(domain_insert(db, &e, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_non_null(strstr(err.message, "10.0.0.1"));
	db_rollback(db);
	d.state = DOMAIN_DESTROYED;
	assert_int_equal(domain_save(db, &d, &err), 0);
	assert_int_equal(domain_release(db, d.id, &err), 0);
	strcpy(e.spec.name, "web");
	insert(&e);
}

static int count_visit(void *context, const struct domain *d, struct error *e)
{
	char *ids = context;

	(void)e;
	strcat(ids, d->id + strlen("dom_"));
	return 0;
}

static void list_filters_and_pages(void **state)
{
	struct label_selector l;
	struct domain_filter f = { .limit = 2 };
	char ids[16] = "", name[8];

	(void)state;
	for (char c = '1'; c <= '5'; c++) {
		char id[] = { 'd', 'o', 'm', '_', c, '\0' };
		struct domain d;

		snprintf(name, sizeof(name), "n%c", c);
		d = make(id, name);
		if (c == '2' || c == '4') {
			d.spec.label_count = 1;
			d.spec.labels[0] = (struct label){ "env", "prod" };
		}
		if (c == '5')
			strcpy(d.tenant, "other");
		insert(&d);
	}
	assert_int_equal(domain_list(db, &f, count_visit, ids, &err), 0);
	assert_string_equal(ids, "12");
	f.after = "dom_2";
	f.tenant = "acme";
	f.limit = 10;
	*ids = '\0';
	assert_int_equal(domain_list(db, &f, count_visit, ids, &err), 0);
	assert_string_equal(ids, "34");
	assert_true(label_selector_parse(&l, "env=prod,!old"));
	f = (struct domain_filter){ .limit = 10, .selector = &l };
	*ids = '\0';
	assert_int_equal(domain_list(db, &f, count_visit, ids, &err), 0);
	assert_string_equal(ids, "24");
	assert_true(label_selector_parse(&l, "env!=prod"));
	*ids = '\0';
	assert_int_equal(domain_list(db, &f, count_visit, ids, &err), 0);
	assert_string_equal(ids, "135");
	f.state = "running";
	*ids = '\0';
	assert_int_equal(domain_list(db, &f, count_visit, ids, &err), 0);
	assert_string_equal(ids, "");
}

static void claims_leave_out_what_is_destroyed(void **state)
{
	struct domain d = make("dom_1", "a"), e = make("dom_2", "b");
	struct claims c;

	(void)state;
	d.spec.disk_count = 1;
	d.spec.disks[0] = (struct disk_spec){ "xvda", true, 4096, "", "" };
	insert(&d);
	insert(&e);
	assert_int_equal(domain_claims(db, NULL, &c, &err), 0);
	assert_int_equal(c.domains, 2);
	assert_int_equal(c.memory_bytes, 128 << 20);
	assert_int_equal(c.pool_bytes, 4096);
	assert_int_equal(domain_claims(db, "dom_1", &c, &err), 0);
	assert_int_equal(c.cpu_permille, SPEC_CPU_USUAL);
	assert_int_equal(c.pool_bytes, 0);
	e.state = DOMAIN_DESTROYED;
	assert_int_equal(domain_save(db, &e, &err), 0);
	assert_int_equal(domain_claims(db, NULL, &c, &err), 0);
	assert_int_equal(c.domains, 1);
}

static struct operation make_operation(const char *id)
{
	struct operation o = { .action = ACTION_START, .created_wall_ms = 1 };

	strcpy(o.id, id);
	strcpy(o.domain_id, "dom_1");
	strcpy(o.tenant, "acme");
	return o;
}

static void one_operation_at_a_time_and_in_order(void **state)
{
	struct domain d = make("dom_1", "a");
	struct operation o = make_operation("op_2"), next;

	(void)state;
	insert(&d);
	assert_int_equal(operation_next(db, &next, &err), 0);
	assert_int_equal(operation_insert(db, &o, &err), 0);
	next = make_operation("op_1");
	assert_int_equal(operation_insert(db, &next, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_int_equal(operation_next(db, &next, &err), 1);
	assert_memory_equal(&o, &next, sizeof(o));
	o.state = OPERATION_FAILED;
	strcpy(o.problem_code, "system");
	assert_int_equal(operation_save(db, &o, &err), 0);
	o.state = OPERATION_SUCCEEDED;
	assert_int_equal(operation_save(db, &o, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_int_equal(operation_open(db, "dom_1", &next, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_int_equal(operation_find(db, "acme", "op_2", &next, &err), 0);
	assert_string_equal(next.problem_code, "system");
	assert_int_equal(operation_find(db, "other", "op_2", &next, &err), -1);
}

static void what_was_cut_short_is_queued_again(void **state)
{
	struct domain d = make("dom_1", "a");
	struct operation o = make_operation("op_1"), got;
	struct journal_entry entries[4];

	(void)state;
	insert(&d);
	o.state = OPERATION_RUNNING;
	assert_int_equal(operation_insert(db, &o, &err), 0);
	assert_int_equal(journal_begin(db, o.id, "volumes", &err), 0);
	assert_int_equal(journal_end(db, o.id, "done", &err), 0);
	assert_int_equal(journal_begin(db, o.id, "build", &err), 0);
	assert_int_equal(operations_resume(db, &err), 1);
	assert_int_equal(operation_next(db, &got, &err), 1);
	assert_int_equal(journal_read(db, o.id, entries, 4, &err), 2);
	assert_string_equal(entries[0].outcome, "done");
	assert_string_equal(entries[1].outcome, "interrupted");
	/* One that waits for its guest goes on waiting. */
	o.state = OPERATION_RUNNING;
	o.deadline_wall_ms = 5;
	assert_int_equal(operation_save(db, &o, &err), 0);
	assert_int_equal(operations_resume(db, &err), 0);
	assert_int_equal(operation_overdue(db, 4, &got, &err), 0);
	assert_int_equal(operation_overdue(db, 5, &got, &err), 1);
}

static void what_is_not_committed_is_not_there(void **state)
{
	struct domain d = make("dom_1", "a"), got;
	struct db *other;

	(void)state;
	assert_int_equal(db_open(&other, path, &err), 0);
	assert_int_equal(db_begin(db, &err), 0);
	assert_int_equal(domain_insert(db, &d, &err), 0);
	assert_int_equal(domain_find(other, NULL, "a", &got, &err), -1);
	assert_int_equal(db_commit(db, &err), 0);
	assert_int_equal(domain_find(other, NULL, "a", &got, &err), 0);
	db_close(other);
	/* As after a kill. */
	assert_int_equal(db_begin(db, &err), 0);
	d.state = DOMAIN_BUILDING;
	assert_int_equal(domain_save(db, &d, &err), 0);
	db_close(db);
	assert_int_equal(db_open(&db, path, &err), 0);
	assert_int_equal(domain_find(db, NULL, "a", &got, &err), 0);
	assert_int_equal(got.state, DOMAIN_DEFINED);
}

static void later_layout_is_refused(void **state)
{
	struct db *other;

	(void)state;
	assert_true(execute(db, &err, "PRAGMA user_version = 99", "") >= 0);
	assert_int_equal(db_open(&other, path, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
}

static void stale_domain_is_not_written(void **state)
{
	struct domain d = make("dom_1", "a"), old = d;

	(void)state;
	insert(&d);
	assert_int_equal(domain_save(db, &d, &err), 0);
	assert_int_equal(d.version, 2);
	assert_int_equal(domain_save(db, &old, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
}

static void impossible_verdict_is_refused(void **state)
{
	struct domain d = make("dom_1", "a");
	struct verdict v = { .list = { { 1, 2, 3 },
				       { 0, 1, 9 },
				       { 0, 0, 0 } } },
		       got;

	(void)state;
	insert(&d);
	assert_int_equal(verdict_save(db, d.id, &v, &err), 0);
	assert_int_equal(verdict_load(db, d.id, &got, &err), 0);
	assert_memory_equal(&v, &got, sizeof(v));
	v.list[0].limit = 2;
	assert_int_equal(verdict_save(db, d.id, &v, &err), -1);
}

static int token_count(void *context, const struct token *t, struct error *e)
{
	(void)t;
	(void)e;
	++*(int *)context;
	return 0;
}

static void revoked_token_is_listed_no_more(void **state)
{
	struct token t = { .id = "tok_1", .role = ROLE_TENANT, .tenant = "a" },
		     got;
	int count = 0;

	(void)state;
	assert_int_equal(token_insert(db, &t, &err), 0);
	assert_int_equal(token_list(db, NULL, 10, token_count, &count, &err),
			 0);
	assert_int_equal(count, 1);
	assert_int_equal(token_revoke(db, "tok_1", 7, &err), 0);
	assert_int_equal(token_revoke(db, "tok_1", 8, &err), -1);
	assert_int_equal(token_list(db, NULL, 10, token_count, &count, &err),
			 0);
	assert_int_equal(count, 1);
	assert_int_equal(token_find(db, "tok_1", &got, &err), 0);
	assert_int_equal(got.revoked_wall_ms, 7);
	assert_int_equal(got.role, ROLE_TENANT);
}

static int last_event(void *context, const struct event *e, struct error *x)
{
	(void)x;
	*(struct event *)context = *e;
	return 0;
}

static void events_go_on_from_an_id(void **state)
{
	struct event e = { .type = "domain.running", .tenant = "acme" }, got;
	int64_t oldest, newest;

	(void)state;
	assert_int_equal(event_range(db, &oldest, &newest, &err), 0);
	assert_int_equal(newest, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(event_add(db, &e, &err), 0);
	assert_int_equal(event_range(db, &oldest, &newest, &err), 0);
	assert_int_equal(oldest, 1);
	assert_int_equal(newest, 3);
	assert_int_equal(event_list(db, 1, "acme", 1, last_event, &got, &err),
			 0);
	assert_int_equal(got.id, 2);
	got.id = 0;
	assert_int_equal(event_list(db, 0, "other", 9, last_event, &got, &err),
			 0);
	assert_int_equal(got.id, 0);
}

static void kept_answer_is_found_by_scope_and_key(void **state)
{
	char text[] = "{}";
	struct kept_answer a = { .body_digest = "d",
				 .status = 202,
				 .location = "/v1/operations/op_1",
				 .etag = "\"1\"",
				 .text = text },
			   got = { .text = NULL };

	(void)state;
	assert_int_equal(idempotency_find(db, "s", "k", &got, &err), 0);
	assert_int_equal(idempotency_keep(db, "s", "k", &a, &err), 0);
	assert_int_equal(idempotency_find(db, "s", "k", &got, &err), 1);
	assert_int_equal(got.status, 202);
	assert_string_equal(got.text, "{}");
	free(got.text);
	assert_int_equal(idempotency_find(db, "t", "k", &got, &err), 0);
	assert_int_equal(idempotency_keep(db, "s", "k", &a, &err), -1);
	assert_int_equal(err.code, ERR_EXISTS);
	/* A day later it is forgotten. */
	assert_int_equal(execute(db, &err,
				 "UPDATE idempotency SET created_wall_ms = 1",
				 ""),
			 1);
	assert_int_equal(idempotency_find(db, "s", "k", &got, &err), 0);
	assert_int_equal(idempotency_keep(db, "s", "k", &a, &err), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_file, close_file)

static struct volume make_volume(const char *id, const char *name)
{
	struct volume v = { .version = 1,
			    .state = VOLUME_AVAILABLE,
			    .bytes = 2 << 20,
			    .claim_bytes = 3 << 20 };

	strcpy(v.id, id);
	strcpy(v.tenant, "acme");
	strcpy(v.name, name);
	return v;
}

static int keep_volume(void *context, const struct volume *v, struct error *e)
{
	struct volume **at = context;

	(void)e;
	*(*at)++ = *v;
	return 0;
}

/* Those with rows, and those that are domains' own. */
static void volumes_are_of_two_kinds(void **state)
{
	struct domain d = make("dom_00000000000000000000000001", "web");
	struct volume v = make_volume("vol_1", "data"), got[4], *end = got;
	const struct volume_filter all = { .limit = 10 },
				   others = { .tenant = "other", .limit = 10 };
	struct claims claims;

	(void)state;
	assert_int_equal(db_begin(db, &err), 0);
	assert_int_equal(volume_insert(db, &v, &err), 0);
	assert_int_equal(db_commit(db, &err), 0);
	assert_int_equal(volume_find(db, "acme", "data", &got[0], &err), 0);
	assert_memory_equal(&got[0], &v, sizeof(v));
	d.spec.disk_count = 2;
	d.spec.disks[0] =
		(struct disk_spec){ "xvda", true, 1 << 20, "deb", "" };
	d.spec.disks[1] =
		(struct disk_spec){ "xvdb", true, 2 << 20, "", "vol_1" };
	insert(&d);
	assert_int_equal(volume_list(db, &all, keep_volume, &end, &err), 0);
	assert_int_equal(end - got, 2);
	assert_string_equal(got[0].id, "vol_00000000000000000000000000");
	assert_string_equal(got[0].name, "web/xvda");
	assert_true(got[0].owned);
	assert_string_equal(got[1].id, "vol_1");
	assert_string_equal(got[1].domain_id, d.id);
	assert_string_equal(got[1].device, "xvdb");
	assert_false(got[1].owned);
	end = got;
	assert_int_equal(volume_list(db, &others, keep_volume, &end, &err), 0);
	assert_ptr_equal(end, got);
	/* What it will have is claimed, its own disk by the domain. */
	assert_int_equal(domain_claims(db, NULL, &claims, &err), 0);
	assert_int_equal(claims.pool_bytes, 4 << 20);
	assert_int_equal(domain_claims(db, "vol_1", &claims, &err), 0);
	assert_int_equal(claims.pool_bytes, 1 << 20);
	assert_int_equal(domain_claims(db, d.id, &claims, &err), 0);
	assert_int_equal(claims.pool_bytes, 3 << 20);
	/* Its size is the volume's, whatever it was. */
	v.bytes = 3 << 20;
	assert_int_equal(volume_save(db, &v, &err), 0);
	assert_int_equal(domain_find(db, NULL, "web", &d, &err), 0);
	assert_int_equal(d.spec.disks[1].size_bytes, 3 << 20);
	v.version = 1;
	assert_int_equal(volume_save(db, &v, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	d.state = DOMAIN_DESTROYED;
	assert_int_equal(domain_save(db, &d, &err), 0);
	assert_int_equal(volume_find(db, NULL, "vol_1", &v, &err), 0);
	assert_string_equal(v.domain_id, "");
	v.state = VOLUME_DELETED;
	assert_int_equal(volume_save(db, &v, &err), 0);
	assert_int_equal(volume_find(db, NULL, "vol_1", &v, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void operations_of_volumes_are_apart(void **state)
{
	struct operation o = { .action = ACTION_CREATE }, got;

	(void)state;
	strcpy(o.id, "op_1");
	strcpy(o.domain_id, "vol_1");
	assert_int_equal(operation_insert(db, &o, &err), 0);
	assert_int_equal(operation_next(db, &got, &err), 0);
	assert_int_equal(volume_operation_next(db, &got, &err), 1);
	assert_string_equal(got.domain_id, "vol_1");
	o.state = OPERATION_RUNNING;
	assert_int_equal(operation_save(db, &o, &err), 0);
	assert_int_equal(journal_begin(db, "op_1", "volume", &err), 0);
	assert_int_equal(operations_resume(db, &err), 0);
	assert_int_equal(volume_operations_resume(db, &err), 1);
}

static void images_are_in_use(void **state)
{
	struct domain d = make("dom_1", "web");
	struct volume v = make_volume("vol_1", "data");
	struct operation o = { .action = ACTION_CREATE };

	(void)state;
	strcpy(v.image, "deb");
	d.spec.disk_count = 1;
	d.spec.disks[0] =
		(struct disk_spec){ "xvda", true, 1 << 20, "deb", "" };
	insert(&d);
	assert_int_equal(image_in_use(db, IMAGE_BOOT, "vmlinuz", &err), 1);
	assert_int_equal(image_in_use(db, IMAGE_BOOT, "deb", &err), 0);
	assert_int_equal(image_in_use(db, IMAGE_DISK, "deb", &err), 0);
	strcpy(o.id, "op_1");
	strcpy(o.domain_id, "dom_1");
	assert_int_equal(operation_insert(db, &o, &err), 0);
	assert_int_equal(image_in_use(db, IMAGE_DISK, "deb", &err), 1);
	o.state = OPERATION_SUCCEEDED;
	assert_int_equal(operation_save(db, &o, &err), 0);
	assert_int_equal(volume_insert(db, &v, &err), 0);
	assert_int_equal(image_in_use(db, IMAGE_DISK, "deb", &err), 0);
	v.state = VOLUME_CREATING;
	assert_int_equal(volume_save(db, &v, &err), 0);
	assert_int_equal(image_in_use(db, IMAGE_DISK, "deb", &err), 1);
	d.state = DOMAIN_DESTROYED;
	assert_int_equal(domain_save(db, &d, &err), 0);
	assert_int_equal(image_in_use(db, IMAGE_BOOT, "vmlinuz", &err), 0);
}

/* What the first layout had is there in the latest, and still hangs together.
 */
static void first_layout_is_brought_on(void **state)
{
	static const char rows[] =
		"INSERT INTO domains VALUES ('dom_1', 'acme', 'web', 4,"
		" 'running', '', 7, 1, 2, 3, 'vmlinuz', '', '', 4096, 1, 1, 0,"
		" 'destroy', 'restart', 'preserve');"
		"INSERT INTO disks VALUES ('dom_1', 0, 'xvda', 1, 512, 'deb');"
		"INSERT INTO operations VALUES (9, 'op_1', 'start', 'dom_1',"
		" 'acme', 'running', 'defined', 0, 0, 'me', 'req_1', 1, 2, 0,"
		" '', '');"
		"INSERT INTO journal VALUES (3, 'op_1', 'build', 1, 0, '');";
	struct db first = { NULL };
	struct domain d;
	struct operation o;
	struct journal_entry acts[2];

	close_file(state);
	strcpy(path, "/tmp/store-XXXXXX");
	close(mkstemp(path));
	assert_int_equal(sqlite3_open(path, &first.sqlite), SQLITE_OK);
	assert_int_equal(migrate_to(&first, 1, &err), 0);
	assert_int_equal(sqlite3_exec(first.sqlite, rows, NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(first.sqlite);
	assert_int_equal(db_open(&db, path, &err), 0);
	assert_int_equal(domain_find(db, NULL, "web", &d, &err), 0);
	assert_int_equal(d.version, 4);
	assert_string_equal(d.spec.disks[0].image, "deb");
	assert_string_equal(d.spec.disks[0].volume, "");
	assert_int_equal(operation_open(db, "dom_1", &o, &err), 0);
	assert_string_equal(o.id, "op_1");
	assert_int_equal(journal_read(db, "op_1", acts, 2, &err), 1);
	assert_int_equal(operations_resume(db, &err), 1);
	/* The journal's references are to the operations that there are. */
	assert_int_equal(journal_begin(db, "op_1", "build", &err), 0);
	assert_int_equal(journal_begin(db, "op_2", "build", &err), -1);
	/* And numbers go on. */
	strcpy(o.id, "op_2");
	strcpy(o.domain_id, "vol_1");
	assert_int_equal(operation_insert(db, &o, &err), 0);
	strcpy(o.id, "op_3");
	assert_int_equal(operation_insert(db, &o, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whole_domain_comes_back),
		TEST(name_and_address_are_taken_until_released),
		TEST(list_filters_and_pages),
		TEST(claims_leave_out_what_is_destroyed),
		TEST(one_operation_at_a_time_and_in_order),
		TEST(what_was_cut_short_is_queued_again),
		TEST(what_is_not_committed_is_not_there),
		TEST(later_layout_is_refused),
		TEST(stale_domain_is_not_written),
		TEST(impossible_verdict_is_refused),
		TEST(revoked_token_is_listed_no_more),
		TEST(events_go_on_from_an_id),
		TEST(kept_answer_is_found_by_scope_and_key),
		TEST(volumes_are_of_two_kinds),
		TEST(operations_of_volumes_are_apart),
		TEST(images_are_in_use),
		TEST(first_layout_is_brought_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
