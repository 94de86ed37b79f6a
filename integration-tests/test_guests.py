# SPDX-License-Identifier: Apache-2.0
"""Domain 0's own image builds guests and looks after them."""
import dataclasses

import pytest

from harness.machine import Boot, IMAGES, run_job

pytestmark = pytest.mark.node

NODE = (IMAGES / "dom0.cpio",)


def run(job, timeout_s=400, qemu_args=()):
    boot = dataclasses.replace(Boot(), initrd=NODE, job=job,
                               kernel_args="quiet", qemu_args=qemu_args)
    return run_job(boot, timeout_s)


def test_stock_kernel_lives_and_ends_as_asked():
    status, console = run("guest")
    assert status == 0
    assert any("op=domain.end domain=1 name=one code=0" in line
               for line in console.lines())


def test_pv_grub_answers():
    status, _ = run("grub")
    assert status == 0


@pytest.mark.xeno_only
def test_guest_and_domain_0_share_a_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(16 << 20))
    status, _ = run("disk", qemu_args=(
        "-drive", f"if=none,id=d0,format=raw,file={disk}",
        "-device", "virtio-blk-pci,drive=d0"))
    assert status == 0
    assert disk.read_bytes()[4096:4108] == b"by the guest"
