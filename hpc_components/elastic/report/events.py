"""What one cycle saw, did and waits for: plain values for status, metrics and the timeline of a rehearsal."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from hpc_components.elastic.journal.entries import BlockedPool
from hpc_components.elastic.model import Instance, Job, Node

__all__ = ["CycleReport", "Event", "EventKind", "Wait", "clock_time", "slurm_away"]


class EventKind(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """What kind of thing happened."""

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
    """What kind."""
    nodes: tuple[str, ...] = ()
    """The nodes concerned; empty if it is not about nodes."""
    words: str
    """A complete sentence for people."""


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Something that the daemon waits for."""

    nodes: tuple[str, ...]
    """The nodes that wait."""
    until: float
    """When the daemon does something about it, seconds of the epoch; 0 if only somebody else can."""
    words: str
    """A sentence for people."""


@dataclass(frozen=True, kw_only=True)
class CycleReport:
    """What one cycle saw and did."""

    time: float
    """When it began, seconds of the epoch."""
    pause: float
    """Seconds until the next cycle should run if nobody wakes the daemon."""
    problem: str = ""
    """Why nothing could be decided (Slurm or the cloud does not answer); empty if all is well."""
    nodes: tuple[Node, ...] = ()
    """Slurm's nodes at the beginning."""
    jobs: tuple[Job, ...] = ()
    """Slurm's jobs at the beginning."""
    instances: tuple[Instance, ...] = ()
    """The cloud's machines at the beginning."""
    cells: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    """By node: its state in Slurm, its state in the cloud, and the action."""
    events: tuple[Event, ...] = ()
    """What was done, in order."""
    waits: tuple[Wait, ...] = ()
    """What the daemon waits for."""
    blocked: tuple[BlockedPool, ...] = ()
    """Pools that are left alone."""
    calls: int = 0
    """Calls of the driver in this cycle."""


def slurm_away(error: OSError) -> str:
    """What is told of a slurmctld that did not answer, by a cycle and between cycles."""
    return f"Slurm does not answer: {error}"


def clock_time(moment: float) -> str:
    """A time of day on the head node: `14:05`."""
    return time.strftime("%H:%M", time.localtime(moment))
