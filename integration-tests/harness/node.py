# SPDX-License-Identifier: Apache-2.0
"""A node of scripts/node in a folder of its own, and its API asked with TLS and
the first token."""
import http.client
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import time

from .machine import TOP
from .remote import Shell, free_ports

SCRIPT = TOP / "scripts" / "node"


class Node:
    """In a with statement, which ends the machine if it still runs. dom0(...)
    runs a script in Domain 0."""

    def __init__(self, folder, mem_mib=2048):
        self.mem_mib = mem_mib
        self.folder = pathlib.Path(folder)
        (port,) = free_ports(1)
        self.dom0 = Shell(port)
        self._forward = f"{port}:80"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if pid := self.pid():
            os.kill(pid, signal.SIGKILL)

    def _script(self, *words, timeout_s):
        got = subprocess.run(
            [SCRIPT, *words], timeout=timeout_s, capture_output=True,
            text=True, check=False,
            env={**os.environ, "NODE_FOLDER": str(self.folder),
                 "NODE_PORT": "0"})
        assert got.returncode == 0, (got.stdout + got.stderr + self.console())
        return got.stdout

    def run(self, timeout_s=400):
        """What it printed."""
        return self._script("run", "--kernel-args", "remote=1", "--forward",
                            self._forward, "--mem-mib", str(self.mem_mib),
                            timeout_s=timeout_s)

    def stop(self, timeout_s=240):
        self._script("stop", timeout_s=timeout_s)
        assert self.pid() is None

    def pid(self):
        try:
            pid = int(self.read("pid"))
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if str(self.folder).encode() in command else None

    def cut_power(self):
        pid = self.pid()
        os.kill(pid, signal.SIGKILL)
        while self.pid():
            time.sleep(0.05)

    def read(self, name):
        return (self.folder / name).read_text(errors="replace").strip()

    def console(self):
        try:
            return self.read("console.log")
        except OSError:
            return ""

    def _open(self, method, path, body=None, token=None, headers=None):
        """(status, text)"""
        context = ssl.create_default_context(cafile=self.folder / "node.pem")
        connection = http.client.HTTPSConnection(
            "127.0.0.1", int(self.read("port")), timeout=90, context=context)
        headers = {"Authorization": f"Bearer {token or self.read('token')}",
                   **(headers or {})}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def ask(self, *words, **named):
        """(status, JSON or None)"""
        status, text = self._open(*words, **named)
        return status, json.loads(text) if text else None

    def metrics(self):
        return self._open("GET", "/metrics")[1]

    def get(self, path):
        status, value = self.ask("GET", path)
        assert status == 200, (path, status, value)
        return value

    def begin(self, method, path, body=None):
        """The id of the operation that this has made."""
        headers = {"If-Match": "*"} if method == "DELETE" else None
        status, value = self.ask(method, path, body, headers=headers)
        assert status == 202, (method, path, status, value)
        return value["operation"]["id"]

    def finish(self, operation, timeout_s=180):
        deadline_s = time.monotonic() + timeout_s
        while True:
            got = self.get(f"/v1/operations/{operation}?wait=20")
            if got["state"] in ("succeeded", "failed"):
                assert got["state"] == "succeeded", got["problem"]
                return
            assert time.monotonic() < deadline_s, got

    def do(self, method, path, body=None, timeout_s=180):
        self.finish(self.begin(method, path, body), timeout_s)

    def domains(self):
        """{name: (id, state, number)}"""
        return {d["name"]: (d["id"], d["state"], d["number"])
                for d in self.get("/v1/domains?limit=100")["items"]}

    def wait_ready(self, timeout_s=60):
        deadline_s = time.monotonic() + timeout_s
        while True:
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass
            assert time.monotonic() < deadline_s, self.console()
            time.sleep(0.2)

    def wait_state(self, name, state, timeout_s=120):
        deadline_s = time.monotonic() + timeout_s
        while (found := self.domains()[name][1]) != state:
            assert time.monotonic() < deadline_s, (name, found)
            time.sleep(0.5)

    def wait_said(self, name, text, timeout_s=180):
        """Until the domain's console has said it."""
        deadline_s = time.monotonic() + timeout_s
        while not re.search(text, said := self._open(
                "GET", f"/v1/domains/{name}/console/log")[1]):
            assert time.monotonic() < deadline_s, said
            time.sleep(0.5)

    def kill_service(self):
        """It is gone; another one comes."""
        self.dom0('kill -9 "$(pidof xenoserverd)"')


def guest(name, address=None, **more):
    """What a domain of the small guest is asked for by."""
    spec = {"name": name, "kernel": "vmlinux", "ramdisk": "guest.cpio",
            "command": "console=hvc0 quiet", "memory_bytes": 96 << 20,
            "cpu_reservation_permille": 50,
            "disks": [{"device": "xvda", "size_bytes": 4 << 20}], **more}
    if address:
        spec["command"] += " ip=dhcp"
        spec["nics"] = [{"addresses": [address]}]
    return spec
