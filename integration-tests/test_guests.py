# SPDX-License-Identifier: Apache-2.0
"""Domain 0's own image builds guests and looks after them."""
import dataclasses

from harness.machine import Boot, IMAGES, run_job

NODE = (IMAGES / "dom0.cpio",)


def run(job, timeout_s=400, **parameters):
    boot = dataclasses.replace(Boot(), initrd=NODE, job=job,
                               kernel_args="quiet", parameters=parameters)
    return run_job(boot, timeout_s)


def test_stock_kernel_lives_and_ends_as_asked():
    status, console = run("guest")
    assert status == 0
    assert any("op=domain.end domain=1 name=one code=0" in line
               for line in console.lines())


def test_pv_grub_answers():
    status, _ = run("grub")
    assert status == 0
