# SPDX-License-Identifier: Apache-2.0
"""One emulated machine: what to boot on what, and the QEMU process."""
import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from .console import Console, FATAL

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD") or "build")
BUILD = BUILD if BUILD.is_absolute() else TOP / BUILD
IMAGES = BUILD / "images"

# Domain 0 has no hardware: no ACPI, no PCI, no bounce buffers, no RTC.
KERNEL_ARGS = {
    "xeno": "console=hvc0 earlyprintk=xen acpi=off pci=off swiotlb=noforce "
            "initcall_blacklist=add_rtc_cmos",
    "native": "console=ttyS0 panic=1",
}
KERNEL_ARGS["xen"] = KERNEL_ARGS["xeno"]
# Unless it shall drive some on Debian's Xen.
DRIVER_DOMAIN_ARGS = "console=hvc0 earlyprintk=xen"


def hypervisor_image(hypervisor):
    """The file that QEMU starts. XENO names another one than the build's."""
    if hypervisor == "xeno":
        return pathlib.Path(
            os.environ.get("XENO") or BUILD / "hypervisor" / "xeno.elf")
    if hypervisor == "xen":
        return IMAGES / "xen-4.17"
    return IMAGES / "vmlinuz"


@dataclasses.dataclass
class Boot:
    """What to boot. `hypervisor` is xeno (ours), xen (Debian's 4.17) or native
    (the kernel alone); `job` is one of the image's jobs, None for a shell."""

    hypervisor: str = os.environ.get("HYPERVISOR") or "xeno"
    machine: str = "pc"
    cpu: str = "qemu64,+rdrand"
    cpus: int = 1
    mem_mib: int = 2048
    dom0_mem_mib: int = 512
    dom0_cpus: int = 0              # 0: as many as the machine has
    job: str | None = None
    parameters: dict = dataclasses.field(default_factory=dict)
    image: pathlib.Path | None = None       # instead of the hypervisor's own
    kernel: pathlib.Path = IMAGES / "vmlinuz"
    initrd: tuple = (IMAGES / "dom0-test.cpio",)
    kernel_args: str = ""           # more of them
    hypervisor_args: str = ""       # more of them
    modules: str | None = None      # instead of kernel and initrd: -initrd's
    disc: pathlib.Path | None = None        # starts from this CD-ROM instead
    disk: tuple = ()                # files that are virtio disks, raw
    nic: bool = False               # a virtio card on QEMU's own network
    drivers: bool = False           # on Xen, Domain 0 has the hardware
    icount: int | None = None       # instructions take 2^icount ns
    qemu_args: tuple = ()           # more of them

    def __str__(self):
        return (f"{self.hypervisor} {self.machine} {self.cpu} "
                f"cpus={self.cpus} mem={self.mem_mib}M "
                f"dom0_mem={self.dom0_mem_mib}M"
                + (f" vcpus={self.dom0_cpus}" if self.dom0_cpus else ""))

    def kernel_command_line(self):
        words = [DRIVER_DOMAIN_ARGS if self.drivers
                 else KERNEL_ARGS[self.hypervisor], self.kernel_args]
        if self.job:
            words.append(f"job={self.job}")
        words += [f"{name}={value}" for name, value in
                  self.parameters.items()]
        return " ".join(word for word in words if word)

    def hypervisor_command_line(self):
        dom0_cpus = self.dom0_cpus or self.cpus
        words = ["console=com1", f"dom0_max_vcpus={dom0_cpus}"]
        if self.hypervisor == "xen":
            # Supervisor mode access prevention makes QEMU 7.2 fail a PV
            # kernel's IRET, and its MWAIT refuses what Xen asks for on
            # several CPUs; a scrubbed machine would be all resident.
            words += [f"dom0_mem={self.dom0_mem_mib}M,"
                      f"max:{self.dom0_mem_mib}M",
                      "smap=0 cpuidle=0 bootscrub=0"]
        else:
            words.append(f"dom0_mem={self.dom0_mem_mib}M")
        return " ".join(words + [self.hypervisor_args]).strip()

    def qemu_command(self, initrd, interactive=False):
        command = [
            "qemu-system-x86_64", "-M", self.machine, "-cpu", self.cpu,
            "-m", str(self.mem_mib), "-smp", str(self.cpus), "-nodefaults",
            "-display", "none", "-no-reboot",
            "-serial", "mon:stdio" if interactive else "stdio"]
        if self.icount is None:
            command += ["-accel", "tcg,thread=multi"]
        else:
            command += ["-accel", "tcg", "-seed", "1",
                        "-icount", f"shift={self.icount},sleep=off"]
        for number, path in enumerate(self.disk):
            name = str(path).replace(",", ",,")
            command += ["-drive", f"if=none,id=d{number},format=raw,"
                        f"discard=unmap,file={name}",
                        "-device", f"virtio-blk-pci,drive=d{number},"
                        f"serial=disk{number}"]
        if self.nic:
            command += ["-netdev", "user,id=n0",
                        "-device", "virtio-net-pci,netdev=n0"]
        if self.disc:
            return command + ["-cdrom", str(self.disc), *self.qemu_args]
        command += ["-kernel",
                    str(self.image or hypervisor_image(self.hypervisor))]
        if self.hypervisor == "native":
            command += ["-append", self.kernel_command_line(),
                        "-initrd", str(initrd)]
        else:
            # QEMU splits the list at commas; a doubled one is a comma.
            modules = self.modules
            if modules is None:
                line = self.kernel_command_line().replace(",", ",,")
                modules = f"{self.kernel} {line},{initrd}"
            command += ["-append", self.hypervisor_command_line()]
            if modules:
                command += ["-initrd", modules]
        return command + list(self.qemu_args)


