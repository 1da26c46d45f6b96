import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hpc_components.elastic.model import Node
from hpc_components.elastic.slurm.hostlists import expand
from hpc_components.elastic.slurm.records import field as read_field
from hpc_components.elastic.slurm.records import parse_nodes
from hpc_components.rehearse.event_log import EventLog, spans
from hpc_components.rehearse.events import Code, Kind, NodeState
from hpc_components.rehearse.hosts.host import Host
from hpc_components.rehearse.job_states import ENDED
from hpc_components.rehearse.result import JobLife

_POLL = """
while :; do
  if scontrol --oneliner show nodes && scontrol --oneliner show jobs; then echo END; else echo NONE; fi
  sleep 0.4
done
"""


@dataclass(frozen=True, kw_only=True)
class SeenJob:
    id: int
    name: str
    queue: str
    state: str
    reason: str
    nodes: str
    """Host list such as `cpu-[1-4]`, or empty if the job has no nodes."""
    restarts: int
    exit_code: str
    output: str
    """Path to the file that contains the job's standard output."""

    @property
    def ended(self) -> bool:
        return self.state in ENDED


def parse_jobs(text: str) -> dict[int, SeenJob]:
    """Parse the output of `scontrol --oneliner show jobs` into jobs, keyed by id."""
    jobs = {}
    for line in text.splitlines():
        if id := read_field(line, "JobId"):
            jobs[int(id)] = SeenJob(
                id=int(id),
                name=read_field(line, "JobName"),
                queue=read_field(line, "Partition"),
                state=read_field(line, "JobState"),
                reason=read_field(line, "Reason"),
                nodes=read_field(line, "NodeList").replace("(null)", ""),
                restarts=int(read_field(line, "Restarts") or 0),
                exit_code=read_field(line, "ExitCode"),
                output=read_field(line, "StdOut"),
            )
    return jobs


def node_state(states: Iterable[str], *, machine: bool, configuring: bool) -> NodeState:
    """Derive a node's state from its base state and flags in Slurm.

    `machine` means that the node has a machine, and `configuring` that its job is CONFIGURING.
    """
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
    """Slurm's state at the last poll. Call `follow` to start polling."""

    log: EventLog
    machines: Callable[[], set[str]]
    """Returns the nodes that currently have a machine."""
    nodes: dict[str, Node] = field(default_factory=dict)
    jobs: dict[int, SeenJob] = field(default_factory=dict)
    unanswered: bool = False
    """Whether any poll failed because slurmctld was down or took longer to respond than Slurm's clients wait."""
    _states: dict[str, NodeState] = field(default_factory=dict)
    _ran_on: dict[int, str] = field(default_factory=dict)

    def follow(self, head: Host) -> None:
        """Poll Slurm on `head` in a background thread until the host is gone."""
        poll = head.command("bash", "-c", _POLL)
        process = subprocess.Popen(poll, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self._read, args=(process,), daemon=True).start()

    def nodes_of(self, job: int) -> tuple[str, ...]:
        """Return the nodes that a job is running on or last ran on."""
        return expand(self._ran_on.get(job, ""))

    def in_use(self) -> set[str]:
        return {node for node, state in self._states.items() if state is not NodeState.GONE}

    def lives(self, end: float) -> tuple[JobLife, ...]:
        return tuple(
            JobLife(
                id=job.id,
                name=job.name,
                queue=job.queue,
                nodes=self.nodes_of(job.id),
                restarts=job.restarts,
                exit_code=job.exit_code if job.ended else "",
                spans=spans([e for e in self.log.events if e.kind is Kind.JOB and e.job == job.id], end),
            )
            for job in self.jobs.values()
        )

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        block = ""
        for line in process.stdout:
            if line == "END\n":
                self._update(parse_nodes(block), parse_jobs(block))
                block = ""
            elif line == "NONE\n":
                self.unanswered = True
                block = ""
            else:
                block += line
        process.wait()

    def _update(self, nodes: Sequence[Node], jobs: Mapping[int, SeenJob]) -> None:
        for job in jobs.values():
            self._update_job(job, self.jobs.get(job.id))
        self.jobs |= jobs
        machines = self.machines()
        starting = {node for job in jobs.values() if job.state == "CONFIGURING" for node in expand(job.nodes)}
        for node in nodes:
            state = node_state(node.states, machine=node.name in machines, configuring=node.name in starting)
            if state is not self._states.get(node.name, NodeState.GONE):
                reason = f": {node.reason}" if node.reason and state in (NodeState.DOWN, NodeState.DRAINING) else ""
                self.log.record(Code.NODE_STATE, f"{node.name} is {state}{reason}", node=node.name, state=state)
            self._states[node.name] = state
        self.nodes = {node.name: node for node in nodes}

    def _update_job(self, job: SeenJob, before: SeenJob | None) -> None:
        if job.nodes and job.state in ("CONFIGURING", "RUNNING"):
            self._ran_on[job.id] = job.nodes
        if before is None or (job.state, job.restarts) != (before.state, before.restarts):
            waits = f": {job.reason}" if job.state == "PENDING" and job.reason != "None" else ""
            where = f" on {job.nodes}" if job.nodes else waits
            restart = f", restart {job.restarts}" if job.restarts else ""
            self.log.record(
                Code.JOB_STATE, f"job {job.id} is {job.state}{where}{restart}", job=job.id, state=job.state
            )
