# SPDX-License-Identifier: Apache-2.0
"""Domains on our hypervisor go through all that can happen to a domain, and
leave nothing behind."""
import os

import pytest

from harness.machine import Boot, IMAGES, run_job

pytestmark = [pytest.mark.xeno_only, pytest.mark.node]

CYCLES = int(os.environ.get("CYCLES") or 30)
DISK_MIB = 64


@pytest.fixture
def disk(tmp_path):
    """A file that is the node's first disk."""
    path = tmp_path / "disk.raw"
    with open(path, "wb") as image:
        image.truncate(DISK_MIB << 20)
    return path


def run(job, measured, disk, timeout_s, **parameters):
    status, console = run_job(
        Boot(initrd=(IMAGES / "dom0.cpio",), job=job, disk=(disk,), nic=True,
             kernel_args="quiet", parameters=parameters), timeout_s)
    for match in console.find(r"^MEASURED (.*)"):
        measured(match[1])
    assert status == 0, "\n".join(console.lines()[-100:])
    return console


def check_books(console):
    """At the end of Domain 0: no nanosecond and no frame is missing."""
    meters = console.find(r"meter \w+ .*diff_ns=(-?\d+)")
    frames = console.find(r"frames total=.* lost=(-?\d+)")
    assert meters and frames
    assert {m[1] for m in meters + frames} == {"0"}


def test_a_domains_life(measured, disk):
    check_books(run("lifecycle", measured, disk, 400))


def test_cycles_leave_nothing(measured, disk):
    check_books(run("cycles", measured, disk, 200 + CYCLES * 3, n=CYCLES))
