"""What a rehearsal tells: events while it runs, and at its end one value that a report is made from."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "Change", "Check", "Event", "Fault", "JobLife", "Kind", "NodeLife", "NodeState", "Rehearsal", "Scale", "Span",
]  # fmt: skip


class Kind(StrEnum):
    """What an event is about."""

    STEP = "step"  # the rehearsal begins something: `words` says what, in the present tense
    NODE = "node"  # a node came into `state`, one of NodeState
    JOB = "job"  # a job came into `state`, in Slurm's words; `job` is its id
    CLOUD = "cloud"  # the local cloud was asked for something, or did something by itself
    FAULT = "fault"  # a fault is put in
    CHECK = "check"  # something was checked; `state` is `passed` or `failed`
    NOTE = "note"  # something worth knowing: what is scaled, what is waited for


class Fault(StrEnum):
    """What may go wrong on purpose."""

    CAPACITY = "capacity"  # the first choice of machines is nowhere to be had
    SPOT = "spot"  # a machine under the job is announced to be taken away, and is
    DEAD_NODE = "dead-node"  # a machine under the job dies without a word
    DEAD_DAEMON = "dead-daemon"  # the elastic daemon is killed at every step of a launch
    BOOT = "boot"  # a machine never boots


class NodeState(StrEnum):
    """The life of a compute node, as Slurm and the cloud together show it. A node that is not told of is `GONE`."""

    GONE = "gone"  # no machine, and none wanted
    WANTED = "wanted"  # Slurm powers it up; the cloud has not been asked yet, or said no
    BOOTING = "booting"  # there is a machine; Slurm does not know it yet
    IDLE = "idle"
    CONFIGURING = "configuring"  # it is up and given to a job that Slurm has not started yet
    BUSY = "busy"  # a job runs or completes on it
    DRAINING = "draining"  # drained or draining: nothing new comes here
    DOWN = "down"  # Slurm calls it down or it does not answer
    LEAVING = "leaving"  # Slurm powers it down, or its machine is being ended


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened, as it is told at once."""

    t: float
    """Seconds since the rehearsal began."""
    kind: Kind
    """What it is about."""
    words: str
    """One line for a person."""
    node: str = ""
    """The node, if it is about one."""
    job: int = 0
    """The job's id, if it is about one."""
    state: str = ""
    """What it came into: see `Kind`."""


@dataclass(frozen=True, kw_only=True)
class Span:
    """A time in one state."""

    state: str
    """`NodeState` of a node, Slurm's word of a job."""
    begin: float
    """Seconds since the rehearsal began."""
    end: float
    """Seconds since the rehearsal began; of the last span, when the rehearsal ended."""


@dataclass(frozen=True, kw_only=True)
class NodeLife:
    """A node that was there for a while. Its spans follow one another without a gap."""

    name: str
    """`<queue>-<number>`."""
    machine: str
    """What was launched for it, as the cloud calls it; the last one if there were several."""
    spans: tuple[Span, ...]
    """From the first time it was wanted."""


@dataclass(frozen=True, kw_only=True)
class JobLife:
    """A job and what became of it."""

    id: int
    """Slurm's job id."""
    name: str
    """Its name."""
    queue: str
    """The partition it was sent to."""
    nodes: tuple[str, ...]
    """Where it ran last."""
    restarts: int
    """How often it was put back into the queue."""
    exit_code: str
    """`0:0` is well: exit status and signal, as Slurm tells them; empty while it has not ended."""
    spans: tuple[Span, ...]
    """Its states, `PENDING` first."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """Something that must hold, and whether it did."""

    what: str
    """The claim: `the job printed the hello of all 16 ranks`."""
    passed: bool
    """Whether it held."""
    detail: str = ""
    """What was seen."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A line of a generated file that differs here from the real cluster."""

    file: str
    """Name of the file: `slurm.conf`."""
    before: str
    """The generated line; empty if it is added."""
    after: str
    """The line used here; empty if it is left out."""
    why: str
    """The reason."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much of the job is run here."""

    nodes: int
    """Nodes of the job."""
    ranks: int
    """Ranks that run here."""
    full_ranks: int
    """Ranks of the job as published; the same as `ranks` if nothing is scaled."""
    cpus_per_node: int
    """CPUs that Slurm believes each node to have."""


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """One rehearsal, from beginning to end."""

    cluster: str
    """Name of the cluster."""
    slurm: str
    """Slurm release that ran: `22.05.8`."""
    here: str
    """This machine: `Debian 12, 2 cores, 23 GiB`."""
    fault: str
    """The fault that was put in; empty if none."""
    command: str
    """How the job was submitted, as typed on the login node."""
    scale: Scale | None
    """How the job was scaled; None for a job of the user's own, which is never touched."""
    changes: tuple[Change, ...]
    """Every line of a generated file that was changed for this machine."""
    events: tuple[Event, ...]
    """All that happened, in order."""
    nodes: tuple[NodeLife, ...]
    """All compute nodes that were there for a while, by name."""
    jobs: tuple[JobLife, ...]
    """All jobs, by id."""
    checks: tuple[Check, ...]
    """What was checked."""
    output: str
    """What the job wrote."""
    accounting: str
    """Rows of `sacct`, as it prints them; empty without accounting."""
    duration: float
    """Seconds from beginning to end."""
    described: str = ""
    """Slurm release of the description: `23.11`; empty in documents from before this was told."""

    @property
    def passed(self) -> bool:
        """Whether all checks held."""
        return all(check.passed for check in self.checks)
