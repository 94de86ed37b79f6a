// SPDX-License-Identifier: Apache-2.0
/* The checks of addresses let pass what may be touched, and nothing else. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hv/dma.h>
#include <hv/mm.h>

#include "../fake/domains.h"
#include "check.h"

static struct domain *one, *two;

static int setup(void **state)
{
	(void)state;
	fake_machine_init(2048, 1);
	one = fake_domain_create(1, 1, false);
	two = fake_domain_create(2, 1, false);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_true(fake_domain_destroy(one));
	assert_true(fake_domain_destroy(two));
	fake_machine_exit();
	return 0;
}

struct access {
	u64 maddr;
	u32 bytes;
	u16 owner_id; /* OWNER_NONE: a device's access */
	bool writes;
};

/* Whether the hypervisor goes on after the check: another process tries. */
static bool passes(struct access a)
{
	pid_t child = fork();
	int status;

	if (!child) {
		signal(SIGABRT, SIG_DFL);
		fclose(stderr);
		if (a.owner_id == OWNER_NONE)
			dma_check(a.maddr, a.bytes, a.writes);
		else
			owner_check(a.maddr, a.bytes, a.owner_id, a.writes);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) ||
		    (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
	return WIFEXITED(status);
}

static void test_devices(void **state)
{
	u64 mfn = fake_frame(one), maddr = mfn << PAGE_SHIFT;
	struct frame *own = frame_alloc(0);

	(void)state;
	assert_true(passes((struct access){ maddr, 512, OWNER_NONE, false }));
	/* It could become a table meanwhile. */
	assert_false(passes((struct access){ maddr, 512, OWNER_NONE, true }));
	assert_int_equal(frame_get_writable(frame_of_mfn(mfn), 1), 0);
	assert_true(passes((struct access){ maddr, 4096, OWNER_NONE, true }));
	frame_put_writable(frame_of_mfn(mfn));
	assert_true(passes((struct access){ frame_mfn(own) << PAGE_SHIFT, 8,
					    OWNER_NONE, true }));
	frame_free(own, 0);
	assert_false(passes((struct access){ frame_mfn(own) << PAGE_SHIFT, 8,
					     OWNER_NONE, false }));
	assert_false(passes((struct access){ frame_max_mfn << PAGE_SHIFT, 8,
					     OWNER_NONE, false }));
}

static void test_owners(void **state)
{
	u64 mfn = fake_frame(one), maddr = mfn << PAGE_SHIFT;
	struct frame *own = frame_alloc(0);

	(void)state;
	assert_true(passes((struct access){ maddr, 4096, 1, false }));
	assert_false(passes((struct access){ maddr, 4096, 2, false }));
	assert_false(passes((struct access){ maddr, 1, 1, true }));
	assert_int_equal(frame_get_writable(frame_of_mfn(mfn), 1), 0);
	assert_true(passes((struct access){ maddr + 4095, 1, 1, true }));
	assert_false(passes((struct access){ maddr, 1, 2, true }));
	frame_put_writable(frame_of_mfn(mfn));
	/* Another's page behind one's own. */
	mfn = fake_frame(two);
	assert_false(passes(
		(struct access){ (mfn << PAGE_SHIFT) - 8, 16, 2, false }));
	/* The hypervisor's own is no domain's. */
	assert_false(passes(
		(struct access){ frame_mfn(own) << PAGE_SHIFT, 8, 1, false }));
	frame_free(own, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_devices, setup, teardown),
		cmocka_unit_test_setup_teardown(test_owners, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
