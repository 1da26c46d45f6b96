"""What one cycle saw, did and waits for: plain values for status, metrics and the timeline of a rehearsal."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from hpc_components.elastic.journal.entries import BlockedPool
from hpc_components.elastic.model import Instance, Job, Node

__all__ = ["CycleReport", "Event", "EventKind", "Wait", "clock_time"]


class EventKind(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """What happened."""

    LAUNCH = "launch"  # a launch was answered with machines
    REPEAT = "repeat"  # a launch whose answer is not known is sent again, with its token
    CAPACITY = "capacity"  # a pool has no machines now
    REFUSED = "refused"  # the cloud will not launch: permission, quota, template
    THROTTLED = "throttled"  # the cloud asks for a pause
    LOST = "lost"  # no answer came; it is asked again
    TERMINATE = "terminate"  # machines were ended
    DOWN = "down"  # nodes were set down
    DRAIN = "drain"  # nodes were drained: no new jobs
    POSTPONE = "postpone"  # a job that can't have its nodes was told to wait
    RESUME = "resume"  # our own downs were lifted
    POWER_UP = "power_up"  # Slurm was asked to bring up nodes that are always kept up
    POWER_DOWN = "power_down"  # Slurm was asked to give nodes back
    UP = "up"  # nodes registered
    UNLISTED = "unlisted"  # nodes work on machines that the cloud does not list
    CLOCK = "clock"  # the head node's clock was set
    SLURM_AWAY = "slurm_away"  # slurmctld did not answer
    CLOUD_AWAY = "cloud_away"  # the cloud did not answer


@dataclass(frozen=True, kw_only=True)
class Event:
    """One thing that happened in a cycle."""

    time: float
    """Seconds of the epoch."""
    kind: EventKind
    """What."""
    nodes: tuple[str, ...] = ()
    """Which nodes; empty if it is not about nodes."""
    words: str
    """A sentence for a person, complete in itself."""


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Something that the next cycles look out for."""

    nodes: tuple[str, ...]
    """Which nodes wait."""
    until: float
    """Seconds of the epoch at which something is done about it; 0 if it only waits for somebody else."""
    words: str
    """A sentence for a person."""


@dataclass(frozen=True, kw_only=True)
class CycleReport:
    """One cycle."""

    time: float
    """When it began, seconds of the epoch."""
    pause: float
    """Seconds until the next cycle should run if nobody wakes the daemon."""
    problem: str = ""
    """Why nothing could be decided (Slurm or the cloud does not answer); empty if all is well."""
    nodes: tuple[Node, ...] = ()
    """What Slurm said at the beginning."""
    jobs: tuple[Job, ...] = ()
    """What Slurm said at the beginning."""
    instances: tuple[Instance, ...] = ()
    """What the cloud said at the beginning."""
    cells: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    """Each node's row of the decision table: what Slurm says, what the cloud has, what follows."""
    events: tuple[Event, ...] = ()
    """What was done, in order."""
    waits: tuple[Wait, ...] = ()
    """What it waits for."""
    blocked: tuple[BlockedPool, ...] = ()
    """Pools that are left alone."""
    calls: int = 0
    """Calls of the cloud's API doors (launch, terminate, list) that this cycle made."""


def clock_time(moment: float) -> str:
    """As people read it on the head node: `14:05`."""
    return time.strftime("%H:%M", time.localtime(moment))
