"""Deletes the cluster's compute nodes and their placement policies when the head node is destroyed for good.

Run as `python3 -m hpc_components.elastic.drivers.gcp.reap` when the head node shuts down. The object `cluster` in the
config bucket shows whether the head node will come back, because `destroy` deletes that object first. Google gives a
machine that is deleted 90 s to shut down. Within this time, the program deletes the machines, waits until they are
gone, and then removes their policies. It also waits for machines without a policy: once this node is gone, `destroy`
continues with the subnet, and Google is expected to refuse its deletion (`resourceInUseByAnotherResource`) while it
contains a machine. This has not been verified.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hpc_components.elastic.config import ConfigError, load_config
from hpc_components.elastic.drivers.contract import LaunchError, RefusedError
from hpc_components.elastic.drivers.gcp.driver import GcpDriver, connect
from hpc_components.elastic.model import InstanceState

CONFIG = "/etc/hpc/elastic.json"
DEADLINE_SECONDS = 80.0
"""Seconds available, out of the 90 until the head node is switched off."""
POLL_SECONDS = 2.0
"""Seconds between two checks."""

T = TypeVar("T")
Running = Callable[[], float]
"""Function that returns the seconds of a monotonic clock."""
Sleep = Callable[[float], None]


def reap(driver: GcpDriver, end: float, running: Running = time.monotonic, sleep: Sleep = time.sleep) -> str:
    """Delete all machines, wait until they are gone, and remove policies. Stop when the clock reaches `end`.

    Return a message for operators about what is left at the end, or an empty string if nothing is.
    """
    while True:
        left = _left(driver)
        if not left or running() >= end:
            return left
        sleep(POLL_SECONDS)


def _left(driver: GcpDriver) -> str:
    try:
        there = [machine for machine in driver.list() if machine.state is not InstanceState.GONE]
        alive = [machine.id for machine in there if machine.alive]
        if alive:
            driver.terminate(alive)
    except (OSError, LaunchError) as error:
        return f"cannot delete all machines: {error}"
    if alive:
        return f"{len(alive)} machines have not finished shutting down"
    if driver.policies:
        return f"placement policies {', '.join(driver.policies)} are still there"
    if there:
        return f"{len(there)} machines are shutting down, and their subnet can't be deleted yet"
    return ""


def _answer(ask: Callable[[], T], end: float, running: Running, sleep: Sleep) -> T:
    """Return the result of `ask`. Retry it until `end`, because giving up would leave machines running.

    Raise RefusedError immediately, and the last OSError or LaunchError at `end`.
    """
    while True:
        try:
            return ask()
        except RefusedError:
            raise
        except (OSError, LaunchError):
            if running() >= end:
                raise
        sleep(POLL_SECONDS)


def main(arguments: list[str] | None = None, running: Running = time.monotonic, sleep: Sleep = time.sleep) -> int:
    """Delete nodes and policies unless the head node will come back. Return the exit code.

    The only argument is the path of `elastic.json`.
    """
    path = (sys.argv[1:] if arguments is None else arguments) or [CONFIG]
    end = running() + DEADLINE_SECONDS
    try:
        config = load_config(Path(path[0]).read_text(encoding="utf-8"))
        driver = _answer(lambda: connect(config), end, running, sleep)
        if _answer(driver.stays, end, running, sleep):
            print("hpc-reap: the cluster stays: its nodes are left alone")
            return 0
        left = reap(driver, end, running, sleep)
    except (OSError, ConfigError, LaunchError) as error:
        print(f"hpc-reap: error: {error}; the nodes are left alone", file=sys.stderr)
        return 1
    print(f"hpc-reap: {left}" if left else "hpc-reap: all compute nodes and placement policies are deleted")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
