// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile instructions that fault on a live page table. Input: where the fault
 * is, the sixteen registers, then code. Whatever comes out, the counts are
 * right, and only a success changes registers.
 */
#include <string.h>

#include <hv/errno.h>
#include <hv/log.h>

#include <arch/host_machine.h>

#include "../fake/mm_tree.h"

#define CODE_VA 0xffffffff81000000UL

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);

/* Small register values mean addresses and entries that make sense. */
static u64 sensible(u64 v)
{
	switch (v >> 56) {
	case 0:
		return TREE_VA + (v & 0x1fff);
	case 1:
		return (v & 0x1ff) << PAGE_SHIFT | (v >> 16 & 0xfff);
	case 2:
		return v & 0xff;
	default:
		return v;
	}
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
	static bool ready;
	static u8 code[32];
	struct guest_regs regs, before;
	u64 *fields = (u64 *)&regs;
	u16 where;
	int rc;

	if (size < sizeof(where) + 15 * sizeof(u64) + 1)
		return 0;
	if (!ready) {
		host_machine_init(TREE_FRAMES, 2);
		frame_alloc_add(0, TREE_FRAMES);
	}
	ready = true;
	memset(&regs, 0, sizeof(regs));
	memcpy(&where, bytes, sizeof(where));
	memcpy(fields, bytes + sizeof(where), 15 * sizeof(u64));
	bytes += sizeof(where) + 15 * sizeof(u64);
	size -= sizeof(where) + 15 * sizeof(u64);
	for (unsigned int i = 0; i < 15; i++)
		fields[i] = sensible(fields[i]);
	regs.rsp = TREE_VA + 64;
	regs.rip = CODE_VA;
	size = MIN(size, sizeof(code));
	memcpy(code, bytes, size);

	tree_build();
	host_guest_window(CODE_VA, code, size);
	before = regs;
	rc = mmu_emulate_write(&tree.domain.owner, tree.l4,
			       TREE_VA + where % (2 * PAGE_SIZE), &regs);
	CHECK(rc == 0 || rc == -ENOENT || rc == -EINVAL);
	CHECK(rc == 0 || !memcmp(&regs, &before, sizeof(regs)));
	CHECK(tree_audit() == 0);
	tree_destroy();
	return 0;
}
