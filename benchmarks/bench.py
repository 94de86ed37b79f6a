#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks on the bare machine, on Debian's Xen and on our
hypervisor, with the same kernel and QEMU, and prints tables: the
microbenchmarks in Domain 0, then rows in guests and about guests.

QEMU counts instructions: with -icount shift=0 its clock advances one
nanosecond for each, so every figure is a number of instructions executed by
the whole machine, and repeats. Results are kept in build/bench, named by a
hash of everything that decides them, and used again until one of those
changes; --fresh measures anew.
"""
import argparse
import hashlib
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration-tests"))

import goals                                                   # noqa: E402
import guest_rows                                              # noqa: E402
from harness.console import ConsoleError                       # noqa: E402
from harness.machine import (                                  # noqa: E402
    BUILD, Boot, Machine, hypervisor_image)

OUT = BUILD / "bench"
SYSTEMS = {"native": "native", "xen": "Xen 4.17", "xeno": "ours"}
# What micro's C lines tell, in their order.
COUNTS = ("entries", "CR3 loads", "bytes copied")
TIMEOUT_S = 900


def boot_of(system):
    # The TSC counts instructions, whatever the kernel's watchdogs think.
    kernel_args = "quiet"
    if system == "native":
        kernel_args += " tsc=reliable clocksource=tsc"
    return Boot(hypervisor=system, machine="q35", job="micro", icount=0,
                kernel_args=kernel_args)


def entry_boot():
    """The same machine and modules, but a kernel that only reads the TSC."""
    boot = boot_of("xeno")
    boot.image = BUILD / "bench-programs" / "entry"
    return boot


def key_of(boot):
    """A hash of all that decides a result."""
    digest = hashlib.sha256()
    files = [boot.image or hypervisor_image(boot.hypervisor), boot.kernel,
             *boot.initrd]
    for path in files:
        with open(path, "rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
    command = " ".join(boot.qemu_command(boot.initrd[0]))
    digest.update(command.replace(str(BUILD), "").encode())
    digest.update(subprocess.run(
        ["qemu-system-x86_64", "--version"], check=True,
        capture_output=True).stdout)
    return digest.hexdigest()[:16]


def rows_of(console):
    """Row -> instructions: the median, of context switches the net figure,
    from which lmbench's overhead of pipe and sum has been taken."""
    rows = {}
    for match in console.find(r"^R (\w+) ([\d.]+) ([\d.]+)"):
        name, first, second = match.groups()
        rows[name] = float(first if name.startswith("ctxsw") else second)
    return rows


def counts_of(console):
    """Row -> what our hypervisor counted per operation, as COUNTS."""
    return {match[1]: [float(value) for value in match[2].split()]
            for match in console.find(r"^C (\w+) ([-\d. ]+)")}


def measure(boot):
    with Machine(boot) as machine:
        machine.wait_init(TIMEOUT_S)
        status = machine.wait_job(TIMEOUT_S)
        console = machine.console
    if status:
        raise ConsoleError(f"the job ended with {status}", console)
    return {"rows": rows_of(console),
            "counts": counts_of(console),
            "init_tsc": int(console.find(r"DOM0-INIT-TSC (\d+)")[0][1]),
            "command": boot.qemu_command(boot.initrd[0])}


def measure_entry(boot):
    with Machine(boot) as machine:
        return int(machine.console.expect(
            r"ENTRY-TSC 0x([0-9a-f]{16})", 60)[1], 16)


def cached(name, boot, fresh, measure_it):
    """measure_it(boot), or what it gave before for the same inputs."""
    path = OUT / f"{name}-{key_of(boot)}.json"
    if fresh or not path.exists():
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        result = measure_it(boot)
        for old in OUT.glob(f"{name}-*.json"):
            old.unlink()
        path.write_text(json.dumps(result, indent=1))
    return json.loads(path.read_text())


def table(results):
    """Lines of a Markdown table: a row of figures with its ratios each."""
    native, xen, ours = (
        results.get(system, {}).get("rows", {}) for system in SYSTEMS)

    def figure(value):
        return f"{value:,.0f}" if value is not None else "-"

    def ratio(value, base):
        return f"{value / base:.2f}" if value and base else "-"

    counts = results.get("xeno", {}).get("counts", {})
    lines = ["| row | native | Xen 4.17 | x native | ours | x native "
             "| x Xen | | " + " | ".join(COUNTS) + " |",
             "|---|---:|---:|---:|---:|---:|---:|---|" + "---:|" * len(COUNTS)]
    for row in native:
        cells = [row, figure(native[row]), figure(xen.get(row)),
                 ratio(xen.get(row), native[row]), figure(ours.get(row)),
                 ratio(ours.get(row), native[row]),
                 ratio(ours.get(row), xen.get(row))]
        slower = row in ours and row in xen and ours[row] > xen[row]
        cells.append("slower" if slower and row != goals.CONTROL else "")
        cells += [f"{value:,.2f}" for value in
                  counts.get(row, ())] or ["-"] * len(COUNTS)
        lines.append("| " + " | ".join(cells) + " |")
    return lines + ["", "Entries into our hypervisor, its loads of CR3 and "
                    "bytes copied from and to guests (single words read in "
                    "place left out) are per operation."]


