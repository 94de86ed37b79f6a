// SPDX-License-Identifier: Apache-2.0
/* Tests of orchestrate/ with the fake machine: each asks as the API does, with
 * a handle of its own, while the worker works. */
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fake/fake_machine.h"
#include "orchestrate/orchestration.h"
#include "orchestrate/requests.h"
#include "store/domain_rows.h"
#include "store/event_rows.h"
#include "store/operation_rows.h"
#include "unit.h"

#define MIB (1ULL << 20)
#define PATIENCE 1000 /* times 10 ms */

static char folder[64], store_path[80], world[80];
static struct orchestration *o;
static struct machine machine;
static struct db *db;
static struct error err;
static struct refusal refusal;
static struct request_answer answer;
static struct capacity capacity;
static const struct requester by = { NULL, "tester", "req_1" };

static void open_orchestration(int64_t end_timeout_ms)
{
	struct orchestration_options options = {
		.store_path = store_path,
		.machine = &machine,
		.node_memory_bytes = 1024 * MIB,
		.node_cpu_permille = 250,
		.domain_overhead_bytes = MIB,
		.end_timeout_ms = end_timeout_ms,
	};
	struct orchestration_status status;

	fake_machine_open(&machine, world);
	assert_int_equal(orchestration_open(&o, &options, &err), 0);
	orchestration_status(o, &status);
	capacity = status.capacity;
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/orchestrate-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(store_path, sizeof(store_path), "%s/state.db", folder);
	snprintf(world, sizeof(world), "%s/world", folder);
	assert_int_equal(mkdir(world, 0700), 0);
	assert_int_equal(db_open(&db, store_path, &err), 0);
	return 0;
}

static int remove_one(const char *path, const struct stat *s, int type,
		      struct FTW *at)
{
	(void)s;
	(void)type;
	(void)at;
	return remove(path);
}

