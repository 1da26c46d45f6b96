"""What Slurm wants, what the cloud has, and what is done about it: plain values, and the two doors to the outside."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

__all__ = [
    "CapacityError", "Driver", "FailedError", "Instance", "InstanceState", "Job", "Launch", "LaunchError", "Node",
    "Pool", "QuotaError", "RefusedError", "Slurm", "ThrottledError",
]  # fmt: skip


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
    """`on_demand`, `spot`, `reservation` or `capacity_block`."""

    def __str__(self) -> str:
        """As a person is told of it: `hpc6a.48xlarge in use2-az2, on_demand`."""
        return f"{self.machine} in {self.zone}, {self.purchase}"


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One request for machines. The same `token` never makes a second set of them, however often it is sent."""

    token: str
    """Made once, kept in the journal before the cloud hears of it."""
    pool: Pool
    """Where from."""
    nodes: tuple[str, ...]
    """Node names: the machine with launch index i is `nodes[i]`. With fewer machines, the last names get none."""
    minimum: int
    """Rather none than fewer than this."""
    asked: float
    """When, in seconds of the epoch."""


class InstanceState(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """What becomes of a machine, in every cloud's life cycle."""

    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"  # being ended; no way back
    GONE = "gone"


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A machine that the cloud has or had a moment ago."""

    id: str
    """The cloud's name for it."""
    node: str
    """Its node name, from launch tag and launch index."""
    token: str
    """Of the launch that made it."""
    pool: Pool
    """Where it came from."""
    state: InstanceState
    """Its state now."""
    launched: float
    """When, in seconds of the epoch."""
    failing: str = ""
    """The cloud's own words if it knows the machine to be broken or about to be taken away; else empty."""
    taken: bool = False
    """Whether the cloud ended it for want of room, as it does with spot machines: no fault of image or boot."""

    @property
    def alive(self) -> bool:
        """Whether it costs money and counts against the maximum."""
        return self.state in (InstanceState.PENDING, InstanceState.RUNNING)


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


class LaunchError(Exception):
    """A launch that made no machine at all."""


class CapacityError(LaunchError):
    """The pool has not enough machines now: try another one, come back later."""


class ThrottledError(LaunchError):
    """Asked too often: the same request may be sent again after a pause."""


class RefusedError(LaunchError):
    """The cloud will not do it however often it is asked (permission, quota, a template that is wrong).

    If `kept` is not empty, it is only these machines that are not ended; all others of the call are.
    """

    def __init__(self, words: str, kept: Collection[str] = ()) -> None:
        super().__init__(words)
        self.kept = tuple(kept)


class QuotaError(RefusedError):
    """The account may not have so many machines: fewer may still be had."""


class FailedError(OSError):
    """The cloud answered that it failed: nobody knows what it has done, but it does no more.

    The same launch sent again tells: machines, if it was carried out before; else it is carried out, or refused, now.
    """


class Driver(Protocol):
    """A cloud. Any call may raise OSError if no answer came; then nobody knows whether it was heard.

    Launches of different pools come from several threads at a time, beside the other calls.
    """

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Make between `minimum` and `len(nodes)` machines, or raise a LaunchError. Idempotent by token."""
        ...

    def terminate(self, ids: Collection[str]) -> None:
        """End machines for good. ThrottledError if asked too often.

        Ids that are gone already are no error; one so new that the cloud does not know it everywhere is an OSError.
        """
        ...

    def list(self) -> Sequence[Instance]:
        """All machines of this cluster's queues. What was launched in the last minutes may be missing.

        The list may also lack an older one for once.
        """
        ...

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """Machines of this cluster by their ids, and those of launches by their tokens, also those that have ended.

        What nobody knows is left out.
        """
        ...


class Slurm(Protocol):
    """slurmctld. Any call raises OSError while it does not answer."""

    def nodes(self) -> Sequence[Node]:
        """All CLOUD nodes."""
        ...

    def jobs(self) -> Sequence[Job]:
        """All jobs that have nodes."""
        ...

    def bound(self) -> Collection[int]:
        """Ids of batch jobs that wait for their nodes to come up and would end if one of these were set down."""
        ...

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        """Whether jobs may start again: `scontrol update jobid=... requeue=...`."""
        ...

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        """Start jobs that wait no sooner than in so many seconds, and say why where `scontrol show job` tells it."""
        ...

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        """`scontrol update nodename=... state=... reason=...`."""
        ...
