from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from hpc_components.elastic.model import Job, Node


class Slurm(Protocol):
    """Interface to slurmctld. Every call raises OSError if slurmctld does not answer."""

    def nodes(self) -> Sequence[Node]:
        """Return all CLOUD nodes."""
        ...

    def jobs(self) -> Sequence[Job]:
        """Return all jobs that have nodes."""
        ...

    def bound(self) -> Collection[int]:
        """Return the ids of batch jobs that are waiting for nodes and would end if any of those nodes were set to
        down.
        """
        ...

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        """Allow or forbid requeueing of the jobs: `scontrol update jobid=... requeue=...`."""
        ...

    def waiting(self) -> Mapping[int, str]:
        """Return the jobs that wait in the queue, with their `AdminComment`. An array counts as one job."""
        ...

    def explain(self, jobs: Collection[int], why: str) -> None:
        """Set the `AdminComment` of pending jobs, which `scontrol show job` shows."""
        ...

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        """Defer pending jobs by at least `seconds`. `scontrol show job` shows `why` as the reason."""
        ...

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        """Change the state of nodes: `scontrol update nodename=... state=... reason=...`."""
        ...
