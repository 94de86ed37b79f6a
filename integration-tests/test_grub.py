# SPDX-License-Identifier: Apache-2.0
"""GRUB starts the hypervisor, from a disc, by both of its Multiboot commands:
what a machine of flesh does, where QEMU's -kernel is not."""
import shutil
import subprocess

import pytest

from harness.machine import IMAGES, Boot, hypervisor_image

pytestmark = pytest.mark.xeno_only

COMMANDS = {"multiboot1": ("multiboot", "module"),
            "multiboot2": ("multiboot2", "module2")}


def make_disc(path, boot, hypervisor, module):
    """An ISO image whose GRUB menu has this one entry."""
    tree = path / "tree"
    (tree / "boot" / "grub").mkdir(parents=True)
    for name, source in (("xeno.elf", hypervisor_image("xeno")),
                         ("vmlinuz", IMAGES / "vmlinuz"),
                         ("initrd", IMAGES / "dom0-test.cpio")):
        shutil.copyfile(source, tree / name)
    (tree / "boot" / "grub" / "grub.cfg").write_text(
        "serial\nterminal_output serial\nset timeout=0\n"
        "menuentry xeno {\n"
        f"\t{hypervisor} /xeno.elf {boot.hypervisor_command_line()}\n"
        f"\t{module} /vmlinuz {boot.kernel_command_line()}\n"
        f"\t{module} /initrd\n"
        "}\n")
    disc = path / "disc.iso"
    subprocess.run(["grub-mkrescue", "-o", disc, tree],
                   check=True, capture_output=True)
    return disc


@pytest.mark.parametrize("protocol", COMMANDS)
def test_grub_starts_domain0(machine, measured, tmp_path, protocol):
    boot = Boot(machine="q35", mem_mib=1024, dom0_mem_mib=256, job="facts",
                parameters={"seconds": 1})
    boot.disc = make_disc(tmp_path, boot, *COMMANDS[protocol])
    running = machine(boot)
    uptime = running.wait_init()
    assert "boot loader GRUB" in running.console.text()
    assert running.wait_job(120) == 0
    measured(f"init {uptime} s after the kernel's start")
