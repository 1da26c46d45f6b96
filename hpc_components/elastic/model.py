"""What Slurm wants and what the cloud has: the plain values that all rooms share."""

from dataclasses import dataclass
from enum import Enum

__all__ = ["Instance", "InstanceState", "Job", "Launch", "Node", "Pool"]


@dataclass(frozen=True, kw_only=True)
class Pool:
    """One place to get machines from. A queue has several, in the order in which they are tried."""

    queue: str
    """Slurm partition."""
    machine: str
    """Machine type."""
    zone: str
    """Zone id."""
    purchase: str
    """How it is bought, in the words of the cloud's `limits`: `on_demand`, `spot` ..."""

    def __str__(self) -> str:
        """As a person is told of it: `hpc6a.48xlarge in use2-az2, on_demand`."""
        return f"{self.machine} in {self.zone}, {self.purchase}"


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One request for machines. The same `token` never makes a second set of them, however often it is sent."""

    token: str
    """Made once, and written to the journal before the cloud hears of it."""
    pool: Pool
    """Where the machines come from."""
    nodes: tuple[str, ...]
    """Node names: the machine with launch index i is `nodes[i]`. If fewer machines come, the last names get none; on
    a cloud that makes machines by name, any, but all of a job's or none."""
    minimum: int
    """The fewest machines to accept; rather none than fewer."""
    asked: float
    """When it was first sent, seconds of the epoch."""
    sizes: tuple[int, ...] = ()
    """How many of the nodes belong together, smallest first: the first `sizes[0]` are all needed or none, then the
    next `sizes[1]`. Empty if it is not known."""


class InstanceState(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """The life cycle of a machine, on any cloud."""

    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"  # being ended; no way back
    GONE = "gone"


_ALIVE = (InstanceState.PENDING, InstanceState.RUNNING)


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A machine that the cloud has or had a moment ago."""

    id: str
    """The cloud's name for it."""
    node: str
    """Its node name, from launch tag and launch index."""
    token: str
    """Token of the launch that made it."""
    pool: Pool
    """Where it came from."""
    state: InstanceState
    """Its state now."""
    launched: float
    """When it was launched, seconds of the epoch."""
    failing: str = ""
    """The cloud's own words if it knows the machine to be broken or about to be taken away; else empty."""
    taken: bool = False
    """Whether the cloud took it back for lack of capacity, as it does with spot machines: no failure of image or
    boot."""

    @property
    def alive(self) -> bool:
        """Whether it costs money and counts against the maximum."""
        return self.state in _ALIVE


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node as `scontrol show nodes` tells it."""

    name: str
    """`<queue>-<number>`."""
    states: frozenset[str]
    """Base state and flags in Slurm's words: `IDLE`, `CLOUD`, `POWERED_DOWN` ..."""
    reason: str = ""
    """Why it is down or drained; ours begin with `hpc: `."""
    boot_time: float = 0.0
    """When its system started, seconds of the epoch; 0 if it never did."""
    address: str = ""
    """The IP address that it registered with; empty while Slurm knows only its name."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job that has nodes: configuring, running or completing."""

    id: int
    """Job id."""
    state: str
    """`CONFIGURING`, `RUNNING` ..."""
    nodes: tuple[str, ...]
    """Node names."""
