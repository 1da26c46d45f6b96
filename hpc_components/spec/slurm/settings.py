"""The settings of a description that have Slurm's own names."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.queues import Queue
from hpc_components.spec.slurm.keys import Scope, SlurmKey, slurm_key
from hpc_components.spec.slurm.times import minutes
from hpc_components.spec.slurm.values import Value, unquoted

MAX_JOB_COUNT = 100_000
"""`MaxJobCount` unless the description sets it: maximum number of jobs and array tasks that the controller keeps."""


_NUMBERS = {("partition", "overtimelimit")}
"""Keys that Slurm parses as strings, but whose leading digits it then uses as a number.

Source: Slurm's own source, src/common/read_config.c: `2-00:00:00` is two minutes.
"""


@dataclass(frozen=True)
class Setting:
    """A key of slurm.conf with its value and its path in the description."""

    path: Path
    key: str
    value: Value
    scope: Scope
    known: SlurmKey | None

    @property
    def text(self) -> str:
        """The value as Slurm reads it: without double quotes around it."""
        return unquoted(self.value)

    def type(self, version: str) -> str | None:
        """Return how the release reads the value; None if it does not know the key."""
        type = self.known.types.get(version) if self.known else None
        return "uint16" if type == "text" and (self.scope, self.key.lower()) in _NUMBERS else type


def settings_of(cluster: ClusterSpec) -> Iterator[Setting]:
    """Yield all settings, those of the cluster first."""
    yield from (_whole(key, value) for key, value in cluster.slurm.settings.items())
    for index in range(len(cluster.queues)):
        yield from queue_settings(cluster, index).values()


def queue_settings(cluster: ClusterSpec, index: int) -> dict[str, Setting]:
    """Return the settings of a queue by key, in the description's spelling."""
    return {
        key: Setting(("queues", index, "slurm", key), key, value, "partition", slurm_key("partition", key))
        for key, value in cluster.queues[index].slurm.items()
    }


def global_settings(cluster: ClusterSpec) -> dict[str, Setting]:
    """Return the settings of the cluster by key in lower case."""
    return {key.lower(): _whole(key, value) for key, value in cluster.slurm.settings.items()}


def partition_settings(cluster: ClusterSpec, index: int) -> dict[str, Setting]:
    """Return the settings that apply to a queue, its own before the cluster's, by key in lower case."""
    return global_settings(cluster) | {key.lower(): one for key, one in queue_settings(cluster, index).items()}


def _whole(key: str, value: Value) -> Setting:
    """Return a setting of the whole cluster."""
    return Setting(("slurm", "settings", key), key, value, "global", slurm_key("global", key))


def max_time(queue: Queue) -> float | None:
    """Return the queue's `MaxTime` in minutes; infinity without one, None if malformed."""
    given = queue_value(queue, "MaxTime")
    return math.inf if given is None else minutes(given)


def queue_value(queue: Queue, key: str) -> str | None:
    """Return the value of a queue's own setting as Slurm reads it, for a key in any case; None without it."""
    return next((unquoted(value) for name, value in queue.slurm.items() if name.lower() == key.lower()), None)
