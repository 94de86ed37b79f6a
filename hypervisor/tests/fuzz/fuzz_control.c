// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as the argument of the control hypercall, at any distance from the
 * end of the caller's memory: an error changes none of them, success leaves
 * the envelope alone and writes no byte past the size it names.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <hv/control.h>
#include <hv/log.h>
#include <hv/meter.h>
#include <hv/work.h>

#include <arch/host_machine.h>

#include <xeno/abi.h>

#include "../fake/domains.h"

#define WINDOW 0x10000UL
#define WINDOW_BYTES 2048

static struct domain *zero;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void set_up(void)
{
	fake_machine_init(256, 2);
	work_start();
	zero = fake_domain_create(0, 2, true);
	for (unsigned int cpu = 0; cpu < 2; cpu++)
		meter_cpu_start(cpu, 0);
	fake_become(zero, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t before[WINDOW_BYTES], now[WINDOW_BYTES];
	struct xeno_envelope head;
	size_t at = 0;
	long rc;

	if (!zero)
		set_up();
	if (size < 2)
		return 0;
	/* Now and then so late that the argument runs out of the window. */
	if (data[0] & 1)
		at = WINDOW_BYTES - data[1];
	data += 2;
	size -= 2;
	memset(before, 0xa5, sizeof(before));
	memcpy(before + at, data,
	       size < WINDOW_BYTES - at ? size : WINDOW_BYTES - at);
	memcpy(now, before, sizeof(now));
	host_guest_window(WINDOW, now, sizeof(now));
	host_clock_ns++;

	rc = hc_control(WINDOW + at, 0, 0, 0, 0, 0);
	CHECK(rc <= 0 && rc > -4096);
	CHECK(host_locks_held == 0);
	/* No room for an envelope, so nothing that could succeed. */
	if (at + sizeof(head) > WINDOW_BYTES) {
		CHECK(rc && !memcmp(now, before, sizeof(now)));
		return 0;
	}
	memcpy(&head, before + at, sizeof(head));
	/* Its buffer may be anywhere, over its argument too. */
	if (head.op == XENO_OP_DOMAIN_MEMORY)
		return 0;
	if (rc) {
		CHECK(!memcmp(now, before, sizeof(now)));
		return 0;
	}
	CHECK(at + head.size <= WINDOW_BYTES);
	CHECK(!memcmp(now, before, at + sizeof(head)));
	CHECK(!memcmp(now + at + head.size, before + at + head.size,
		      WINDOW_BYTES - at - head.size));
	return 0;
}
