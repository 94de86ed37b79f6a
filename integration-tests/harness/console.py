# SPDX-License-Identifier: Apache-2.0
"""The serial console of an emulated machine, as lines with the host's time.

A reader thread collects what the machine prints. Everything that waits has a
deadline, and gives up at once when a line says that the hypervisor or a kernel
is broken, so a failure costs seconds and its message holds the console's end.
"""
import re
import threading
import time

# Lines after which nothing further is worth waiting for.
FATAL = re.compile(
    r"\bPANIC\b|Panic on CPU|Kernel panic|WARNING: CPU:|\bBUG: |"
    r"kernel BUG at|\bOops\b|Call Trace|general protection fault.*SMP|"
    r"detected stalls|self-detected stall")


class ConsoleError(AssertionError):
    """The console did not say what it should have said."""

    def __init__(self, what, console):
        tail = "\n".join("  | " + line for line in console.lines()[-40:])
        super().__init__(f"{what}; the console's end:\n{tail}")


class Fault(ConsoleError):
    """The hypervisor or a kernel reported a fault of its own."""


class Console:
    """Lines read from `stream` (binary), characters sent to `sink`."""

    def __init__(self, stream, sink, echo=None, fatal=FATAL):
        self._stream, self._sink, self._echo = stream, sink, echo
        self._fatal = fatal
        self._changed = threading.Condition()
        self._lines = []            # (seconds on the host's clock, text)
        self._partial = ""
        self._next = 0              # first line that expect() has not seen
        self._fault = None
        self._closed = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        while data := self._stream.read1(65536):
            text = data.decode("utf-8", "replace")
            if self._echo:
                self._echo.write(text.replace("\r", ""))
                self._echo.flush()
            with self._changed:
                now_s = time.monotonic()
                *complete, self._partial = (self._partial + text).split("\n")
                for line in complete:
                    line = line.replace("\r", "")
                    self._lines.append((now_s, line))
                    if not self._fault and self._fatal.search(line):
                        self._fault = line
                self._changed.notify_all()
        with self._changed:
            if self._partial:
                self._lines.append(
                    (time.monotonic(), self._partial.replace("\r", "")))
                self._partial = ""
            self._closed = True
            self._changed.notify_all()

    def lines(self):
        """All complete lines so far."""
        with self._changed:
            return [line for _, line in self._lines]

    def text(self):
        return "\n".join(self.lines()) + "\n"

    def fault(self):
        """The first line that reported a fault, or None."""
        return self._fault

    def find(self, pattern):
        """The match of each line so far that matches."""
        return [m for line in self.lines() if (m := re.search(pattern, line))]

    def times_of(self, pattern):
        """The host's time in seconds of each line that matches."""
        with self._changed:
            return [when_s for when_s, line in self._lines
                    if re.search(pattern, line)]

    def send(self, text):
        self._sink.write(text.encode())
        self._sink.flush()

    def expect(self, pattern, timeout_s, faults=True):
        """Waits for a line that matches and returns the match. Lines before
        it are skipped: the next call looks only at later ones. A prompt, which
        ends without a newline, is no line. With `faults` False, lines that
        report faults are no reason to give up."""
        deadline_s = time.monotonic() + timeout_s
        with self._changed:
            while True:
                while self._next < len(self._lines):
                    line = self._lines[self._next][1]
                    self._next += 1
                    if match := re.search(pattern, line):
                        return match
                if faults and self._fault:
                    # Let the rest of the report arrive.
                    self._changed.wait_for(lambda: self._closed, 2)
                    raise Fault(f"fault on the console: {self._fault}", self)
                if self._closed:
                    raise ConsoleError(
                        f"QEMU ended without a line matching {pattern!r}",
                        self)
                left_s = deadline_s - time.monotonic()
                if left_s <= 0:
                    raise ConsoleError(
                        f"no line matching {pattern!r} in {timeout_s:.0f} s",
                        self)
                self._changed.wait(left_s)

    def expect_end(self, timeout_s, faults=True):
        """Waits until the machine is off."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or (faults and self._fault), timeout_s)
            if faults and self._fault:
                self._changed.wait_for(lambda: self._closed, 2)
                raise Fault(f"fault on the console: {self._fault}", self)
            if not self._closed:
                raise ConsoleError(
                    f"the machine was not off after {timeout_s:.0f} s", self)
