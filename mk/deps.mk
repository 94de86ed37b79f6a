# SPDX-License-Identifier: Apache-2.0
# Which packages each goal needs, by group of deploy/packages.txt. The groups of
# the goals at hand are provided before anything else happens: their stamps are
# makefiles that make has to include, so it makes them first and starts afresh.

DEPS_boot := build image kernel userland qemu
DEPS_host := build check

DEPS_all := build
DEPS_check := $(DEPS_host)
DEPS_host-tests := $(DEPS_host)
DEPS_host-tests-accounting := $(DEPS_host)
DEPS_rest-tests := $(DEPS_host)
DEPS_cli := build
DEPS_cli-tests := $(DEPS_host)
DEPS_host-tests-cli := $(DEPS_host)
DEPS_lint := $(DEPS_host) lint
DEPS_format := lint
DEPS_fuzz := build fuzz
DEPS_fuzz-accounting := $(DEPS_fuzz)
DEPS_fuzz-cli := $(DEPS_fuzz)
DEPS_images := build image kernel userland
DEPS_run := $(DEPS_boot) dom0 node
DEPS_stop := node
DEPS_shell := $(DEPS_boot)
DEPS_integration := $(DEPS_run) integration
DEPS_node-tests := $(DEPS_integration) cloud installer debian-guest \
	volumes
DEPS_guests := build
DEPS_guests-tests := build qemu
DEPS_test := $(DEPS_host) $(DEPS_integration) lint
DEPS_boots := $(DEPS_integration)
DEPS_stress := $(DEPS_integration)
DEPS_cycles := $(DEPS_node-tests)
DEPS_power-cuts := $(DEPS_node-tests)
DEPS_matrix := $(DEPS_integration)
DEPS_debug-boot := $(DEPS_boot)
DEPS_debug-guests := build qemu
DEPS_latency := $(DEPS_boot)
DEPS_latency-sample := build qemu
DEPS_clang-boot := $(DEPS_boot) lint
DEPS_bench := $(DEPS_boot) dom0 xen bench
DEPS_bench-files := $(DEPS_bench)
DEPS_dom0 := build
DEPS_node-image := build image kernel dom0
DEPS_debian-guest := build debian-guest
DEPS_clean :=
DEPS_distclean :=
DEPS_help :=

goals := $(or $(MAKECMDGOALS),$(.DEFAULT_GOAL))
groups := $(sort $(foreach goal,$(goals),$(if $(filter \
	undefined,$(origin DEPS_$(goal))),build,$(DEPS_$(goal)))) \
	$(if $(filter xen,$(HYPERVISOR)),$(if $(filter \
	clean distclean help,$(goals)),,xen)))

include $(groups:%=$(BUILD)/deps/%.mk)

$(BUILD)/deps/%.mk: deploy/packages.txt scripts/install-deps
	@mkdir -p $(@D)
	$(Q)BUILD=$(abspath $(BUILD)) scripts/install-deps $*
	@touch $@
