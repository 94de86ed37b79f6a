# SPDX-License-Identifier: Apache-2.0
# What tools can say about the sources without running them. Each file's
# clang-tidy stamp is renewed when the file or any header changes.

TRACKED := $(shell git ls-files 2>/dev/null || find . -path ./build -prune -o \
	-type f -print | sed 's,^\./,,')
LINT_C := $(filter %.c %.h,$(TRACKED))
LINT_HEADERS := $(filter %.h,$(TRACKED))
LINT_PYTHON := $(filter %.py,$(TRACKED)) scripts/qemu
LINT_SHELL := $(filter %.sh,$(TRACKED)) scripts/install-deps .ci/run \
	$(wildcard deploy/*/build-image) guests/debian/build-image \
	$(filter deploy/dom0-test/jobs/% deploy/dom0/jobs/%,$(TRACKED))

TIDY_FREESTANDING := -ffreestanding -mgeneral-regs-only -fpie
TIDY_HYPERVISOR := $(TIDY_FREESTANDING) -D__XEN_INTERFACE_VERSION__=0x00041100 \
	-D__XEN_TOOLS__ -Iinclude -Ihypervisor/include \
	-Ihypervisor/arch/x86_64/include -Ihypervisor/arch/x86_64 \
	-I$(BUILD)/hypervisor
TIDY_GUESTS := $(TIDY_FREESTANDING) -D__XEN_INTERFACE_VERSION__=0x00040e00 \
	-Iinclude -Iguests/lib -DTEST_NAME='""'

# The hosted tests have flags of their own, and sanitizers to watch them.
TIDY_C := $(filter-out hypervisor/tests/% hypervisor/arch/host/% \
	dom0/xenoserverd/tests/%, \
	$(filter %.c,$(LINT_C)))

# The analyser does not see what a hypercall writes through its argument.
TIDY_GUEST_CHECKS := --checks=-clang-analyzer-core.*,-clang-analyzer-deadcode.*

# tidy_flags FILE: how the compiler would see it.
tidy_flags = -std=gnu11 $(strip \
	$(if $(filter hypervisor/%,$(1)),$(TIDY_HYPERVISOR) \
	$(if $(findstring /debug/,$(1)),-DXENO_DEBUG -DXENO_AUDIT) \
	$(if $(findstring /latency/,$(1)),-DXENO_LATENCY), \
	$(if $(filter guests/%,$(1)),$(TIDY_GUESTS),-D_GNU_SOURCE -Iinclude -Idom0/tools \
	$(if $(filter dom0/%,$(1)),$(ROOMS_INCLUDES)))))

lint: lint-format lint-layers lint-headers lint-shell lint-python lint-tidy ## format, layers, headers, scripts, clang-tidy

lint-format:
	clang-format --dry-run -Werror $(LINT_C)

format: ## lay out all C files as lint-format wants them
	clang-format -i $(LINT_C)

lint-layers:
	scripts/check-layers.py
	@! grep -rlE '<(microhttpd|jansson)\.h>' --include='*.[ch]' dom0 | \
		grep -v '^dom0/xenoserverd/api/'
	@! grep -rl '<sqlite3\.h>' --include='*.[ch]' dom0 | \
		grep -v '^dom0/xenoserverd/store/'

lint-headers:
	scripts/check-headers.sh

lint-shell:
	shellcheck -s dash $(filter deploy/%,$(filter-out %/build-image, \
		$(LINT_SHELL)))
	shellcheck $(filter-out deploy/%,$(LINT_SHELL)) \
		$(filter deploy/%/build-image,$(LINT_SHELL))

lint-python:
	$(PYTHON) -c 'import ast, sys; [ast.parse(open(f).read(), f) \
		for f in sys.argv[1:]]' $(LINT_PYTHON)

lint-tidy: $(TIDY_C:%=$(BUILD)/lint/%.tidy)

$(BUILD)/lint/%.tidy: % .clang-tidy $(LINT_HEADERS)
	@mkdir -p $(@D)
	$(say) TIDY $<
	$(Q)clang-tidy --quiet $(if $(filter guests/%,$<),$(TIDY_GUEST_CHECKS)) $< -- $(call tidy_flags,$<) 2>$@.err || \
		{ cat $@.err; false; }
	@touch $@

.PHONY: lint format lint-format lint-layers lint-headers lint-shell lint-python lint-tidy
