// SPDX-License-Identifier: Apache-2.0
/* See fake_machine.h. A domain is a file: number, state, weight,
 * kernel, when it was built, when it was halted. */
#include "fake_machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATH_MAX_BYTES 256

static void path_of(const struct machine *m, char out[PATH_MAX_BYTES],
		    const char *name, const char *tail)
{
	snprintf(out, PATH_MAX_BYTES, "%s/%s%s", (const char *)m->self, name,
		 tail);
}

bool fake_machine_has(const struct machine *m, const char *name)
{
	char path[PATH_MAX_BYTES];

	path_of(m, path, name, "");
	return access(path, F_OK) == 0;
}

void fake_machine_switch(const struct machine *m, const char *name, bool on)
{
	char path[PATH_MAX_BYTES];

	path_of(m, path, name, "");
	if (on)
		close(open(path, O_CREAT | O_WRONLY, 0600));
	else
		unlink(path);
}

struct fake_domain {
	uint64_t created_ns, halted_ns; /* halted_ns 0: it is not */
	int64_t number;
	int state;
	unsigned int weight;
	char kernel[SPEC_FILE_MAX];
};

static int read_domain(const char *folder, const char *handle,
		       struct fake_domain *out)
{
	const struct machine m = { .self = (void *)folder };
	char path[PATH_MAX_BYTES];
	FILE *f;
	int rc;

	path_of(&m, path, handle, ".domain");
	f = fopen(path, "r");
	if (!f)
		return -1;
	rc = fscanf(f, "%ld %d %u %63s %lu %lu", &out->number, &out->state,
		    &out->weight, out->kernel, &out->created_ns,
		    &out->halted_ns);
	fclose(f);
	return rc == 6 ? 0 : -1;
}

/* Whole or not at all, as a hypervisor would have it. */
static int write_domain(const char *folder, const char *handle,
			const struct fake_domain *d)
{
	const struct machine m = { .self = (void *)folder };
	char path[PATH_MAX_BYTES], temporary[PATH_MAX_BYTES];
	FILE *f;

	path_of(&m, path, handle, ".domain");
	path_of(&m, temporary, handle, ".new");
	f = fopen(temporary, "w");
	if (!f)
		return -1;
	fprintf(f, "%ld %d %u %s %lu %lu\n", d->number, d->state, d->weight,
		d->kernel, d->created_ns, d->halted_ns);
	fclose(f);
	return rename(temporary, path);
}

static int node(void *self, struct machine_node *out, struct error *err)
{
	const struct machine m = { .self = self };
	char path[PATH_MAX_BYTES];
	FILE *f;

	(void)err;
	path_of(&m, path, "boot", "");
	f = fopen(path, "r");
	*out = (struct machine_node){
		.boot = "first",
		.cpus = FAKE_CPUS,
		.memory_bytes = FAKE_MEMORY_BYTES,
		.free_memory_bytes = FAKE_MEMORY_BYTES,
		.pool_bytes = FAKE_POOL_BYTES,
	};
	if (f && fscanf(f, "%39s", out->boot) != 1)
		abort();
	if (f)
		fclose(f);
	return 0;
}

void fake_machine_restart_node(struct machine *m, const char *boot)
{
	char path[PATH_MAX_BYTES];
	DIR *folder = opendir(m->self);
	struct dirent *e;
	FILE *f;

	while ((e = readdir(folder)))
		if (strstr(e->d_name, ".domain"))
			unlinkat(dirfd(folder), e->d_name, 0);
	closedir(folder);
	path_of(m, path, "boot", "");
	f = fopen(path, "w");
	fprintf(f, "%s\n", boot);
	fclose(f);
}

static int list(void *self, machine_visit visit, void *context,
		struct error *err)
{
	DIR *folder = opendir(self);
	struct dirent *e;
	int rc = 0;

	if (!folder)
		return error_set(err, ERR_SYSTEM, "no world");
	while (rc == 0 && (e = readdir(folder))) {
		char *dot = strstr(e->d_name, ".domain");
		struct machine_domain d = { .cpu_ns = 1000000 };
		struct fake_domain fake;

		if (!dot)
			continue;
		snprintf(d.handle, sizeof(d.handle), "%.*s",
			 (int)(dot - e->d_name), e->d_name);
		if (read_domain(self, d.handle, &fake))
			continue;
		d.number = fake.number;
		d.state = (enum machine_state)fake.state;
		if (d.state == MACHINE_ENDED_CRASH)
			strcpy(d.reason, "a fault of the guest's kernel");
		rc = visit(context, &d, err);
	}
	closedir(folder);
	return rc;
}

static void stall(const char *self, const char *name);

static int volume_create(void *self, const char *handle,
			 const struct disk_spec *d, struct error *err)
{
	char name[PATH_MAX_BYTES];
	struct machine m = { .self = self };

	if (strncmp(handle, "vol_", 4) == 0)
		stall(self, "stall-volume");
	if (strcmp(d->image, "missing") == 0)
		return error_set(err, ERR_NOT_FOUND, "no image %s", d->image);
	snprintf(name, sizeof(name), "%s.%s.volume", handle, d->device);
	fake_machine_switch(&m, name, true);
	return 0;
}

