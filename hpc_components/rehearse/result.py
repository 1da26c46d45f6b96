"""Defines the value that contains a rehearsal's outcome, from which all reports are made."""

from dataclasses import dataclass

from hpc_components.rehearse.events import Code, Event


@dataclass(frozen=True, kw_only=True)
class Span:
    """A period of time in one state."""

    state: str
    """A node's `NodeState`, or a job's state as Slurm names it."""
    begin: float
    """Seconds since the start of the rehearsal."""
    end: float
    """Seconds since the start of the rehearsal. For the last span, this is the end of the rehearsal."""


@dataclass(frozen=True, kw_only=True)
class NodeLife:
    """One node's states over time. The spans follow one another without gaps."""

    name: str
    """Node name, `<queue>-<number>`."""
    machine: str
    """Machine type launched for the node; the last one if there were several."""
    spans: tuple[Span, ...]
    """Spans, beginning with the first time that the node was wanted."""


@dataclass(frozen=True, kw_only=True)
class JobLife:
    """The states of one job over time."""

    id: int
    """Slurm's job id."""
    name: str
    """Job name."""
    queue: str
    """The partition to which the job was submitted."""
    nodes: tuple[str, ...]
    """Nodes of its last run."""
    restarts: int
    """Number of times that the job was requeued."""
    exit_code: str
    """Exit status and signal as Slurm shows them (`0:0` is success), or empty if the job has not ended."""
    spans: tuple[Span, ...]
    """The job's states, starting with `PENDING`."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """A condition, and whether it held."""

    what: str
    """The condition, for users, e.g. `all 16 ranks say hello from 4 nodes`."""
    passed: bool
    """Whether the condition held."""
    detail: str = ""
    """What was observed."""
    code: Code | None = None
    """Code of the check, or None in documents written before checks had codes."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A line in a generated file that differs from the same line on the real cluster."""

    file: str
    """Name of the file, e.g. `slurm.conf`."""
    before: str
    """The generated line, or empty if the line is added."""
    after: str
    """The line used here, or empty if the line is removed."""
    why: str
    """The reason for the difference."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much of the reference job runs here."""

    nodes: int
    """Number of nodes of the job."""
    ranks: int
    """Number of ranks that run here."""
    full_ranks: int
    """Number of ranks in the published job. Equal to `ranks` if the job is not scaled."""
    cpus_per_node: int
    """Number of CPUs per node that slurm.conf declares."""


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """One rehearsal, from start to end."""

    cluster: str
    """Name of the cluster."""
    slurm: str
    """Slurm release that ran, e.g. `22.05.8`."""
    here: str
    """Description of this machine, e.g. `Debian 12, 2 cores, 23 GiB`."""
    fault: str
    """The injected fault, or empty if there was none."""
    command: str
    """The command that submitted the job, as typed on the login node."""
    scale: Scale | None
    """How the job was scaled, or None for the user's own job, which is never changed."""
    changes: tuple[Change, ...]
    """All lines of generated files that were changed for this machine."""
    events: tuple[Event, ...]
    """All events, in order of time."""
    nodes: tuple[NodeLife, ...]
    """All compute nodes that were wanted at any time, sorted by queue and number."""
    jobs: tuple[JobLife, ...]
    """All jobs, by id."""
    checks: tuple[Check, ...]
    """Checks in the order in which they were made."""
    output: str
    """The job's output."""
    accounting: str
    """Rows printed by `sacct`, or empty if there is no accounting."""
    duration: float
    """Seconds from start to end."""
    described: str = ""
    """Slurm release in the description, e.g. `23.11`, or empty in documents written before this key existed."""

    @property
    def passed(self) -> bool:
        """Whether all checks held."""
        return all(check.passed for check in self.checks)
