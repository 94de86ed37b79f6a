# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of mm and its hypercalls.

SUITE := mm

mm_TESTS := frame_alloc frame_types page_table audit descriptor emulate_insn \
	emulate_pte_write hc_mmu hc_memory tlb_stamps
mm_RACES := races
mm_THREAD := volatile
mm_FUZZ := mmu_update emulate descriptor
mm_FUZZ_FLAGS := -max_len=4096 -len_control=0

mm_room := hypervisor/arch/host/machine.c $(wildcard hypervisor/mm/*.c)
mm_tree := $(mm_room) hypervisor/tests/fake/mm_tree.c

mm_frame_alloc := $(mm_room)
mm_frame_types := $(mm_room) hypervisor/tests/fake/mm_world.c
mm_page_table := $(mm_room)
mm_audit := $(mm_tree)
mm_descriptor := hypervisor/mm/descriptor.c
mm_emulate_insn := $(addprefix hypervisor/mm/,emulate_decode.c emulate_alu.c)
mm_emulate_pte_write := $(mm_tree)
mm_hc_mmu := $(mm_tree) hypervisor/tests/fake/hc_fakes.c \
	hypervisor/hypercall/hc_mmu.c
mm_hc_memory := $(mm_tree) hypervisor/tests/fake/hc_fakes.c \
	hypervisor/hypercall/hc_memory.c
mm_tlb_stamps := $(mm_room)
mm_races := $(mm_room)
mm_mmu_update := $(mm_frame_types)
mm_emulate := $(mm_tree)

include hypervisor/tests/hosted.mk
