# SPDX-License-Identifier: Apache-2.0
"""Domain 0 boots every time, not most times: BOOTS in a row (default 3; `make
boots N=50`), on several CPUs, where races show."""
import os
import statistics

from harness.machine import Boot

BOOTS = int(os.environ.get("BOOTS") or 3)


def test_every_boot_succeeds(machine, measured):
    times_s = []
    for number in range(BOOTS):
        boot = Boot(machine=("pc", "q35")[number % 2], cpus=2 + number % 3,
                    job="poweroff")
        running = machine(boot)
        running.wait_init()
        times_s.append(running.age_s())
        assert running.wait_job(30) == 0, f"boot {number} of {BOOTS}: {boot}"
        running.stop()
    measured(f"{BOOTS} of {BOOTS} boots, init after "
             f"{statistics.median(times_s):.1f} s (median), "
             f"{max(times_s):.1f} s (slowest)")