static int remove_folder(void **state)
{
	(void)state;
	orchestration_close(o);
	o = NULL;
	db_close(db);
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct domain_spec spec(const char *name, const char *kernel)
{
	struct domain_spec s;

	domain_spec_default(&s);
	strcpy(s.name, name);
	strcpy(s.kernel, kernel);
	s.memory_bytes = 64 * MIB;
	s.disk_count = 1;
	s.disks[0] = (struct disk_spec){ "xvda", true, MIB, "", "" };
	return s;
}

static int end(int rc)
{
	if (rc)
		db_rollback(db);
	else
		assert_int_equal(db_commit(db, &err), 0);
	if (o)
		orchestration_wake(o);
	return rc;
}

static int create(const struct domain_spec *s, bool start)
{
	struct creation what = { "acme", s, start };

	assert_int_equal(db_begin(db, &err), 0);
	return end(
		request_create(db, &by, &capacity, &what, &answer, &refusal));
}

static int ask(const char *domain, enum domain_action a)
{
	struct target t = { domain, ANY_VERSION };

	assert_int_equal(db_begin(db, &err), 0);
	return end(request_action(db, &by, &t, a, &answer, &refusal));
}

static int update(int64_t version, const struct domain_spec *s)
{
	struct target t = { "web", version };

	assert_int_equal(db_begin(db, &err), 0);
	return end(
		request_update(db, &by, &capacity, &t, s, &answer, &refusal));
}

/* Until the last operation asked for is finished. */
static struct operation finish(void)
{
	struct operation got = { .state = OPERATION_QUEUED };

	for (int i = 0; i < PATIENCE && got.state < OPERATION_SUCCEEDED; i++) {
		usleep(10000);
		assert_int_equal(operation_find(db, NULL, answer.operation.id,
						&got, &err),
				 0);
	}
	assert_true(got.state >= OPERATION_SUCCEEDED);
	return got;
}

static void succeed(int rc)
{
	struct operation got;

	assert_int_equal(rc, 0);
	got = finish();
	assert_string_equal(got.problem, "");
	assert_int_equal(got.state, OPERATION_SUCCEEDED);
}

static struct domain get(const char *name)
{
	struct domain d;

	assert_int_equal(domain_find(db, NULL, name, &d, &err), 0);
	return d;
}

static struct domain await(const char *name, enum domain_state state)
{
	struct domain d = get(name);

	for (int i = 0; i < PATIENCE && d.state != state; i++) {
		usleep(10000);
		d = get(name);
	}
	assert_int_equal(d.state, state);
	return d;
}

static bool has(const char *id, const char *tail)
{
	char name[80];

	snprintf(name, sizeof(name), "%s%s", id, tail);
	return fake_machine_has(&machine, name);
}

static void whole_life(void **state)
{
	struct domain_spec s = spec("web", "vmlinuz");
	struct domain d;

	(void)state;
	open_orchestration(5000);
	succeed(create(&s, true));
	d = get("web");
	assert_int_equal(d.state, DOMAIN_RUNNING);
	assert_int_equal(d.number, 1);
	assert_true(has(d.id, ".domain"));
	assert_true(has(d.id, ".xvda.volume"));
	succeed(ask("web", ACTION_PAUSE));
	assert_int_equal(get("web").state, DOMAIN_PAUSED);
	succeed(ask("web", ACTION_RESUME));
	succeed(ask("web", ACTION_REBOOT));
	d = get("web");
	assert_int_equal(d.state, DOMAIN_RUNNING);
	assert_int_equal(d.number, 2);
	succeed(ask("web", ACTION_SHUTDOWN));
	assert_int_equal(get("web").state, DOMAIN_STOPPED);
	assert_false(has(d.id, ".domain"));
	succeed(ask("web", ACTION_START));
	succeed(ask("web", ACTION_DESTROY));
	succeed(ask("web", ACTION_DELETE));
	assert_int_equal(domain_find(db, NULL, "web", &d, &err), -1);
	assert_false(has(d.id, ".xvda.volume"));
}

static void illegal_action_is_refused_with_the_state(void **state)
{
	struct domain_spec s = spec("web", "vmlinuz");

	(void)state;
	open_orchestration(5000);
	succeed(create(&s, false));
	assert_int_equal(get("web").state, DOMAIN_DEFINED);
	assert_int_equal(ask("web", ACTION_PAUSE), -1);
	assert_int_equal(refusal.kind, REFUSED_STATE);
	assert_int_equal(refusal.state, DOMAIN_DEFINED);
	succeed(ask("web", ACTION_START));
	assert_int_equal(ask("web", ACTION_DELETE), -1);
	assert_int_equal(refusal.kind, REFUSED_STATE);
	assert_int_equal(ask("nobody", ACTION_START), -1);
	assert_int_equal(refusal.kind, REFUSED_NOT_FOUND);
}

static void name_address_and_capacity_are_refused(void **state)
{
	struct domain_spec s = spec("web", "vmlinuz");

	(void)state;
	open_orchestration(5000);
	s.nic_count = 1;
	s.nics[0].address_count = 1;
	strcpy(s.nics[0].addresses[0], "10.0.0.1");
	succeed(create(&s, false));
	assert_int_equal(create(&s, false), -1);
	assert_int_equal(refusal.kind, REFUSED_NAME);
	strcpy(s.name, "web2");
	assert_int_equal(create(&s, false), -1);
	assert_int_equal(refusal.kind, REFUSED_ADDRESS);
	assert_string_equal(refusal.field, "/nics/0");
	s.nic_count = 0;
	s.memory_bytes = 4096 * MIB;
	assert_int_equal(create(&s, false), -1);
	assert_int_equal(refusal.kind, REFUSED_CAPACITY);
	/* 4096 - 1024 of the node - 65 of web - 1 of its own */
	assert_int_equal(refusal.admission.nearest[RESOURCE_MEMORY],
			 3006 * MIB);
	s.memory_bytes = 3006 * MIB;
	succeed(create(&s, false));
}

static void failed_creation_leaves_nothing(void **state)
{
	struct domain_spec s = spec("web", "bad");
	struct operation got;
	struct claims claims;

	(void)state;
	open_orchestration(5000);
	assert_int_equal(create(&s, true), 0);
	got = finish();
	assert_int_equal(got.state, OPERATION_FAILED);
	assert_string_equal(got.problem_code, "not-a-kernel");
	assert_false(has(answer.domain.id, ".xvda.volume"));
	assert_int_equal(domain_claims(db, NULL, &claims, &err), 0);
	assert_int_equal(claims.domains, 0);
	s = spec("web", "vmlinuz");
	strcpy(s.disks[0].image, "missing");
	assert_int_equal(create(&s, true), 0);
	assert_string_equal(finish().problem_code, "not-found");
	s = spec("web", "vmlinuz");
	succeed(create(&s, true));
}

static void failed_start_leaves_it_as_it_was(void **state)
{
	struct domain_spec s = spec("web", "bad");

	(void)state;
	open_orchestration(5000);
	succeed(create(&s, false));
	assert_int_equal(ask("web", ACTION_START), 0);
	assert_int_equal(finish().state, OPERATION_FAILED);
	assert_int_equal(get("web").state, DOMAIN_DEFINED);
	strcpy(s.kernel, "vmlinuz");
	succeed(update(ANY_VERSION, &s));
	succeed(ask("web", ACTION_START));
}

static void update_reaches_who_runs(void **state)
{
	struct domain_spec s = spec("web", "vmlinuz");
	struct domain d;

	(void)state;
	open_orchestration(5000);
	succeed(create(&s, true));
	d = get("web");
	s.cpu_reservation_permille = 700;
	assert_int_equal(update(d.version + 1, &s), -1);
	assert_int_equal(refusal.kind, REFUSED_VERSION);
	assert_int_equal(refusal.version, d.version);
	succeed(update(d.version, &s));
	assert_int_equal(fake_machine_weight(&machine, d.id), 700);
	s.memory_bytes += MIB;
	assert_int_equal(update(ANY_VERSION, &s), -1);
	assert_int_equal(refusal.kind, REFUSED_FIXED);
	assert_string_equal(refusal.field, "/memory_bytes");
}

static void who_asks_for_no_more_is_not_judged_again(void **state)
{
	struct domain_spec s = spec("web", "vmlinuz");

	(void)state;
	open_orchestration(5000);
	succeed(create(&s, false));
	/* The node has become smaller. */
	capacity.memory_bytes = capacity.cpu_permille = 0;
	s.label_count = 1;
	s.labels[0] = (struct label){ "env", "prod" };
	s.memory_bytes -= MIB;
	succeed(update(ANY_VERSION, &s));
	s.memory_bytes += MIB;
	assert_int_equal(update(ANY_VERSION, &s), -1);
	assert_int_equal(refusal.kind, REFUSED_CAPACITY);
}

static void guest_that_does_not_react_can_be_destroyed(void **state)
{
	struct domain_spec s = spec("web", "deaf");
	char first[ID_MAX];
	struct operation got;

	(void)state;
	open_orchestration(60000);
	succeed(create(&s, true));
	assert_int_equal(ask("web", ACTION_SHUTDOWN), 0);
	await("web", DOMAIN_SHUTTING_DOWN);
	memcpy(first, answer.operation.id, sizeof(first));
	assert_int_equal(ask("web", ACTION_PAUSE), -1);
	assert_int_equal(refusal.kind, REFUSED_BUSY);
	assert_string_equal(refusal.operation_id, first);
	/* It has been asked once it waits. */
	for (int i = 0; i < PATIENCE && ask("web", ACTION_DESTROY); i++)
		usleep(10000);
	succeed(0);
	assert_int_equal(get("web").state, DOMAIN_STOPPED);
	assert_int_equal(operation_find(db, NULL, first, &got, &err), 0);
	assert_string_equal(got.problem_code, "superseded");
}

static void guest_that_does_not_react_fails_the_operation(void **state)
{
	struct domain_spec s = spec("web", "deaf");

	(void)state;
	open_orchestration(50);
	succeed(create(&s, true));
	assert_int_equal(ask("web", ACTION_SHUTDOWN), 0);
	assert_string_equal(finish().problem_code, "guest-did-not-react");
	assert_int_equal(get("web").state, DOMAIN_RUNNING);
}

static void end_of_its_own_follows_the_policy(void **state)
{
	struct domain_spec s = spec("web", "vmlinuz");
	struct domain d;

	(void)state;
	open_orchestration(5000);
	succeed(create(&s, true));
	d = get("web");
	/* So soon after its start, it is not restarted. */
	fake_machine_end(&machine, d.id, MACHINE_ENDED_REBOOT);
	d = await("web", DOMAIN_STOPPED);
	assert_string_equal(d.reason, "the guest rebooted");
	assert_true(has(d.id, ".domain"));
	succeed(ask("web", ACTION_START));
	assert_int_equal(fake_machine_end(&machine, d.id, MACHINE_ENDED_CRASH),
			 0);
	d = await("web", DOMAIN_CRASHED);
	assert_string_equal(d.reason, "a fault of the guest's kernel");
	succeed(ask("web", ACTION_DESTROY));
	assert_int_equal(get("web").state, DOMAIN_STOPPED);
	assert_false(has(d.id, ".domain"));
	succeed(ask("web", ACTION_START));
	usleep(2100000);
	fake_machine_end(&machine, d.id, MACHINE_ENDED_REBOOT);
	for (int i = 0; i < PATIENCE && get("web").number != 4; i++)
		usleep(10000);
	assert_int_equal(await("web", DOMAIN_RUNNING).number, 4);
}

static void crash_right_after_the_start_is_seen(void **state)
{
	struct domain_spec s = spec("web", "crasher");

	(void)state;
	open_orchestration(5000);
	succeed(create(&s, true));
	await("web", DOMAIN_CRASHED);
}

/* What the machine has is true, whatever the store says. */
static void facts_win_after_a_restart(void **state)
{
	struct domain_spec a = spec("a", "vmlinuz"), b = spec("b", "vmlinuz"),
			   c = spec("c", "vmlinuz");
	char id_a[ID_MAX];

	(void)state;
	open_orchestration(5000);
	succeed(create(&a, true));
	memcpy(id_a, answer.domain.id, sizeof(id_a));
	succeed(create(&b, true));
	succeed(create(&c, true));
	orchestration_close(o);
	machine.notify = NULL;
	assert_int_equal(machine.destroy(world, id_a, &err), 0);
	fake_machine_end(&machine, get("b").id, MACHINE_PAUSED);
	fake_machine_end(&machine, get("c").id, MACHINE_ENDED_POWEROFF);
	assert_int_equal(
		machine.start(world, "dom_nobody", &a, &(int64_t){ 0 }, &err),
		0);
	open_orchestration(5000);
	assert_int_equal(get("a").state, DOMAIN_STOPPED);
	assert_int_equal(get("b").state, DOMAIN_PAUSED);
	assert_int_equal(get("c").state, DOMAIN_STOPPED);
	assert_false(has("dom_nobody", ".domain"));
}

/* A process of its own asks for a domain, and is killed in the machine. */
static void kill_while_it_stalls(const char *where)
{
	pid_t child;

	fake_machine_open(&machine, world);
	fake_machine_switch(&machine, where, true);
	/* Handles do not go through a fork. */
	db_close(db);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct domain_spec s = spec("web", "vmlinuz");

		assert_int_equal(db_open(&db, store_path, &err), 0);
		open_orchestration(5000);
		assert_int_equal(create(&s, true), 0);
		pause();
	}
	for (int i = 0; i < PATIENCE && !fake_machine_has(&machine, "stalled");
	     i++)
		usleep(10000);
	assert_true(fake_machine_has(&machine, "stalled"));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	fake_machine_switch(&machine, where, false);
	assert_int_equal(db_open(&db, store_path, &err), 0);
	assert_int_equal(get("web").state, DOMAIN_BUILDING);
	assert_int_equal(
		operation_open(db, get("web").id, &answer.operation, &err), 0);
	open_orchestration(5000);
	succeed(0);
	assert_int_equal(get("web").state, DOMAIN_RUNNING);
	/* Built once. */
	assert_int_equal(get("web").number, 1);
}

