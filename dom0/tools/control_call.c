// SPDX-License-Identifier: Apache-2.0
/* See control_call.h. */
#include "control_call.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The second uses types of the first. */
/* clang-format off */
#include <xen/xen.h>
#include <xen/sys/privcmd.h>
/* clang-format on */

/* The hypervisor reads and writes a program's memory only where that is
 * present: calls go through a page that stays. */
static union {
	struct xeno_envelope head;
	unsigned char bytes[4096];
} buffer __attribute__((aligned(4096)));

int control_call(int fd, void *arg, uint32_t op, uint32_t version,
		 uint32_t size)
{
	struct privcmd_hypercall call = {
		.op = XENO_HYPERVISOR_CONTROL,
		.arg = { (uintptr_t)&buffer },
	};
	struct xeno_envelope *head = arg;

	if (size > sizeof(buffer)) {
		errno = E2BIG;
		return -1;
	}
	*head = (struct xeno_envelope){ version, op, size, 0 };
	memcpy(&buffer, arg, size);
	if (ioctl(fd, IOCTL_PRIVCMD_HYPERCALL, &call) < 0)
		return -1;
	memcpy(arg, &buffer, size);
	return 0;
}

int control_open(void)
{
	struct xeno_cpu_counters counters = { .cpu = 0 };
	int fd = open("/dev/xen/privcmd", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (mlock(&buffer, sizeof(buffer)) == 0 &&
	    CONTROL_CALL(fd, &counters, CPU_COUNTERS) == 0)
		return fd;
	close(fd);
	return -1;
}
