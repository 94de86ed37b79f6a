# SPDX-License-Identifier: Apache-2.0
"""Debian's stock kernel boots as Domain 0, finds what it was given, and can
turn the machine off: on a sample of what test_matrix.py covers in full."""
import time

import pytest

from harness import facts
from harness.machine import Boot

SAMPLE = [
    Boot(machine="pc", cpu="qemu64", cpus=1, mem_mib=512, dom0_mem_mib=256),
    Boot(machine="q35", cpu="max", cpus=2, mem_mib=2048),
    Boot(machine="pc", cpu="EPYC", cpus=4, mem_mib=4096, dom0_mem_mib=1024),
    Boot(machine="q35", cpu="Haswell-noTSX", cpus=1, mem_mib=2048),
    Boot(machine="q35", cpu="Skylake-Server", cpus=2, mem_mib=8192,
         dom0_mem_mib=768, dom0_cpus=1),
    # As many vCPUs as a domain may have.
    Boot(machine="pc", cpu="max", cpus=2, mem_mib=2048, dom0_cpus=32),
]


def boot_and_check_facts(machine, boot, measured, seconds=5):
    boot.job = "facts"
    boot.parameters = {"seconds": seconds}
    running = machine(boot)
    running.wait_init()
    init_s = running.age_s()
    status = running.wait_job(60 + 10 * seconds)
    seen = facts.parse(running.console)
    values = seen.values
    measured(
        f"init after {init_s:.1f} s, memory {values['mem_given_kib']} KiB, "
        f"cpus {values['cpus']}, clocksource {values['clocksource']}, "
        f"monotonic rate {seen.monotonic_rate:.4f}, "
        f"realtime rate {seen.realtime_rate:.4f}, "
        f"compat by {seen.compat_fast_path}, "
        f"messages {len(seen.messages)}")
    assert status == 0
    # The kernel does not count page 0, nor the hole below 1 MiB if it has one.
    missing_kib = boot.dom0_mem_mib * 1024 - int(values["mem_given_kib"])
    assert 0 <= missing_kib <= 1024
    assert int(values["cpus"]) == (boot.dom0_cpus or boot.cpus)
    assert values["hypervisor"] == "xen"
    assert seen.backwards == 0
    assert not seen.unexpected_messages()
    # The console's lines reach the host late on a loaded machine, so the
    # rate's error shrinks with the time between them.
    slack = 0.01 + 0.5 / seconds
    assert seen.monotonic_rate == pytest.approx(1, abs=slack)
    assert seen.realtime_rate == pytest.approx(1, abs=slack)
    check_wall_clock(running.console, seen, measured)


def check_wall_clock(console, seen, measured):
    """Domain 0's time of day is the host's. The machine's clock chip has whole
    seconds, and until the kernel has a better clock it counts ticks, of which
    it misses some when the host gives the machine no time."""
    read_s = console.times_of(r"CLOCKS monotonic_ns=")[1]
    wall_s = time.time() - (time.monotonic() - read_s)
    ahead_s = seen.realtime_ns / 1e9 - wall_s
    ticking_s = (console.times_of("clocksource: Switched")[0]
                 - console.times_of("Linux version")[0])
    measured(f"time of day {ahead_s:+.2f} s from the host's, "
             f"{ticking_s:.1f} s of it on ticks")
    assert -1.5 - ticking_s < ahead_s < 1


@pytest.mark.parametrize("boot", SAMPLE, ids=str)
def test_domain0_finds_what_it_was_given(machine, boot, measured):
    boot_and_check_facts(machine, boot, measured)


@pytest.mark.xeno_only
def test_more_memory_than_there_is_means_all_but_a_reserve(machine, measured):
    boot = Boot(mem_mib=512, dom0_mem_mib=1024, job="facts",
                parameters={"seconds": 1})
    running = machine(boot)
    running.wait_init()
    assert running.wait_job(60) == 0
    given_kib = int(facts.parse(running.console).values["mem_given_kib"])
    measured(f"{given_kib} KiB of {boot.mem_mib * 1024}")
    assert boot.mem_mib * 1024 * 0.75 < given_kib < boot.mem_mib * 1024


def test_shell_answers_and_poweroff_ends_the_machine(machine, measured):
    running = machine(Boot())
    up_s = running.wait_init()
    running.console.expect("DOM0-SHELL-UP", 30)
    running.console.send("echo answer-$((6 * 7))\n")
    running.console.expect(r"^answer-42", 30)
    running.console.send("poweroff -f\n")
    running.wait_off()
    measured(f"init at {up_s:.1f} s of Domain 0's time, "
             f"off {running.age_s():.1f} s after power-on")


@pytest.mark.xeno_only
def test_reboot_resets_the_machine(machine, measured):
    running = machine(Boot())
    running.wait_init()
    running.console.expect("DOM0-SHELL-UP", 30)
    running.console.send("reboot -f\n")
    # QEMU is told to end where a machine would start again.
    running.console.expect_end(60)
    assert running.process.wait(10) == 0
    measured(f"reset {running.age_s():.1f} s after power-on")
