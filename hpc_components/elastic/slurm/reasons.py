"""Defines the reasons that the daemon sets on Slurm nodes. They later show which nodes the daemon itself drained or
set to down.
"""

from enum import Enum

REASON_PREFIX = "hpc: "
"""Prefix of the reason that the daemon sets whenever it drains a node or sets it to down. The daemon resumes only
nodes whose reason has this prefix."""
NO_CAPACITY = REASON_PREFIX + "no capacity"
"""Prefix of the reason set if no pool has capacity. As with every reason in `Why`, the node is resumed as soon as a
pool is open."""


class Why(str, Enum):  # noqa: UP042  StrEnum is of Python 3.11
    """Why a pool is blocked. The reason set on a node is `REASON_PREFIX` followed by one of these texts."""

    CAPACITY = "no capacity"
    BOOT = "machines do not come up"
    REFUSED = "refused"
    QUOTA = "over the quota"
    SILENCE = "no answer"
    BUDGET = "budget"
    HEALTH = "machines fail their health checks"


BUDGET_SPENT = f"{REASON_PREFIX}{Why.BUDGET.value}: "
"""Prefix of the reason set on nodes while the cluster's budget is spent."""

UNHEALTHY = f"{REASON_PREFIX}health: "
"""Prefix of the reason that `hpc-health` sets on its node, before `<check>: <what>`."""

OF_BUDGET = "the cluster's budget of "
"""How a reason begins that names the cluster's budget."""