@contextlib.contextmanager
def initrd_file(parts):
    """One file that holds the archives one after the other."""
    if len(parts) == 1:
        yield parts[0]
        return
    with tempfile.NamedTemporaryFile(prefix="initrd-", dir=IMAGES) as whole:
        for part in parts:
            with open(part, "rb") as archive:
                shutil.copyfileobj(archive, whole)
        whole.flush()
        yield whole.name


class Machine:
    """A running QEMU; use it in a with statement, which ends it."""

    def __init__(self, boot, echo=None, fatal=FATAL):
        self.boot = boot
        self._stack = contextlib.ExitStack()
        self._echo, self._fatal = echo, fatal

    def __enter__(self):
        initrd = self._stack.enter_context(initrd_file(self.boot.initrd))
        self.started_s = time.monotonic()
        self.process = subprocess.Popen(
            self.boot.qemu_command(initrd), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._stack.callback(self._kill)
        self.console = Console(self.process.stdout, self.process.stdin,
                               self._echo, self._fatal)
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends QEMU, if it has not ended; the console's lines remain."""
        self._stack.close()

    def _kill(self):
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()

    def age_s(self):
        return time.monotonic() - self.started_s

    def wait_init(self, timeout_s=240):
        """Until Domain 0's init has printed its first line; its uptime."""
        return float(self.console.expect(
            r"DOM0-INIT-UP ([\d.]+)", timeout_s)[1])

    def wait_off(self, timeout_s=60):
        """Until the machine is off. Xen halts it instead, because a kernel
        without ACPI tells it nothing about soft-off."""
        if self.boot.hypervisor == "xen" and not self.boot.drivers:
            self.console.expect("Hardware Dom0 halted", timeout_s)
        else:
            self.console.expect_end(timeout_s)

    def wait_job(self, timeout_s):
        """Until the job is over and the machine is off; the job's status."""
        status = int(self.console.expect(r"JOB-EXIT (\d+)", timeout_s)[1])
        self.wait_off()
        return status


def run_job(boot, timeout_s, echo=None):
    """Boots, waits for the job's end and the machine's, and returns
    (status, console)."""
    with Machine(boot, echo) as machine:
        machine.wait_init(max(timeout_s, 240))
        return machine.wait_job(timeout_s), machine.console
