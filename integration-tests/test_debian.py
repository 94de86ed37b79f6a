# SPDX-License-Identifier: Apache-2.0
"""Two whole Debian guests at once, each with its root on a disk of its own. One
is started by PV GRUB from what is on that disk, the other from Domain 0's files.
The tests go on where the ones before them have stopped."""
import dataclasses
import time

import pytest

from harness.archive import write_archive
from harness.machine import BUILD, Boot, IMAGES, Machine
from harness.remote import NODE, Shell, Wire, card, free_ports
from harness.ssh import Ssh
from test_network import fetch, make_file, redirects

pytestmark = [pytest.mark.xeno_only, pytest.mark.node]

DEBIAN = IMAGES / "debian-guest"
ADDRESSES = {"one": "10.0.2.101", "two": "10.0.2.102"}
BOOTS = {
    "one": "kernel = /boot/grub-x86_64-xen.bin",
    "two": "kernel = /boot/debian-vmlinuz\nramdisk = /boot/debian-initrd\n"
           "command = root=/dev/xvda ro console=hvc0 quiet",
}
# The hypervisor's console takes a key for itself after three of these.
TO_HYPERVISOR = "\x01\x01\x01"


def disk(number):
    """QEMU's arguments for a disk whose changes are not kept."""
    return ("-drive", f"if=none,id=d{number},format=raw,snapshot=on,"
            f"discard=unmap,file={DEBIAN / 'root.img'}",
            "-device", f"virtio-blk-pci,drive=d{number}")


@dataclasses.dataclass
class Node:
    machine: Machine
    dom0: Shell
    guests: dict        # name: Ssh
    boot_id: dict

    def log(self, name):
        return self.dom0(f"cat /run/consoles/{name}.log")

    def wait_login(self, name, timeout_s, times=1):
        deadline_s = time.monotonic() + timeout_s
        while True:
            text = self.log(name)
            if text.count("guest login:") >= times:
                return
            assert "Kernel panic" not in text, text[-3000:]
            assert time.monotonic() < deadline_s, text[-3000:]
            time.sleep(3)


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    folder = tmp_path_factory.mktemp("debian")
    to_dom0, *to_guests = free_ports(3)
    files = write_archive(folder / "boot.cpio", {
        "boot/debian-vmlinuz": DEBIAN / "vmlinuz",
        "boot/debian-initrd": DEBIAN / "initrd"})
    boot = dataclasses.replace(
        Boot(), initrd=(IMAGES / "dom0.cpio", files), job="remote", cpus=2,
        kernel_args="quiet",
        qemu_args=disk(0) + disk(1) + card(
            {to_dom0: 80, to_guests[0]: 2201, to_guests[1]: 2202}))
    with Machine(boot) as machine:
        guests = {name: Ssh(port, DEBIAN / "id", folder)
                  for name, port in zip(ADDRESSES, to_guests)}
        node = Node(machine, Shell(to_dom0), guests, {})
        try:
            yield node
        finally:
            machine.stop()
            logs = BUILD / "integration"
            logs.mkdir(parents=True, exist_ok=True)
            (logs / "debian.log").write_text(machine.console.text())


def test_boots_to_login(node, measured):
    node.machine.console.expect("REMOTE-UP", 240)
    for number, name in enumerate(ADDRESSES):
        node.dom0(f"""xeno-dom create - <<END
name = {name}
{BOOTS[name]}
memory = 448M
disk = xvda w disk:{number}
vif = ip={ADDRESSES[name]}
END""")
    redirects(node.dom0, {2201 + number: (1 + number, address)
                          for number, address in
                          enumerate(ADDRESSES.values())}, 22)
    began_s = time.monotonic()
    for name in ADDRESSES:
        node.wait_login(name, 600)
        measured(f"{name}: login after {time.monotonic() - began_s:.0f} s")


def test_ssh_and_network_without_manual_setup(node):
    for name, guest in node.guests.items():
        guest.wait(300)
        assert f"inet {ADDRESSES[name]}/24" in guest("ip addr")
        assert "/dev/xvda on / type ext4 (rw" in guest("mount")
        assert guest("systemctl --failed --no-legend") == ""
        assert "xen" in guest("cat /sys/hypervisor/type")


