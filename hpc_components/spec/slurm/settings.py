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
"""Slurm's default for `MaxJobCount`, the maximum number of jobs and array tasks that the controller keeps."""


_NUMBERS = {("partition", "overtimelimit")}
"""Keys whose values Slurm parses as strings and then cuts down to their leading digits.

For example, `2-00:00:00` is read as two minutes. Source: Slurm source code, src/common/read_config.c.
"""


@dataclass(frozen=True)
class Setting:
    """A slurm.conf setting, with its path in the description."""

    path: Path
    key: str
    value: Value
    scope: Scope
    known: SlurmKey | None

    @property
    def text(self) -> str:
        """The value as Slurm reads it, i.e. without enclosing double quotes."""
        return unquoted(self.value)

    def type(self, version: str) -> str | None:
        """Return the value's type in the given release, or None if the release doesn't recognize the key."""
        type = self.known.types.get(version) if self.known else None
        return "uint16" if type == "text" and (self.scope, self.key.lower()) in _NUMBERS else type


def settings_of(cluster: ClusterSpec) -> Iterator[Setting]:
    """Yield all settings, cluster-wide ones first."""
    yield from (_whole(key, value) for key, value in cluster.slurm.settings.items())
    for index in range(len(cluster.queues)):
        yield from queue_settings(cluster, index).values()


def queue_settings(cluster: ClusterSpec, index: int) -> dict[str, Setting]:
    """Return a queue's own settings, keyed by name as spelled in the description."""
    return {
        key: Setting(("queues", index, "slurm", key), key, value, "partition", slurm_key("partition", key))
        for key, value in cluster.queues[index].slurm.items()
    }


def global_settings(cluster: ClusterSpec) -> dict[str, Setting]:
    return {key.lower(): _whole(key, value) for key, value in cluster.slurm.settings.items()}


def partition_settings(cluster: ClusterSpec, index: int) -> dict[str, Setting]:
    """Return the settings that apply to a queue, keyed by lower-case name."""
    return global_settings(cluster) | {key.lower(): one for key, one in queue_settings(cluster, index).items()}


def _whole(key: str, value: Value) -> Setting:
    return Setting(("slurm", "settings", key), key, value, "global", slurm_key("global", key))


def max_time(queue: Queue) -> float | None:
    """Return the queue's `MaxTime` in minutes. Return infinity if `MaxTime` isn't set, or None if it is malformed."""
    given = queue_value(queue, "MaxTime")
    return math.inf if given is None else minutes(given)


def queue_value(queue: Queue, key: str) -> str | None:
    """Return the value of a queue's own setting as Slurm reads it, or None if the setting is missing. The key's case
    is ignored.
    """
    return next((unquoted(value) for name, value in queue.slurm.items() if name.lower() == key.lower()), None)
