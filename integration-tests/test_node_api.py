# SPDX-License-Identifier: Apache-2.0
"""A node as its owner has it: started by the script of make run, asked over a
forwarded port with TLS and a token, stopped by the script of make stop, and
started again on the same disk."""
import re
import threading
import time

import pytest

from conftest import LOGS
from harness.node import Node, guest

pytestmark = pytest.mark.xeno_only

MANY = 20
# They come one after the other, while those before them boot.
MANY_S = 900
MEM_MIB = 4096
PAGE_BYTES = 4096


@pytest.fixture
def node(tmp_path, request):
    with Node(tmp_path, mem_mib=MEM_MIB) as one:
        yield one
        LOGS.mkdir(parents=True, exist_ok=True)
        (LOGS / f"{request.node.name}.log").write_text(one.console())


def check_books(node):
    """The hypervisor's, at the end: no nanosecond and no frame is missing."""
    text = node.console()
    meters = re.findall(r"meter \w+ .*diff_ns=(-?\d+)", text)
    frames = re.findall(r"frames total=.* lost=(-?\d+)", text)
    assert meters and frames
    assert set(meters + frames) == {"0"}


def free_memory(node):
    """As the hypervisor counts it, once all that begins or ends has."""
    return int(node.dom0("sleep 2; xeno-stat frames | tr ' ' '\\n' | "
                         "sed -n 's/^free=//p'")) * PAGE_BYTES


def wait_free_memory(node, want):
    """Until the API says so: it looks at least every half minute."""
    deadline_s = time.monotonic() + 60
    while (free := node.get("/v1/host")["free_memory_bytes"]) != want:
        assert time.monotonic() < deadline_s, (free, want, free_memory(node))
        time.sleep(1)


def check_first_run(node, printed):
    token = node.read("token")
    assert token not in printed and token not in node.console()
    assert re.search(r"^\$ curl .*/v1/domains$", printed, re.M)
    status, problem = node.ask("GET", "/v1/host", token=token[:-4] + "beef")
    assert status == 401, problem
    # The file is gone once the token is in the store.
    assert node.dom0("ls /var/lib/xenoserver/node") == "node.key\nnode.pem"


def create_while_killed(node, names):
    """Domains that are asked for together, while the service dies."""
    made = [node.begin("POST", "/v1/domains", guest(name)) for name in names]
    node.kill_service()
    node.wait_ready()
    for operation in made:
        node.finish(operation)


def test_a_node_and_its_guests(node, measured):
    printed = node.run()
    measured(re.search(r"ready after .*", printed)[0])
    check_first_run(node, printed)
    node.wait_said("first", "GUEST-NET-UP.*10.0.2.101")
    first = node.domains()["first"]
    free = free_memory(node)

    create_while_killed(node, ["second", "third"])
    assert node.domains()["first"] == first
    for name in ("second", "third"):
        node.wait_said(name, "GUEST-INIT-UP")
    node.do("POST", "/v1/domains/second/actions/pause")
    assert node.domains()["second"][1] == "paused"
    node.do("POST", "/v1/domains/second/actions/resume")
    node.do("POST", "/v1/domains/second/actions/destroy")
    node.do("DELETE", "/v1/domains/second")
    node.do("POST", "/v1/domains/third/actions/shutdown")
    wait_free_memory(node, free)
    assert node.domains()["first"] == first

    node.stop()
    check_books(node)
    node.run()
    again = node.domains()
    assert {name: (d[0], d[1]) for name, d in again.items()} == {
        "first": (first[0], "running"),
        "third": (again["third"][0], "stopped")}
    node.wait_said("first", "GUEST-NET-UP.*10.0.2.101")
    node.stop()


CENSUS = """sleep 2
xeno-stat frames | tr ' ' '\\n' | grep -E '^(domains|hypervisor|lost)='
echo "nodes=$(xenstore-ls / | wc -l)"
echo "ports=$(grep -c xen-dyn /proc/interrupts)"
echo "records=$(find /run/xeno-dom.socket.domains -type f | wc -l)"
echo "leases=$(find /run/leases/hosts -type f | wc -l)"
echo "pool=$(ls /var/lib/xenoserver/pool | wc -l)"
echo "pool_blocks=$(df /var/lib/xenoserver/pool | awk 'NR == 2 { print $3 }')"
for process in "$(pidof xenoserverd)" "$(pidof xenstored)"; do
    echo "descriptors=$(find /proc/$process/fd -type l | wc -l)"
    echo "threads=$(grep Threads /proc/$process/status)"
done"""


def together(work, names):
    failures = []

    def one(name):
        try:
            work(name)
        except (AssertionError, OSError) as error:
            failures.append((name, error))

    threads = [threading.Thread(target=one, args=(n,)) for n in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def rows(node):
    """What there is of each state in the store, but for what only grows."""
    return [line for line in node.metrics().splitlines()
            if line.startswith(("xenoserver_domains{",
                                "xenoserver_capacity_claimed{"))]


@pytest.mark.node
def test_many_guests_at_once_leave_nothing(node, measured):
    node.run()
    node.wait_said("first", "GUEST-NET-UP")
    names = [f"many{n}" for n in range(MANY)]
    # Whoever came first has made things that stay: caches, threads.
    node.do("POST", "/v1/domains", guest("before", "10.0.2.102"))
    node.do("POST", "/v1/domains/before/actions/destroy")
    node.do("DELETE", "/v1/domains/before")
    census, stored, free = node.dom0(CENSUS), rows(node), free_memory(node)

    def come(name):
        node.do("POST", "/v1/domains", guest(
            name, f"10.0.2.{110 + names.index(name)}"), MANY_S)

    def go(name):
        node.do("POST", f"/v1/domains/{name}/actions/destroy",
                timeout_s=MANY_S)
        node.do("DELETE", f"/v1/domains/{name}", timeout_s=MANY_S)

    together(come, names)
    states = node.domains()
    assert {states[name][1] for name in names} == {"running"}
    assert len({states[name][2] for name in names}) == MANY
    for name in names:
        node.wait_said(name, "GUEST-INIT-UP", MANY_S)
    measured(f"{MANY} guests, {(free - free_memory(node)) >> 20} MiB")
    together(go, names)
    assert node.dom0(CENSUS) == census
    assert rows(node) == stored
    wait_free_memory(node, free)

    # And the power goes: what ran runs again.
    together(come, names[:2])
    node.cut_power()
    node.run()
    for name in ("first", *names[:2]):
        node.wait_state(name, "running")
        node.wait_said(name, "GUEST-INIT-UP")
    node.stop()
    check_books(node)
