"""Slurm by its own commands, 22.05 to 25.11: text out of `scontrol` and `squeue`, changes by `scontrol update`."""

import os
import re
import subprocess
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import TypeVar

from hpc_components.elastic.model import Job, Node
from hpc_components.elastic.slurm.hostlists import expand, fold

__all__ = ["CommandError", "Scontrol", "parse_jobs", "parse_nodes", "run"]

TIMEOUT = 60.0
"""Seconds for one command. Slurm's own end before (MessageTimeout, 10 s, for a slurmctld that hangs)."""
AT_ONCE = 1000
"""Nodes in one update: not one argument of more than the 128 KiB that Linux allows, however scattered they are."""
HOLDS_NODES = "RUNNING,CONFIGURING,COMPLETING,SUSPENDED,STOPPED,SIGNALING,RESIZING,STAGE_OUT"
"""Job states with nodes. RUNNING alone leaves out jobs whose nodes are still coming."""

_REASON = re.compile(r" Reason=(.*?)(?: \[[^\s\[\]]+@[^\s\[\]]+\]|$)")

_Name = TypeVar("_Name", int, str)

Run = Callable[[Sequence[str]], str]
"""Runs a command; its output, or OSError."""


class CommandError(OSError):
    """A command that failed; its text is the command's own."""


def run(command: Sequence[str]) -> str:
    """What a command of Slurm writes. CommandError if it fails, other OSErrors if it can't run or does not end."""
    try:
        done = subprocess.run(
            command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"{command[0]}: no answer in {TIMEOUT:.0f} s") from None
    if done.returncode != 0:
        *_, words = ["", *done.stderr.decode(errors="replace").split("\n")[:-1]]  # the lines before are its tries
        raise CommandError(f"{command[0]}: {words.strip() or f'exit code {done.returncode}'}")
    return done.stdout.decode(errors="replace")


class Scontrol:
    """slurmctld, asked by its commands. The user must be SlurmUser or root."""

    def __init__(self, run: Run = run) -> None:
        self._run = run

    def nodes(self) -> list[Node]:
        """All CLOUD nodes. One remote call, however many there are (`sinfo -N` is quadratic)."""
        return parse_nodes(self._run(["scontrol", "show", "nodes", "--oneliner"]))

    def jobs(self) -> list[Job]:
        """All jobs that have nodes."""
        return parse_jobs(
            self._run(["squeue", "--noheader", "--all", "--states", HOLDS_NODES, "--format", "%A|%T|%N"])
        )

    def bound(self) -> list[int]:
        """Batch jobs that wait for their nodes to come up and would end if one of these were set down."""
        wanted = ["--states", "CONFIGURING", "--Format", "JobID,BatchFlag,Requeue"]
        rows = (line.split() for line in self._run(["squeue", "--noheader", "--all", *wanted]).splitlines())
        return [int(row[0]) for row in rows if row[1:] == ["1", "0"]]

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        """Whether jobs may start again. OSError if slurmctld does not answer or refuses."""
        for some in _chunks(sorted(jobs)):
            self._run(["scontrol", "update", f"jobid={','.join(map(str, some))}", f"requeue={int(allowed)}"])

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        """Let jobs wait, with the reason BeginTime. OSError if one of them does not, or slurmctld does not answer."""
        for some in _chunks(sorted(jobs)):
            ids = ",".join(map(str, some))
            when = f"starttime=now+{max(1, round(seconds))}"
            self._run(["scontrol", "update", f"jobid={ids}", when, f"admincomment={why}"])

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        """Set a state, and a reason where the state wants one.

        What is in no state to be changed (`resume` of a node that is neither down nor drained) stays as it is,
        without an error; the others of the list are changed. OSError if slurmctld does not answer or refuses.
        """
        because = [f"reason={reason}"] if reason else []
        for some in _chunks(sorted(nodes)):
            try:
                self._run(["scontrol", "update", f"nodename={fold(some)}", f"state={state}", *because])
            except CommandError as error:
                if "Invalid node state" not in str(error):
                    raise


def parse_nodes(text: str) -> list[Node]:
    """CLOUD nodes of `scontrol show nodes --oneliner` with SLURM_TIME_FORMAT=%s."""
    nodes: list[Node] = []
    for line in text.splitlines():
        states = _states(_value(line, " State="))
        if not line.startswith("NodeName=") or "CLOUD" not in states:
            continue
        name, address = _value(line, "NodeName="), _value(line, " NodeAddr=")
        booted = _value(line, " BootTime=")
        reason = _REASON.search(line) if " Reason=" in line else None
        nodes.append(
            Node(
                name=name,
                states=states,
                reason=reason[1] if reason else "",
                boot_time=float(booted) if booted.isdigit() else 0.0,
                address=address if address != name else "",
            )
        )
    return nodes


def parse_jobs(text: str) -> list[Job]:
    """Jobs of `squeue --noheader --format '%A|%T|%N'`."""
    rows = (line.split("|") for line in text.splitlines())
    return [Job(id=int(id_), state=state, nodes=_expand(nodes)) for id_, state, nodes in rows]


@cache
def _states(text: str) -> frozenset[str]:
    """`MIXED+CLOUD` -> MIXED, CLOUD. Ten thousand nodes share a handful of these."""
    return frozenset(text.split("+"))


def _expand(hostlist: str) -> tuple[str, ...]:
    return expand(hostlist) if hostlist else ()


def _value(line: str, key: str) -> str:
    start = line.find(key)
    if start < 0:
        return ""
    start += len(key)
    end = line.find(" ", start)
    return line[start:end] if end >= 0 else line[start:]


def _chunks(names: Sequence[_Name]) -> Iterable[Sequence[_Name]]:
    return (names[start : start + AT_ONCE] for start in range(0, len(names), AT_ONCE))


def _environment() -> dict[str, str]:
    """Ours without what changes the commands' output, and with times in seconds of the epoch."""
    ours = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "SQUEUE_", "SCONTROL_"))}
    conf = {"SLURM_CONF": os.environ["SLURM_CONF"]} if "SLURM_CONF" in os.environ else {}
    return ours | conf | {"SLURM_TIME_FORMAT": "%s", "LC_ALL": "C.UTF-8"}