static void killed_before_the_act_it_is_done_later(void **state)
{
	struct journal_entry entries[8];

	(void)state;
	kill_while_it_stalls("stall-before");
	assert_int_equal(
		journal_read(db, answer.operation.id, entries, 8, &err), 4);
	assert_string_equal(entries[1].act, "build");
	assert_string_equal(entries[1].outcome, "interrupted");
	assert_string_equal(entries[3].outcome, "succeeded");
}

static void killed_after_the_act_it_is_not_done_twice(void **state)
{
	(void)state;
	kill_while_it_stalls("stall-after");
}

static int count_event(void *context, const struct event *e, struct error *x)
{
	char *types = context;

	(void)x;
	assert_string_equal(e->tenant,
			    strcmp(e->type, "node.started") ? "acme" : "");
	strcat(strcat(types, e->type), " ");
	return 0;
}

static void events_tell_the_story_in_order(void **state)
{
	struct domain_spec s = spec("web", "vmlinuz");
	char types[400] = "";

	(void)state;
	open_orchestration(5000);
	succeed(create(&s, true));
	succeed(ask("web", ACTION_DESTROY));
	assert_int_equal(event_list(db, 0, NULL, 100, count_event, types, &err),
			 0);
	assert_string_equal(types,
			    "node.started domain.defined domain.building "
			    "domain.running operation.succeeded domain.stopped "
			    "operation.succeeded ");
}

