"""Plain values shared by all packages of `elastic`: what Slurm wants, and what the cloud has."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A source of machines. A queue may have several, in the order in which they are tried."""

    queue: str
    """Slurm partition."""
    machine: str
    """Machine type."""
    zone: str
    """Zone id."""
    purchase: str
    """Purchase option as named in the cloud's `limits`, e.g. `on_demand` or `spot`."""

    def __str__(self) -> str:
        """Return the form shown to operators, e.g. `hpc6a.48xlarge in use2-az2, on_demand`."""
        return f"{self.machine} in {self.zone}, {self.purchase}"


@dataclass(frozen=True, kw_only=True)
class Launch:
    """A request for machines. If it is sent again with the same `token`, it must never create a second set."""

    token: str
    """Unique token, which is created once and written to the journal before the request is sent to the cloud."""
    pool: Pool
    nodes: tuple[str, ...]
    """Node names: the machine with launch index i is `nodes[i]`. If there are fewer machines than names, the last
    names get none. A cloud that creates machines by name may leave out any nodes, but never only some of a job's
    nodes."""
    minimum: int
    """Minimum number of machines. If the cloud has fewer, the launch must fail."""
    asked: float
    """Time of the first request, in seconds since the epoch."""
    sizes: tuple[int, ...] = ()
    """Sizes, smallest first, of the groups that must be launched completely or not at all: the first `sizes[0]` nodes
    are one group, the next `sizes[1]` another. Empty if unknown.
    """


class InstanceState(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """State of a machine in its life cycle, on any cloud."""

    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"  # being terminated, which is irreversible
    GONE = "gone"


_ALIVE = (InstanceState.PENDING, InstanceState.RUNNING)


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A machine that the cloud has, or had a moment ago."""

    id: str
    """The cloud's id of the machine."""
    node: str
    """Node name, from the launch's tag and the machine's launch index."""
    token: str
    """Token of the launch that created the machine."""
    pool: Pool
    state: InstanceState
    launched: float
    """Launch time, in seconds since the epoch."""
    failing: str = ""
    """The cloud's message if it reports the machine as broken or about to be reclaimed; otherwise empty."""
    taken: bool = False
    """Whether the cloud reclaimed the machine for lack of capacity, as it does with spot machines. This does not
    count as a failure of the image or of booting."""

    @property
    def alive(self) -> bool:
        """Whether the machine costs money and counts against the maximum."""
        return self.state in _ALIVE


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node as shown by `scontrol show nodes`."""

    name: str
    """Node name, `<queue>-<number>`."""
    states: frozenset[str]
    """Base state and flags as Slurm names them, e.g. `IDLE`, `CLOUD` or `POWERED_DOWN`."""
    reason: str = ""
    """Reason why the node is down or drained. The daemon's own reasons begin with `hpc: `."""
    booted_at: float = 0.0
    """Boot time of the node's system, in seconds since the epoch; 0 if it never booted."""
    address: str = ""
    """The IP address with which the node registered, or empty while Slurm knows only its name."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job with nodes, which is configuring, running or completing."""

    id: int
    state: str
    """State as Slurm names it, e.g. `CONFIGURING` or `RUNNING`."""
    nodes: tuple[str, ...]
