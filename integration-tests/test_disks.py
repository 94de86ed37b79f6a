# SPDX-License-Identifier: Apache-2.0
"""A guest's disks lie where the operator said: on a partition of one of the
node's disks and on logical volumes in several pieces. What the guest writes is
there for Domain 0, and nothing beside it has changed."""
import dataclasses
import subprocess

import pytest

from harness.machine import Boot, IMAGES
from harness.remote import Shell, card, free_ports
from test_network import redirects, wait_guest

pytestmark = [pytest.mark.xeno_only, pytest.mark.node]

MIB = 1 << 20
# A volume that was grown lies around the one made after it.
MAKE_VOLUMES = """
insmod /lib/modules/dm-mod.ko
export LVM_SUPPRESS_FD_WARNINGS=1 DM_DISABLE_UDEV=1
lvm pvcreate -q -y /dev/xvda2
lvm vgcreate -q -s 1m pool /dev/xvda2
lvm lvcreate -q -y -Wn -L 8m -n parted pool
lvm lvcreate -q -y -Wn -L 4m -n between pool
lvm lvextend -q -L 24m pool/parted
lvm lvcreate -q -y -Wn -L 4m -n fixed pool
for volume in between fixed; do
    head -c 4M /dev/urandom >/tmp/$volume
    dd if=/tmp/$volume of=/dev/pool/$volume bs=1M conv=fsync 2>/dev/null
done
lvm lvs --noheadings -o seg_count pool/parted
"""
CREATE = """xeno-dom create - <<END
name = one
kernel = /boot/vmlinuz
ramdisk = /boot/guest.cpio
command = console=hvc0 quiet ip=dhcp
memory = 128M
vif = ip=10.0.2.101
disk = xvda w partition:/dev/xvda1
disk = xvdb w volume:pool/parted
disk = xvdc r volume:pool/fixed
END"""
SIZES = {"xvda": 16 * MIB, "xvdb": 24 * MIB, "xvdc": 4 * MIB}


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.raw"
    with open(path, "wb") as image:
        image.truncate(128 * MIB)
    subprocess.run(["/sbin/sfdisk", "-q", path], check=True, text=True,
                   input="label: gpt\nsize=16MiB\nsize=64MiB\nsize=16MiB\n")
    return path


def digest(shell, path):
    # Past what the kernel has in its cache.
    return shell(f"sync; echo 3 >/proc/sys/vm/drop_caches; sha256sum <{path}",
                 120).split()[0]


def test_partitions_and_volumes(machine, measured, disk):
    to_dom0, to_guest = free_ports(2)
    running = machine(dataclasses.replace(
        Boot(), initrd=(IMAGES / "dom0.cpio", IMAGES / "volumes.cpio"),
        job="remote", kernel_args="quiet", disk=(disk,),
        qemu_args=card({to_dom0: 80, to_guest: 8001})))
    running.console.expect("REMOTE-UP", 240)
    dom0, guest = Shell(to_dom0), Shell(to_guest)

    pieces = dom0(MAKE_VOLUMES, 120).split()[-1]
    assert pieces == "2"
    others = {path: digest(dom0, path)
              for path in ("/dev/xvda3", "/dev/pool/between",
                           "/dev/pool/fixed")}
    dom0(CREATE)
    wait_guest(dom0, "one")
    redirects(dom0, {8001: ("one", "10.0.2.101")})

    written = {}
    for device, size in SIZES.items():
        assert guest(f"blockdev --getsize64 /dev/{device}") == str(size)
    for device in ("xvda", "xvdb"):
        count = SIZES[device] // MIB
        guest(f"dd if=/dev/urandom of=/dev/{device} bs=1M count={count} "
              "conv=fsync", 240)
        written[device] = digest(guest, f"/dev/{device}")
        # There is nothing behind the end.
        status, _ = guest.run(f"dd if=/dev/zero of=/dev/{device} bs=1M "
                              f"seek={count} count=1 conv=fsync")
        assert status != 0
    assert digest(guest, "/dev/xvdc") == others["/dev/pool/fixed"]
    status, _ = guest.run("dd if=/dev/zero of=/dev/xvdc bs=4k count=1 "
                          "conv=fsync")
    assert status != 0

    assert digest(dom0, "/dev/xvda1") == written["xvda"]
    assert digest(dom0, "/dev/pool/parted") == written["xvdb"]
    for path, before in others.items():
        assert digest(dom0, path) == before
    measured(f"{sum(SIZES.values()) // MIB} MiB on a partition and volumes of "
             f"{pieces} pieces")
    # Two may not write the same place.
    status, text = dom0.run(CREATE.replace("name = one", "name = two")
                            .replace("ip=10.0.2.101", "ip=10.0.2.102"))
    assert status != 0 and "xvda" in text, text
    dom0("xeno-dom destroy one; echo 0 >/run/end")
    assert running.wait_job(60) == 0
