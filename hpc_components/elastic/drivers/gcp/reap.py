"""Deletes the cluster's compute nodes and placement policies when the head node is destroyed for good.

Run as `python3 -m hpc_components.elastic.drivers.gcp.reap` when the head node shuts down. The object `cluster` in the
config bucket shows whether the head node will come back, because `destroy` deletes that object first.

Google gives the head node 90 s to shut down. Within this time, the program deletes the compute nodes, waits until
they are gone, and then removes their policies. The program also waits for compute nodes without a policy, because
`destroy` deletes the subnet after the head node is gone. Google is expected to refuse this
(`resourceInUseByAnotherResource`) while the subnet contains a machine, but this has not been verified.
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
"""Time limit in seconds. The head node is switched off after 90 s."""
POLL_SECONDS = 2.0

T = TypeVar("T")
Running = Callable[[], float]
"""Monotonic clock that returns seconds."""
Sleep = Callable[[float], None]


def reap(driver: GcpDriver, end: float, running: Running = time.monotonic, sleep: Sleep = time.sleep) -> str:
    """Delete all machines, wait until they are gone, and delete their policies. Stop when the clock reaches `end`.

    Return a message for operators about anything that is left, or an empty string if nothing is.
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
        return f"can't delete all machines: {error}"
    if alive:
        return f"{len(alive)} machines are still shutting down"
    if driver.policies:
        return f"placement policies {', '.join(driver.policies)} still exist"
    if there:
        return f"{len(there)} machines are shutting down, so their subnet can't be deleted yet"
    return ""


def _answer(ask: Callable[[], T], end: float, running: Running, sleep: Sleep) -> T:
    """Return the result of `ask`. Retry until `end`, because giving up would leave machines running.

    Raise RefusedError immediately. At `end`, raise the last OSError or LaunchError.
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

    The only argument is the path to `elastic.json`.
    """
    path = (sys.argv[1:] if arguments is None else arguments) or [CONFIG]
    end = running() + DEADLINE_SECONDS
    try:
        config = load_config(Path(path[0]).read_text(encoding="utf-8"))
        driver = _answer(lambda: connect(config), end, running, sleep)
        if _answer(driver.stays, end, running, sleep):
            print("hpc-reap: the cluster is not being destroyed; its nodes are left alone")
            return 0
        left = reap(driver, end, running, sleep)
    except (OSError, ConfigError, LaunchError) as error:
        print(f"hpc-reap: error: {error}; the nodes are left alone", file=sys.stderr)
        return 1
    print(f"hpc-reap: {left}" if left else "hpc-reap: all compute nodes and placement policies have been deleted")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
