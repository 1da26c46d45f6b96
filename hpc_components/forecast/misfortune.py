"""Capacity errors and lost spot machines, drawn at random from a seed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from hpc_components.elastic.model import Pool


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """What a forecast assumes about the cloud."""

    boot_seconds: int = 180
    """Seconds from a launch until the machine registers with Slurm. The default is unsure: no cloud states how long
    its machines take to boot, and images differ."""
    capacity_errors: float = 0.0
    """Share of launches for which a pool has no capacity."""
    spot_losses: float = 0.0
    """Share of spot machines that the cloud takes back in an hour."""
    seed: int = 1
    measured_boots: Mapping[str, int] = field(default_factory=dict)
    """Median seconds to boot by machine type, where a ledger has them. They count instead of `boot_seconds`."""

    def boot_seconds_of(self, machine: str) -> int:
        return self.measured_boots.get(machine, self.boot_seconds)


class Misfortune:
    """What happens to the machines of one queue. The same seed and queue have the same misfortunes."""

    def __init__(self, assumed: Assumptions, queue: str) -> None:
        self._assumed = assumed
        self._random = Random(f"{assumed.seed} {queue}")

    def has_no_capacity(self) -> bool:
        return self._assumed.capacity_errors > 0 and self._random.random() < self._assumed.capacity_errors

    def seconds_to_loss(self, pool: Pool) -> int | None:
        """Return how long a machine of the pool runs until the cloud takes it back, or None."""
        share = self._assumed.spot_losses
        if pool.purchase != "spot" or share <= 0:
            return None
        if share >= 1:
            return 1
        return max(1, round(self._random.expovariate(-math.log1p(-share) / 3600)))
