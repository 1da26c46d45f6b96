"""What a rehearsal comes to: one value, from which every report is made."""

from dataclasses import dataclass

from hpc_components.rehearse.events import Code, Event

__all__ = ["Change", "Check", "JobLife", "NodeLife", "Rehearsal", "Scale", "Span"]


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
    """The states of one node over time. Its spans follow one another without a gap."""

    name: str
    """`<queue>-<number>`."""
    machine: str
    """Machine type that was launched for it; the last one if there were several."""
    spans: tuple[Span, ...]
    """From the first time it was wanted."""


@dataclass(frozen=True, kw_only=True)
class JobLife:
    """The states of one job over time."""

    id: int
    """Slurm's job id."""
    name: str
    """Its name."""
    queue: str
    """The partition it was sent to."""
    nodes: tuple[str, ...]
    """Where it ran last."""
    restarts: int
    """How often it was requeued."""
    exit_code: str
    """Exit status and signal, as Slurm shows them (`0:0` is success); empty while it has not ended."""
    spans: tuple[Span, ...]
    """Its states, `PENDING` first."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """Something that must hold, and whether it did."""

    what: str
    """What must hold, for a person: `all 16 ranks say hello from 4 nodes`."""
    passed: bool
    """Whether it held."""
    detail: str = ""
    """What was seen."""
    code: Code | None = None
    """What was checked; None in a document that was written before checks had codes."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A line of a generated file that is not used here as the real cluster uses it."""

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
    """How much of the reference job runs here."""

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
    """The fault that was injected; empty if none."""
    command: str
    """How the job was submitted, as typed on the login node."""
    scale: Scale | None
    """How the job was scaled; None for a job of the user's own, which is never changed."""
    changes: tuple[Change, ...]
    """Every line of a generated file that was changed for this machine."""
    events: tuple[Event, ...]
    """All events, in order of time."""
    nodes: tuple[NodeLife, ...]
    """All compute nodes that were wanted at any time, by name."""
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
    """Slurm release of the description: `23.11`; empty in documents that were written before this key existed."""

    @property
    def passed(self) -> bool:
        """Whether all checks held."""
        return all(check.passed for check in self.checks)
