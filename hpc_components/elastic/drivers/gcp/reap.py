"""When the head node goes for good: delete the cluster's compute nodes and their placement policies.

Run as `python3 -m hpc_components.elastic.drivers.gcp.reap` when the head node shuts down. The object `cluster` in the
config bucket says whether it comes back: `destroy` deletes that first. Google gives a machine that is deleted 90 s to
shut down; machines are told to go within the first of them, and policies can only be removed when theirs have gone.
It waits for machines without a policy as well: when this node has gone, the destroy goes on to the subnet, whose
deletion Google is expected to refuse (`resourceInUseByAnotherResource`) while a machine is in it. Not proved.
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

__all__ = ["main", "reap"]

CONFIG = "/etc/hpc/elastic.json"
LONGEST = 80.0
"""Seconds, of the 90 that there are."""
PAUSE = 2.0
"""Seconds between two looks."""

T = TypeVar("T")
Running = Callable[[], float]
"""Gives seconds of a clock that nobody sets."""
Sleep = Callable[[float], None]


def reap(driver: GcpDriver, end: float, running: Running = time.monotonic, sleep: Sleep = time.sleep) -> str:
    """Delete all machines, wait until they have gone, and remove policies, until `end` by `running`.

    What is left when the time is over, for people; empty if nothing is.
    """
    while True:
        left = _left(driver)
        if not left or running() >= end:
            return left
        sleep(PAUSE)


def _left(driver: GcpDriver) -> str:
    try:
        there = [machine for machine in driver.list() if machine.state is not InstanceState.GONE]
        alive = [machine.id for machine in there if machine.alive]
        if alive:
            driver.terminate(alive)
    except (OSError, LaunchError) as error:
        return f"not all machines are deleted: {error}"
    if alive:
        return f"{len(alive)} machines were there a moment ago"
    if driver.policies:
        return f"placement policies {', '.join(driver.policies)} are still there"
    if there:
        return f"{len(there)} machines are shutting down, and their subnet can't be deleted yet"
    return ""


def _answer(ask: Callable[[], T], end: float, running: Running, sleep: Sleep) -> T:
    """What `ask` returns, which is asked again until `end` if no answer comes: who gives up leaves machines running.

    RefusedError at once, and the last OSError or LaunchError at the end.
    """
    while True:
        try:
            return ask()
        except RefusedError:
            raise
        except (OSError, LaunchError):
            if running() >= end:
                raise
        sleep(PAUSE)


def main(arguments: list[str] | None = None, running: Running = time.monotonic, sleep: Sleep = time.sleep) -> int:
    """Reap, unless the head node comes back; the exit code. An argument is the path of `elastic.json`."""
    path = (sys.argv[1:] if arguments is None else arguments) or [CONFIG]
    end = running() + LONGEST
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
