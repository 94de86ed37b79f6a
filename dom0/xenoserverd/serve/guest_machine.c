// SPDX-License-Identifier: Apache-2.0
/* See guest_machine.h. */
#include "serve/guest_machine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <xen/sched.h>
#include <xeno/meter_page.h>

#include "serve/machine_calls.h"
#include "xenstore/domain_nodes.h"

#define HANDLE_PREFIX "dom_"

/* What one call brings along and takes back. */
struct call {
	int (*perform)(struct call *c, struct error *err);
	struct guests *guests;
	const struct spec_folders *folders;
	const char *handle;
	const struct domain_spec *spec;
	bool reboot;
	machine_visit visit;
	meters_visit visit_meters;
	void *context;
	struct machine_node *node;
	uint64_t now_ns;
	int64_t number;
	int (*other)(void *context, struct guests *guests, struct error *err);
	struct error *err;
	int rc;
	bool finished;
	struct call *next;
};

struct guest_machine {
	struct guest_machine_options options;
	struct pool pool;
	struct machine *machine;
	pthread_t owner; /* the reactor's thread */
	struct reactor_source source;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t finished;
	struct call *first, **last; /* that are not begun yet */
};

static int ask(struct guest_machine *g, struct call *c, struct error *err)
{
	uint64_t one = 1;

	c->guests = g->options.guests;
	c->folders = &g->options.folders;
	c->err = err;
	if (pthread_equal(pthread_self(), g->owner))
		return c->perform(c, err);
	pthread_mutex_lock(&g->mutex);
	/* The count is far from its limit: it cannot fail. */
	if (write(g->source.fd, &one, sizeof(one)) != sizeof(one)) {
		pthread_mutex_unlock(&g->mutex);
		return error_set(err, ERR_SYSTEM, "eventfd: %s",
				 strerror(errno));
	}
	*g->last = c;
	g->last = &c->next;
	while (!c->finished)
		pthread_cond_wait(&g->finished, &g->mutex);
	pthread_mutex_unlock(&g->mutex);
	return c->rc;
}

static struct call *next_call(struct guest_machine *g)
{
	struct call *c;

	pthread_mutex_lock(&g->mutex);
	c = g->first;
	if (c)
		g->first = c->next;
	if (!g->first)
		g->last = &g->first;
	pthread_mutex_unlock(&g->mutex);
	return c;
}

static void called(struct reactor_source *source)
{
	struct guest_machine *g = source->owner;
	struct call *c;
	uint64_t count;

	if (read(source->fd, &count, sizeof(count)) != sizeof(count))
		return;
	while ((c = next_call(g))) {
		c->rc = c->perform(c, c->err);
		pthread_mutex_lock(&g->mutex);
		c->finished = true;
		pthread_cond_broadcast(&g->finished);
		pthread_mutex_unlock(&g->mutex);
	}
}

/* ---- in the reactor's thread ---- */

static bool is_handle(const char *name)
{
	return strncmp(name, HANDLE_PREFIX, strlen(HANDLE_PREFIX)) == 0 &&
	       strlen(name) == strlen(HANDLE_PREFIX) + ID_TAIL;
}

static enum machine_state state_of(const struct hv_domain *d)
{
	if (d->state != HV_SHUT_DOWN)
		return d->paused ? MACHINE_PAUSED : MACHINE_RUNNING;
	switch (d->shutdown_code) {
	case SHUTDOWN_poweroff:
		return MACHINE_ENDED_POWEROFF;
	case SHUTDOWN_reboot:
		return MACHINE_ENDED_REBOOT;
	default:
		return MACHINE_ENDED_CRASH;
	}
}

static int visit_guest(struct call *c, const struct guest *g, struct error *err)
{
	struct machine_domain m = { .number = g->id };
	struct hv_domain d;

	if (hv_domain_info(c->guests->hv, g->id, &d, err))
		return err->code == ERR_NOT_FOUND ? 0 : -1;
	/* One that goes is not there any more. */
	if (d.state == HV_DYING)
		return 0;
	snprintf(m.handle, sizeof(m.handle), "%.*s", ID_MAX - 1,
		 g->config.name);
	m.state = state_of(&d);
	m.cpu_ns = d.cpu_ns;
	if (m.state == MACHINE_ENDED_CRASH)
		hv_crash_reason(c->guests->hv, g->id, m.reason,
				sizeof(m.reason));
	return c->visit(c->context, &m, err);
}

