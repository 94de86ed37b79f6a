# SPDX-License-Identifier: Apache-2.0
"""stress-ng, verifying its own results, in Domain 0. The sample takes two
minutes; STRESS_MINUTES asks for more (`make stress MINUTES=10`), STRESS_SEED
for another order."""
import os

import pytest

from harness.machine import Boot, IMAGES

MINUTES = float(os.environ.get("STRESS_MINUTES") or 2)
SEED = int(os.environ.get("STRESS_SEED") or 1)

# Several vCPUs, where races show; half of the time for each number.
MACHINES = [
    Boot(machine="q35", cpu="max", cpus=2, dom0_mem_mib=768),
    Boot(machine="pc", cpu="qemu64,+rdrand", cpus=4, mem_mib=4096,
         dom0_mem_mib=2048),
]


@pytest.mark.parametrize("boot", MACHINES, ids=str)
def test_stress(machine, boot, measured):
    budget_s = int(MINUTES * 60 / len(MACHINES))
    boot.job = "stress"
    boot.initrd += (IMAGES / "dom0-stress.cpio",)
    boot.parameters = {"seconds": 1, "budget": budget_s, "seed": SEED}
    running = machine(boot)
    running.wait_init()
    total = running.console.expect(
        r"STRESS-TOTAL pass=(\d+) skip=(\d+) fail=(\d+)", budget_s + 420)
    passed, skipped, failed = (int(group) for group in total.groups())
    failures = [m[1] for m in running.console.find(r"^STRESS (.* FAIL .*)")]
    measured(f"{passed} passed, {skipped} skipped, {failed} failed "
             f"in {budget_s} s, seed {SEED}")
    assert not failures
    assert failed == 0
    assert passed >= budget_s / 20
    assert running.wait_job(60) == 0
