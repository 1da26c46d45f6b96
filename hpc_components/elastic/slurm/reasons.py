"""Reasons that the daemon sets on Slurm nodes, so that it can later tell which ones it set to down or drained."""

from enum import Enum

REASON_PREFIX = "hpc: "
"""Prefix of the reason of every node that the daemon sets to down or drains. The daemon resumes only these nodes."""
NO_CAPACITY = REASON_PREFIX + "no capacity"
"""Prefix of the reason given if no pool has capacity at present. As with every kind of reason in `Why`, the node is
resumed once a pool is open."""


class Why(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """Why a pool is blocked. The reason set on a node begins with `REASON_PREFIX` and one of these texts."""

    CAPACITY = "no capacity"
    BOOT = "machines do not come up"
    REFUSED = "refused"
    QUOTA = "over the quota"
    SILENCE = "no answer"
