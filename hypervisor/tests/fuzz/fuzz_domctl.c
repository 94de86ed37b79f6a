// SPDX-License-Identifier: Apache-2.0
/*
 * Domain 0's control hypercalls in any order with any arguments: 160 bytes of
 * input are one call. No lock stays held, every result is one of the ABI's,
 * and once all domains are destroyed all memory is back.
 */
#include <string.h>

#include <hv/control.h>
#include <hv/errno.h>
#include <hv/log.h>
#include <hv/meter.h>
#include <hv/mm.h>

#include <arch/host_machine.h>

#include <xen/domctl.h>
#include <xen/sysctl.h>
#include <xeno/domain.h>

#include "../fake/domains.h"
#include "../fake/real_domains.h"

#define WINDOW 0x10000UL
#define FRAMES 1024
#define CALL_BYTES 160
#define IDS 8 /* domains 1..7 come and go */

static struct domain *zero;
static u8 window[16384];
static u64 free_before;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void set_up(void)
{
	fake_machine_init(FRAMES, 2);
	zero = fake_domain_create(0, 2, true);
	for (unsigned int cpu = 0; cpu < 2; cpu++)
		meter_cpu_start(cpu, 0);
	fake_become(zero, 0);
	host_guest_window(WINDOW, window, sizeof(window));
	control_init();
	free_before = frame_free_count();
}

static void one_call(const u8 *in)
{
	struct xen_domctl *dom = (void *)window;
	struct xen_sysctl *sys = (void *)window;
	struct xeno_envelope *head = (void *)window;
	u64 va = WINDOW;
	long rc;

	memcpy(window, in + 8, CALL_BYTES - 8);
	fake_grace = in[1] & 1 ? ~0UL : 0;
	switch (in[0] % 4) {
	case 0:
	case 1:
		dom->cmd = in[2] & 0x80 ? in[2] % 90 : in[2] % 16;
		dom->interface_version = XEN_DOMCTL_INTERFACE_VERSION;
		dom->domain = in[3] % IDS;
		/* Not Domain 0, which plays on. */
		if (!dom->domain)
			dom->domain = 1;
		rc = hc_domctl(va, 0, 0, 0, 0, 0);
		break;
	case 2:
		sys->cmd = in[2] % 32;
		sys->interface_version = XEN_SYSCTL_INTERFACE_VERSION;
		rc = hc_sysctl(va, 0, 0, 0, 0, 0);
		break;
	default:
		head->op = XENO_OP_DOMAIN_INFO + in[2] % 5;
		head->abi_version = 1;
		head->mbz = 0;
		head->size = in[2] % 5 == 0 ? sizeof(struct xeno_domain_info)
			     : in[2] % 5 == 2
				     ? sizeof(struct xeno_meter_page_where)
				     : sizeof(struct xeno_sched);
		*(u32 *)(head + 1) = in[3] % IDS;
		rc = hc_control(va, 0, 0, 0, 0, 0);
		break;
	}
	CHECK(rc <= 0 && rc > -4096);
	CHECK(host_locks_held == 0);
}

/* Memory for a domain, now and then one page that somebody else holds. */
static struct frame *give(u8 what)
{
	struct domain *d = domain_find(1 + what % (IDS - 1));
	struct frame *f;

	if (!d || frame_owner_alloc(&d->owner, 0, &f))
		return NULL;
	return what & 0x80 && frame_get(f, d->id) ? f : NULL;
}

static void end_all(void)
{
	fake_grace = ~0UL;
	for (u16 id = 1; id < DOMAIN_MAX; id++) {
		struct xen_domctl *dom = (void *)window;
		long rc;

		do {
			memset(dom, 0, sizeof(*dom));
			dom->cmd = XEN_DOMCTL_destroydomain;
			dom->interface_version = XEN_DOMCTL_INTERFACE_VERSION;
			dom->domain = id;
			rc = hc_domctl(WINDOW, 0, 0, 0, 0, 0);
		} while (rc == -ERESTART);
		CHECK(rc == 0 || rc == -ESRCH);
	}
	domain_chores();
	CHECK(frame_free_count() == free_before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame *held = NULL, *f;

	if (!zero)
		set_up();
	for (; size >= CALL_BYTES; data += CALL_BYTES, size -= CALL_BYTES) {
		host_clock_ns++;
		one_call(data);
		f = data[4] & 1 ? give(data[5]) : NULL;
		if (f && held)
			frame_put(held);
		if (f)
			held = f;
		if (data[4] & 2)
			domain_chores();
	}
	if (held)
		frame_put(held);
	end_all();
	return 0;
}
