import sys
import threading
import time
from collections.abc import Callable
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

    def run(self) -> CycleReport: ...


class Daemon:
    """Runs cycles until it is stopped. A restarted daemon needs nothing that the previous one kept in memory."""

    def __init__(
        self,
        cycle: Runs,
        status: Status,
        registrations: Registrations,
        show: Show,
        follow: Callable[[CycleReport], None] = lambda report: None,
    ) -> None:
        """`follow` is called with each cycle's report, and may raise OSError."""
        self._follow = follow
        self._follow_fails = False
        self._cycle = cycle
        self._status = status
        self._registrations = registrations
        self._show = show
        self._woken = threading.Event()
        self._stopped = threading.Event()
        self._problem = ""

    def wake(self, program: str, nodes: str) -> None:
        """Respond to Slurm's call of `program` for `nodes`: run a cycle now, or right after the current one."""
        self._woken.set()
        self._status.woken(program)
        self._say(NOTICE, time.time(), "wake", nodes, f"Slurm called hpc-{program} {nodes}")

    def again(self) -> None:
        """Respond to the arrival of a launch's result: run a cycle now, or right after the current one."""
        self._woken.set()

    def slurm_away(self, error: OSError) -> None:
        """Log that slurmctld did not respond between two cycles, unless the last cycle has already logged the same
        error.
        """
        words = slurm_away(error)
        if words != self._problem:
            self._say(WARNING, time.time(), EventKind.SLURM_AWAY.value, "", words)

    def unpublished(self, error: OSError) -> None:
        """Log that node registrations could not be written. Writing is retried whenever the nodes are read."""
        words = f"can't write node registrations: {error}; check `df /var/lib/hpc` and `scontrol ping`"
        self._say(WARNING, time.time(), "unpublished", "", words)

    def stop(self) -> None:
        """Stop after the current cycle. May be called from a signal handler."""
        self._stopped.set()
        self._woken.set()

    def run(self) -> None:
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
        # log internal errors for the operator and go on, because the next cycle may succeed
        except Exception as fault:
            sys.excepthook(type(fault), fault, fault.__traceback__)
            words = f"internal error in hpc-elastic; see its log: {fault!r}"
            report = CycleReport(time=time.time(), pause=ERROR_PAUSE_SECONDS, problem=words)
        if report.nodes:
            self._registrations.put(report.nodes, began)
        self._write_targets(report)
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

    def _write_targets(self, report: CycleReport) -> None:
        """Write which nodes to scrape. A failure is logged once, and writing is retried in every cycle."""
        try:
            self._follow(report)
        except OSError as error:
            if not self._follow_fails:
                words = f"can't write the nodes for Prometheus: {error}; check `df /var/lib/hpc`"
                self._say(WARNING, time.time(), "targets", "", words)
            self._follow_fails = True
        else:
            self._follow_fails = False

    def _say(self, level: int, at: float, kind: str, nodes: str, words: str) -> None:
        say(self._show, level, at, kind, nodes, words)
