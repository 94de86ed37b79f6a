# SPDX-License-Identifier: Apache-2.0
# Benchmarks: native, Debian's Xen and ours, one after the other in one table.

BENCH_PROGRAMS := $(BUILD)/bench-programs

$(BENCH_PROGRAMS)/entry: benchmarks/entry.S
	@mkdir -p $(@D)
	$(Q)$(CC) -E -o $@.s $<
	$(Q)as --32 -o $@.o $@.s
	$(Q)ld -m elf_i386 -z noseparate-code -Ttext-segment=0x100000 -o $@ $@.o

# SYSTEMS="native xen": only some of native, xen, xeno.
SYSTEMS ?= native xen xeno
BENCH_FILES := $(if $(filter xeno,$(SYSTEMS)),$(XENO)) $(XEN) $(VMLINUZ) \
	$(DOM0_IMAGE) $(BENCH_PROGRAMS)/entry

bench: $(BENCH_FILES) ## native, Xen 4.17 and ours in one table (FRESH=1: measure all anew)
	BUILD=$(abspath $(BUILD)) XENO=$(abspath $(XENO)) PYTHONDONTWRITEBYTECODE=1 \
		benchmarks/bench.py $(if $(FRESH),--fresh) $(SYSTEMS)

.PHONY: bench
