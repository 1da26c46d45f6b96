"""The daemon's loop: runs a cycle, then pauses until the next one is due or something wakes the daemon."""

import sys
import threading
import time
from dataclasses import replace
from typing import Protocol

from hpc_components.elastic.daemon.log import Show, say
from hpc_components.elastic.daemon.systemd import NOTICE, WARNING, notify
from hpc_components.elastic.report.events import CycleReport, EventKind, slurm_away
from hpc_components.elastic.report.status import TROUBLE, Status
from hpc_components.elastic.slurm.hostlists import fold
from hpc_components.elastic.slurm.registrations import Registrations

ERROR_PAUSE_SECONDS = 30.0
"""Pause after a cycle that raised an unexpected exception, in seconds."""


class Runs(Protocol):
    """A `Cycle`, or a stand-in for one."""

    def run(self) -> CycleReport:
        """Run one cycle."""
        ...


class Daemon:
    """Runs cycles until it is stopped. A restarted daemon needs nothing that this one holds in memory."""

    def __init__(self, cycle: Runs, status: Status, registrations: Registrations, show: Show) -> None:
        self._cycle = cycle
        self._status = status
        self._registrations = registrations
        self._show = show
        self._woken = threading.Event()
        self._stopped = threading.Event()
        self._problem = ""

    def wake(self, program: str, nodes: str) -> None:
        """Run a cycle now, or right after the current one, because Slurm called a program for some nodes."""
        self._woken.set()
        self._status.woken(program)
        self._say(NOTICE, time.time(), "wake", nodes, f"Slurm called hpc-{program} {nodes}")

    def again(self) -> None:
        """Run a cycle now, or right after the current one, because an answer has arrived."""
        self._woken.set()

    def slurm_away(self, error: OSError) -> None:
        """Log that slurmctld did not answer between two cycles, unless a cycle has already logged the same error."""
        words = slurm_away(error)
        if words != self._problem:
            self._say(WARNING, time.time(), EventKind.SLURM_AWAY.value, "", words)

    def unpublished(self, error: OSError) -> None:
        """Log that registrations could not be written. They are written again after each reading of the nodes."""
        words = f"cannot write the registrations of nodes: {error}; see `df /var/lib/hpc` and `scontrol ping`"
        self._say(WARNING, time.time(), "unpublished", "", words)

    def stop(self) -> None:
        """Stop after the current cycle. May be called from a signal handler."""
        self._stopped.set()
        self._woken.set()

    def run(self) -> None:
        """Run cycles until `stop` is called."""
        notify("READY=1")
        threading.Thread(target=self._registrations.run, daemon=True, name="registrations").start()
        while not self._stopped.is_set():
            self._woken.clear()
            report = self._once()
            notify(f"WATCHDOG=1\nSTATUS={report.problem or 'all is well'}")
            self._woken.wait(report.pause)
        notify("STOPPING=1")
        self._registrations.stop()

    def _once(self) -> CycleReport:
        began = time.monotonic()
        try:
            report = self._cycle.run()
        except Exception as fault:  # an internal error: the next cycle may succeed, and an operator must see it
            sys.excepthook(type(fault), fault, fault.__traceback__)
            words = f"an internal error of hpc-elastic, see its log: {fault!r}"
            report = CycleReport(time=time.time(), pause=ERROR_PAUSE_SECONDS, problem=words)
        if report.nodes:
            self._registrations.put(report.nodes, began)
        # Report a lasting problem once, not in every cycle.
        news = tuple(event for event in report.events if event.words != self._problem)
        self._status.put(replace(report, events=news), time.monotonic() - began)
        for event in news:
            level = WARNING if event.kind in TROUBLE else NOTICE
            self._say(level, event.time, event.kind.value, fold(event.nodes), event.words)
        if self._problem and not report.problem:
            self._say(NOTICE, report.time, "well", "", "all is well again")
        self._problem = report.problem
        return report

    def _say(self, level: int, at: float, kind: str, nodes: str, words: str) -> None:
        say(self._show, level, at, kind, nodes, words)
