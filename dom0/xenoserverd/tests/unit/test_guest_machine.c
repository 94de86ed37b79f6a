// SPDX-License-Identifier: Apache-2.0
/* Tests of serve/guest_machine.c: a reactor in a thread of its own, and in
 * place of guests and hypervisor what is below, which notes the thread it is
 * asked in. */
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <xen/sched.h>
#include <xeno/meter_page.h>

#include "serve/guest_machine.h"
#include "unit.h"
#include "xenstore/domain_nodes.h"

#define HANDLE "dom_01M8Q5397R0YR6H0V41WPSB7N3"

static struct guests guests;
static struct machine machine;
static struct reactor *reactor;
static struct reactor_source stopper;
static pthread_t thread, asked_in;
static pthread_barrier_t ready;
static struct error err;
static struct hv_domain domain;
static struct hv_sched sched;
static char asked_to[16], config[512];
static int notified;
static struct xeno_meter_page meter_page;
static uint64_t clock_ns;
static uint32_t halted;

struct guest *guests_find(struct guests *all, const char *name, struct error *e)
{
	asked_in = pthread_self();
	for (struct guest *g = all->first; g; g = g->next)
		if (strcmp(g->config.name, name) == 0)
			return g;
	error_fill(e, ERR_NOT_FOUND, "no domain %s", name);
	return NULL;
}

int guests_create(struct guests *all, const char *text, struct guest **out,
		  struct error *e)
{
	static struct guest g;

	asked_in = pthread_self();
	snprintf(config, sizeof(config), "%s", text);
	if (domain_config_parse(&g.config, text, strlen(text), e))
		return -1;
	g.id = 5;
	g.next = all->first;
	all->first = *out = &g;
	domain = (struct hv_domain){ .id = 5,
				     .state = HV_RUNNING,
				     .pages = 100 };
	return 0;
}

int guests_destroy(struct guests *all, struct guest *g, struct error *e)
{
	(void)e;
	assert_ptr_equal(all->first, g);
	all->first = g->next;
	return 0;
}

int hv_domain_info(struct hv *hv, uint32_t id, struct hv_domain *out,
		   struct error *e)
{
	(void)hv;
	if (id != domain.id)
		return error_set(e, ERR_NOT_FOUND, "no domain %u", id);
	asked_in = pthread_self();
	*out = domain;
	return 0;
}

int hv_domain_pause(struct hv *hv, uint32_t id, struct error *e)
{
	(void)hv;
	(void)id;
	(void)e;
	domain.paused = true;
	return 0;
}

int hv_domain_unpause(struct hv *hv, uint32_t id, struct error *e)
{
	(void)hv;
	(void)id;
	(void)e;
	domain.paused = false;
	return 0;
}

int hv_node_info(struct hv *hv, struct hv_node *out, struct error *e)
{
	(void)hv;
	(void)e;
	asked_in = pthread_self();
	*out = (struct hv_node){ 2, 1000, 400 };
	return 0;
}

int hv_sched_get(struct hv *hv, uint32_t id, struct hv_sched *out,
		 struct error *e)
{
	(void)hv;
	(void)id;
	(void)e;
	*out = sched;
	return 0;
}

int hv_sched_set(struct hv *hv, uint32_t id, const struct hv_sched *s,
		 struct error *e)
{
	(void)hv;
	(void)id;
	(void)e;
	sched = *s;
	return 0;
}

void hv_crash_reason(struct hv *hv, uint32_t id, char *out, size_t size)
{
	(void)hv;
	(void)id;
	snprintf(out, size, "a bad page table");
}

bool hv_is_own(const struct hv *hv)
{
	(void)hv;
	return true;
}

int hv_clock(struct hv *hv, uint64_t *now_ns, struct error *e)
{
	(void)hv;
	(void)e;
	*now_ns = clock_ns;
	return 0;
}

