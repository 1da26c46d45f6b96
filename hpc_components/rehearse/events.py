"""Defines what a rehearsal reports while it runs.

Each event has a kind, a code for programs, and a sentence for users.
"""

from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """The faults that can be injected."""

    CAPACITY = "capacity"  # the first choice of machine is not available
    SPOT = "spot"  # a machine on which the job runs gets a spot notice, and is reclaimed
    DEAD_NODE = "dead-node"  # a machine on which the job runs dies without notice
    DEAD_DAEMON = "dead-daemon"  # the elastic daemon is killed at every step of a launch
    BOOT = "boot"  # a machine never boots


class NodeState(StrEnum):
    """State of a compute node, combined from Slurm and the cloud. A node without any event is `GONE`."""

    GONE = "gone"  # has no machine, and is not wanted
    WANTED = "wanted"  # Slurm is powering it up, but the cloud has not been asked yet or has refused
    BOOTING = "booting"  # has a machine that has not registered with Slurm yet
    IDLE = "idle"
    CONFIGURING = "configuring"  # is up and allocated to a job that Slurm has not started yet
    BUSY = "busy"  # a job is running or completing on it
    DRAINING = "draining"  # drained or draining: Slurm starts no more jobs on it
    DOWN = "down"  # Slurm shows it as down or not responding
    LEAVING = "leaving"  # Slurm is powering it down, or its machine is being terminated


class Kind(StrEnum):
    """The subject of an event."""

    STEP = "step"  # the rehearsal starts a step
    NODE = "node"  # a node changed its state
    JOB = "job"  # a job changed its state
    CLOUD = "cloud"  # the local cloud answered a call, or something happened to a machine
    FAULT = "fault"  # a fault was injected
    CHECK = "check"  # a check was made
    NOTE = "note"  # additional information


class Code(StrEnum):
    """What happened, for programs. Codes are stable, whereas sentences may change. `docs/rehearse.md` lists them."""

    kind: Kind

    def __new__(cls, value: str, kind: Kind) -> "Code":
        """Create a member from its value and kind."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.kind = kind
        return member

    CLUSTER_STARTS = "cluster-starts", Kind.STEP
    HEAD_BOOTS = "head-boots", Kind.STEP
    DATABASE_STARTS = "database-starts", Kind.STEP
    CONTROLLER_STARTS = "controller-starts", Kind.STEP
    ACCOUNTS_SET_UP = "accounts-set-up", Kind.STEP
    ELASTIC_STARTS = "elastic-starts", Kind.STEP
    LOGIN_BOOTS = "login-boots", Kind.STEP
    SHELL_READY = "shell-ready", Kind.STEP
    JOB_SUBMITTED = "job-submitted", Kind.STEP
    WAITS_FOR_IDLE_NODES = "waits-for-idle-nodes", Kind.STEP
    CLUSTER_KEPT = "cluster-kept", Kind.STEP

    NODE_STATE = "node-state", Kind.NODE
    JOB_STATE = "job-state", Kind.JOB

    LAUNCHED = "launched", Kind.CLOUD
    NO_CAPACITY = "no-capacity", Kind.CLOUD
    WILL_NOT_BOOT = "will-not-boot", Kind.CLOUD
    BOOT_FAILED = "boot-failed", Kind.CLOUD
    TERMINATED = "terminated", Kind.CLOUD
    DIED = "died", Kind.CLOUD

    CAPACITY_REMOVED = "capacity-removed", Kind.FAULT
    BOOT_PREVENTED = "boot-prevented", Kind.FAULT
    SPOT_NOTICE = "spot-notice", Kind.FAULT
    MACHINE_KILLED = "machine-killed", Kind.FAULT
    DAEMON_KILLED = "daemon-killed", Kind.FAULT

    REHEARSAL_ENDS = "rehearsal-ends", Kind.CHECK
    NO_EARLY_NODES = "no-early-nodes", Kind.CHECK
    JOB_ACCEPTED = "job-accepted", Kind.CHECK
    NAMES_FOUND = "names-found", Kind.CHECK
    JOB_COMPLETED = "job-completed", Kind.CHECK
    STARTS_WITH_NODES = "starts-with-nodes", Kind.CHECK
    ALL_RANKS = "all-ranks", Kind.CHECK
    OWN_GPUS = "own-gpus", Kind.CHECK
    ONE_MACHINE_EACH = "one-machine-each", Kind.CHECK
    LAUNCHED_AFTER_ERROR = "launched-after-error", Kind.CHECK
    REQUEUED = "requeued", Kind.CHECK
    RESUMED = "resumed", Kind.CHECK
    LOSS_NOTICED = "loss-noticed", Kind.CHECK
    DRAINED_IN_TIME = "drained-in-time", Kind.CHECK
    REQUEUED_IN_TIME = "requeued-in-time", Kind.CHECK
    DAEMON_KILLED_THRICE = "daemon-killed-thrice", Kind.CHECK
    FAILED_BOOT_TERMINATED = "failed-boot-terminated", Kind.CHECK
    FAILED_BOOT_REPLACED = "failed-boot-replaced", Kind.CHECK
    ACCOUNTED = "accounted", Kind.CHECK
    ALL_NODES_GONE = "all-nodes-gone", Kind.CHECK
    NO_ERRORS = "no-errors", Kind.CHECK

    LINES_CHANGED = "lines-changed", Kind.NOTE
    MACHINE_BUSY = "machine-busy", Kind.NOTE


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a rehearsal."""

    t: float
    """Seconds since the start of the rehearsal."""
    kind: Kind
    """Subject of the event."""
    words: str
    """One line for users. Programs should read `code` instead."""
    code: Code | None = None
    """What happened, or None in documents written before events had codes."""
    node: str = ""
    """The node, if the event is about one."""
    job: int = 0
    """The job's id, if the event is about a job."""
    state: str = ""
    """A node's `NodeState`, a job's state as Slurm names it, or `passed` or `failed` for a check."""
    pool: str = ""
    """Pool that supplied machines or had no capacity, e.g. `c7i.48xlarge in use2-az2, spot`."""