def fetch_all(node, urls):
    """Each guest gets each file, {url: digest}."""
    for guest in node.guests.values():
        for url, digest in urls.items():
            assert fetch(guest, url) == digest


def serve_files(node):
    """Both guests serve a file to others; {url: digest}."""
    urls = {}
    for name, guest in node.guests.items():
        guest("mkdir -p /srv/www; cd /srv/www; nohup perl -e '"
              "use IO::Socket; $s = IO::Socket::INET->new(LocalPort => 80, "
              "Listen => 5, ReuseAddr => 1) or die; while ($c = $s->accept) { "
              "while (<$c>) { last if /^\\r/ } open F, \"<\", \"/srv/www/data\";"
              " print $c \"HTTP/1.0 200 OK\\r\\n\\r\\n\"; "
              "print $c $_ while read F, $_, 65536; close $c }' "
              ">/dev/null 2>&1 </dev/null &")
        digest = make_file(guest, "/srv/www/data")
        urls[f"http://{ADDRESSES[name]}/data"] = digest
    return urls


def test_traffic_arrives_whole(node):
    urls = serve_files(node)
    urls[f"http://{NODE}/data"] = make_file(node.dom0)
    with Wire() as wire:
        urls[wire.url] = wire.digest
        fetch_all(node, urls)
    for name in ADDRESSES:
        url = f"http://{ADDRESSES[name]}/data"
        assert fetch(node.dom0, url) == urls[url]


def test_stress_of_disk_and_network(node):
    running = [guest.start(
        "cd /root && stress-ng --verify --hdd 1 --hdd-bytes 16m --sock 1 "
        "--udp 1 --timeout 15s --metrics-brief 2>&1")
        for guest in node.guests.values()]
    for process in running:
        output, _ = process.communicate(timeout=400)
        assert process.returncode == 0, output
        assert "successful run completed" in output, output


def test_guests_go_on_without_domain_0(node):
    one, two = node.guests.values()
    console = node.machine.console
    url = f"http://{ADDRESSES['one']}/data"
    digest = fetch(two, url)
    console.send(TO_HYPERVISOR + "0")
    console.expect("domain 0 is paused", 20)
    try:
        with pytest.raises(OSError):
            node.dom0("true", 5)
        assert fetch(two, url) == digest
        with Wire() as wire:
            for guest in (one, two):
                assert fetch(guest, wire.url) == wire.digest
        for guest in (one, two):
            guest("dd if=/dev/urandom of=/root/new bs=1M count=4 "
                  "conv=fsync && sha256sum /root/new >/root/sum && "
                  "echo 3 >/proc/sys/vm/drop_caches && "
                  "sha256sum -c /root/sum")
    finally:
        console.send("0" + TO_HYPERVISOR)
    console.expect("domain 0 is running", 20)
    node.dom0("true")


def test_reboot_from_inside(node, measured):
    for name, guest in node.guests.items():
        node.boot_id[name] = guest("cat /proc/sys/kernel/random/boot_id")
        guest.run("systemctl reboot")
    began_s = time.monotonic()
    for name in node.guests:
        node.wait_login(name, 600, times=2)
        measured(f"{name}: again after {time.monotonic() - began_s:.0f} s")
    # The new domains have new numbers.
    listed = dict(reversed(line.split()[:2]) for line in
                  node.dom0("xeno-dom list").splitlines()[1:])
    redirects(node.dom0, {2201 + number: (int(listed[name]), ADDRESSES[name])
                          for number, name in enumerate(ADDRESSES)}, 22)
    for name, guest in node.guests.items():
        guest.wait(300)
        assert guest("cat /proc/sys/kernel/random/boot_id") != \
            node.boot_id[name]
        guest("sha256sum -c /root/sum")


def test_shutdown_from_inside(node):
    for guest in node.guests.values():
        guest.run("systemctl poweroff")
    node.dom0("until [ $(xeno-dom list | wc -l) = 2 ]; do sleep 1; done", 240)
    for number in range(2):
        assert "code=0" in node.dom0("grep op=domain.end /run/xeno-dom.log | "
                                     f"tail -n {number + 1} | head -n 1")
    node.dom0("echo 0 >/run/end")
    assert node.machine.wait_job(60) == 0
