"""What Slurm wants and what the cloud has: plain values shared by all rooms."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A source of machines. A queue has several, in the order in which they are tried."""

    queue: str
    """Slurm partition."""
    machine: str
    """Machine type."""
    zone: str
    """Zone id."""
    purchase: str
    """Purchase option as named in the cloud's `limits`: `on_demand`, `spot` ..."""

    def __str__(self) -> str:
        """Return the form shown to operators: `hpc6a.48xlarge in use2-az2, on_demand`."""
        return f"{self.machine} in {self.zone}, {self.purchase}"


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One request for machines. Sending it again with the same `token` never creates a second set."""

    token: str
    """Created once, and written to the journal before the request is sent to the cloud."""
    pool: Pool
    nodes: tuple[str, ...]
    """Node names: the machine with launch index i is `nodes[i]`. If fewer machines come, the last names get none. A
    cloud that creates machines by name may leave out any, but never only part of a job's."""
    minimum: int
    """Minimum number of machines to accept; with fewer, the launch must fail."""
    asked: float
    """Time of the first request, in seconds since the epoch."""
    sizes: tuple[int, ...] = ()
    """Sizes of the groups that are all or nothing, smallest first: the first `sizes[0]` nodes are one group, the next
    `sizes[1]` another. Empty if unknown."""


class InstanceState(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """The life cycle of a machine, on any cloud."""

    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"  # being ended; irreversible
    GONE = "gone"


_ALIVE = (InstanceState.PENDING, InstanceState.RUNNING)


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A machine that the cloud has, or had a moment ago."""

    id: str
    """The cloud's id of the machine."""
    node: str
    """Node name, from launch tag and launch index."""
    token: str
    """Token of the launch that created it."""
    pool: Pool
    state: InstanceState
    launched: float
    """Launch time, in seconds since the epoch."""
    failing: str = ""
    """The cloud's own message if it knows the machine to be broken or about to be reclaimed; else empty."""
    taken: bool = False
    """Whether the cloud reclaimed it for lack of capacity, as it does with spot machines. Not a failure of image or
    boot."""

    @property
    def alive(self) -> bool:
        """Whether the machine costs money and counts against the maximum."""
        return self.state in _ALIVE


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node as shown by `scontrol show nodes`."""

    name: str
    """`<queue>-<number>`."""
    states: frozenset[str]
    """Base state and flags in Slurm's words: `IDLE`, `CLOUD`, `POWERED_DOWN` ..."""
    reason: str = ""
    """Reason for which it is down or drained; the daemon's own reasons begin with `hpc: `."""
    booted_at: float = 0.0
    """Boot time of its system, in seconds since the epoch; 0 if it never booted."""
    address: str = ""
    """The IP address with which it registered; empty while Slurm knows only its name."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job with nodes: configuring, running or completing."""

    id: int
    state: str
    """`CONFIGURING`, `RUNNING` ..."""
    nodes: tuple[str, ...]
