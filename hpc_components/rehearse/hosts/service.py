"""Controls commands that run on a host in the background."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path


class Service:
    """A command that runs on a host in the background."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @property
    def alive(self) -> bool:
        """Whether the command is running."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill the command itself (not nsenter, which waits for it), and wait for its end."""
        self.stop(signal.SIGKILL)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to the command itself, and wait for its end."""
        if self.alive:
            with suppress(ProcessLookupError):  # it has ended in the meantime
                os.kill(first_child(self._process.pid), by)
        self._process.wait()


def first_child(pid: int) -> int:
    """Return the first child of a process, as soon as it exists."""
    with suppress(OSError):
        while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
            if pids := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                return int(pids[0])
            time.sleep(0.002)
    raise RuntimeError(f"process {pid} ended at once")
