"""The watcher on a compute node: passes the cloud's notices of the machine's end on to Slurm while there is time.

A spot notice leaves two minutes or less. The node is drained and its jobs are requeued at once: `scontrol requeue`
sends SIGTERM to all steps and the batch script, gives them Slurm's `KillWait` to save their work, and requeues the
job whatever its exit code: it starts elsewhere before this machine is gone. (`scancel --signal=TERM` would do less:
it reaches the steps but not the script, which may go on and end as if all were well; or `srun` kills its step.) Jobs
that can't be requeued are left alone: they may end in time. Maintenance only drains; jobs run to their end.

A machine may also be switched off together with its notice, or so soon after it that no look has seen it. systemd
then stops this program before Slurm's daemon, the network and the file systems (`hpc-watch.service`): on SIGTERM it
looks again, and waits until the jobs that it requeued have saved their work.
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
"""Seconds between two looks: as recommended by EC2's user guide, and a sixth of the shortest notice of any cloud."""

LAST_LOOKS = 3
"""Number of looks after SIGTERM, one a second, until one finds a spot notice. Only a machine being reclaimed has one;
if this program alone is stopped, it ends that much later."""


class NoticeWatcher:
    """Acts on the notices of one node. Each look does what is still to be done, and retries what failed."""

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
        """Read the notices and act on them. Report an OSError once instead of raising it."""
        try:
            for notice in self._source.read():  # the most urgent comes first, even if others can't be read
                self._once(notice.words)
                self._try(notice)
        except OSError as error:
            self._once(str(error))

    def finish(self, pause: Callable[[float], None] = time.sleep) -> None:
        """Look for the last time; on a spot notice, return when the requeued jobs have left the node.

        systemd limits how long that may take, and kills this program in the end.
        """
        for _ in range(LAST_LOOKS):
            self.look()
            if self._leaving:
                break
            pause(1.0)
        if self._requeued:
            self._tell("waiting until the requeued jobs have left")
        while self._saving():
            pause(1.0)

    def _saving(self) -> bool:
        """Return whether requeued jobs may still be here."""
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
        if notice.kind is NoticeKind.SPOT:  # the drain comes first: a job must not start here again
            for job in sorted(self._here("RUNNING,CONFIGURING,SUSPENDED")):  # not those that are ending already
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
        """Return the jobs on this node in these states, as `scontrol requeue` expects them: het jobs by their
        leader."""
        shown = self._run(["squeue", "--noheader", "--nodelist", self._node, "--states", states, "--format", "%i"])
        return {line.partition("+")[0] for line in shown.split()}

    def _requeue(self, job: str) -> None:
        try:
            self._run(["scontrol", "requeue", job])
        except OSError as error:
            self._once(f"job {job} is not requeued: {error}")
        else:
            self._requeued.add(job)
            self._tell(f"job {job} requeued")

    def _once(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            self._tell(words)


def watch(source: NoticeSource) -> None:
    """Watch this host until SIGTERM, and act on its notices. Its host name must be its node's name."""
    # Blocked, to be received only after a look. Child processes inherit the mask: they end by themselves, or are
    # killed.
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
