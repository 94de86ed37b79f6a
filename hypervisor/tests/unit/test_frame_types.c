// SPDX-License-Identifier: Apache-2.0
/* Types and references of frames under random use: see fake/mm_world.h. */
#include <hv/types.h>

#include "../fake/mm_world.h"
#include "unit.h"

#define LIVES 150
#define BYTES_PER_LIFE 6000

static u64 random_state;

static u8 random_byte(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (u8)(random_state >> 32);
}

static void counts_and_types_survive_random_operations(void **state)
{
	static u8 bytes[BYTES_PER_LIFE];
	const char *seed = getenv("SEED");
	unsigned long steps = 0;
	unsigned int life, op;
	size_t i;

	(void)state;
	random_state = seed ? strtoull(seed, NULL, 0) : 0x9e3779b97f4a7c15UL;
	print_message("SEED=%#lx\n", random_state);
	for (life = 0; life < LIVES; life++) {
		for (i = 0; i < sizeof(bytes); i++)
			bytes[i] = random_byte();
		steps += world_run(bytes, sizeof(bytes));
	}
	print_message("%lu steps\n", steps);
	for (op = 0; op < world_ops(); op++) {
		print_message("  %-16s %lu\n", world_op_name(op),
			      world_done[op]);
		assert_true(world_done[op] > 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_and_types_survive_random_operations),
	};

	world_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
