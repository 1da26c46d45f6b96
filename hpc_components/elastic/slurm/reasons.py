"""The reasons that the daemon gives nodes in Slurm, by which it knows its own downs and drains again."""

from enum import Enum

__all__ = ["NO_CAPACITY", "OURS", "Why"]

OURS = "hpc: "
"""What the reason of every down and drain of ours begins with. Only those are ever lifted by us."""
NO_CAPACITY = OURS + "no capacity"
"""What the reason begins with where no pool has machines now. All of `Why` are lifted once a pool is open."""


class Why(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """Why a pool is left alone. Reasons of nodes begin with these words after `OURS`."""

    CAPACITY = "no capacity"
    BOOT = "machines do not come up"
    REFUSED = "refused"
    QUOTA = "over the quota"
    SILENCE = "no answer"
