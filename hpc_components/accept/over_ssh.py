"""A cluster that is reached by the user's own ssh."""

import subprocess
from collections.abc import Callable, Sequence

from hpc_components.accept.cluster import TIMED_OUT, AcceptanceError, Answer, Submitter
from hpc_components.accept.interruption import SpotMachine, give
from hpc_components.cloud import cloud_named
from hpc_components.operate.reach import HEAD, LOGIN, Reach
from hpc_components.operate.run_on_node import LOST, unreachable
from hpc_components.operate.ways import ReachError
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.queues import Queue
from hpc_components.spec.slurm import Accounting
from hpc_components.spec.slurm.settings import queue_value

_CONNECTING_SECONDS = 150
"""Added to a command's own time: `Reach` gives up a connection after at most 120 s."""


class SshCluster:
    """The cluster that `reach` leads to, as described."""

    rehearsed = False

    def __init__(self, reach: Reach, described: ClusterSpec) -> None:
        self._reach, self._described, self._user = reach, described, reach.user
        self.places: Sequence[str] = (LOGIN, HEAD) if described.login_nodes else (HEAD,)

    def submitter(self, queue: Queue | None = None) -> Submitter:
        """Return the user who logs in, with an account that the queue admits if their default one is not."""
        accounting = self._described.accounting or Accounting()
        mine = [name for name, account in accounting.accounts.items() if self._user in account.users]
        admitted = (queue_value(queue, "AllowAccounts") or "").split(",") if queue else [""]
        usable = mine if admitted == [""] else [name for name in mine if name in admitted]
        default = accounting.default_accounts.get(self._user)
        return Submitter(self._user, "" if not usable or default in usable else usable[0])

    def run(self, script: str, *, place: str, user: str, stdin: str = "", seconds: int = 60) -> Answer:
        command = ("timeout", str(seconds), "bash", "-l", "-c", f"exec 2>&1\n{script}")
        try:
            done = subprocess.run(
                self._reach.ssh(place, command),
                input=stdin.encode(),
                stdout=subprocess.PIPE,
                timeout=seconds + _CONNECTING_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Answer(f"no answer from {place} within {seconds} s", TIMED_OUT)
        except ReachError as error:
            raise AcceptanceError(str(error)) from None
        if done.returncode == LOST:
            raise AcceptanceError(str(unreachable(self._reach, place)))
        return Answer(done.stdout.decode(errors="replace"), done.returncode)

    def take_away(self, machine: SpotMachine, say: Callable[[str], None]) -> bool:
        access, head = self._reach.outputs
        part = cloud_named(access["cloud"]).parts.spot
        assert part  # else the plan has no spot machine
        way = part.interruption(access, head, machine)
        failure = give(way.order) if way.order else "this cloud sends no notice without preparations"
        if failure:
            say(f"{failure}; take the machine of {machine.node} ({machine.address}) away yourself: {way.by_hand}")
        return not failure
