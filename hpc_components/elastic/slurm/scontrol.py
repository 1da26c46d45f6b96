"""Runs Slurm's commands (22.05 to 25.11): `scontrol` and `squeue` to read, `scontrol update` to make changes."""

import os
import subprocess
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from hpc_components.elastic.model import Job, Node
from hpc_components.elastic.slurm.hostlists import fold
from hpc_components.elastic.slurm.records import parse_jobs, parse_nodes

TIMEOUT_SECONDS = 60.0
"""Timeout for a single command, in seconds. If slurmctld hangs, Slurm's commands give up earlier (MessageTimeout, 10
s)."""
ACCOUNTING_TIMEOUT_SECONDS = 3600.0
"""Timeout for reading the jobs of a month, in seconds: slurmdbd sends some thousand jobs a second, or far fewer."""
MAX_NODES_PER_UPDATE = 1000
"""Maximum number of nodes in one update. This limit keeps the argument shorter than the 128 KiB that Linux allows,
even if the node numbers are scattered."""

HOLDS_NODES = "RUNNING,CONFIGURING,COMPLETING,SUSPENDED,STOPPED,SIGNALING,RESIZING,STAGE_OUT"
"""States of jobs that have nodes. RUNNING alone would omit jobs whose nodes are still starting."""

_ID_WIDTH, _COMMENT_WIDTH = 20, 80
"""Characters in which squeue shows a job's id and the beginning of its comment."""

_Name = TypeVar("_Name", int, str)

Run = Callable[[Sequence[str]], str]
"""Function that runs a command, given as a sequence of words, and returns its output. Raises OSError if the command
fails or can't be run."""


class SlurmCommandError(OSError):
    """Raised if a Slurm command fails, with the command's own message."""


def run(command: Sequence[str]) -> str:
    """Run a Slurm command and return its output.

    Raise SlurmCommandError if the command fails, or OSError if it can't be run or times out.
    """
    return _run(command, _environment(), TIMEOUT_SECONDS)


def run_in_utc(command: Sequence[str]) -> str:
    """Run a Slurm command like `run`, with times in its arguments in UTC. It may read a whole month's jobs."""
    return _run(command, _environment() | {"TZ": "UTC"}, ACCOUNTING_TIMEOUT_SECONDS)


def _run(command: Sequence[str], environment: Mapping[str, str], timeout: float) -> str:
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"{command[0]}: no response in {timeout:.0f} s") from None
    if done.returncode != 0:
        # skip earlier lines, which are about retries
        *_, words = ["", *done.stderr.decode(errors="replace").split("\n")[:-1]]
        raise SlurmCommandError(f"{command[0]}: {words.strip() or f'exit code {done.returncode}'}")
    return done.stdout.decode(errors="replace")


class Scontrol:
    """Controls slurmctld through Slurm's commands. Must run as SlurmUser or root."""

    def __init__(self, run: Run = run) -> None:
        self._run = run

    def nodes(self) -> list[Node]:
        """Return all CLOUD nodes with a single remote call. (The cost of `sinfo -N` is quadratic in the number of
        nodes.)
        """
        return parse_nodes(self._run(["scontrol", "show", "nodes", "--oneliner"]))

    def jobs(self) -> list[Job]:
        return parse_jobs(
            self._run(["squeue", "--noheader", "--all", "--states", HOLDS_NODES, "--format", "%A|%T|%N"])
        )

    def bound(self) -> list[int]:
        wanted = ["--states", "CONFIGURING", "--Format", "JobID,BatchFlag,Requeue"]
        rows = (line.split() for line in self._run(["squeue", "--noheader", "--all", *wanted]).splitlines())
        return [int(row[0]) for row in rows if row[1:] == ["1", "0"]]

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        for some in _chunks(sorted(jobs)):
            self._run(["scontrol", "update", f"jobid={','.join(map(str, some))}", f"requeue={int(allowed)}"])

    def waiting(self) -> dict[int, str]:
        shown = ["--states", "PENDING", "--Format", f"JobID:{_ID_WIDTH},admin_comment:{_COMMENT_WIDTH}"]
        lines = self._run(["squeue", "--noheader", "--all", *shown]).splitlines()
        pairs = ((line[:_ID_WIDTH].strip(), line[_ID_WIDTH:].strip()) for line in lines)
        # other lines are the rest of a comment with a line break
        return {int(job): "" if comment == "(null)" else comment for job, comment in pairs if job.isdecimal()}

    def explain(self, jobs: Collection[int], why: str) -> None:
        for some in _chunks(sorted(jobs)):
            self._run(["scontrol", "update", f"jobid={','.join(map(str, some))}", f"admincomment={why}"])

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        """Defer jobs by setting a later start time. Slurm then shows BeginTime as the reason why they are pending.

        Raise OSError if slurmctld does not answer or refuses the change for any job.
        """
        for some in _chunks(sorted(jobs)):
            ids = ",".join(map(str, some))
            when = f"starttime=now+{max(1, round(seconds))}"
            self._run(["scontrol", "update", f"jobid={ids}", when, f"admincomment={why}"])

    def save_nodes(self, node: str, address: str) -> None:
        """Make slurmctld save the state of all nodes within five seconds, by sending an update that changes nothing.

        `node` must have registered at `address`. Raise OSError if slurmctld does not answer or refuses the update.

        Without this call, registrations are saved only when the next job arrives, starts or ends, or after up to five
        minutes. If slurmctld is lost before then, the restarted slurmctld mistakes nodes with running jobs for nodes
        that are off or booting, and ends their jobs after ResumeTimeout. Source: state_save.c, PERIODIC_CHECKPOINT in
        slurmctld.h, and _slurm_rpc_node_registration and _slurm_rpc_update_node in proc_req.c, 22.05.8 to 25.11.7.
        """
        self._run(["scontrol", "update", f"nodename={node}", f"nodeaddr={address}"])

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        """Set the nodes' state and, if given, the reason.

        A node whose current state does not allow the change (e.g. `resume` for a node that is neither down nor
        drained) is skipped without an error. Raise OSError if slurmctld does not answer or refuses the change.
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
    """Return our environment without the variables that change the commands' output. Times are formatted as seconds
    since the epoch.
    """
    ours = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "SQUEUE_", "SCONTROL_"))}
    conf = {"SLURM_CONF": os.environ["SLURM_CONF"]} if "SLURM_CONF" in os.environ else {}
    return ours | conf | {"SLURM_TIME_FORMAT": "%s", "LC_ALL": "C.UTF-8"}
