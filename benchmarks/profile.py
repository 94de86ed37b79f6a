#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Says in which functions of the hypervisor a benchmark spends its instructions:
one with guests, or rows of Domain 0's own.

    benchmarks/profile.py micro rows=fork_proc repeats=64 scale=1000
    benchmarks/profile.py block only=R+4+32+400000
    benchmarks/profile.py create count=50

Boots the scenario, waits for the console to say that it begins, or until --after
matches, and has QEMU log every block of hypervisor code that it executes for
--seconds. Calls counts how often a function was entered at its first
instruction.
"""
import argparse
import bisect
import collections
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration-tests"))

import bench                                                   # noqa: E402
import guest_rows                                              # noqa: E402
from harness.machine import Machine, hypervisor_image          # noqa: E402

TEXT = "0xffff810000200000+0x200000"
WAIT_S = 300


def symbols_of(elf):
    """Sorted addresses of functions, and their names."""
    found = []
    for line in subprocess.run(["nm", "-n", elf], check=True, text=True,
                               capture_output=True).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tT":
            found.append((int(words[0], 16), words[2]))
    return [address for address, _ in found], [name for _, name in found]


def record(boot, log, after, seconds):
    """The log of what ran in the hypervisor for a while."""
    with tempfile.TemporaryDirectory() as folder:
        monitor = f"{folder}/monitor"
        boot.qemu_args += ("-d", "in_asm", "-dfilter", TEXT, "-D", log,
                           "-monitor", f"unix:{monitor},server,nowait")
        with Machine(boot, sys.stderr) as machine:
            machine.console.expect(after, WAIT_S)
            # Past what Domain 0 does to say so.
            time.sleep(0.5)
            with socket.socket(socket.AF_UNIX) as control:
                control.connect(monitor)
                control.sendall(b"log exec,nochain,in_asm\n")
                time.sleep(seconds)
                control.sendall(b"log none\n")
                time.sleep(0.5)


def count(log, starts, names):
    """(instructions, calls) by function."""
    sizes, runs = {}, collections.Counter()
    first = None
    with open(log, errors="replace") as lines:
        for line in lines:
            if line.startswith("IN:"):
                first = None
            elif match := re.match(r"0x([0-9a-f]{16}):", line):
                if first is None:
                    first = int(match[1], 16)
                    sizes[first] = 0
                sizes[first] += 1
            elif match := re.match(r"Trace.*\[[0-9a-f]+/([0-9a-f]+)/", line):
                runs[int(match[1], 16)] += 1
    spent, calls = collections.Counter(), collections.Counter()
    for address, times in runs.items():
        at = bisect.bisect_right(starts, address) - 1
        if at < 0:
            continue
        spent[names[at]] += times * sizes.get(address, 1)
        if starts[at] == address:
            calls[names[at]] += times
    return spent, calls


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", choices=["micro", *guest_rows.SCENARIOS])
    parser.add_argument("parameter", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--after", default="PROFILE-NOW|^clocksource ")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--lines", type=int, default=40)
    args = parser.parse_args()

    boot = (bench.boot_of("xeno") if args.scenario == "micro" else
            guest_rows.SCENARIOS[args.scenario].boot("xeno"))
    boot.parameters.update(p.split("=", 1) for p in args.parameter)
    with tempfile.NamedTemporaryFile(prefix="profile-") as log:
        record(boot, log.name, args.after, args.seconds)
        spent, calls = count(log.name,
                             *symbols_of(hypervisor_image("xeno")))
    total = spent.total()
    print(f"{total:,} instructions of the hypervisor")
    for name, instructions in spent.most_common(args.lines):
        print(f"{instructions:10,} {instructions / total:6.1%} "
              f"calls {calls[name]:8,}  each "
              f"{instructions / max(1, calls[name]):8,.1f}  {name}")


if __name__ == "__main__":
    main()
