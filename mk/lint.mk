# SPDX-License-Identifier: Apache-2.0
# What tools can say about the sources without running them. Each file's
# clang-tidy stamp is renewed when the file or any header changes; the test
# guests have one stamp.

TRACKED := $(shell git ls-files 2>/dev/null || find . -path ./build -prune -o \
	-type f -print | sed 's,^\./,,')
LINT_C := $(filter %.c %.h,$(TRACKED))
LINT_HEADERS := $(filter %.h,$(TRACKED))
LINT_PYTHON := $(filter %.py,$(TRACKED)) scripts/qemu scripts/latency scripts/node \
	scripts/unpack-kernel \
	guests/run-tests

# Scripts that bash runs here, and those that busybox runs in an image.
LINT_BASH := $(filter %/build-image scripts/%.sh,$(TRACKED)) \
	scripts/install-deps .ci/run
LINT_DASH := $(filter deploy/%.sh deploy/dom0/jobs/% deploy/dom0-test/jobs/% \
	benchmarks/guests/%.sh benchmarks/guests/jobs/%,$(TRACKED))

TIDY_FREESTANDING := -ffreestanding -mgeneral-regs-only -fpie
TIDY_HYPERVISOR := $(TIDY_FREESTANDING) -D__XEN_INTERFACE_VERSION__=0x00041100 \
	-D__XEN_TOOLS__ -Iinclude -Ihypervisor/include \
	-Ihypervisor/arch/x86_64/include -Ihypervisor/arch/x86_64 \
	-I$(BUILD)/hypervisor
TIDY_GUESTS := $(TIDY_FREESTANDING) -D__XEN_INTERFACE_VERSION__=0x00040e00 \
	-D__XEN_TOOLS__ -Iinclude -Iguests/lib -DTEST_NAME='""'

# The hosted tests have flags of their own, and sanitizers to watch them.
TIDY_C := $(filter-out hypervisor/tests/% hypervisor/arch/host/% \
	dom0/xenoserverd/tests/% dom0/cli/tests/% accounting/tests/%, \
	$(filter %.c,$(LINT_C)))

# The analyser does not see what a hypercall writes through its argument.
TIDY_GUEST_CHECKS := --checks=-clang-analyzer-core.*,-clang-analyzer-deadcode.*

# tidy_flags FILE: how the compiler would see it.
tidy_flags = -std=gnu11 $(strip \
	$(if $(filter hypervisor/%,$(1)),$(TIDY_HYPERVISOR) \
	$(if $(findstring /debug/,$(1)),-DXENO_DEBUG -DXENO_AUDIT) \
	$(if $(findstring /latency/,$(1)),-DXENO_LATENCY), \
	$(if $(filter guests/%,$(1)),$(TIDY_GUESTS),-D_GNU_SOURCE -Iinclude -Idom0/tools -I. \
	$(if $(filter dom0/%,$(1)),$(ROOMS_INCLUDES)))))

lint: lint-format lint-layers lint-headers lint-shell lint-python lint-tidy ## format, layers, headers, scripts, clang-tidy

lint-format:
	clang-format --dry-run -Werror $(LINT_C)

format: ## lay out all C files as lint-format wants them
	clang-format -i $(LINT_C)

lint-layers:
	scripts/check-layers.py
	@! grep -rlE '<(microhttpd|jansson)\.h>' --include='*.[ch]' dom0/xenoserverd | \
		grep -v '^dom0/xenoserverd/api/'
	@! grep -rl '<sqlite3\.h>' --include='*.[ch]' dom0/xenoserverd | \
		grep -v '^dom0/xenoserverd/store/'
	@! grep -rl '<libxml/' --include='*.[ch]' dom0/xenoserverd | \
		grep -v '^dom0/xenoserverd/\(libvirt\|tests\)/'

lint-headers:
	scripts/check-headers.sh

lint-shell:
	shellcheck -s dash $(LINT_DASH)
	shellcheck $(LINT_BASH)

lint-python:
	$(PYTHON) -c 'import ast, sys; [ast.parse(open(f).read(), f) \
		for f in sys.argv[1:]]' $(LINT_PYTHON)

TIDY_TESTS := $(filter guests/tests/%,$(TIDY_C))
TIDY_OTHERS := $(filter-out guests/tests/%,$(TIDY_C))

lint-tidy: $(BUILD)/lint/guests/tests.tidy $(TIDY_OTHERS:%=$(BUILD)/lint/%.tidy)

# run_tidy FILES: all have the flags of the first.
run_tidy = clang-tidy --quiet $(if $(filter guests/%,$(1)),$(TIDY_GUEST_CHECKS)) \
	$(1) -- $(call tidy_flags,$(firstword $(1))) 2>$@.err || \
	{ sed '/ warnings* generated/d' $@.err; false; }

# To start clang-tidy takes longer than to look at a test, so one run sees all
# that changed, or all if a header did. Not so elsewhere: in its second file the
# analyser of clang-tidy 14 no longer knows what va_start() is.
$(BUILD)/lint/guests/tests.tidy: $(TIDY_TESTS) .clang-tidy $(LINT_HEADERS)
	@mkdir -p $(@D)
	$(say) TIDY guests/tests
	$(Q)$(call run_tidy,$(filter %.c,$(if $(filter-out %.c,$?),$^,$?)))
	@touch $@

$(BUILD)/lint/%.tidy: % .clang-tidy $(LINT_HEADERS)
	@mkdir -p $(@D)
	$(say) TIDY $<
	$(Q)$(call run_tidy,$<)
	@touch $@

.PHONY: lint format lint-format lint-layers lint-headers lint-shell lint-python lint-tidy
