# SPDX-License-Identifier: Apache-2.0
"""Every CPU model on every machine type with every size: Domain 0 boots and
finds what it was given. Takes an hour; `make matrix`."""
import itertools

import pytest

from harness.machine import Boot
from test_boot import boot_and_check_facts

MODELS = ("qemu64", "max", "EPYC", "Haswell-noTSX", "Skylake-Server")
MACHINES = ("pc", "q35")
CPUS = (1, 2, 4)
MEMORY_MIB = (512, 2048, 20480)

MATRIX = [
    Boot(cpu=cpu, machine=machine, cpus=cpus, mem_mib=mem_mib,
         dom0_mem_mib=256 if mem_mib == 512 else 512)
    for cpu, machine, cpus, mem_mib in itertools.product(
        MODELS, MACHINES, CPUS, MEMORY_MIB)]


def host_available_mib():
    with open("/proc/meminfo", encoding="ascii") as meminfo:
        for line in meminfo:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) // 1024
    return 0


@pytest.mark.long
@pytest.mark.parametrize("boot", MATRIX, ids=str)
def test_matrix(machine, boot, measured):
    # A hypervisor may touch all of its memory: then QEMU needs as much.
    if boot.mem_mib > host_available_mib():
        pytest.skip(f"this host has only {host_available_mib()} MiB to spare")
    boot_and_check_facts(machine, boot, measured, seconds=2)