static int perform_list(struct call *c, struct error *err)
{
	for (const struct guest *g = c->guests->first; g; g = g->next)
		if (is_handle(g->config.name) && visit_guest(c, g, err))
			return -1;
	return 0;
}

/* What is free, and what our own have: others' is not to be promised. */
static int perform_node(struct call *c, struct error *err)
{
	struct hv_node node;
	uint64_t pages;

	if (hv_node_info(c->guests->hv, &node, err))
		return -1;
	pages = node.free_pages;
	for (const struct guest *g = c->guests->first; g; g = g->next) {
		struct hv_domain d;
		struct error gone;

		if (is_handle(g->config.name) &&
		    hv_domain_info(c->guests->hv, g->id, &d, &gone) == 0)
			pages += d.pages;
	}
	c->node->cpus = node.cpus;
	c->node->memory_bytes = pages * HV_PAGE_BYTES;
	c->node->free_memory_bytes = node.free_pages * HV_PAGE_BYTES;
	return 0;
}

static int perform_start(struct call *c, struct error *err)
{
	struct strbuf text = { .text = NULL };
	struct guest *g;
	int rc;

	spec_text(&text, c->handle, c->spec, c->folders);
	rc = guests_create(c->guests, text.text, &g, err);
	strbuf_clear(&text);
	if (rc == 0)
		c->number = g->id;
	return rc;
}

static int perform_pause(struct call *c, struct error *err)
{
	const struct guest *g = guests_find(c->guests, c->handle, err);

	return g ? hv_domain_pause(c->guests->hv, g->id, err) : -1;
}

static int perform_resume(struct call *c, struct error *err)
{
	const struct guest *g = guests_find(c->guests, c->handle, err);

	return g ? hv_domain_unpause(c->guests->hv, g->id, err) : -1;
}

static int perform_ask_to_end(struct call *c, struct error *err)
{
	const struct guest *g = guests_find(c->guests, c->handle, err);

	return g ? domain_nodes_shutdown(c->guests->store, g->id,
					 c->reboot ? "reboot" : "poweroff", err)
		 : -1;
}

static int perform_configure(struct call *c, struct error *err)
{
	const struct guest *g = guests_find(c->guests, c->handle, err);
	struct hv_sched s;

	if (!g || hv_sched_get(c->guests->hv, g->id, &s, err))
		return -1;
	s.weight = c->spec->cpu_reservation_permille;
	s.cap_permille = c->spec->cpu_cap_permille;
	return hv_sched_set(c->guests->hv, g->id, &s, err);
}

static int perform_destroy(struct call *c, struct error *err)
{
	struct guest *g = guests_find(c->guests, c->handle, err);

	if (!g)
		return err->code == ERR_NOT_FOUND ? 0 : -1;
	return guests_destroy(c->guests, g, err);
}

static int perform_clock(struct call *c, struct error *err)
{
	return hv_clock(c->guests->hv, &c->now_ns, err);
}

static void translate(struct machine_meters *out,
		      const struct xeno_meter_page *page)
{
	out->created_ns = page->created_ns;
	out->vcpu_count = CONFIG_VCPUS_MAX;
	for (unsigned int i = 0; i < CONFIG_VCPUS_MAX; i++)
		out->cpu_ns[i] = page->cpu_ns[i];
	for (unsigned int i = 0; i < XENO_VBDS_PER_DOMAIN; i++) {
		const struct xeno_meter_vbd *v = &page->vbds[i];

		if (v->vbd && out->vbd_count < CONFIG_DISKS_MAX)
			out->vbds[out->vbd_count++] = (struct meter_vbd){
				(uint32_t)v->vbd, v->read_requests,
				v->read_bytes, v->write_requests, v->write_bytes
			};
	}
	for (unsigned int i = 0; i < CONFIG_VIFS_MAX; i++)
		out->vifs[i] = (struct meter_vif){ i, page->vifs[i].tx_bytes,
						   page->vifs[i].rx_bytes };
	out->vif_count = CONFIG_VIFS_MAX;
}