def measure_guests(scenario, boot):
    with Machine(boot) as machine:
        machine.wait_init(TIMEOUT_S)
        status = machine.wait_job(TIMEOUT_S)
        console = machine.console
    if status:
        raise ConsoleError(f"the job ended with {status}", console)
    return {"rows": scenario.rows_of(console)}


def guest_results(systems, fresh):
    """System -> row -> figure, of all scenarios."""
    rows = {system: {} for system in systems}
    for name, scenario in guest_rows.SCENARIOS.items():
        for system in systems:
            boot = scenario.boot(system)
            if boot:
                rows[system].update(cached(
                    f"{name}-{system}", boot, fresh,
                    lambda b, s=scenario: measure_guests(s, b))["rows"])
    return rows


def guest_table(rows):
    """Like table(); a row's goal and whether it is reached stand beside it."""
    native, xen, ours = (rows.get(system, {}) for system in SYSTEMS)

    def ratio(value, base):
        return f"{value / base:.2f}" if value and base else "-"

    lines = ["", "# Guests", "", "| row | native | Xen 4.17 | ours | x native "
             "| x Xen | goal | | unit |",
             "|---|---:|---:|---:|---:|---:|---:|---|---|"]
    for row in {**xen, **ours}:
        figures = [guest_rows.figure(row, side.get(row))
                   for side in (native, xen, ours)]
        verdict = goals.judge_guest_row(row, xen.get(row), ours.get(row))
        lines.append("| " + " | ".join(
            [row, *figures, ratio(ours.get(row), native.get(row)),
             ratio(ours.get(row), xen.get(row)),
             verdict.goal() if verdict else "",
             verdict.word() if verdict else "",
             guest_rows.unit_of(row)]) + " |")
    return lines


def boot_lines(results, entry_tsc):
    """Instructions from the hypervisor's first to Domain 0's init's first."""
    lines = ["", "Instructions from the first of the hypervisor to the first "
             "of Domain 0's init:", ""]
    for system, name in SYSTEMS.items():
        if system in results and system != "native":
            count = results[system]["init_tsc"] - entry_tsc
            lines.append(f"- {name}: {count:,}")
    return lines


def summary(results):
    rows = {system: result["rows"] for system, result in results.items()}
    lines = [""]
    if "xen" in rows:
        lines.append("Geometric mean, Xen to native: "
                     f"{goals.ratio_mean(rows['xen'], rows['native']):.2f}")
    if "xeno" in rows:
        lines.append("Geometric mean, ours to native: "
                     f"{goals.ratio_mean(rows['xeno'], rows['native']):.2f}")
        if "xen" in rows:
            lines += [""] + [f"- {verdict}" for verdict in goals.judge(
                rows["native"], rows["xen"], rows["xeno"])]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true",
                        help="measure again what is already known")
    parser.add_argument("systems", nargs="*", default=list(SYSTEMS),
                        metavar="SYSTEM", help="of " + ", ".join(SYSTEMS))
    parser.add_argument("--part", choices=("domain0", "guests"),
                        help="one of the report's two, not both")
    args = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)

    systems = [system for system in SYSTEMS if system in args.systems]
    report, results, guests, entry_tsc = [], {}, {}, None
    if args.part != "guests":
        for system in systems:
            results[system] = cached(system, boot_of(system), args.fresh,
                                     measure)
        entry_tsc = cached("entry", entry_boot(), args.fresh, measure_entry)
        report += (["# Instructions per operation", ""] + table(results)
                   + summary(results) + boot_lines(results, entry_tsc))
    if args.part != "domain0":
        guests = guest_results(systems, args.fresh)
        report += guest_table(guests) + goals.flatness(guests.get("xeno", {}))

    (OUT / "report.md").write_text("\n".join(report) + "\n")
    (OUT / "report.json").write_text(json.dumps(
        {"entry_tsc": entry_tsc, "systems": results, "guests": guests}, indent=1) + "\n")
    print("\n".join(report))


if __name__ == "__main__":
    main()
