"""What the daemon reads from Slurm and changes there."""

from collections.abc import Collection, Sequence
from typing import Protocol

from hpc_components.elastic.model import Job, Node


class Slurm(Protocol):
    """slurmctld. Any call raises OSError if it does not answer."""

    def nodes(self) -> Sequence[Node]:
        """Return all CLOUD nodes."""
        ...

    def jobs(self) -> Sequence[Job]:
        """Return all jobs that have nodes."""
        ...

    def bound(self) -> Collection[int]:
        """Return the ids of batch jobs that wait for their nodes and would end if one of them were set down."""
        ...

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        """Allow or forbid requeueing jobs: `scontrol update jobid=... requeue=...`."""
        ...

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        """Start waiting jobs in `seconds` at the earliest; `scontrol show job` shows why."""
        ...

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        """Change nodes: `scontrol update nodename=... state=... reason=...`."""
        ...
