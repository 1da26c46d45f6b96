"""Forwards the cloud's termination notices to Slurm. Runs on every compute node.

A spot notice comes two minutes or less before the machine is reclaimed, so the node is drained and its jobs are
requeued immediately. `scontrol requeue` sends SIGTERM to all steps and to the batch script, gives them Slurm's
`KillWait` to save their work, and requeues the job whatever its exit code. The job can then start elsewhere before
this machine is gone. (`scancel --signal=TERM` is not enough: it reaches the steps but not the script, so the script
may carry on and exit successfully, or `srun` may kill its step.) Jobs that can't be requeued are left alone, because
they may finish in time. A maintenance notice only drains the node; its jobs run to completion.

A machine may also be shut down at the moment its notice appears, or so soon afterwards that polling misses the
notice. systemd then stops this program before it stops slurmd, the network and the file systems
(`hpc-watch.service`). On SIGTERM, the program checks for notices again, and waits until the jobs that it requeued
have saved their work.
"""

import signal
import socket
import time
from collections.abc import Callable

from hpc_components.elastic.drivers.contract import Notice, NoticeKind, NoticeSource
from hpc_components.elastic.slurm.reasons import REASON_PREFIX
from hpc_components.elastic.slurm.records import parse_nodes
from hpc_components.elastic.slurm.scontrol import Run, run

INTERVAL_SECONDS = 5.0
"""Seconds between checks. EC2's user guide recommends this interval, which is a sixth of the shortest notice period
of any cloud."""

LAST_LOOKS = 3
"""Maximum number of checks after SIGTERM, made once per second until one finds a spot notice. The number is low
because an ordinary shutdown has no notice, so the checks would only delay it."""


class NoticeWatcher:
    """Acts on a node's notices. Every check performs the actions that are still outstanding, including those that
    failed earlier.
    """

    def __init__(self, node: str, source: NoticeSource, run: Run = run, tell: Callable[[str], None] = print) -> None:
        self._node = node
        self._source = source
        self._run = run
        self._tell = tell
        self._told: set[str] = set()
        self._drained: set[Notice] = set()
        self._requeued: set[str] = set()
        self._leaving = False

    def look(self) -> None:
        """Read the notices and act on them. An OSError is not raised but reported, and only once."""
        try:
            # The most urgent notice comes first, and is handled even if others can't be read.
            for notice in self._source.read():
                self._once(notice.words)
                self._try(notice)
        except OSError as error:
            self._once(str(error))

    def finish(self, pause: Callable[[float], None] = time.sleep) -> None:
        """Make the final checks. If there is a spot notice, return when the requeued jobs have left the node.

        If the jobs take too long to leave, systemd kills this program.
        """
        for _ in range(LAST_LOOKS):
            self.look()
            if self._leaving:
                break
            pause(1.0)
        if self._requeued:
            self._tell("waiting for the requeued jobs to leave the node")
        while self._saving():
            pause(1.0)

    def _saving(self) -> bool:
        """Return whether any requeued job may still be on this node."""
        try:
            return bool(self._requeued and self._requeued & self._here("RUNNING,COMPLETING"))
        except OSError as error:
            self._once(str(error))
            return True

    def _try(self, notice: Notice) -> None:
        try:
            self._act(notice)
        except OSError as error:
            self._once(str(error))

    def _act(self, notice: Notice) -> None:
        if notice.kind in (NoticeKind.REBALANCE, NoticeKind.PAUSE):
            return
        if notice not in self._drained:
            self._drain(notice.words)
            self._drained.add(notice)
        if notice.kind is NoticeKind.SPOT:  # after draining, so that requeued jobs don't start here again
            for job in sorted(self._here("RUNNING,CONFIGURING,SUSPENDED")):  # excludes jobs that are already ending
                self._requeue(job)
            self._leaving = True

    def _drain(self, words: str) -> None:
        shown = parse_nodes(self._run(["scontrol", "show", "node", self._node, "--oneliner"]))
        if shown and "DRAIN" in shown[0].states and not shown[0].reason.startswith(REASON_PREFIX):
            self._tell(f"already drained by an administrator: {shown[0].reason}")
            return
        self._run(["scontrol", "update", f"nodename={self._node}", "state=drain", f"reason={REASON_PREFIX}{words}"])
        self._tell("drained")

    def _here(self, states: str) -> set[str]:
        """Return the ids of the jobs on this node that are in the given states.

        A heterogeneous job is identified by its leader's id, which `scontrol requeue` expects.
        """
        shown = self._run(["squeue", "--noheader", "--nodelist", self._node, "--states", states, "--format", "%i"])
        return {line.partition("+")[0] for line in shown.split()}

    def _requeue(self, job: str) -> None:
        try:
            self._run(["scontrol", "requeue", job])
        except OSError as error:
            self._once(f"job {job} was not requeued: {error}")
        else:
            self._requeued.add(job)
            self._tell(f"job {job} requeued")

    def _once(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            self._tell(words)


def watch(source: NoticeSource) -> None:
    """Watch for notices on this host, and act on them, until SIGTERM. The host name must be the node name."""
    # Block SIGTERM so that it is handled only between checks. Child processes inherit the mask, so SIGTERM does not
    # stop them either: they end by themselves or are killed.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    node = socket.gethostname().partition(".")[0]

    def tell(words: str) -> None:
        print(f"{node}: {words}", flush=True)

    watcher = NoticeWatcher(node, source, tell=tell)
    tell(f"looking for notices at {source.address} every {INTERVAL_SECONDS:.0f} s")
    watcher.look()
    while signal.sigtimedwait({signal.SIGTERM}, INTERVAL_SECONDS) is None:
        watcher.look()
    watcher.finish()
