"""Looks at Slurm again and again, and tells what changed: the states of nodes and jobs."""

import re
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hpc_components.elastic.hostlists import expand as expand_hosts
from hpc_components.elastic.model import Node
from hpc_components.elastic.scontrol import parse_nodes
from hpc_components.rehearse.event_log import Teller, spans
from hpc_components.rehearse.hosts.host import Host
from hpc_components.rehearse.result import JobLife, Kind, NodeState

__all__ = ["Observer", "SeenJob", "node_state", "parse_jobs"]

_LOOK = """
while :; do
  scontrol --oneliner show nodes && scontrol --oneliner show jobs && echo END
  sleep 0.4
done
"""

_ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE"}


@dataclass(frozen=True, kw_only=True)
class SeenJob:
    """A job as Slurm shows it."""

    id: int
    name: str
    queue: str
    state: str
    reason: str
    nodes: str
    """As Slurm writes them: `cpu-[1-4]`."""
    restarts: int
    exit_code: str
    output: str
    """The file that it writes to."""

    @property
    def ended(self) -> bool:
        """Whether nothing more will become of it."""
        return self.state in _ENDED


def parse_jobs(text: str) -> dict[int, SeenJob]:
    """Jobs in the lines of `scontrol --oneliner show jobs`."""
    jobs = {}
    for line in text.splitlines():
        if id := _word(line, "JobId"):
            jobs[int(id)] = SeenJob(
                id=int(id),
                name=_word(line, "JobName"),
                queue=_word(line, "Partition"),
                state=_word(line, "JobState"),
                reason=_word(line, "Reason"),
                nodes=_word(line, " NodeList").replace("(null)", ""),
                restarts=int(_word(line, "Restarts") or 0),
                exit_code=_word(line, "ExitCode"),
                output=_word(line, "StdOut"),
            )
    return jobs


def node_state(states: Iterable[str], *, machine: bool, configuring: bool) -> NodeState:
    """What a node's states in Slurm come to, whether it has a machine, and whether its job is only CONFIGURING."""
    words = set(states)
    working = bool(words & {"ALLOCATED", "MIXED", "COMPLETING"})
    if "DOWN" in words:
        return NodeState.DOWN
    if "DRAIN" in words:
        return NodeState.DRAINING
    if "POWERED_DOWN" in words:
        return NodeState.WANTED if working else NodeState.LEAVING if machine else NodeState.GONE
    if words & {"POWERING_DOWN", "POWER_DOWN"}:
        return NodeState.LEAVING
    if words & {"POWERING_UP", "POWER_UP"}:
        return NodeState.BOOTING if machine else NodeState.WANTED
    if "NOT_RESPONDING" in words:
        return NodeState.DOWN
    if working:
        return NodeState.CONFIGURING if configuring else NodeState.BUSY
    return NodeState.IDLE


@dataclass
class Observer:
    """What Slurm shows now. `follow` a head node to keep it so."""

    teller: Teller
    machines: Callable[[], set[str]]
    """Nodes that have a machine now."""
    nodes: dict[str, Node] = field(default_factory=dict)
    jobs: dict[int, SeenJob] = field(default_factory=dict)
    _states: dict[str, NodeState] = field(default_factory=dict)
    _ran_on: dict[int, str] = field(default_factory=dict)

    def follow(self, head: Host) -> None:
        """Look at Slurm on `head` until it is gone, in a thread of its own."""
        look = head.command("bash", "-c", _LOOK)
        process = subprocess.Popen(look, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self._read, args=(process,), daemon=True).start()

    def nodes_of(self, job: int) -> tuple[str, ...]:
        """The nodes that a job has, or had last."""
        return expand_hosts(self._ran_on.get(job, ""))

    def there(self) -> set[str]:
        """Nodes that Slurm has not given back."""
        return {node for node, state in self._states.items() if state is not NodeState.GONE}

    def lives(self, end: float) -> tuple[JobLife, ...]:
        """The lives of all jobs so far."""
        return tuple(
            JobLife(
                id=job.id,
                name=job.name,
                queue=job.queue,
                nodes=self.nodes_of(job.id),
                restarts=job.restarts,
                exit_code=job.exit_code if job.ended else "",
                spans=spans([e for e in self.teller.events if e.kind is Kind.JOB and e.job == job.id], end),
            )
            for job in self.jobs.values()
        )

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        block = ""
        for line in process.stdout:
            if line == "END\n":
                self._see(parse_nodes(block), parse_jobs(block))
                block = ""
            else:
                block += line
        process.wait()

    def _see(self, nodes: Sequence[Node], jobs: Mapping[int, SeenJob]) -> None:
        for job in jobs.values():
            self._see_job(job, self.jobs.get(job.id))
        self.jobs |= jobs
        machines = self.machines()
        new = {each for job in jobs.values() if job.state == "CONFIGURING" for each in expand_hosts(job.nodes)}
        for node in nodes:
            state = node_state(node.states, machine=node.name in machines, configuring=node.name in new)
            if state is not self._states.get(node.name, NodeState.GONE):
                why = f": {node.reason}" if node.reason and state in (NodeState.DOWN, NodeState.DRAINING) else ""
                self.teller.tell(Kind.NODE, f"{node.name} is {state}{why}", node=node.name, state=state)
            self._states[node.name] = state
        self.nodes = {node.name: node for node in nodes}

    def _see_job(self, job: SeenJob, before: SeenJob | None) -> None:
        if job.nodes and job.state in ("CONFIGURING", "RUNNING"):
            self._ran_on[job.id] = job.nodes
        if before is None or (job.state, job.restarts) != (before.state, before.restarts):
            where = f" on {job.nodes}" if job.nodes else f": {job.reason}" if job.state == "PENDING" else ""
            again = f", restart {job.restarts}" if job.restarts else ""
            self.teller.tell(Kind.JOB, f"job {job.id} is {job.state}{where}{again}", job=job.id, state=job.state)


def _word(line: str, key: str, value: str = r"\S+") -> str:
    found = re.search(rf"(?:^|\s|(?<=\s)){key.strip()}=({value})", line)
    return found[1] if found else ""
