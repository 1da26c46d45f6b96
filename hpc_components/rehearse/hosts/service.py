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
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill the command itself, not the nsenter process that waits for it, and wait until the command has
        ended.
        """
        self.stop(signal.SIGKILL)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to the command itself, and wait until the command has ended."""
        if self.alive:
            with suppress(ProcessLookupError):  # the command has already ended
                os.kill(first_child(self._process.pid), by)
        self._process.wait()


def first_child(pid: int) -> int:
    """Wait until a process has a child, and return the first one."""
    with suppress(OSError):
        while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
            if pids := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                return int(pids[0])
            time.sleep(0.002)
    raise RuntimeError(f"process {pid} ended before it started a child process")
