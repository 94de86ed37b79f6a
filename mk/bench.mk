# SPDX-License-Identifier: Apache-2.0
# Benchmarks: native, Debian's Xen and ours, one after the other in one table.

BENCH_PROGRAMS := $(BUILD)/bench-programs
BENCH_GUESTS := benchmarks/guests

$(BENCH_PROGRAMS)/entry: benchmarks/entry.S
	@mkdir -p $(@D)
	$(Q)$(CC) -E -o $@.s $<
	$(Q)as --32 -o $@.o $@.s
	$(Q)ld -m elf_i386 -z noseparate-code -Ttext-segment=0x100000 -o $@ $@.o

# ---- benchmarks with guests ----

BENCH_GUEST_PROGRAMS := $(patsubst %,$(BENCH_PROGRAMS)/guests/%,block net \
	offload clock freepages)
BENCH_TINY := $(BENCH_PROGRAMS)/tiny
BENCH_GUEST_IMAGE := $(IMAGES)/bench-guest.cpio
BENCH_NODE_IMAGE := $(IMAGES)/bench-node.cpio
BENCH_XEN_IMAGE := $(IMAGES)/bench-xen.cpio
BENCH_IMAGE_FILES := $(BENCH_GUESTS)/build-image $(BENCH_GUEST_PROGRAMS) \
	$(wildcard $(BENCH_GUESTS)/*.sh $(BENCH_GUESTS)/jobs/*) \
	$(BUILD)/deps/dom0.mk $(BUILD)/deps/kernel.mk

$(BENCH_PROGRAMS)/guests/%: $(BENCH_GUESTS)/%.c $(BENCH_GUESTS)/number.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) -o $@ $<

$(BENCH_TINY): $(BENCH_GUESTS)/tiny.S
	@mkdir -p $(@D)
	$(Q)$(CC) -nostdlib -static -no-pie -Wl,-z,noexecstack \
		-Wl,--build-id=none -Wl,-z,noseparate-code \
		-Wl,-z,max-page-size=4096 -Wl,-Ttext-segment=0x10000 -o $@ $<

$(BENCH_GUEST_IMAGE): $(BENCH_IMAGE_FILES)
	@mkdir -p $(@D)
	$(say) IMAGE $@
	$(Q)$< guest $@ $(BUILD) $(BENCH_GUEST_PROGRAMS)

$(BENCH_NODE_IMAGE): $(BENCH_IMAGE_FILES) $(BENCH_GUEST_IMAGE) $(BENCH_TINY)
	$(say) IMAGE $@
	$(Q)$< node $@ $(BUILD) $(BENCH_GUEST_PROGRAMS) $(BENCH_TINY) \
		$(BENCH_GUEST_IMAGE)

$(BENCH_XEN_IMAGE): $(BENCH_IMAGE_FILES) $(BENCH_GUEST_IMAGE) $(BENCH_TINY) \
		$(VMLINUZ) $(BUILD)/deps/bench.mk
	$(say) IMAGE $@
	$(Q)$< xen $@ $(BUILD) $(BENCH_GUEST_PROGRAMS) $(BENCH_TINY) \
		$(BENCH_GUEST_IMAGE) $(VMLINUZ)

# SYSTEMS="native xen": only some of native, xen, xeno.
SYSTEMS ?= native xen xeno
BENCH_FILES := $(if $(filter xeno,$(SYSTEMS)),$(XENO)) $(XEN) $(VMLINUZ) \
	$(DOM0_IMAGE) $(BENCH_PROGRAMS)/entry $(NODE_IMAGE) \
	$(BENCH_GUEST_IMAGE) $(BENCH_NODE_IMAGE) $(BENCH_XEN_IMAGE)

bench: $(BENCH_FILES) ## native, Xen 4.17 and ours in one table (FRESH=1: all anew, PART=domain0|guests)
	BUILD=$(abspath $(BUILD)) XENO=$(abspath $(XENO)) PYTHONDONTWRITEBYTECODE=1 \
		benchmarks/bench.py $(if $(FRESH),--fresh) \
		$(if $(PART),--part $(PART)) $(SYSTEMS)

bench-files: $(BENCH_FILES)

.PHONY: bench bench-files