static int volume_remove(void *self, const char *handle, const char *device,
			 struct error *err)
{
	char name[PATH_MAX_BYTES];
	struct machine m = { .self = self };

	(void)err;
	snprintf(name, sizeof(name), "%s.%s.volume", handle, device);
	fake_machine_switch(&m, name, false);
	return 0;
}

/* A volume's file has its size, once it has grown. */
static int volume_grow(void *self, const char *handle, const char *device,
		       uint64_t old_bytes, uint64_t new_bytes,
		       struct error *err)
{
	char name[PATH_MAX_BYTES], path[PATH_MAX_BYTES];
	struct machine m = { .self = self };

	(void)old_bytes;
	stall(self, "stall-grow");
	snprintf(name, sizeof(name), "%s.%s", handle, device);
	path_of(&m, path, name, ".volume");
	if (truncate(path, (off_t)new_bytes))
		return error_set(err, ERR_SYSTEM, "no volume %s", name);
	return 0;
}

static void stall(const char *self, const char *name)
{
	struct machine m = { .self = (void *)self };

	while (fake_machine_has(&m, name)) {
		fake_machine_switch(&m, "stalled", true);
		usleep(5000);
	}
}

/* Only the worker starts domains, one at a time. */
static int64_t next_number(void *self)
{
	struct machine m = { .self = self };
	char path[PATH_MAX_BYTES];
	long number = 0;
	FILE *f;

	path_of(&m, path, "number", "");
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%ld", &number) != 1)
			number = 0;
		fclose(f);
	}
	f = fopen(path, "w");
	if (f) {
		fprintf(f, "%ld\n", number + 1);
		fclose(f);
	}
	return number + 1;
}

/* The files "clock" and "boot", if they are there; else those of the host. */
static int read_clock(void *self, struct machine_clock *out, struct error *err)
{
	struct machine m = { .self = self };
	char path[PATH_MAX_BYTES];
	struct timespec t;
	FILE *f;

	(void)err;
	clock_gettime(CLOCK_MONOTONIC, &t);
	*out = (struct machine_clock){
		.now_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec,
		.boot = "first",
	};
	path_of(&m, path, "clock", "");
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%lu", &out->now_ns) != 1)
			out->now_ns = 0;
		fclose(f);
	}
	path_of(&m, path, "boot", "");
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%39s", out->boot) != 1)
			strcpy(out->boot, "first");
		fclose(f);
	}
	return 0;
}

static uint64_t now_ns(void *self)
{
	struct machine_clock c;
	struct error err;

	read_clock(self, &c, &err);
	return c.now_ns;
}

/* Lines of HANDLE.meters: "cpu 0 NS", "vbd 51712 READS BYTES WRITES BYTES",
 * "vif 0 SENT RECEIVED". */
static void read_counters(FILE *f, struct machine_meters *out)
{
	struct meter_vbd d;
	struct meter_vif v;
	unsigned int number;
	uint64_t value;
	char word[8];

	while (fscanf(f, "%7s %u", word, &number) == 2) {
		d.number = v.number = number;
		if (strcmp(word, "cpu") == 0 && number < CONFIG_VCPUS_MAX &&
		    fscanf(f, "%lu", &value) == 1) {
			out->cpu_ns[number] = value;
			out->vcpu_count = number + 1;
		} else if (strcmp(word, "vbd") == 0 &&
			   out->vbd_count < CONFIG_DISKS_MAX &&
			   fscanf(f, "%lu %lu %lu %lu", &d.read_requests,
				  &d.read_bytes, &d.write_requests,
				  &d.write_bytes) == 4) {
			out->vbds[out->vbd_count++] = d;
		} else if (strcmp(word, "vif") == 0 &&
			   out->vif_count < CONFIG_VIFS_MAX &&
			   fscanf(f, "%lu %lu", &v.sent_bytes,
				  &v.received_bytes) == 2) {
			out->vifs[out->vif_count++] = v;
		}
	}
}

static int visit_meters(void *self, const char *handle,
			const struct fake_domain *d, meters_visit visit,
			void *context, struct error *err)
{
	struct machine m = { .self = self };
	struct machine_meters out = { .number = d->number,
				      .created_ns = d->created_ns,
				      .at_ns = d->halted_ns ?: now_ns(self) };
	char path[PATH_MAX_BYTES];
	FILE *f;

	snprintf(out.handle, sizeof(out.handle), "%s", handle);
	path_of(&m, path, handle, ".meters");
	f = fopen(path, "r");
	if (f) {
		read_counters(f, &out);
		fclose(f);
	}
	return visit(context, &out, err);
}

struct meters_call {
	void *self;
	meters_visit visit;
	void *context;
};

static int visit_listed(void *context, const struct machine_domain *d,
			struct error *err)
{
	struct meters_call *c = context;
	struct fake_domain fake;

	if (read_domain(c->self, d->handle, &fake))
		return 0;
	return visit_meters(c->self, d->handle, &fake, c->visit, c->context,
			    err);
}

