from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A source of machines. A queue can have several pools, which are tried in order."""

    queue: str
    """Slurm partition."""
    machine: str
    zone: str
    purchase: str
    """Purchase option, named as in the cloud's `limits`, e.g. `on_demand` or `spot`."""

    def __str__(self) -> str:
        return f"{self.machine} in {self.zone}, {self.purchase}"


@dataclass(frozen=True, kw_only=True)
class Launch:
    """A request for machines. Sending it again with the same `token` must never create a second set of machines."""

    token: str
    """Unique token, generated once and written to the journal before the request is sent."""
    pool: Pool
    nodes: tuple[str, ...]
    """Node names: the machine with launch index i becomes `nodes[i]`. If the cloud creates fewer machines, the last
    names remain unused. A cloud that creates machines by name may skip any nodes, but it must never split a group
    from `sizes`."""
    minimum: int
    """Minimum number of machines. If the cloud can't provide that many, the launch must fail."""
    asked: float
    """Time at which the launch was first requested, in seconds since the epoch."""
    sizes: tuple[int, ...] = ()
    """Sizes of the groups that must be launched all or nothing, smallest first: the first `sizes[0]` nodes form one
    group, the next `sizes[1]` another. Empty if unknown."""


class InstanceState(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"  # being terminated, which is irreversible
    GONE = "gone"


_ALIVE = (InstanceState.PENDING, InstanceState.RUNNING)


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A machine that exists in the cloud, or did until recently."""

    id: str
    node: str
    """Node name, derived from the launch's tag and the machine's launch index."""
    token: str
    pool: Pool
    state: InstanceState
    launched: float
    """Launch time, in seconds since the epoch."""
    failing: str = ""
    """The cloud's message if the machine is reported as broken or about to be reclaimed; otherwise empty."""
    taken: bool = False
    """Whether the cloud reclaimed the machine because it needed the capacity, as happens with spot machines. A
    reclaimed machine is not treated as a boot failure or as a fault of the image."""
    ended: float | None = None
    """Time at which billing ended, in seconds since the epoch. None if the cloud does not report it."""

    @property
    def alive(self) -> bool:
        """Whether the machine is billed and counts toward the maximum."""
        return self.state in _ALIVE


@dataclass(frozen=True, kw_only=True)
class LoginNode:
    """A login node that the cloud reports as running.

    It is not an `Instance` and has no machine id, so that nothing can decide about it or terminate it.
    """

    address: str
    """Private IP address."""
    machine: str
    zone: str
    """Empty if the cloud does not report it."""

    @property
    def name(self) -> str:
        """Host name, which the boot step `identity` derives from the address."""
        return f"login-{self.address.replace('.', '-')}"


@dataclass(frozen=True, kw_only=True)
class Node:
    name: str
    """Node name, `<queue>-<number>`."""
    states: frozenset[str]
    """Base state and flags, named as in Slurm, e.g. `IDLE`, `CLOUD` or `POWERED_DOWN`."""
    reason: str = ""
    """Why the node is down or drained. Reasons set by the daemon begin with `hpc: `."""
    booted_at: float = 0.0
    """Boot time of the node's operating system, in seconds since the epoch; 0 if it has never booted."""
    address: str = ""
    """IP address with which the node registered. Empty while Slurm has only the node's name."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job that has nodes and is configuring, running or completing."""

    id: int
    state: str
    """State, named as in Slurm, e.g. `CONFIGURING` or `RUNNING`."""
    nodes: tuple[str, ...]
