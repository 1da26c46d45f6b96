"""What may go wrong in a rehearsal, on purpose."""

from enum import StrEnum

__all__ = ["Fault"]


class Fault(StrEnum):
    """A fault that is put in."""

    CAPACITY = "capacity"  # the first pool has no machines
    SPOT = "spot"  # a machine under the job is announced to be taken away, and is
    DEAD_NODE = "dead-node"  # a machine under the job dies without a word
    DEAD_DAEMON = "dead-daemon"  # the elastic daemon is killed at every step of a launch
    BOOT = "boot"  # a machine never boots
