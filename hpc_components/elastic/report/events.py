import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from hpc_components.elastic.budget.look import Look
from hpc_components.elastic.journal.entries import BlockedPool
from hpc_components.elastic.model import Instance, Job, Node


class EventKind(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    LAUNCH = "launch"  # the cloud created machines for a launch
    REPEAT = "repeat"  # a launch whose outcome was unknown was sent again with the same token
    CAPACITY = "capacity"  # a pool currently has no capacity
    REFUSED = "refused"  # the cloud refused a launch because of a permission, a quota or the template
    THROTTLED = "throttled"  # the cloud asked the daemon to slow down
    LOST = "lost"  # a call got no answer, and will be retried
    TERMINATE = "terminate"
    DOWN = "down"
    DRAIN = "drain"  # nodes were drained, so that they get no new jobs
    POSTPONE = "postpone"  # a job was deferred because its nodes are not available
    RESUME = "resume"  # nodes that the daemon had set to down were resumed
    POWER_UP = "power_up"  # Slurm was asked to power up nodes that must always be up
    POWER_DOWN = "power_down"  # Slurm was asked to power down nodes
    UNHEALTHY = "unhealthy"  # a machine failed a check of its health
    UP = "up"
    UNLISTED = "unlisted"  # nodes are running on machines that the cloud does not list
    CLOCK = "clock"
    BUDGET = "budget"  # launches stopped because the budget is spent, or go on again; or a notice was sent
    LEDGER = "ledger"  # costs are not recorded, or are recorded again
    SLURM_AWAY = "slurm_away"
    CLOUD_AWAY = "cloud_away"


@dataclass(frozen=True, kw_only=True)
class Event:
    time: float
    """Time in seconds since the epoch."""
    kind: EventKind
    nodes: tuple[str, ...] = ()
    words: str
    """A complete sentence for operators."""


@dataclass(frozen=True, kw_only=True)
class Wait:
    nodes: tuple[str, ...]
    until: float
    """Time at which the daemon will stop waiting and act, in seconds since the epoch; 0 if the daemon can't do
    anything."""
    words: str


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What the cluster has cost since the beginning of the UTC month, in nano-dollars."""

    month: float
    """Beginning of the month, in seconds since the epoch."""
    queues: Mapping[str, int]
    """Maps each queue to the cost of its machines."""
    services: int
    """Cost of everything that always exists, such as the head node and file systems."""
    rate: int
    """What an hour of everything that runs now costs."""
    unpriced: tuple[str, ...] = ()
    """Pools whose machines run without a known price, as shown to operators."""


@dataclass(frozen=True, kw_only=True)
class FailedCheck:
    """A machine that failed a check of its health."""

    queue: str
    machine: str
    """Machine type."""
    check: str


@dataclass(frozen=True, kw_only=True)
class CycleReport:
    time: float
    """Start of the cycle, in seconds since the epoch."""
    pause: float
    """Seconds until the next cycle, unless the daemon is woken earlier."""
    problem: str = ""
    """Why the cycle could not make decisions, e.g. because Slurm or the cloud does not answer; empty if there was no
    problem."""
    nodes: tuple[Node, ...] = ()
    """Slurm's nodes at the start of the cycle."""
    jobs: tuple[Job, ...] = ()
    """Slurm's jobs at the start of the cycle."""
    instances: tuple[Instance, ...] = ()
    """The cloud's machines at the start of the cycle."""
    cells: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    """Maps each node name to (state in Slurm, state in the cloud, action)."""
    events: tuple[Event, ...] = ()
    waits: tuple[Wait, ...] = ()
    blocked: tuple[BlockedPool, ...] = ()
    failed_checks: tuple[FailedCheck, ...] = ()
    """One for each machine that became unhealthy in this cycle."""
    budget: Look | None = None
    """The cluster's budget at the start of the cycle, or None if the daemon doesn't watch one."""
    costs: Costs | None = None
    """None if no costs are recorded."""
    calls: int = 0
    """Number of calls to the driver in this cycle."""


def slurm_away(error: OSError) -> str:
    """Return the message for an unreachable slurmctld. The loop and the cycles use the same message, so that the loop
    can skip an error that was already logged.
    """
    return f"Slurm does not answer: {error}"


def clock_time(moment: float) -> str:
    return time.strftime("%H:%M", time.localtime(moment))
