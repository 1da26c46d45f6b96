"""A stand-in for Slurm whose state a benchmark sets."""

from collections.abc import Collection, Mapping, Sequence

from hpc_components.elastic.model import Job, Node


class Slurm:
    """A Slurm with all nodes in one state, which ignores changes. `size` is the number of nodes of a job."""

    def __init__(self, names: Sequence[str], size: int, states: Collection[str]) -> None:
        self._names, self._size, self.states = names, size, frozenset(states)

    def nodes(self) -> Sequence[Node]:
        """Return new values each time, as a parser does."""
        return [Node(name=name, states=self.states, booted_at=1.0) for name in self._names]

    def jobs(self) -> Sequence[Job]:
        """Return jobs that together have all nodes."""
        state = "CONFIGURING" if "POWERING_UP" in self.states else "RUNNING"
        starts = range(0, len(self._names), self._size)
        return [Job(id=first, state=state, nodes=tuple(self._names[first : first + self._size])) for first in starts]

    def bound(self) -> Collection[int]:
        """Return no jobs."""
        return ()

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        """Do nothing."""

    def waiting(self) -> Mapping[int, str]:
        """Return no jobs."""
        return {}

    def explain(self, jobs: Collection[int], why: str) -> None:
        """Do nothing."""

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        """Do nothing."""

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        """Do nothing."""
