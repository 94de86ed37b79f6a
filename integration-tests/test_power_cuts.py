# SPDX-License-Identifier: Apache-2.0
"""The power goes while a guest writes to its disks. What it was told to be
safe is on them: blocks before a flush that succeeded, files before an fsync."""
import os
import random
import struct
import subprocess

import pytest

from harness.machine import Boot, IMAGES

pytestmark = [pytest.mark.xeno_only, pytest.mark.node]

CUTS = int(os.environ.get("POWER_CUTS") or 2)
SEED = int(os.environ.get("POWER_CUT_SEED") or 1)

# As in deploy/guest/flush-check.c.
BLOCKS, BLOCK_BYTES, SECTOR_BYTES, STRIDE = 1024, 4096, 512, 167
DISK_MIB = 32


def make_disks(folder):
    blocks, files = folder / "blocks.raw", folder / "files.raw"
    for path in (blocks, files):
        with open(path, "wb") as image:
            image.truncate(DISK_MIB << 20)
    subprocess.run(["/sbin/mkfs.ext4", "-q", "-E", "nodiscard", files],
                   check=True)
    return blocks, files


def lost_blocks(path, acknowledged):
    """Sectors that are older than what was acknowledged, or no writing of
    that program at all."""
    newest = {}
    for number in range(1, acknowledged + 1):
        newest[number * STRIDE % BLOCKS] = number
    lost = []
    with open(path, "rb") as disk:
        for block, number in newest.items():
            disk.seek(block * BLOCK_BYTES)
            words = struct.unpack(f"<{BLOCK_BYTES // 8}Q",
                                  disk.read(BLOCK_BYTES))
            for at, word in enumerate(words):
                found = word >> 16
                # A sector is written whole; a later writing may have come.
                if (word & 0xffff != at or found < number
                        or found * STRIDE % BLOCKS != block
                        or word >> 16 != words[at - at % 64] >> 16):
                    lost.append((block, at, hex(word), number))
                    break
    return lost


def check_files(path, acknowledged):
    subprocess.run(["/sbin/e2fsck", "-E", "journal_only", "-y", path],
                   check=False, capture_output=True)
    check = subprocess.run(["/sbin/e2fsck", "-fn", path], check=False,
                           capture_output=True, text=True)
    assert check.returncode == 0, check.stdout
    requests = "".join(f"cat {n}\n" for n in range(1, acknowledged + 1))
    read = subprocess.run(["/sbin/debugfs", "-f", "/dev/stdin", path],
                          input=requests, check=True, capture_output=True,
                          text=True)
    found = [line for line in read.stdout.splitlines()
             if line.startswith("file ")]
    assert found == [f"file {n}" for n in range(1, acknowledged + 1)]


@pytest.mark.parametrize("cut", range(CUTS))
def test_what_was_flushed_is_there(machine, measured, tmp_path, cut):
    choice = random.Random(SEED * 1000 + cut)
    blocks, files = make_disks(tmp_path)
    running = machine(Boot(initrd=(IMAGES / "dom0.cpio",), job="powercut",
                           disk=(blocks, files), kernel_args="quiet"))
    running.wait_init()
    # Both are at work, and then a while.
    running.console.expect(r"^FILE-ACK [2-9]", 240)
    for _ in range(choice.randrange(3, 200)):
        running.console.expect("ACK", 60)
    running.stop()
    acks = running.console.find(r"^ACK (\d+)\s*$")
    file_acks = running.console.find(r"^FILE-ACK (\d+)\s*$")
    assert acks and file_acks
    acknowledged, file_count = int(acks[-1][1]), int(file_acks[-1][1])
    measured(f"cut after {acknowledged} writes and {file_count} files were "
             "said to be safe")
    assert not lost_blocks(blocks, acknowledged)
    check_files(files, file_count)
