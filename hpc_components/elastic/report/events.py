"""Values that describe what a cycle saw, did and is waiting for. Used by the status, the metrics and rehearsals."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from hpc_components.elastic.journal.entries import BlockedPool
from hpc_components.elastic.model import Instance, Job, Node


class EventKind(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """Kind of an event."""

    LAUNCH = "launch"  # the cloud answered a launch with machines
    REPEAT = "repeat"  # a launch with an unknown outcome was sent again, with its token
    CAPACITY = "capacity"  # a pool has no capacity at present
    REFUSED = "refused"  # the cloud refuses a launch: permission, quota, template
    THROTTLED = "throttled"  # the cloud asked for a pause
    LOST = "lost"  # a call was not answered, and will be retried
    TERMINATE = "terminate"  # machines were terminated
    DOWN = "down"  # nodes were set to down
    DRAIN = "drain"  # nodes were drained, so that they get no new jobs
    POSTPONE = "postpone"  # a job that can't have its nodes was deferred
    RESUME = "resume"  # nodes that the daemon had set to down were resumed
    POWER_UP = "power_up"  # Slurm was asked to power up nodes that are always kept up
    POWER_DOWN = "power_down"  # Slurm was asked to power down nodes
    UP = "up"  # nodes registered
    UNLISTED = "unlisted"  # nodes run on machines that the cloud does not list
    CLOCK = "clock"  # the head node's clock was set
    SLURM_AWAY = "slurm_away"  # slurmctld did not answer
    CLOUD_AWAY = "cloud_away"  # the cloud did not answer


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a cycle."""

    time: float
    """Time in seconds since the epoch."""
    kind: EventKind
    nodes: tuple[str, ...] = ()
    """The nodes concerned, or empty if the event is not about nodes."""
    words: str
    """A complete sentence for operators."""


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Something that the daemon is waiting for."""

    nodes: tuple[str, ...]
    """The nodes that are waiting."""
    until: float
    """Time at which the daemon acts on it, in seconds since the epoch, or 0 if the daemon can't act on it."""
    words: str
    """A sentence for operators."""


@dataclass(frozen=True, kw_only=True)
class CycleReport:
    """What one cycle saw and did."""

    time: float
    """Start of the cycle, in seconds since the epoch."""
    pause: float
    """Seconds until the next cycle, if nothing wakes the daemon earlier."""
    problem: str = ""
    """Why nothing could be decided, e.g. because Slurm or the cloud does not answer; empty if all is well."""
    nodes: tuple[Node, ...] = ()
    """Slurm's nodes at the beginning of the cycle."""
    jobs: tuple[Job, ...] = ()
    """Slurm's jobs at the beginning of the cycle."""
    instances: tuple[Instance, ...] = ()
    """The cloud's machines at the beginning of the cycle."""
    cells: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    """Maps each node name to (state in Slurm, state in the cloud, action)."""
    events: tuple[Event, ...] = ()
    """Actions taken, in order."""
    waits: tuple[Wait, ...] = ()
    blocked: tuple[BlockedPool, ...] = ()
    """Pools that are left alone for a while."""
    calls: int = 0
    """Number of driver calls in this cycle."""


def slurm_away(error: OSError) -> str:
    """Return the message for an unreachable slurmctld, which is the same within a cycle and between cycles."""
    return f"Slurm does not answer: {error}"


def clock_time(moment: float) -> str:
    """Return the time of day on the head node, e.g. `14:05`."""
    return time.strftime("%H:%M", time.localtime(moment))
