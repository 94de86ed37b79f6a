# SPDX-License-Identifier: Apache-2.0
"""Commands on a guest by ssh."""
import pathlib
import shutil
import subprocess
import time


class Ssh:
    """root at a port of this machine. `key` is copied into `folder`, where it
    has the permissions that ssh insists on."""

    def __init__(self, port, key, folder):
        own = pathlib.Path(folder) / f"id-{port}"
        shutil.copyfile(key, own)
        own.chmod(0o600)
        self.command = [
            "ssh", "-q", "-i", str(own), "-p", str(port),
            "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes",
            "-o", "UserKnownHostsFile=/dev/null", "-o", "ConnectTimeout=60",
            "root@127.0.0.1"]

    def start(self, script):
        return subprocess.Popen(self.command + [script], text=True,
                                stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)

    def run(self, script, timeout_s=120):
        """(status, what it printed); ssh's own failures have status 255."""
        with self.start(script) as process:
            try:
                output, _ = process.communicate(timeout=timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return process.returncode, output.strip()

    def __call__(self, script, timeout_s=120):
        """What it printed; a status other than 0 is an error."""
        status, output = self.run(script, timeout_s)
        assert status == 0, f"{script!r}: status {status}\n{output}"
        return output

    def wait(self, timeout_s):
        """Until somebody answers."""
        deadline_s = time.monotonic() + timeout_s
        while self.run("true", 120)[0] != 0:
            assert time.monotonic() < deadline_s, "no answer by ssh"
            time.sleep(2)