_Static_assert(CONFIG_VCPUS_MAX <= XENO_MAX_VCPUS, "a page has all vCPUs");
_Static_assert(CONFIG_VIFS_MAX <= XENO_VIFS_PER_DOMAIN, "and all interfaces");

static int visit_meters(struct call *c, const struct guest *g,
			struct error *err)
{
	static struct xeno_meter_page page; /* of this thread */
	struct machine_meters m = { .number = g->id };

	if (hv_meter_read(c->guests->hv, g->id, &page, err) ||
	    hv_clock(c->guests->hv, &m.at_ns, err))
		return -1;
	snprintf(m.handle, sizeof(m.handle), "%.*s", ID_MAX - 1,
		 g->config.name);
	translate(&m, &page);
	return c->visit_meters(c->context, &m, err);
}

/* Of those that are there: one that goes has been read when it was halted. */
static int perform_meters(struct call *c, struct error *err)
{
	struct hv_domain d;

	if (!hv_is_own(c->guests->hv))
		return c->handle ? error_set(err, ERR_UNSUPPORTED,
					     "this hypervisor has no meters")
				 : 0;
	for (const struct guest *g = c->guests->first; g; g = g->next) {
		if (!is_handle(g->config.name) ||
		    (c->handle && strcmp(g->config.name, c->handle) != 0))
			continue;
		if (hv_domain_info(c->guests->hv, g->id, &d, err)) {
			if (err->code != ERR_NOT_FOUND)
				return -1;
			continue;
		}
		if (d.state == HV_DYING)
			continue;
		if (visit_meters(c, g, err))
			return -1;
		if (c->handle)
			return 0;
	}
	return c->handle ? error_set(err, ERR_NOT_FOUND, "no domain %s",
				     c->handle)
			 : 0;
}

static int perform_halt(struct call *c, struct error *err)
{
	struct guest *g = guests_find(c->guests, c->handle, err);

	return g ? guests_halt(c->guests, g, err) : -1;
}

/* ---- in the worker's thread ---- */

/* Domain 0 starts with the node, and ends with it. */
static int read_boot(char out[BOOT_MAX], struct error *err)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool read = file && fgets(out, BOOT_MAX, file);

	if (file)
		fclose(file);
	if (!read)
		return error_set(err, ERR_SYSTEM, "no boot_id");
	out[strcspn(out, "\n")] = '\0';
	return 0;
}

static int node(void *self, struct machine_node *out, struct error *err)
{
	struct guest_machine *g = self;
	struct call c = { .perform = perform_node, .node = out };

	if (ask(g, &c, err) || read_boot(out->boot, err))
		return -1;
	return pool_size(&g->pool, &out->pool_bytes, err);
}

static int list(void *self, machine_visit visit, void *context,
		struct error *err)
{
	struct call c = { .perform = perform_list,
			  .visit = visit,
			  .context = context };

	return ask(self, &c, err);
}

static int volume_create(void *self, const char *handle,
			 const struct disk_spec *d, struct error *err)
{
	struct guest_machine *g = self;

	return pool_create(&g->pool, handle, d->device, d->size_bytes, d->image,
			   err);
}

static int volume_remove(void *self, const char *handle, const char *device,
			 struct error *err)
{
	struct guest_machine *g = self;

	return pool_remove(&g->pool, handle, device, err);
}

static int start(void *self, const char *handle, const struct domain_spec *s,
		 int64_t *number, struct error *err)
{
	struct call c = { .perform = perform_start,
			  .handle = handle,
			  .spec = s };

	if (ask(self, &c, err))
		return -1;
	*number = c.number;
	return 0;
}

static int pause_domain(void *self, const char *handle, struct error *err)
{
	struct call c = { .perform = perform_pause, .handle = handle };

	return ask(self, &c, err);
}

