"""What one cycle saw, did and waits for: plain values for status, metrics and the timeline of a rehearsal."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from hpc_components.elastic.journal.entries import BlockedPool
from hpc_components.elastic.model import Instance, Job, Node


class EventKind(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """Kind of an event."""

    LAUNCH = "launch"  # a launch was answered with machines
    REPEAT = "repeat"  # a launch with unknown outcome is sent again, with its token
    CAPACITY = "capacity"  # a pool has no capacity now
    REFUSED = "refused"  # the cloud refuses to launch: permission, quota, template
    THROTTLED = "throttled"  # the cloud asks for a pause
    LOST = "lost"  # a call was not answered, and is retried
    TERMINATE = "terminate"  # machines were ended
    DOWN = "down"  # nodes were set down
    DRAIN = "drain"  # nodes were drained: no new jobs
    POSTPONE = "postpone"  # a job that can't have its nodes was deferred
    RESUME = "resume"  # nodes set down by the daemon were resumed
    POWER_UP = "power_up"  # Slurm was asked to power up nodes that are always kept up
    POWER_DOWN = "power_down"  # Slurm was asked to power down nodes
    UP = "up"  # nodes registered
    UNLISTED = "unlisted"  # nodes work on machines that the cloud does not list
    CLOCK = "clock"  # the head node's clock was set
    SLURM_AWAY = "slurm_away"  # slurmctld did not answer
    CLOUD_AWAY = "cloud_away"  # the cloud did not answer


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a cycle."""

    time: float
    """Seconds since the epoch."""
    kind: EventKind
    nodes: tuple[str, ...] = ()
    """The nodes concerned; empty if the event is not about nodes."""
    words: str
    """A complete sentence for operators."""


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Something that the daemon waits for."""

    nodes: tuple[str, ...]
    """The nodes that wait."""
    until: float
    """Time when the daemon acts on it, in seconds since the epoch; 0 if the daemon can't."""
    words: str
    """A sentence for operators."""


@dataclass(frozen=True, kw_only=True)
class CycleReport:
    """What one cycle saw and did."""

    time: float
    """Start of the cycle, in seconds since the epoch."""
    pause: float
    """Seconds until the next cycle, if nothing wakes the daemon before."""
    problem: str = ""
    """Why nothing could be decided (Slurm or the cloud does not answer); empty if all is well."""
    nodes: tuple[Node, ...] = ()
    """Slurm's nodes at the beginning."""
    jobs: tuple[Job, ...] = ()
    """Slurm's jobs at the beginning."""
    instances: tuple[Instance, ...] = ()
    """The cloud's machines at the beginning."""
    cells: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    """State in Slurm, state in the cloud, and action, by node."""
    events: tuple[Event, ...] = ()
    """Actions taken, in order."""
    waits: tuple[Wait, ...] = ()
    blocked: tuple[BlockedPool, ...] = ()
    """Pools that are left alone."""
    calls: int = 0
    """Number of driver calls in this cycle."""


def slurm_away(error: OSError) -> str:
    """Return the message for an unreachable slurmctld, the same within and between cycles."""
    return f"Slurm does not answer: {error}"


def clock_time(moment: float) -> str:
    """Return the time of day on the head node: `14:05`."""
    return time.strftime("%H:%M", time.localtime(moment))
