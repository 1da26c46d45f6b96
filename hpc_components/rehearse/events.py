"""Defines the events that a rehearsal reports while it runs.

Each event has a kind, a code for programs, and a sentence for users.
"""

from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    CAPACITY = "capacity"  # the queue's first choice of machine is unavailable
    SPOT = "spot"  # a machine running the job receives a spot notice and is reclaimed
    DEAD_NODE = "dead-node"  # a machine running the job dies without notice
    DEAD_DAEMON = "dead-daemon"  # the elastic daemon is killed in each phase of a launch
    BOOT = "boot"  # a machine never boots


class NodeState(StrEnum):
    """State of a compute node, as derived from Slurm and the cloud. A node without events is `GONE`."""

    GONE = "gone"  # has no machine and needs none
    WANTED = "wanted"  # Slurm is powering it up, but the cloud hasn't launched a machine
    BOOTING = "booting"  # has a machine that has not registered with Slurm yet
    IDLE = "idle"
    CONFIGURING = "configuring"  # is up and allocated to a job that hasn't started yet
    BUSY = "busy"  # is running or completing a job
    DRAINING = "draining"  # drained or draining, so Slurm starts no new jobs on it
    DOWN = "down"  # Slurm reports it as down or not responding
    LEAVING = "leaving"  # Slurm is powering it down, or its machine is being terminated


class Kind(StrEnum):
    """The subject of an event."""

    STEP = "step"
    NODE = "node"
    JOB = "job"
    CLOUD = "cloud"  # the simulated cloud responded to a call, or something happened to a machine
    FAULT = "fault"
    CHECK = "check"
    NOTE = "note"


class Code(StrEnum):
    """Machine-readable event codes, listed in `docs/rehearse.md`. Codes are stable, whereas sentences may change."""

    kind: Kind

    def __new__(cls, value: str, kind: Kind) -> "Code":
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
    SOFTWARE_SUBMITTED = "software-submitted", Kind.STEP
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
    SOFTWARE_BUILT = "software-built", Kind.CHECK
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
    t: float
    """Seconds since the start of the rehearsal."""
    kind: Kind
    words: str
    """One-line description for users. Programs should use `code` instead."""
    code: Code | None = None
    """Event code, or None in documents written before events had codes."""
    node: str = ""
    job: int = 0
    state: str = ""
    """State of a node (a `NodeState`), job (as named by Slurm) or check (`passed` or `failed`)."""
    pool: str = ""
    """Pool that supplied the machine or lacked capacity, e.g. `c7i.48xlarge in use2-az2, spot`."""
