# SPDX-License-Identifier: Apache-2.0
"""Boots a hypervisor in QEMU and talks to its console. Standard library only,
because scripts/qemu and the benchmarks use it too."""
