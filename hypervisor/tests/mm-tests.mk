# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of mm and its hypercalls. Run from the top
# directory, or through the main Makefile:
#   make -f hypervisor/tests/mm-tests.mk host-tests-mm
#   make -f hypervisor/tests/mm-tests.mk fuzz-targets-mm
#   make -f hypervisor/tests/mm-tests.mk fuzz-mm SECONDS=60
#   make -f hypervisor/tests/mm-tests.mk not-hosted

BUILD ?= build
SECONDS ?= 60

MM_OUT := $(BUILD)/hosted/mm
MM_T := hypervisor/tests

MM_TESTS := frame_alloc frame_types page_table audit descriptor emulate_insn \
	emulate_pte_write hc_mmu hc_memory tlb_stamps races
MM_FUZZ := mmu_update emulate descriptor

MM_ROOM := hypervisor/arch/host/machine.c $(wildcard hypervisor/mm/*.c)
MM_TREE := $(MM_ROOM) $(MM_T)/fake/mm_tree.c

MM_frame_alloc := $(MM_ROOM)
MM_frame_types := $(MM_ROOM) $(MM_T)/fake/mm_world.c
MM_page_table := $(MM_ROOM)
MM_audit := $(MM_TREE)
MM_descriptor := hypervisor/mm/descriptor.c
MM_emulate_insn := hypervisor/mm/emulate_decode.c hypervisor/mm/emulate_alu.c
MM_emulate_pte_write := $(MM_TREE)
MM_hc_mmu := $(MM_TREE) $(MM_T)/fake/hc_fakes.c hypervisor/hypercall/hc_mmu.c
MM_hc_memory := $(MM_TREE) $(MM_T)/fake/hc_fakes.c \
	hypervisor/hypercall/hc_memory.c
MM_tlb_stamps := $(MM_ROOM)
MM_races := $(MM_ROOM)
MM_mmu_update := $(MM_frame_types)
MM_emulate := $(MM_TREE)

# Races are looked for by the thread sanitizer (of gcc: it tells volatile
# accesses apart), the rest by the others.
MM_SANITIZE := -fsanitize=address,undefined
$(MM_OUT)/test_races: CC := gcc
$(MM_OUT)/test_races: MM_SANITIZE := -fsanitize=thread \
	--param=tsan-distinguish-volatile=1

MM_CFLAGS = -std=gnu11 -g -O1 -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough \
	-fno-strict-aliasing $(MM_SANITIZE) -fno-sanitize-recover=all \
	-DXENO_DEBUG -D__XEN_INTERFACE_VERSION__=0x00040e00 \
	-Ihypervisor/include -Ihypervisor/arch/host/include

MM_HEADERS := $(wildcard hypervisor/include/*/*.h hypervisor/mm/*.h \
	hypervisor/arch/host/include/arch/*.h $(MM_T)/*/*.h)

host-tests-mm: $(MM_TESTS:%=$(MM_OUT)/test_%)
	@for t in $^; do echo "== $$t"; $$t || exit 1; done

fuzz-targets-mm: $(MM_FUZZ:%=$(MM_OUT)/fuzz_%)

fuzz-mm: fuzz-targets-mm
	@for t in $(MM_FUZZ); do \
		mkdir -p $(MM_OUT)/corpus-$$t; \
		$(MM_OUT)/fuzz_$$t -max_total_time=$(SECONDS) -timeout=10 \
			-max_len=4096 -len_control=0 -print_final_stats=1 \
			-artifact_prefix=$(MM_OUT)/ $(MM_OUT)/corpus-$$t \
			$$(ls -d $(MM_T)/fuzz/corpus/$$t 2>/dev/null) \
			|| exit 1; \
	done

# Files of the hypervisor that no suite compiles for the build machine: asks
# each suite what it would compile.
not-hosted:
	@{ find hypervisor -name '*.c' ! -path '*/tests/*' \
		! -path '*/arch/x86_64/*'; \
	for f in hypervisor/tests/*-tests.mk; do \
		name=$$(basename $$f -tests.mk); \
		$(MAKE) -f $$f -nB host-tests-$$name | tr ' ' '\n' | \
			grep '^hypervisor/.*\.c$$'; \
	done | sort -u | sed 'p'; } | sort | uniq -u | grep -v /tests/

.PHONY: host-tests-mm fuzz-targets-mm fuzz-mm not-hosted

.SECONDEXPANSION:

$(MM_OUT)/test_%: $(MM_T)/unit/test_%.c $$(MM_$$*) $(MM_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(MM_CFLAGS) -o $@ $(filter %.c,$^) -lcmocka -lpthread

$(MM_OUT)/fuzz_%: $(MM_T)/fuzz/fuzz_%.c $$(MM_$$*) $(MM_HEADERS)
	@mkdir -p $(@D)
	clang $(MM_CFLAGS) -O2 -fsanitize=fuzzer -o $@ $(filter %.c,$^) \
		-lpthread
