"""Forwards the cloud's termination notices to Slurm. Runs on every compute node.

A spot notice leaves two minutes or less. The node is drained and its jobs are requeued at once: `scontrol requeue`
sends SIGTERM to all steps and to the batch script, gives them Slurm's `KillWait` to save their work, and requeues the
job whatever its exit code. The job then starts elsewhere before this machine is gone. (`scancel --signal=TERM` would
do less. It reaches the steps but not the script, so the script may continue and end as if all were well, or `srun`
may kill its step.) Jobs that can't be requeued are left alone, because they may end in time. A maintenance notice
only drains the node; its jobs run to their end.

A machine may also be switched off at the same time as its notice appears, or so soon afterwards that polling missed
it. systemd then stops this program before Slurm's daemon, the network and the file systems (`hpc-watch.service`). On
SIGTERM, the program checks for notices once more, and waits until the jobs that it requeued have saved their work.
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
"""Seconds between two checks. EC2's user guide recommends this interval, which is a sixth of the shortest notice of
any cloud."""

LAST_LOOKS = 3
"""Maximum number of checks after SIGTERM, one per second, until one finds a spot notice. The number is low because,
unless the machine is being reclaimed, there is no notice and the checks merely delay this program's end."""


class NoticeWatcher:
    """Acts on a node's notices. Each check takes the actions that are still outstanding, and retries those that
    failed."""

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
        """Read the notices and act on them. An OSError is reported once instead of being raised."""
        try:
            for notice in self._source.read():  # the most urgent comes first, even if others can't be read
                self._once(notice.words)
                self._try(notice)
        except OSError as error:
            self._once(str(error))

    def finish(self, pause: Callable[[float], None] = time.sleep) -> None:
        """Check for the last time. After a spot notice, return when the requeued jobs have left the node.

        If that takes too long, systemd kills this program.
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
        """Return whether requeued jobs may still be on this node."""
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
        if notice.kind is NoticeKind.SPOT:  # after the drain, so that no requeued job starts here again
            for job in sorted(self._here("RUNNING,CONFIGURING,SUSPENDED")):  # not jobs that are already ending
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
        """Return the ids of the jobs on this node that are in these states.

        A heterogeneous job is identified by its leader, as `scontrol requeue` expects.
        """
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
    """Watch this host until SIGTERM, and act on its notices. The host name must be the node's name."""
    # Block SIGTERM so that it is received only after a check. Child processes inherit the mask, and end on their own
    # or are killed.
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
