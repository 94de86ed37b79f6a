# SPDX-License-Identifier: Apache-2.0
#
# The door to the project. `make help` lists what can be asked of it.
# One make for the whole tree: each part is a file of rules included below, and
# everything made goes under $(BUILD). V=1 shows commands.

include mk/common.mk

PYTHON := /usr/bin/python3

.DEFAULT_GOAL := all

# The hypervisor that tests and benchmarks boot: xeno (ours) or xen (Debian's).
HYPERVISOR ?= xeno
# Named by hypervisor/build.mk, which is read later.
XENO = $(HV_ELF)

include mk/deps.mk
-include hypervisor/build.mk
SUITE_FILES := $(wildcard hypervisor/tests/*-tests.mk)
include $(SUITE_FILES)
-include guests/rules.mk
include mk/images.mk
include mk/dom0.mk
include mk/cli.mk
include accounting/accounting.mk
include mk/tests.mk
include mk/debug.mk
include mk/bench.mk
include mk/lint.mk

all: $(XENO) ## the hypervisor (the default); DEBUG=1 adds assertions

RUN := BUILD=$(abspath $(BUILD)) XENO=$(abspath $(XENO)) PYTHONDONTWRITEBYTECODE=1

run: $(RUN_FILES) ## a node in the background, with its first guest, by REST
	$(Q)$(RUN) scripts/node run

stop: ## shut down the node of make run, and its guests
	$(Q)$(RUN) scripts/node stop

shell: $(XENO) $(VMLINUZ) $(DOM0_IMAGE) ## boot Domain 0 to its shell here (Ctrl-A X leaves)
	$(Q)$(RUN) scripts/qemu --interactive

clean: ## remove everything made, except downloads
	rm -rf $(filter-out $(BUILD)/debian $(BUILD)/deps,$(wildcard $(BUILD)/*))

distclean: ## remove downloads too
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  \1\t\2/p' \
		$(MAKEFILE_LIST) | expand -t 16

.PHONY: all run stop shell clean distclean help
