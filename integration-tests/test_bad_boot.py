# SPDX-License-Identifier: Apache-2.0
"""What cannot boot says why: a line that begins with `boot error:` and names
the culprit, and no Domain 0. The machine then halts or resets."""
import re

import pytest

from harness.console import ConsoleError
from harness.machine import BUILD, Boot, IMAGES, KERNEL_ARGS

pytestmark = pytest.mark.xeno_only

LINE = KERNEL_ARGS["xeno"].replace(",", ",,")
VMLINUZ = IMAGES / "vmlinuz"
INITRD = IMAGES / "dom0-test.cpio"


def expect_boot_error(machine, measured, boot, *names):
    running = machine(boot)
    line = running.console.expect(r"boot error: (.*)", 60)[1]
    measured(line)
    for name in names:
        assert re.search(name, line, re.IGNORECASE), \
            f"{line!r} does not name {name!r}"
    # Nothing may follow but the end.
    try:
        running.console.expect_end(5)
    except ConsoleError:
        pass
    assert "Linux version" not in running.console.text()


@pytest.mark.parametrize("argument, name", [
    ("dom0_mem=12X", "dom0_mem"),
    ("dom0_mem=", "dom0_mem"),
    ("dom0_mem=99999999999999999999", "dom0_mem"),
    ("dom0_max_vcpus=0", "dom0_max_vcpus"),
    ("dom0_max_vcpus=many", "dom0_max_vcpus"),
    ("dom0_max_vcpus=100000", "dom0_max_vcpus"),
    ("sched=nonesuch", "sched"),
    ("console=com9", "console"),
])
def test_bad_argument_is_named(machine, measured, argument, name):
    expect_boot_error(machine, measured, Boot(hypervisor_args=argument), name)


@pytest.mark.parametrize("machine_mib, dom0_mib", [
    (2048, 24),     # less than the option allows
    (2048, 64),     # less than the kernel needs
    (96, 64),       # the machine has no more
], ids=str)
def test_too_little_memory_is_named(machine, measured, machine_mib, dom0_mib):
    expect_boot_error(machine, measured,
                      Boot(mem_mib=machine_mib, dom0_mem_mib=dom0_mib),
                      "memory|mem|MiB")


def test_missing_kernel_is_named(machine, measured):
    expect_boot_error(machine, measured, Boot(modules=""), "module|kernel")


def test_text_as_kernel_is_named(machine, measured, tmp_path):
    kernel = tmp_path / "kernel"
    kernel.write_text("This is not a kernel.\n" * 1000)
    expect_boot_error(machine, measured,
                      Boot(modules=f"{kernel} {LINE},{INITRD}"),
                      "kernel|module|image")


def test_kernel_without_notes_is_named(machine, measured):
    program = BUILD / "dom0-programs" / "hello"
    expect_boot_error(machine, measured,
                      Boot(modules=f"{program} {LINE},{INITRD}"),
                      "note|PV|Xen")


def test_truncated_kernel_is_named(machine, measured, tmp_path):
    kernel = tmp_path / "truncated"
    whole = VMLINUZ.read_bytes()
    kernel.write_bytes(whole[:len(whole) // 2])
    expect_boot_error(machine, measured,
                      Boot(modules=f"{kernel} {LINE},{INITRD}"),
                      "kernel|truncated|short|payload|image")


@pytest.mark.parametrize("where", (0.25, 0.5, 0.9))
def test_damaged_kernel_is_named(machine, measured, tmp_path, where):
    kernel = tmp_path / "damaged"
    content = bytearray(VMLINUZ.read_bytes())
    begin = int(len(content) * where)
    for offset in range(begin, begin + 64):
        content[offset] ^= 0x5a
    kernel.write_bytes(content)
    expect_boot_error(machine, measured,
                      Boot(modules=f"{kernel} {LINE},{INITRD}"),
                      "kernel|xz|decompress|damaged|corrupt|checksum")
