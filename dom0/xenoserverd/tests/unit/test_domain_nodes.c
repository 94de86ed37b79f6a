// SPDX-License-Identifier: Apache-2.0
/* Whose the nodes of a domain are. */
#include <string.h>

#include "../fake/fake_store.h"
#include "unit.h"
#include "xenstore/domain_nodes.h"

static struct store store;

static void made(uint32_t id)
{
	const struct domain_nodes n = {
		.id = id,
		.name = "web",
		.memory_kib = 4096,
		.max_memory_kib = 8192,
		.vcpus = 2,
		.store_port = 1,
		.console_port = 2,
	};
	struct error err;

	memset(&store, 0, sizeof(store));
	assert_int_equal(domain_nodes_write(&store, &n, &err), 0);
}

static void a_domain_owns_only_what_it_writes(void **state)
{
	static const char *const its[] = {
		"/local/domain/3/control/shutdown",
		"/local/domain/3/control/feature-suspend",
		"/local/domain/3/data",
		"/local/domain/3/drivers",
		"/local/domain/3/error",
	};
	static const char *const ours[] = {
		"/local/domain/3",
		"/local/domain/3/control",
		"/local/domain/3/name",
		"/local/domain/3/memory/target",
		"/local/domain/3/store/ring-ref",
		"/local/domain/3/console/port",
		"/local/domain/3/cpu/1/availability",
	};

	(void)state;
	made(3);
	for (unsigned int i = 0; i < sizeof(its) / sizeof(*its); i++)
		assert_int_equal(fake_owner(&store, its[i]), 3);
	for (unsigned int i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		assert_int_equal(fake_owner(&store, ours[i]), 0);
	/* It may read them. */
	for (unsigned int i = 0; i < store.count; i++)
		assert_true(store.nodes[i].owner == 3 ||
			    store.nodes[i].reader == 3);
}

static void removal_leaves_nothing(void **state)
{
	(void)state;
	made(4);
	assert_string_equal(fake_value(&store, "/local/domain/4/name"), "web");
	domain_nodes_remove(&store, 4);
	assert_int_equal(store.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_domain_owns_only_what_it_writes),
		cmocka_unit_test(removal_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