static int resume(void *self, const char *handle, struct error *err)
{
	struct call c = { .perform = perform_resume, .handle = handle };

	return ask(self, &c, err);
}

static int ask_to_end(void *self, const char *handle, bool reboot,
		      struct error *err)
{
	struct call c = { .perform = perform_ask_to_end,
			  .handle = handle,
			  .reboot = reboot };

	return ask(self, &c, err);
}

static int configure(void *self, const char *handle,
		     const struct domain_spec *s, struct error *err)
{
	struct call c = { .perform = perform_configure,
			  .handle = handle,
			  .spec = s };

	return ask(self, &c, err);
}

static int destroy(void *self, const char *handle, struct error *err)
{
	struct call c = { .perform = perform_destroy, .handle = handle };

	return ask(self, &c, err);
}

static int read_clock(void *self, struct machine_clock *out, struct error *err)
{
	struct call c = { .perform = perform_clock };

	if (read_boot(out->boot, err) || ask(self, &c, err))
		return -1;
	out->now_ns = c.now_ns;
	return 0;
}

static int meters(void *self, const char *handle, meters_visit visit,
		  void *context, struct error *err)
{
	struct call c = { .perform = perform_meters,
			  .handle = handle,
			  .visit_meters = visit,
			  .context = context };

	return ask(self, &c, err);
}

static int halt(void *self, const char *handle, struct error *err)
{
	struct call c = { .perform = perform_halt, .handle = handle };

	return ask(self, &c, err);
}

static int volume_grow(void *self, const char *handle, const char *device,
		       uint64_t old_bytes, uint64_t new_bytes,
		       struct error *err)
{
	struct guest_machine *g = self;

	return pool_grow(&g->pool, handle, device, old_bytes, new_bytes, err);
}

static int perform_other(struct call *c, struct error *err)
{
	return c->other(c->context, c->guests, err);
}

int guest_machine_ask(void *self,
		      int (*perform)(void *context, struct guests *guests,
				     struct error *err),
		      void *context, struct error *err)
{
	struct call c = { .perform = perform_other,
			  .other = perform,
			  .context = context };

	return ask(self, &c, err);
}

const struct guest_machine_options *guest_machine_options(void *self)
{
	return &((struct guest_machine *)self)->options;
}

static void ended(void *context)
{
	struct guest_machine *g = context;

	if (g->machine->notify)
		g->machine->notify(g->machine->notify_context);
}

int guest_machine_open(struct machine *out,
		       const struct guest_machine_options *o, struct error *err)
{
	struct guest_machine *g = calloc(1, sizeof(*g));

	if (!g)
		return error_set(err, ERR_SYSTEM, "no memory");
	g->options = *o;
	g->pool = (struct pool){ o->folders.pool, o->images };
	g->machine = out;
	g->last = &g->first;
	g->owner = pthread_self();
	pthread_mutex_init(&g->mutex, NULL);
	pthread_cond_init(&g->finished, NULL);
	g->source =
		(struct reactor_source){ eventfd(0, EFD_CLOEXEC), called, g };
	if (g->source.fd < 0 || reactor_add(o->reactor, &g->source, err)) {
		if (g->source.fd < 0)
			error_fill(err, ERR_SYSTEM, "eventfd: %s",
				   strerror(errno));
		free(g);
		return -1;
	}
	*out = (struct machine){
		.self = g,
		.node = node,
		.list = list,
		.volume_create = volume_create,
		.volume_remove = volume_remove,
		.start = start,
		.pause = pause_domain,
		.resume = resume,
		.ask_to_end = ask_to_end,
		.configure = configure,
		.destroy = destroy,
		.volume_grow = volume_grow,
		.console_open = machine_console_open,
		.console_log = machine_console_log,
		.console_forget = machine_console_forget,
		.vif_counters = machine_vif_counters,
		.rules_set = machine_rules_set,
		.rules_text = machine_rules_text,
		.rules_counters = machine_rules_counters,
		.clock = read_clock,
		.meters = meters,
		.halt = halt,
	};
	o->guests->ended = ended;
	o->guests->ended_context = g;
	return 0;
}
