# SPDX-License-Identifier: Apache-2.0
"""The books while they are written: Domain 0 asks the hypervisor again and
again, with all CPUs busy and memory coming and going, where time and frames
are. Every sample balances to the nanosecond and the frame."""
import pytest

from harness.machine import Boot

CPUS = 2
SAMPLES = 12
INTERVAL_MS = 1500

# What the hypervisor may keep for a domain with one vCPU, in pages, and for
# each further vCPU. The grant table is as large as the domain wants it.
STATE_LIMIT_BYTES = 20480
VCPU_LIMIT_BYTES = 4096
METER_PAGES = 1


def fields(text):
    """The name=value words of a line."""
    return {name: int(value) for name, _, value in
            (word.partition("=") for word in text.split()) if value}


def samples_of(console):
    """A dictionary for each STAT block: its label, and the lines by kind."""
    samples = []
    for line in console.lines():
        if line.startswith("STAT-BEGIN "):
            samples.append({"label": line.split()[1], "cpus": [],
                            "meters": [], "domain": [], "vcpu": [],
                            "frames": []})
        elif line.startswith("STAT "):
            _, kind, rest = line.split(" ", 2)
            samples[-1][kind].append(fields(rest))
    return samples


def check_time(sample):
    *cpus, total = sample["meters"]
    assert [cpu["cpu"] for cpu in cpus] == list(range(CPUS))
    for cpu in cpus:
        assert cpu["elapsed_ns"] == cpu["sum_ns"]
    assert total["elapsed_ns"] == total["sum_ns"]
    assert total["elapsed_ns"] == sum(cpu["elapsed_ns"] for cpu in cpus)
    assert total["sum_ns"] == sum(total[account + "_ns"] for account in (
        "idle", "irq", "sched", "boot", "domains"))
    # There is but one domain; its vCPUs' open intervals come on top.
    assert sum(vcpu["cpu_ns"] for vcpu in sample["vcpu"]) > 0


def check_frames(sample):
    frames, domain = sample["frames"][0], sample["domain"][0]
    assert frames["lost"] == 0
    # Its meter page too is its own, though it does not see it.
    assert frames["domains"] == (domain["owned_pages"] +
                                 domain["shared_pages"] + METER_PAGES)


@pytest.mark.xeno_only
def test_books_balance_under_load(machine, measured):
    running = machine(Boot(
        cpus=CPUS, machine="q35", job="books",
        parameters={"samples": SAMPLES, "interval_ms": INTERVAL_MS}))
    running.wait_init()
    assert running.wait_job(240) == 0
    samples = samples_of(running.console)
    before, *busy, after = samples
    assert [sample["label"] for sample in samples] == (
        ["before"] + ["busy"] * SAMPLES + ["after"])

    for sample in samples:
        check_time(sample)
        check_frames(sample)
    measured(f"{len(samples)} samples: every CPU's sum is what elapsed, "
             f"to 0 ns; 0 frames lost")

    # It was a load: the CPUs worked, and memory came and went.
    first, last = busy[0]["meters"][-1], busy[-1]["meters"][-1]
    spent_ns = {name: last[name] - first[name] for name in last}
    busy_share = 1 - spent_ns["idle_ns"] / spent_ns["elapsed_ns"]
    entries = (sum(cpu["entries"] for cpu in busy[-1]["cpus"])
               - sum(cpu["entries"] for cpu in busy[0]["cpus"]))
    pages = [sample["domain"][0]["owned_pages"] for sample in busy]
    load = running.console.find(r"^LOAD (.*)")[0][1]
    measured(f"meanwhile {spent_ns['elapsed_ns'] / 1e9:.1f} s of CPU time, "
             f"{busy_share:.0%} busy, {spent_ns['sched_ns']} ns scheduling, "
             f"{spent_ns['irq_ns']} ns interrupts, {entries} entries; {load}; "
             f"memory from {min(pages)} to {max(pages)} pages")
    assert busy_share > 0.5
    assert entries > 100000
    assert max(pages) - min(pages) >= 4096
    assert fields(load)["rounds"] > 0

    # What was taken came back.
    assert after["domain"][0]["owned_pages"] == (
        before["domain"][0]["owned_pages"])
    grown = (after["frames"][0]["hypervisor"]
             - before["frames"][0]["hypervisor"])
    measured(f"hypervisor's own frames: {grown:+} after the load")
    assert grown == 0


@pytest.mark.xeno_only
@pytest.mark.parametrize("cpus", (1, 4))
def test_state_of_a_domain(machine, measured, cpus):
    running = machine(Boot(cpus=cpus, machine="q35", job="books",
                           parameters={"samples": 0}))
    running.wait_init()
    running.console.expect(r"STAT-BEGIN before", 60)
    domain = fields(running.console.expect(r"STAT domain (.*)", 10)[1])
    assert domain["vcpus"] == cpus
    # Shared info is part of the limit; frames of the grant table, and pages
    # for the entries in them, are what this kernel asked for.
    grant_frames = domain["shared_pages"] - 1
    own_bytes = domain["state_bytes"] - grant_frames * 4096
    measured(f"{cpus} vCPUs: {domain['state_bytes']} bytes of state in "
             f"{domain['state_pages']} pages, {grant_frames} of them grant "
             f"table; without these {own_bytes} bytes, "
             f"{own_bytes / cpus:.0f} per vCPU")
    pages_bytes = (domain["state_pages"] - grant_frames) * 4096
    assert pages_bytes <= STATE_LIMIT_BYTES + (cpus - 1) * VCPU_LIMIT_BYTES
