"""`hpc-elastic run` as a process in whose second cycle something goes wrong: `faulty_daemon.py FAULT FOLDER`."""

import logging
import os
import resource
import sys
import threading
import urllib.request
import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from hpc_components.elastic import command
from hpc_components.elastic.daemon import loop
from hpc_components.elastic.daemon.cycle import Cycle
from hpc_components.elastic.drivers.local.driver import LocalDriver
from hpc_components.elastic.report.metrics import Exporter
from hpc_components.elastic.report.status import Status
from hpc_components.elastic.slurm import scontrol

FAULT, FOLDER = sys.argv[1], Path(sys.argv[2])


def fail(*_):
    raise ZeroDivisionError("a driver\nof two lines")


class Fragile:
    """Raises where no one can catch it."""

    def __del__(self):
        fail()


def scrape():
    """Ask for metrics of a document that can't be made."""
    with suppress(OSError):
        urllib.request.urlopen(
            f"http://127.0.0.1:{Exporter('127.0.0.1:0', {'/metrics': fail}).port}/metrics", timeout=5
        )


def in_a_thread(action):
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def full_disk():
    """No file takes a byte more; pipes do."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


FAULTS = {
    "driver": lambda: setattr(LocalDriver, "list", fail),
    "thread": lambda: in_a_thread(fail),
    "unraisable": Fragile,
    "metrics": scrape,
    "warning": lambda: warnings.warn("an old API", stacklevel=1),
    "logger": lambda: logging.getLogger("urllib3.connectionpool").warning("Connection pool is full"),
    "broken logger": lambda: logging.getLogger("urllib3").warning("%d", "no number"),
    "print": lambda: print("one", "two", file=sys.stderr),
    "slurm": lambda: (FOLDER / "away").touch(),
    "slow slurm": lambda: (FOLDER / "slow").touch(),
    "loop": lambda: setattr(Status, "put", fail),
    "disk": lambda: None,
    "nothing": lambda: None,
}


def run(self):
    """A cycle, the fault at the beginning of the second one, and hardly a pause."""
    cycles.append(self)
    if len(cycles) == 2:
        FAULTS[FAULT]()
    if len(cycles) == 4:
        (FOLDER / "done").mkdir()  # no byte of a file
    return replace(original(self), pause=0.02)


cycles, original = [], Cycle.run
Cycle.run = run
loop.ERROR_PAUSE_SECONDS = 0.02
scontrol.TIMEOUT_SECONDS = 0.2
command.SOCKET = FOLDER / "socket"
os.environ["STATE_DIRECTORY"] = str(FOLDER / "elastic")
if FAULT == "disk":
    full_disk()
sys.exit(command.main(["run", str(FOLDER / "elastic.json"), "--log", "json"]))