static void close_orchestration(void)
{
	orchestration_close(o);
	o = NULL;
}

static int count_starts(void *context, const struct operation *op,
			struct error *x)
{
	(void)x;
	*(int *)context += op->action == ACTION_START;
	return 0;
}

/* Operations that have started it since its creation. */
static int starts_of(const char *name)
{
	struct domain d = get(name);
	struct operation_filter f = { .domain_id = d.id, .limit = 100 };
	int starts = 0;

	assert_int_equal(operation_list(db, &f, count_starts, &starts, &err),
			 0);
	return starts;
}

static void power_cut_starts_what_ran(void **state)
{
	static const char *const names[] = { "runs", "paused", "rests",
					     "reboots", "ends" };

	(void)state;
	open_orchestration(5000);
	for (int i = 0; i < 5; i++) {
		/* A deaf one never does what it is asked to. */
		struct domain_spec s =
			spec(names[i], i < 3 ? "vmlinuz" : "deaf");

		succeed(create(&s, i != 2));
	}
	succeed(ask("paused", ACTION_PAUSE));
	assert_int_equal(ask("reboots", ACTION_REBOOT), 0);
	await("reboots", DOMAIN_SHUTTING_DOWN);
	assert_int_equal(ask("ends", ACTION_SHUTDOWN), 0);
	await("ends", DOMAIN_SHUTTING_DOWN);
	close_orchestration();
	fake_machine_restart_node(&machine, "second");
	open_orchestration(5000);
	await("runs", DOMAIN_RUNNING);
	await("paused", DOMAIN_STOPPED);
	await("rests", DOMAIN_DEFINED);
	await("reboots", DOMAIN_RUNNING);
	await("ends", DOMAIN_STOPPED);
	assert_int_equal(starts_of("runs"), 1);
	/* The same start of the node: who ends stays down. */
	succeed(ask("runs", ACTION_DESTROY));
	close_orchestration();
	open_orchestration(5000);
	usleep(100000);
	assert_int_equal(get("runs").state, DOMAIN_STOPPED);
	assert_int_equal(starts_of("runs"), 1);
}

