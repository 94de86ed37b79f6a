# SPDX-License-Identifier: Apache-2.0
# Other builds of the hypervisor, for tests: DEBUG=1 recounts all references while it
# runs, LATENCY=1 measures its longest entries. Each is built by a make of its
# own, since the flavour decides what is compiled.

DEBUG_XENO := $(BUILD)/hypervisor-debug/xeno.elf
LATENCY_XENO := $(BUILD)/hypervisor-latency/xeno.elf
LATENCY_LOGS := $(BUILD)/latency

# In the make of a flavour that flavour's file has hypervisor/build.mk's rule.
$(filter-out $(HV_ELF),$(DEBUG_XENO) $(LATENCY_XENO)): FORCE
	+$(Q)$(MAKE) --no-print-directory CC="$(CC)" DEBUG= LATENCY= \
		$(if $(findstring debug,$@),DEBUG,LATENCY)=1 hypervisor

FORCE:

# AUDIT=1: after every operation; the default fits into make test.
AUDIT ?= 20

debug-boot: $(DEBUG_XENO) $(VMLINUZ) $(DOM0_IMAGE) ## Domain 0 while all counts are checked (AUDIT=1: each time)
	$(Q)XENO=$(abspath $(DEBUG_XENO)) BUILD=$(abspath $(BUILD)) scripts/qemu \
		--mem-mib 256 --dom0-mem-mib 96 --job facts \
		--hypervisor-args audit=$(AUDIT) --kernel-args tsc=unstable \
		--timeout 3600 seconds=1

debug-guests: $(DEBUG_XENO) guests ## the test guests, all counts checked after every operation
	guests/run-tests --elf $(DEBUG_XENO) --build $(BUILD) --audit 1 \
		--machine 160 --time 600 --jobs $(JOBS) \
		--logs $(BUILD)/guests/logs-debug

# With several vCPUs at work the instructions of all are counted together; and
# thousands of NMIs a second, which come in the host's time, leave a machine no
# instruction of its own when its time is counted in these.
LATENCY_SAMPLE := $(notdir $(basename $(wildcard guests/tests/hold_*.c)))
LATENCY_TESTS := $(sort $(LATENCY_SAMPLE) $(notdir $(basename \
	$(shell grep -LE 'vcpus=|nmi=[0-9]{4}' guests/tests/*.c))))

latency: LATENCY_RUN := $(LATENCY_TESTS)
latency: latency-guests ## the longest entries of each kind, none above the bound
	$(Q)set -o pipefail; XENO=$(abspath $(LATENCY_XENO)) \
		BUILD=$(abspath $(BUILD)) scripts/qemu --icount 0 --job facts \
		--timeout 600 seconds=1 > $(LATENCY_LOGS)/domain0.log
	$(Q)scripts/latency $(LATENCY_LOGS)/*.log
latency: $(VMLINUZ) $(DOM0_IMAGE)

latency-sample: LATENCY_RUN := $(LATENCY_SAMPLE)
latency-sample: latency-guests
	$(Q)scripts/latency $(LATENCY_LOGS)/*.log

latency-guests: $(LATENCY_XENO) guests
	$(Q)rm -rf $(LATENCY_LOGS)
	guests/run-tests --elf $(LATENCY_XENO) --build $(BUILD) --icount \
		--jobs $(JOBS) --logs $(LATENCY_LOGS) $(LATENCY_RUN)

CLANG_BUILD := $(BUILD)/clang
CLANG_XENO := $(CLANG_BUILD)/hypervisor/xeno.elf

clang-boot: $(VMLINUZ) $(DOM0_IMAGE) ## the hypervisor as clang builds it, booted once
	+$(Q)$(MAKE) --no-print-directory CC=clang BUILD=$(CLANG_BUILD) hypervisor
	$(Q)XENO=$(abspath $(CLANG_XENO)) BUILD=$(abspath $(BUILD)) scripts/qemu \
		--mem-mib 768 --dom0-mem-mib 256 --job facts --timeout 240 seconds=1

.PHONY: clang-boot FORCE debug-boot debug-guests latency latency-sample latency-guests