static int meters(void *self, const char *handle, meters_visit visit,
		  void *context, struct error *err)
{
	struct meters_call c = { self, visit, context };
	struct fake_domain fake;

	if (!handle)
		return list(self, visit_listed, &c, err);
	if (read_domain(self, handle, &fake))
		return error_set(err, ERR_NOT_FOUND, "no domain %s", handle);
	return visit_meters(self, handle, &fake, visit, context, err);
}

static void tell(struct machine *m)
{
	if (m->notify)
		m->notify(m->notify_context);
}

/* The only one of its kind: calls do not say which machine. */
static struct machine *machine;

static int start(void *self, const char *handle, const struct domain_spec *s,
		 int64_t *number, struct error *err)
{
	struct fake_domain d = { .state = MACHINE_RUNNING,
				 .weight = s->cpu_reservation_permille };

	stall(self, "stall-before");
	if (strcmp(s->kernel, "bad") == 0)
		return error_set(err, ERR_NOT_A_KERNEL, "%s is no kernel",
				 s->kernel);
	if (read_domain(self, handle, &(struct fake_domain){ 0 }) == 0)
		return error_set(err, ERR_EXISTS, "%s is there", handle);
	if (strcmp(s->kernel, "crasher") == 0)
		d.state = MACHINE_ENDED_CRASH;
	*number = d.number = next_number(self);
	d.created_ns = now_ns(self);
	strcpy(d.kernel, s->kernel);
	if (write_domain(self, handle, &d))
		return error_set(err, ERR_SYSTEM, "cannot write");
	stall(self, "stall-after");
	if (d.state == MACHINE_ENDED_CRASH)
		tell(machine);
	return 0;
}

static int change(void *self, const char *handle, enum machine_state state,
		  struct error *err)
{
	struct fake_domain d;

	if (read_domain(self, handle, &d))
		return error_set(err, ERR_NOT_FOUND, "no domain %s", handle);
	d.state = state;
	return write_domain(self, handle, &d);
}

static int pause_domain(void *self, const char *handle, struct error *err)
{
	return change(self, handle, MACHINE_PAUSED, err);
}

static int resume(void *self, const char *handle, struct error *err)
{
	return change(self, handle, MACHINE_RUNNING, err);
}

static int ask_to_end(void *self, const char *handle, bool reboot,
		      struct error *err)
{
	struct fake_domain d;

	if (read_domain(self, handle, &d))
		return error_set(err, ERR_NOT_FOUND, "no domain %s", handle);
	if (strcmp(d.kernel, "deaf") == 0)
		return 0;
	change(self, handle,
	       reboot ? MACHINE_ENDED_REBOOT : MACHINE_ENDED_POWEROFF, err);
	tell(machine);
	return 0;
}

static int configure(void *self, const char *handle,
		     const struct domain_spec *s, struct error *err)
{
	struct fake_domain d;

	if (read_domain(self, handle, &d))
		return error_set(err, ERR_NOT_FOUND, "no domain %s", handle);
	d.weight = s->cpu_reservation_permille;
	return write_domain(self, handle, &d);
}

static int halt(void *self, const char *handle, struct error *err)
{
	struct fake_domain d;

	stall(self, "stall-halt");
	if (read_domain(self, handle, &d))
		return error_set(err, ERR_NOT_FOUND, "no domain %s", handle);
	if (d.halted_ns)
		return 0;
	if (d.state == MACHINE_RUNNING)
		d.state = MACHINE_PAUSED;
	d.halted_ns = now_ns(self);
	if (write_domain(self, handle, &d))
		return error_set(err, ERR_SYSTEM, "cannot write");
	stall(self, "stall-halted");
	return 0;
}

static int destroy(void *self, const char *handle, struct error *err)
{
	struct machine m = { .self = self };
	char name[PATH_MAX_BYTES];

	(void)err;
	stall(self, "stall-destroy");
	snprintf(name, sizeof(name), "%s.meters", handle);
	fake_machine_switch(&m, name, false);
	snprintf(name, sizeof(name), "%s.domain", handle);
	fake_machine_switch(&m, name, false);
	stall(self, "stall-destroyed");
	return 0;
}

int fake_machine_end(struct machine *m, const char *handle,
		     enum machine_state how)
{
	struct error err;
	int rc = change(m->self, handle, how, &err);

	tell(m);
	return rc;
}

uint32_t fake_machine_weight(struct machine *m, const char *handle)
{
	struct fake_domain d;

	return read_domain(m->self, handle, &d) ? 0 : d.weight;
}

void fake_machine_open(struct machine *m, const char *folder)
{
	*m = (struct machine){
		.self = (void *)folder,
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
		.console_open = fake_console_open,
		.console_log = fake_console_log,
		.console_forget = fake_console_forget,
		.vif_counters = fake_vif_counters,
		.rules_set = fake_rules_set,
		.rules_text = fake_rules_text,
		.rules_counters = fake_rules_counters,
		.clock = read_clock,
		.meters = meters,
		.halt = halt,
	};
	machine = m;
}