/* Without the node having been started anew somebody has taken it. */
static void one_that_is_gone_is_not_started_again(void **state)
{
	struct domain_spec s = spec("web", "vmlinuz");

	(void)state;
	open_orchestration(5000);
	succeed(create(&s, true));
	close_orchestration();
	fake_machine_restart_node(&machine, "first");
	open_orchestration(5000);
	await("web", DOMAIN_STOPPED);
	usleep(100000);
	assert_int_equal(starts_of("web"), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whole_life),
		TEST(illegal_action_is_refused_with_the_state),
		TEST(name_address_and_capacity_are_refused),
		TEST(failed_creation_leaves_nothing),
		TEST(failed_start_leaves_it_as_it_was),
		TEST(update_reaches_who_runs),
		TEST(who_asks_for_no_more_is_not_judged_again),
		TEST(guest_that_does_not_react_can_be_destroyed),
		TEST(guest_that_does_not_react_fails_the_operation),
		TEST(end_of_its_own_follows_the_policy),
		TEST(crash_right_after_the_start_is_seen),
		TEST(facts_win_after_a_restart),
		TEST(killed_before_the_act_it_is_done_later),
		TEST(killed_after_the_act_it_is_not_done_twice),
		TEST(events_tell_the_story_in_order),
		TEST(power_cut_starts_what_ran),
		TEST(one_that_is_gone_is_not_started_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
