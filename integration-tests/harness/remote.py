# SPDX-License-Identifier: Apache-2.0
"""Ways into a node from the machine that runs QEMU: ports of QEMU's own network
that lead to the node's, shells behind them, and a server on the wire's other
end."""
import contextlib
import hashlib
import http.client
import http.server
import os
import socket
import threading

NODE = "10.0.2.15"      # what QEMU's network gives to its one machine
WIRE = "10.0.2.2"       # the machine that runs QEMU, seen from there


def free_ports(count):
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]


def card(forward):
    """QEMU's arguments for a card. `forward` is {host's port: node's port}."""
    rules = "".join(f",hostfwd=tcp:127.0.0.1:{here}-{NODE}:{there}"
                    for here, there in forward.items())
    return ("-netdev", f"user,id=n0{rules}",
            "-device", "virtio-net-pci,netdev=n0")


class Shell:
    """Runs scripts through the web server at a port of this machine."""

    def __init__(self, port):
        self.port = port

    def run(self, script, timeout_s=60):
        """(status, what it printed)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=timeout_s)
        with contextlib.closing(connection):
            connection.request("POST", "/cgi-bin/sh", script)
            text = connection.getresponse().read().decode()
        output, _, status = text.rstrip("\n").rpartition("STATUS ")
        return int(status), output

    def __call__(self, script, timeout_s=60):
        """What it printed; a status other than 0 is an error."""
        status, output = self.run(script, timeout_s)
        assert status == 0, f"{script!r}: status {status}\n{output}"
        return output.strip()


class Wire(http.server.ThreadingHTTPServer):
    """Serves random bytes with `digest` to whoever gets anything, in a with
    statement."""

    def __init__(self, mib=4):
        data = os.urandom(mib << 20)
        self.digest = hashlib.sha256(data).hexdigest()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://{WIRE}:{self.server_port}/"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


def get(port, path, timeout_s=60):
    """What the web server at a port of this machine has there."""
    connection = http.client.HTTPConnection("127.0.0.1", port,
                                            timeout=timeout_s)
    with contextlib.closing(connection):
        connection.request("GET", path)
        return connection.getresponse().read()
