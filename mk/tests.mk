# SPDX-License-Identifier: Apache-2.0
# Tests: on the host without a hypervisor (their rules are beside the code), and
# Domain 0 in QEMU by pytest. HYPERVISOR=xen runs the latter on Debian's Xen.

ifeq ($(HYPERVISOR),xeno)
HYPERVISOR_IMAGE := $(XENO)
else
HYPERVISOR_IMAGE := $(XEN)
endif

# What scripts/node starts.
RUN_FILES := $(XENO) $(VMLINUZ) $(VMLINUX) $(NODE_IMAGE) $(GUEST_IMAGE)
BOOT_FILES := $(HYPERVISOR_IMAGE) $(VMLINUZ) $(DOM0_IMAGE) $(STRESS_IMAGE) \
	$(RUN_FILES)
NODE_FILES := $(HYPERVISOR_IMAGE) $(VMLINUZ) $(NODE_IMAGE) $(DEBIAN_GUEST) \
	$(CLOUD_GUEST) $(INSTALLER) $(VOLUMES_IMAGE) $(RUN_FILES)

PYTEST := cd integration-tests && PYTHONDONTWRITEBYTECODE=1 \
	BUILD=$(abspath $(BUILD)) HYPERVISOR=$(HYPERVISOR) \
	XENO=$(abspath $(XENO)) $(PYTHON) -m pytest

# make integration TESTS="test_boot.py -k max": a choice of them.
TESTS ?=
N ?= 50
SECONDS ?= 60
JOBS ?= 2
MINUTES ?= 10

test: check guests-tests integration debug-boot latency-sample clang-boot ## everything that has to pass, in less than 20 minutes

check: host-tests ## the tests that need no virtual machine
	@echo "not tested on the host:"
	@$(MAKE) -s --no-print-directory not-hosted | sed 's/^/  /'

# The suite NAME has the targets host-tests-NAME and fuzz-NAME; see
# hypervisor/tests/hosted.mk.
SUITES := $(patsubst hypervisor/tests/%-tests.mk,%,$(SUITE_FILES))

host-tests: $(SUITES:%=host-tests-%) host-tests-dom0 host-tests-accounting \
	rest-tests host-tests-cli cli-tests

fuzz: $(SUITES:%=fuzz-%) fuzz-dom0 fuzz-accounting fuzz-cli ## each fuzz target for SECONDS=60

guests-tests: $(XENO) guests ## our own PV kernels, one question each
	guests/run-tests --elf $(XENO) --build $(BUILD) --jobs $(JOBS) \
		--logs $(BUILD)/guests/logs

guests:

integration: $(BOOT_FILES) ## boot Domain 0 in QEMU and test it (TESTS=: a choice)
	$(PYTEST) $(TESTS)

boots: $(BOOT_FILES) ## N=50 boots in a row, all of which must succeed
	export BOOTS=$(N); $(PYTEST) test_boots.py

stress: $(BOOT_FILES) ## MINUTES=10 of stress-ng in Domain 0 (STRESS_SEED=1: order)
	export STRESS_MINUTES=$(MINUTES); $(PYTEST) test_stress.py

node-tests: $(NODE_FILES) ## a node with guests: disks, networks, whole Debians (TESTS=: a choice)
	$(PYTEST) -m node $(TESTS)

cycles: $(NODE_FILES) ## N=1000 domains come and go, and leave nothing
	export CYCLES=$(N); $(PYTEST) -m node test_lifecycle.py -k cycles

power-cuts: $(NODE_FILES) ## N=20 power cuts: what was flushed is there
	export POWER_CUTS=$(N); $(PYTEST) -m node test_power_cuts.py

matrix: $(BOOT_FILES) ## all CPU models, machine types, numbers of CPUs, sizes
	$(PYTEST) -m long test_matrix.py

.PHONY: test check host-tests fuzz guests guests-tests integration boots stress \
	node-tests cycles power-cuts matrix