int hv_meter_read(struct hv *hv, uint32_t id, struct xeno_meter_page *out,
		  struct error *e)
{
	(void)hv;
	(void)e;
	assert_int_equal(id, domain.id);
	asked_in = pthread_self();
	*out = meter_page;
	return 0;
}

int guests_halt(struct guests *all, struct guest *g, struct error *e)
{
	(void)all;
	(void)e;
	asked_in = pthread_self();
	halted = g->id;
	return 0;
}

int domain_nodes_shutdown(struct store *s, uint32_t id, const char *reason,
			  struct error *e)
{
	(void)s;
	(void)id;
	(void)e;
	snprintf(asked_to, sizeof(asked_to), "%s", reason);
	return 0;
}

static char typed[64];
static bool may_watch = true;

int guests_set_rules(struct guests *all, const char *text, struct error *e)
{
	asked_in = pthread_self();
	if (strcmp(text, "bad") == 0) {
		all->rules.refused.line = 7;
		all->rules.refused.part = "dport";
		return error_set(e, ERR_INVALID, "line 7");
	}
	all->rules.now.policy->text = (char *)text;
	return 0;
}

int rules_count(struct rules *r, struct error *e)
{
	(void)e;
	if (r->now.policy)
		r->now.policy->rules[0].total.packets++;
	return 0;
}

bool console_watch(struct console *c, int fd)
{
	asked_in = pthread_self();
	return may_watch && c->ring && watchers_add(&c->watchers, fd);
}

void console_type(struct console *c, const char *bytes, size_t count)
{
	snprintf(typed, sizeof(typed), "%.*s", (int)count, bytes);
	watchers_show(&c->watchers, bytes, count);
}

static void notify(void *context)
{
	(void)context;
	notified++;
}

static void stop(struct reactor_source *source)
{
	reactor_stop(source->owner);
}

static void *react(void *context)
{
	struct guest_machine_options options = {
		.reactor = reactor,
		.guests = &guests,
		.folders = { "/boot", "/tmp" },
		.images = "/tmp",
	};
	struct error e;

	(void)context;
	assert_int_equal(guest_machine_open(&machine, &options, &e), 0);
	/* Before the reactor runs, from its own thread. */
	assert_int_equal(machine.list(machine.self, NULL, NULL, &e), 0);
	machine.notify = notify;
	pthread_barrier_wait(&ready);
	reactor_run(reactor, &e);
	return NULL;
}

static int start_reactor(void **state)
{
	(void)state;
	pthread_barrier_init(&ready, NULL, 2);
	stopper = (struct reactor_source){ eventfd(0, 0), stop, NULL };
	if (reactor_open(&reactor, &err) ||
	    reactor_add(reactor, &stopper, &err))
		return -1;
	stopper.owner = reactor;
	if (pthread_create(&thread, NULL, react, NULL))
		return -1;
	pthread_barrier_wait(&ready);
	return 0;
}

static int stop_reactor(void **state)
{
	uint64_t one = 1;
	ssize_t written = write(stopper.fd, &one, sizeof(one));

	(void)state;
	pthread_join(thread, NULL);
	reactor_close(reactor);
	return written == sizeof(one) ? 0 : -1;
}

static int remember(void *context, const struct machine_domain *d,
		    struct error *e)
{
	struct machine_domain *out = context;

	(void)e;
	/* The caller waits: what it has may be written. */
	*out = *d;
	return 0;
}

static struct machine_domain listed(void)
{
	struct machine_domain d = { .handle = "" };

	assert_int_equal(machine.list(machine.self, remember, &d, &err), 0);
	return d;
}

