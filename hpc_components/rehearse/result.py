from dataclasses import dataclass

from hpc_components.rehearse.events import Code, Event


@dataclass(frozen=True, kw_only=True)
class Span:
    """A period that a node or job spends in one state."""

    state: str
    """A `NodeState`, or a job state as named by Slurm."""
    begin: float
    """Start of the period, in seconds since the start of the rehearsal."""
    end: float


@dataclass(frozen=True, kw_only=True)
class NodeLife:
    """A node's states over time. The spans are consecutive."""

    name: str
    """Node name in the form `<queue>-<number>`."""
    machine: str
    """Machine type launched for the node. If there were several, this is the last one."""
    spans: tuple[Span, ...]
    """Spans, starting when the node was first wanted."""


@dataclass(frozen=True, kw_only=True)
class JobLife:
    id: int
    name: str
    queue: str
    nodes: tuple[str, ...]
    """Nodes of the job's last run."""
    restarts: int
    exit_code: str
    """Exit status and signal as shown by Slurm (`0:0` means success), or empty if the job has not ended."""
    spans: tuple[Span, ...]
    """The job's states, starting with `PENDING`."""


@dataclass(frozen=True, kw_only=True)
class Check:
    what: str
    """Condition, worded for users, e.g. `all 16 ranks say hello from 4 nodes`."""
    passed: bool
    detail: str = ""
    """Observed facts, e.g. `16 ranks on 4 nodes`."""
    code: Code | None = None
    """Check code, or None in documents written before checks had codes."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A line in a generated file that differs from the corresponding line on the real cluster."""

    file: str
    before: str
    """Line on the real cluster, or empty if the line was added."""
    after: str
    """Line used in the rehearsal, or empty if the line was removed."""
    why: str


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How the reference job is scaled to this machine."""

    nodes: int
    ranks: int
    """Number of ranks that the rehearsal runs."""
    full_ranks: int
    """Number of ranks in the published job. Equal to `ranks` if the job is not scaled down."""
    cpus_per_node: int
    """Number of CPUs per node, as declared in slurm.conf."""


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    cluster: str
    slurm: str
    """Slurm release used in the rehearsal, e.g. `22.05.8`."""
    here: str
    """Description of this machine, e.g. `Debian 12, 2 cores, 23 GiB`."""
    fault: str
    """The injected fault, or empty if there was none."""
    command: str
    """Command that submitted the job, as typed on the login node."""
    scale: Scale | None
    """How the reference job was scaled, or None for the user's own job, which is never scaled."""
    changes: tuple[Change, ...]
    events: tuple[Event, ...]
    """All events in chronological order."""
    nodes: tuple[NodeLife, ...]
    """Compute nodes that were wanted at least once, sorted by queue and number."""
    jobs: tuple[JobLife, ...]
    """All jobs, in id order."""
    checks: tuple[Check, ...]
    output: str
    accounting: str
    """Rows printed by `sacct`, or empty if there is no accounting."""
    duration: float
    """Duration in seconds."""
    described: str = ""
    """Slurm release specified in the description, e.g. `23.11`, or empty in documents written before this key
    existed."""

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)
