"""Runs Slurm's commands (22.05 to 25.11): reads with `scontrol` and `squeue`, and changes with `scontrol update`."""

import os
import subprocess
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from hpc_components.elastic.model import Job, Node
from hpc_components.elastic.slurm.hostlists import fold
from hpc_components.elastic.slurm.records import parse_jobs, parse_nodes

TIMEOUT_SECONDS = 60.0
"""Timeout of one command, in seconds. Slurm's commands give up earlier (MessageTimeout, 10 s, if slurmctld hangs)."""
MAX_NODES_PER_UPDATE = 1000
"""Maximum number of nodes in one update. It keeps the argument below Linux's limit of 128 KiB even if the nodes'
numbers are scattered."""

HOLDS_NODES = "RUNNING,CONFIGURING,COMPLETING,SUSPENDED,STOPPED,SIGNALING,RESIZING,STAGE_OUT"
"""States of jobs that have nodes. RUNNING alone would leave out jobs whose nodes are still starting."""

_Name = TypeVar("_Name", int, str)

Run = Callable[[Sequence[str]], str]
"""Function that runs a command and returns its output, or raises OSError."""


class SlurmCommandError(OSError):
    """A command failed. The message is the command's own."""


def run(command: Sequence[str]) -> str:
    """Return the output of a Slurm command.

    Raise SlurmCommandError if the command fails, and OSError if it can't run or times out.
    """
    try:
        done = subprocess.run(
            command,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"{command[0]}: no answer in {TIMEOUT_SECONDS:.0f} s") from None
    if done.returncode != 0:
        *_, words = ["", *done.stderr.decode(errors="replace").split("\n")[:-1]]  # earlier lines are about retries
        raise SlurmCommandError(f"{command[0]}: {words.strip() or f'exit code {done.returncode}'}")
    return done.stdout.decode(errors="replace")


class Scontrol:
    """slurmctld, accessed with Slurm's commands. The user must be SlurmUser or root."""

    def __init__(self, run: Run = run) -> None:
        self._run = run

    def nodes(self) -> list[Node]:
        """Return all CLOUD nodes. This takes one remote call, however many there are (`sinfo -N` is quadratic)."""
        return parse_nodes(self._run(["scontrol", "show", "nodes", "--oneliner"]))

    def jobs(self) -> list[Job]:
        """Return all jobs that have nodes."""
        return parse_jobs(
            self._run(["squeue", "--noheader", "--all", "--states", HOLDS_NODES, "--format", "%A|%T|%N"])
        )

    def bound(self) -> list[int]:
        """Return the ids of batch jobs that are waiting for nodes and would end if one of these were set to down."""
        wanted = ["--states", "CONFIGURING", "--Format", "JobID,BatchFlag,Requeue"]
        rows = (line.split() for line in self._run(["squeue", "--noheader", "--all", *wanted]).splitlines())
        return [int(row[0]) for row in rows if row[1:] == ["1", "0"]]

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        """Allow or forbid requeueing jobs. Raise OSError if slurmctld does not answer or refuses."""
        for some in _chunks(sorted(jobs)):
            self._run(["scontrol", "update", f"jobid={','.join(map(str, some))}", f"requeue={int(allowed)}"])

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        """Defer jobs, with the reason BeginTime.

        Raise OSError if slurmctld does not answer or refuses one of them.
        """
        for some in _chunks(sorted(jobs)):
            ids = ",".join(map(str, some))
            when = f"starttime=now+{max(1, round(seconds))}"
            self._run(["scontrol", "update", f"jobid={ids}", when, f"admincomment={why}"])

    def save_nodes(self, node: str, address: str) -> None:
        """Make slurmctld save the state of all nodes within five seconds, with an update that changes nothing.

        `node` must have registered at `address`. Without this call, registrations are saved only when the next job
        arrives, starts or ends, or after up to five minutes. If slurmctld is lost before that, it later mistakes
        nodes with running jobs for nodes that are off or booting, and ends their jobs after ResumeTimeout. Raise
        OSError if slurmctld does not answer or refuses. Source: state_save.c, PERIODIC_CHECKPOINT in slurmctld.h, and
        _slurm_rpc_node_registration and _slurm_rpc_update_node in proc_req.c, 22.05.8 to 25.11.7.
        """
        self._run(["scontrol", "update", f"nodename={node}", f"nodeaddr={address}"])

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        """Set a state, and a reason if the state takes one.

        If a node's current state does not allow the change (e.g. `resume` if it is neither down nor drained), the
        node is skipped without an error. Raise OSError if slurmctld does not answer or refuses.
        """
        because = [f"reason={reason}"] if reason else []
        for some in _chunks(sorted(nodes)):
            try:
                self._run(["scontrol", "update", f"nodename={fold(some)}", f"state={state}", *because])
            except SlurmCommandError as error:
                if "Invalid node state" not in str(error):
                    raise


def _chunks(names: Sequence[_Name]) -> Iterable[Sequence[_Name]]:
    return (names[start : start + MAX_NODES_PER_UPDATE] for start in range(0, len(names), MAX_NODES_PER_UPDATE))


def _environment() -> dict[str, str]:
    """Return our environment without variables that change the commands' output, and with times in seconds since the
    epoch."""
    ours = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "SQUEUE_", "SCONTROL_"))}
    conf = {"SLURM_CONF": os.environ["SLURM_CONF"]} if "SLURM_CONF" in os.environ else {}
    return ours | conf | {"SLURM_TIME_FORMAT": "%s", "LC_ALL": "C.UTF-8"}
