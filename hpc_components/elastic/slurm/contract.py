"""What the daemon asks of Slurm, and tells it."""

from collections.abc import Collection, Sequence
from typing import Protocol

from hpc_components.elastic.model import Job, Node

__all__ = ["Slurm"]


class Slurm(Protocol):
    """slurmctld. Any call raises OSError while it does not answer."""

    def nodes(self) -> Sequence[Node]:
        """All CLOUD nodes."""
        ...

    def jobs(self) -> Sequence[Job]:
        """All jobs that have nodes."""
        ...

    def bound(self) -> Collection[int]:
        """Ids of batch jobs that wait for their nodes to come up and would end if one of these were set down."""
        ...

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        """Whether jobs may start again: `scontrol update jobid=... requeue=...`."""
        ...

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        """Start jobs that wait no sooner than in so many seconds, and say why where `scontrol show job` tells it."""
        ...

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        """`scontrol update nodename=... state=... reason=...`."""
        ...