static void life_of_a_domain(void **state)
{
	struct domain_spec s;
	int64_t number;

	(void)state;
	domain_spec_default(&s);
	strcpy(s.kernel, "vmlinuz");
	s.memory_bytes = 1 << 20;
	assert_int_equal(machine.start(machine.self, HANDLE, &s, &number, &err),
			 0);
	assert_int_equal(number, 5);
	assert_true(pthread_equal(asked_in, thread));
	assert_non_null(strstr(config, "kernel = /boot/vmlinuz\n"));
	assert_string_equal(listed().handle, HANDLE);
	assert_int_equal(listed().state, MACHINE_RUNNING);
	assert_true(pthread_equal(asked_in, thread));
	assert_int_equal(machine.pause(machine.self, HANDLE, &err), 0);
	assert_int_equal(listed().state, MACHINE_PAUSED);
	assert_int_equal(machine.resume(machine.self, HANDLE, &err), 0);
	assert_int_equal(listed().state, MACHINE_RUNNING);
	sched.warp_ns = 9;
	s.cpu_reservation_permille = 700;
	assert_int_equal(machine.configure(machine.self, HANDLE, &s, &err), 0);
	assert_int_equal(sched.weight, 700);
	assert_int_equal(sched.warp_ns, 9);
	assert_int_equal(machine.ask_to_end(machine.self, HANDLE, true, &err),
			 0);
	assert_string_equal(asked_to, "reboot");
	domain.state = HV_SHUT_DOWN;
	domain.shutdown_code = SHUTDOWN_reboot;
	assert_int_equal(listed().state, MACHINE_ENDED_REBOOT);
	domain.shutdown_code = SHUTDOWN_poweroff;
	assert_int_equal(listed().state, MACHINE_ENDED_POWEROFF);
	domain.shutdown_code = SHUTDOWN_crash;
	assert_int_equal(listed().state, MACHINE_ENDED_CRASH);
	assert_string_equal(listed().reason, "a bad page table");
	domain.state = HV_DYING;
	assert_string_equal(listed().handle, "");
	assert_int_equal(machine.destroy(machine.self, HANDLE, &err), 0);
	assert_int_equal(machine.destroy(machine.self, HANDLE, &err), 0);
	assert_int_equal(machine.pause(machine.self, HANDLE, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void others_domains_are_left_alone(void **state)
{
	struct guest other = { .id = 8, .config.name = "dom_by_hand" };
	struct machine_node node;

	(void)state;
	domain = (struct hv_domain){ .id = 8, .pages = 50 };
	guests.first = &other;
	assert_string_equal(listed().handle, "");
	assert_int_equal(machine.node(machine.self, &node, &err), 0);
	assert_int_equal(node.cpus, 2);
	assert_int_equal(node.memory_bytes, 400 * 4096);
	assert_true(node.pool_bytes > 0);
	/* One of ours counts as what can be had. */
	strcpy(other.config.name, HANDLE);
	assert_int_equal(machine.node(machine.self, &node, &err), 0);
	assert_int_equal(node.memory_bytes, 450 * 4096);
	assert_int_equal(node.free_memory_bytes, 400 * 4096);
	guests.first = NULL;
}

static int keep_meters(void *context, const struct machine_meters *m,
		       struct error *e)
{
	(void)e;
	*(struct machine_meters *)context = *m;
	return 0;
}

static void meters_are_those_of_the_page(void **state)
{
	struct guest ours = { .id = 8 };
	struct machine_meters m = { .handle = "" };
	struct machine_clock clock;

	(void)state;
	strcpy(ours.config.name, HANDLE);
	domain = (struct hv_domain){ .id = 8, .state = HV_RUNNING };
	guests.first = &ours;
	clock_ns = 777;
	meter_page.created_ns = 55;
	meter_page.cpu_ns[0] = 11;
	meter_page.cpu_ns[31] = 12;
	meter_page.vbds[2] = (struct xeno_meter_vbd){ .vbd = 51728,
						      .read_requests = 1,
						      .read_bytes = 2,
						      .write_requests = 3,
						      .write_bytes = 4 };
	meter_page.vifs[1].tx_bytes = 5;
	meter_page.vifs[1].rx_bytes = 6;
	assert_int_equal(machine.clock(machine.self, &clock, &err), 0);
	assert_int_equal(clock.now_ns, 777);
	assert_int_equal(strlen(clock.boot), 36);
	assert_int_equal(
		machine.meters(machine.self, HANDLE, keep_meters, &m, &err), 0);
	assert_true(pthread_equal(asked_in, thread));
	assert_string_equal(m.handle, HANDLE);
	assert_int_equal(m.number, 8);
	assert_int_equal(m.created_ns, 55);
	assert_int_equal(m.at_ns, 777);
	assert_int_equal(m.cpu_ns[0], 11);
	assert_int_equal(m.cpu_ns[31], 12);
	assert_int_equal(m.vbd_count, 1);
	assert_int_equal(m.vbds[0].number, 51728);
	assert_int_equal(m.vbds[0].write_bytes, 4);
	assert_int_equal(m.vifs[1].sent_bytes, 5);
	assert_int_equal(m.vifs[1].received_bytes, 6);
	/* Also of one that has ended; not of one that goes. */
	domain.state = HV_SHUT_DOWN;
	*m.handle = '\0';
	assert_int_equal(
		machine.meters(machine.self, NULL, keep_meters, &m, &err), 0);
	assert_string_equal(m.handle, HANDLE);
	assert_int_equal(machine.halt(machine.self, HANDLE, &err), 0);
	assert_int_equal(halted, 8);
	domain.state = HV_DYING;
	assert_int_equal(
		machine.meters(machine.self, HANDLE, keep_meters, &m, &err),
		-1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	guests.first = NULL;
}

static void end_of_a_guest_is_told(void **state)
{
	(void)state;
	notified = 0;
	guests.ended(guests.ended_context);
	assert_int_equal(notified, 1);
}

static void start_one(struct guest *g)
{
	strcpy(g->config.name, HANDLE);
	g->id = 5;
	guests.first = g;
	domain = (struct hv_domain){ .id = 5, .state = HV_RUNNING };
}

static void consoles_are_watched(void **state)
{
	static struct guest g;
	char bytes[16];
	int fd, other;

	(void)state;
	assert_int_equal(machine.console_open(machine.self, HANDLE, &fd, &err),
			 -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	start_one(&g);
	assert_int_equal(machine.console_open(machine.self, HANDLE, &fd, &err),
			 -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	g.console.ring = &g;
	may_watch = false;
	assert_int_equal(machine.console_open(machine.self, HANDLE, &fd, &err),
			 -1);
	assert_int_equal(err.code, ERR_BUSY);
	may_watch = true;
	assert_int_equal(machine.console_open(machine.self, HANDLE, &fd, &err),
			 0);
	assert_true(pthread_equal(asked_in, thread));
	assert_int_equal(
		machine.console_open(machine.self, HANDLE, &other, &err), 0);
	assert_int_equal(write(other, "ls\r", 3), 3);
	/* The watchers' ends do not block, and these neither. */
	while (read(fd, bytes, sizeof(bytes)) != 3)
		usleep(1000);
	assert_memory_equal(bytes, "ls\r", 3);
	assert_string_equal(typed, "ls\r");
	close(fd);
	/* Its owner leaves in the reactor's thread. */
	while (__atomic_load_n(&g.console.watchers.count, __ATOMIC_RELAXED) !=
	       1)
		usleep(1000);
	assert_int_equal(write(other, "x", 1), 1);
	while (read(other, bytes, sizeof(bytes)) <= 0)
		usleep(1000);
	guests.first = NULL;
	watchers_end(&g.console.watchers);
	while (read(other, bytes, sizeof(bytes)) != 0)
		usleep(1000);
	close(other);
}

static void logs_need_a_folder(void **state)
{
	struct console_part p = { .count = 10 };
	char out[CONSOLE_LOG_MOST_BYTES];

	(void)state;
	assert_int_equal(
		machine.console_log(machine.self, HANDLE, &p, out, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	guests.log_folder = "/tmp";
	assert_int_equal(
		machine.console_log(machine.self, HANDLE, &p, out, &err), 0);
	assert_int_equal(p.size, 0);
	guests.log_folder = NULL;
}

static void what_interfaces_carry(void **state)
{
	static struct guest g;
	struct machine_vif vifs[CONFIG_VIFS_MAX];

	(void)state;
	start_one(&g);
	g.config.vif_count = 2;
	meter_page.vifs[1].tx_packets = 11;
	meter_page.vifs[1].rx_bytes = 12;
	meter_page.vifs[1].tx_drops[XENO_DROP_SPOOFED] = 13;
	meter_page.vifs[2].tx_packets = 14;
	assert_int_equal(machine.vif_counters(machine.self, HANDLE, vifs, &err),
			 0);
	assert_true(pthread_equal(asked_in, thread));
	assert_int_equal(vifs[0].tx_packets, 0);
	assert_int_equal(vifs[1].tx_packets, 11);
	assert_int_equal(vifs[1].rx_bytes, 12);
	assert_int_equal(vifs[1].tx_drops[XENO_DROP_SPOOFED], 13);
	assert_int_equal(vifs[2].tx_packets, 0);
	guests.first = NULL;
	assert_int_equal(machine.vif_counters(machine.self, HANDLE, vifs, &err),
			 -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void rules_are_carried_over(void **state)
{
	struct policy_rule rules[2] = { { .slot = 0 },
					{ .slot = RULE_LEFT_OUT } };
	struct rule_policy policy = { .count = 2, .rules = rules };
	struct machine_rule_counter counters[4];
	struct machine_rule_fault fault;
	struct strbuf text = { .text = NULL };

	(void)state;
	assert_int_equal(machine.rules_text(machine.self, &text, &err), 0);
	assert_string_equal(text.text, "");
	strbuf_clear(&text);
	assert_int_equal(
		machine.rules_counters(machine.self, counters, 0, &err), 0);
	guests.rules.now.policy = &policy;
	assert_int_equal(machine.rules_set(machine.self, "bad", &fault, &err),
			 -1);
	assert_int_equal(fault.line, 7);
	assert_string_equal(fault.part, "dport");
	assert_int_equal(machine.rules_set(machine.self, "good", &fault, &err),
			 0);
	assert_true(pthread_equal(asked_in, thread));
	assert_int_equal(machine.rules_text(machine.self, &text, &err), 0);
	assert_string_equal(text.text, "good");
	strbuf_clear(&text);
	assert_int_equal(
		machine.rules_counters(machine.self, counters, 4, &err), 2);
	assert_int_equal(counters[0].packets, 1);
	assert_true(counters[0].in_force);
	assert_false(counters[1].in_force);
	assert_int_equal(
		machine.rules_counters(machine.self, counters, 1, &err), 1);
	guests.rules.now.policy = NULL;
}

/* Each call is answered, whoever else asks. */
static void *ask_often(void *context)
{
	int *answered = context;
	struct error e;

	for (int i = 0; i < 200; i++) {
		struct machine_node n = { .cpus = 0 };

		*answered +=
			machine.node(machine.self, &n, &e) == 0 && n.cpus == 2;
	}
	return NULL;
}

static void many_may_ask(void **state)
{
	pthread_t threads[4];
	int answered[4] = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_often,
						&answered[i]),
				 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(answered[i], 200);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life_of_a_domain),
		cmocka_unit_test(others_domains_are_left_alone),
		cmocka_unit_test(meters_are_those_of_the_page),
		cmocka_unit_test(end_of_a_guest_is_told),
		cmocka_unit_test(consoles_are_watched),
		cmocka_unit_test(logs_need_a_folder),
		cmocka_unit_test(what_interfaces_carry),
		cmocka_unit_test(rules_are_carried_over),
		cmocka_unit_test(many_may_ask),
	};

	return cmocka_run_group_tests(tests, start_reactor, stop_reactor);
}
